//! Writing on a picture.

use crate::ColorMap;

/// Writing on top of a picture; every part may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Upper left corner.
    pub title: Option<String>,
    /// Upper right corner.
    pub time_stamp: Option<String>,
    /// Right side.
    pub color_bar: Option<ColorBar>,
}

impl Overlay {
    /// The usual time stamp, such as "t = 0.420 s".
    #[must_use]
    pub fn stamp(time: f64) -> String {
        format!("t = {time:.3} s")
    }
}

/// Tells which colour means which value.
#[derive(Clone, Debug, PartialEq)]
pub struct ColorBar {
    /// The colours.
    pub map: ColorMap,
    /// The value of the lowest colour.
    pub low: f64,
    /// The value of the highest colour.
    pub high: f64,
    /// Name and unit, such as "speed [m/s]".
    pub label: String,
}

impl ColorBar {
    /// Round values within the range with their writing, from low to high: about five.
    #[must_use]
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let width = self.high - self.low;
        if !(width.is_finite() && width > 0.0) {
            return vec![(self.low, format!("{}", self.low))];
        }
        // Among the steps 1, 2, 2.5, 5 times a power of ten, the one that gives nearest to five.
        let decade = 10_f64.powf((width / 4.0).log10().floor());
        let count = |step: f64| (self.high / step).floor() - (self.low / step).ceil() + 1.0;
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|m| m * decade);
        let off = |step: f64| (count(step) - 5.0).abs();
        let step = steps.into_iter().min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(width);
        let slack = 1e-9;
        let first = (self.low / step - slack).ceil() as i64;
        let last = (self.high / step + slack).floor() as i64;
        let largest = self.low.abs().max(self.high.abs());
        (first..=last)
            .map(|i| {
                let value = i as f64 * step;
                (value, written(value, step, largest))
            })
            .collect()
    }
}

/// A value with as many digits as its step needs; very large and very small ones in powers.
fn written(value: f64, step: f64, largest: f64) -> String {
    if !(1e-3..1e5).contains(&largest) {
        let power = largest.log10().floor() as i32;
        let scale = 10_f64.powi(power);
        let number = written(value / scale, step / scale, 1.0);
        return if number == "0" { number } else { format!("{number}·10{}", raised(power)) };
    }
    let digits = (0..6).find(|&d| {
        let scaled = step * 10_f64.powi(d);
        (scaled - scaled.round()).abs() < 1e-6 * scaled
    });
    let text = format!("{:.*}", digits.unwrap_or(6) as usize, value);
    let zero = text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.');
    if zero { "0".to_owned() } else { text.replace('-', "\u{2212}") }
}

/// A power in small raised digits.
fn raised(power: i32) -> String {
    let small = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32(0x2070 + (digit as u32 - '0' as u32)).unwrap_or(digit),
    };
    power.to_string().chars().map(small).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(low: f64, high: f64) -> Vec<String> {
        let bar = ColorBar { map: ColorMap::Water, low, high, label: String::new() };
        bar.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(0.0, 2.0), ["0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(ticks(990.0, 1010.0), ["990", "995", "1000", "1005", "1010"]);
        assert_eq!(ticks(-1.0, 1.0), ["−1.0", "−0.5", "0", "0.5", "1.0"]);
        assert_eq!(ticks(0.0, 2e6), ["0", "0.5·10⁶", "1.0·10⁶", "1.5·10⁶", "2.0·10⁶"]);
        assert_eq!(ticks(0.0, 4e-5), ["0", "1·10⁻⁵", "2·10⁻⁵", "3·10⁻⁵", "4·10⁻⁵"]);
    }

    #[test]
    fn any_range_has_some_ticks() {
        for i in 1..200 {
            let high = f64::from(i) * 0.37;
            let count = ticks(-0.1 * high, high).len();
            assert!((4..=7).contains(&count), "{high}: {count}");
        }
        assert_eq!(ticks(3.0, 3.0), ["3"]);
        assert_eq!(ticks(0.0, f64::NAN).len(), 1);
    }

    #[test]
    fn time_stamps_have_milliseconds() {
        assert_eq!(Overlay::stamp(0.42), "t = 0.420 s");
    }
}
