//! Scaling of an axis, and ticks at round numbers.

use std::fmt::Write as _;

use super::{Axis, power_of_ten, text};

/// The rectangle of the curves in the picture.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// A tick: a place on the axis from 0 to 1, and what stands there.
pub(super) struct Tick {
    at: f64,
    pub(super) label: String,
}

/// An axis with the range it shows.
pub(super) struct Scaled {
    title: String,
    log: bool,
    /// Of the values, or of their decimal logarithms.
    range: Option<(f64, f64)>,
    ticks: Vec<Tick>,
}

impl Scaled {
    /// A vertical axis: its range reaches from tick to tick, and to zero when that is near.
    pub(super) fn vertical(axis: &Axis, range: Option<(f64, f64)>) -> Self {
        Self::new(axis, range, 5.0, true)
    }

    /// A horizontal axis: its range is that of the values, or slightly more.
    pub(super) fn horizontal(axis: &Axis, range: Option<(f64, f64)>) -> Self {
        Self::new(axis, range, 6.0, false)
    }

    fn new(axis: &Axis, range: Option<(f64, f64)>, count: f64, round: bool) -> Self {
        let Some((lo, hi)) = range else {
            let title = title(axis, 0);
            return Self { title, log: axis.log, range, ticks: Vec::new() };
        };
        if axis.log {
            let (lo, hi) = (lo.log10(), hi.log10());
            let (lo, hi) = if hi - lo < 0.1 { (lo - 0.5, hi + 0.5) } else { (lo, hi) };
            let (lo, hi) = if round { (lo.floor(), hi.ceil()) } else { (lo, hi) };
            let ticks = log_ticks(lo, hi, count);
            return Self { title: title(axis, 0), log: true, range: Some((lo, hi)), ticks };
        }
        let (mut lo, mut hi) = widened(lo, hi, round);
        let step = round_step((hi - lo) / count);
        if round {
            lo = (lo / step + 1e-9).floor() * step;
            hi = (hi / step - 1e-9).ceil() * step;
        } else {
            // An end just short of a tick is moved to it, so that the tick is seen.
            let next = (hi / step).ceil() * step;
            hi = if next - hi < 0.02 * (hi - lo) { next } else { hi };
        }
        let exponent = common_exponent(lo.abs().max(hi.abs()));
        let ticks = linear_ticks(lo, hi, step, exponent);
        Self { title: title(axis, exponent), log: false, range: Some((lo, hi)), ticks }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.range.is_none()
    }

    pub(super) fn ticks(&self) -> impl Iterator<Item = &Tick> {
        self.ticks.iter()
    }

    /// The place of a value from 0 to 1.
    pub(super) fn place(&self, value: f64) -> f64 {
        let (lo, hi) = self.range.unwrap_or((0.0, 1.0));
        let value = if self.log { value.log10() } else { value };
        (value - lo) / (hi - lo)
    }
}

/// The label with its unit and, for large and small numbers, a power of ten.
fn title(axis: &Axis, exponent: i32) -> String {
    let label = &axis.label;
    match (exponent, axis.unit.as_str()) {
        (0, "") => label.clone(),
        (0, unit) => format!("{label} [{unit}]"),
        (e, "") => format!("{label} [{}]", power_of_ten(e)),
        (e, unit) => format!("{label} [{} {unit}]", power_of_ten(e)),
    }
}

/// A range that is not empty. With `zero`, zero belongs to it when it is near.
fn widened(lo: f64, hi: f64, zero: bool) -> (f64, f64) {
    let largest = lo.abs().max(hi.abs());
    let (mut lo, mut hi) = (lo, hi);
    if largest < 1e-290 {
        return (0.0, 1.0);
    }
    if hi - lo <= 1e-9 * largest {
        // A constant stands in the middle.
        let pad = if zero { largest } else { 0.5 * largest };
        (lo, hi) = (lo - pad, hi + pad);
    }
    if zero && lo > 0.0 && lo < 0.4 * hi {
        lo = 0.0;
    }
    if zero && hi < 0.0 && hi > 0.4 * lo {
        hi = 0.0;
    }
    (lo, hi)
}

