//! Horizontal bars for fractions of a whole, such as the time of each phase.

use std::fmt::Write as _;

use super::{TEXT_SIZE, WIDTH, colour, open, text, text_width};

/// Named amounts as horizontal bars with their fractions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// Title, for the caption and for those who listen to the page.
    pub title: String,
    /// Unit of the amounts, such as `s`.
    pub unit: String,
    /// Name and amount; what is not finite or negative is shown as 0.
    pub items: Vec<(String, f64)>,
}

const ROW: f64 = 26.0;

impl Bars {
    /// The bars as an SVG element.
    pub fn svg(&self) -> String {
        let height = ROW * self.items.len().max(1) as f64 + 8.0;
        let mut svg = open(WIDTH, height, &self.title);
        if self.items.is_empty() {
            text(&mut svg, WIDTH / 2.0, 20.0, "middle", "soft", "no data");
        }
        let amount = |a: f64| if a.is_finite() { a.max(0.0) } else { 0.0 };
        let total: f64 = self.items.iter().map(|(_, a)| amount(*a)).sum();
        let largest = self.items.iter().map(|(_, a)| amount(*a)).fold(f64::MIN_POSITIVE, f64::max);
        let names = self.items.iter().map(|(name, _)| text_width(name));
        let left = 14.0 + names.fold(40.0, f64::max).min(0.45 * WIDTH);
        let room = WIDTH - left - 128.0;
        for (i, (name, value)) in self.items.iter().enumerate() {
            let value = amount(*value);
            let y = 4.0 + ROW * i as f64;
            let baseline = y + 0.5 * ROW + 0.3 * TEXT_SIZE;
            let width = room * value / largest;
            let _ = write!(
                svg,
                "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" rx=\"2\" \
                 style=\"fill:{}\"/>",
                y + 4.0,
                ROW - 8.0,
                colour(0)
            );
            text(&mut svg, left - 9.0, baseline, "end", "ink", name);
            let fraction = if total > 0.0 { 100.0 * value / total } else { 0.0 };
            let label = format!("{} {}  ({fraction:.0} %)", short(value), self.unit);
            text(&mut svg, left + width + 8.0, baseline, "start", "soft", &label);
        }
        svg + "</svg>"
    }
}

/// Three significant digits for common sizes.
fn short(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v if v >= 1e-3 => format!("{v:.3}"),
        v if v > 0.0 => format!("{v:.1e}"),
        _ => "0".to_owned(),
    }
}