/// 1, 2 or 5 times a power of ten, near the argument.
fn round_step(raw: f64) -> f64 {
    let power = 10_f64.powf(raw.log10().floor());
    match raw / power {
        m if m < 1.5 => power,
        m if m < 3.5 => 2.0 * power,
        m if m < 7.5 => 5.0 * power,
        _ => 10.0 * power,
    }
}

/// A multiple of three for numbers that would be long to write, else 0.
fn common_exponent(largest: f64) -> i32 {
    let exponent = largest.log10().floor() as i32;
    if (-2..4).contains(&exponent) { 0 } else { exponent.div_euclid(3) * 3 }
}

fn linear_ticks(lo: f64, hi: f64, step: f64, exponent: i32) -> Vec<Tick> {
    let unit = 10_f64.powi(exponent);
    let decimals = (-(step / unit).log10() - 1e-9).ceil().clamp(0.0, 9.0) as usize;
    let first = (lo / step - 1e-9).ceil();
    let count = (hi / step + 1e-9).floor() - first;
    // The count is about five by the choice of the step; the bound is for strange ranges.
    let ticks = (0..=count.clamp(0.0, 20.0) as u32).map(|i| {
        let value = (first + f64::from(i)) * step;
        let number = format!("{:.decimals$}", value / unit);
        let negative_zero =
            number.starts_with('-') && !number.contains(|c| ('1'..='9').contains(&c));
        let label = if negative_zero { number.replacen('-', "", 1) } else { minus(&number) };
        Tick { at: (value - lo) / (hi - lo), label }
    });
    ticks.collect()
}

fn log_ticks(lo: f64, hi: f64, count: f64) -> Vec<Tick> {
    let stride = ((hi - lo) / count).ceil().max(1.0);
    let factors: &[f64] = if hi - lo <= 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let mut ticks = Vec::new();
    let mut decade = (lo / stride).floor() * stride;
    while decade <= hi && ticks.len() < 40 {
        for &factor in factors {
            let at = (decade + factor.log10() - lo) / (hi - lo);
            let power = power_of_ten(decade as i32);
            let label = if factor > 1.0 { format!("{factor}·{power}") } else { power };
            if (-1e-9..=1.0 + 1e-9).contains(&at) {
                ticks.push(Tick { at, label });
            }
        }
        decade += stride;
    }
    ticks
}

/// A true minus sign instead of a hyphen.
fn minus(number: &str) -> String {
    number.replace('-', "−")
}

impl Frame {
    pub(super) fn x(&self, place: f64) -> f64 {
        self.left + place * (self.right - self.left)
    }

    pub(super) fn y(&self, place: f64) -> f64 {
        self.bottom - place * (self.bottom - self.top)
    }

    pub(super) fn middle(&self) -> (f64, f64) {
        (self.x(0.5), self.y(0.5))
    }

    /// Grid, ticks and titles. The vertical axis has its title above it, where it is read without
    /// turning one's head.
    pub(super) fn draw(&self, svg: &mut String, x: &Scaled, y: &Scaled) {
        let (left, right, top, bottom) = (self.left, self.right, self.top, self.bottom);
        let mut grid = String::new();
        for tick in y.ticks() {
            let at = self.y(tick.at);
            let _ = write!(grid, "M{left:.1} {at:.1}H{right:.1}");
            text(svg, left - 7.0, at + 4.2, "end", "soft", &tick.label);
        }
        for tick in x.ticks() {
            let at = self.x(tick.at);
            let _ = write!(grid, "M{at:.1} {top:.1}V{bottom:.1}");
            text(svg, at, bottom + 18.0, "middle", "soft", &tick.label);
        }
        let _ = write!(
            svg,
            "<path d=\"{grid}\" style=\"fill:none;stroke:var(--grid,#e3e6ea);stroke-width:1\"/>\
             <path d=\"M{left:.1} {top:.1}V{bottom:.1}H{right:.1}\" \
             style=\"fill:none;stroke:var(--axis,#8a919c);stroke-width:1\"/>"
        );
        text(svg, 6.0, 15.0, "start", "ink", &y.title);
        text(svg, (left + right) / 2.0, bottom + 38.0, "middle", "ink", &x.title);
    }
}
