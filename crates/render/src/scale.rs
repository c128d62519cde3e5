//! From a value to its place between the ends of a range.

/// How values are spread over a range of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorScale {
    /// Evenly.
    #[default]
    Linear,
    /// Decimal logarithm.
    Log10,
    /// Binary logarithm.
    Log2,
}

impl ColorScale {
    /// Where a value lies between `low` (0) and `high` (1). A logarithm knows no value of zero or
    /// below: that counts as `low`. An empty range is all middle.
    #[must_use]
    pub fn fraction(self, value: f64, low: f64, high: f64) -> f64 {
        let (value, low, high) = match self {
            Self::Linear => (value, low, high),
            // The base cancels out: it only matters for what is written at the colours.
            Self::Log10 | Self::Log2 => {
                let value = if value <= 0.0 { low } else { value };
                (value.ln(), low.ln(), high.ln())
            }
        };
        let width = high - low;
        if value.is_nan() || width > 0.0 { (value - low) / width } else { 0.5 }
    }

    /// Round values within a range with their writing, from low to high: about five of a linear
    /// scale, at most seven powers of a logarithmic one.
    #[must_use]
    pub fn ticks(self, low: f64, high: f64) -> Vec<(f64, String)> {
        let base: f64 = match self {
            Self::Linear => return linear_ticks(low, high),
            Self::Log10 => 10.0,
            Self::Log2 => 2.0,
        };
        if !(low > 0.0 && low < high && high.is_finite()) {
            return vec![(low, format!("{low}"))];
        }
        // Powers of two are counted from the lower end, such as 1, 2, 4 mm/s.
        let first =
            if self == Self::Log10 { 10_f64.powf((low.log10() - 1e-9).ceil()) } else { low };
        let count = ((high / first).log(base) + 1e-9).floor() as i32;
        let stride = (count / 7 + 1).max(1);
        (0..=count)
            .step_by(stride as usize)
            .map(|n| {
                let value = first * base.powi(n);
                (value, written(value, value, value))
            })
            .collect()
    }
}

/// Round values within a range with their writing: about five.
fn linear_ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    let width = high - low;
    if !(width.is_finite() && width > 0.0) {
        return vec![(low, format!("{low}"))];
    }
    // Among the steps 1, 2, 2.5, 5 times a power of ten, the one that gives nearest to five.
    let decade = 10_f64.powf((width / 4.0).log10().floor());
    let count = |step: f64| (high / step).floor() - (low / step).ceil() + 1.0;
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|m| m * decade);
    let off = |step: f64| (count(step) - 5.0).abs();
    let step = steps.into_iter().min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(width);
    let slack = 1e-9;
    let first = (low / step - slack).ceil() as i64;
    let last = (high / step + slack).floor() as i64;
    let largest = low.abs().max(high.abs());
    let tick = |i: i64| {
        let value = i as f64 * step;
        (value, written(value, step, largest))
    };
    (first..=last).map(tick).collect()
}

/// A value with as many digits as its step needs; very large and very small ones in powers.
fn written(value: f64, step: f64, largest: f64) -> String {
    if !(1e-3 * (1.0 - 1e-9)..1e5).contains(&largest) {
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

    fn ticks(scale: ColorScale, low: f64, high: f64) -> Vec<String> {
        scale.ticks(low, high).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round() {
        let linear = |low, high| ticks(ColorScale::Linear, low, high);
        assert_eq!(linear(0.0, 2.0), ["0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(linear(990.0, 1010.0), ["990", "995", "1000", "1005", "1010"]);
        assert_eq!(linear(-1.0, 1.0), ["−1.0", "−0.5", "0", "0.5", "1.0"]);
        assert_eq!(linear(0.0, 2e6), ["0", "0.5·10⁶", "1.0·10⁶", "1.5·10⁶", "2.0·10⁶"]);
        assert_eq!(linear(0.0, 4e-5), ["0", "1·10⁻⁵", "2·10⁻⁵", "3·10⁻⁵", "4·10⁻⁵"]);
        assert_eq!(ticks(ColorScale::Log10, 1e-3, 10.0), ["0.001", "0.01", "0.1", "1", "10"]);
        let binary = ["0.001", "0.002", "0.004", "0.008", "0.016", "0.032", "0.064"];
        assert_eq!(ticks(ColorScale::Log2, 1e-3, 0.064), binary);
        assert_eq!(ticks(ColorScale::Log10, 1e-20, 1e20).len(), 7);
    }

    #[test]
    fn any_range_has_some_ticks() {
        for i in 1..200 {
            let high = f64::from(i) * 0.37;
            let count = ticks(ColorScale::Linear, -0.1 * high, high).len();
            assert!((4..=7).contains(&count), "{high}: {count}");
        }
        assert_eq!(ticks(ColorScale::Linear, 3.0, 3.0), ["3"]);
        assert_eq!(ticks(ColorScale::Linear, 0.0, f64::NAN).len(), 1);
        assert_eq!(ticks(ColorScale::Log2, 0.0, 1.0).len(), 1);
    }

    #[test]
    fn logarithms_have_equal_steps_for_equal_ratios() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} instead of {b}");
        near(ColorScale::Log10.fraction(0.1, 1e-3, 10.0), 0.5);
        near(ColorScale::Log2.fraction(8e-3, 1e-3, 64e-3), 0.5);
        near(ColorScale::Log2.fraction(0.0, 1e-3, 64e-3), 0.0);
        near(ColorScale::Linear.fraction(3.0, 2.0, 4.0), 0.5);
        assert!(ColorScale::Log10.fraction(f64::NAN, 1.0, 10.0).is_nan());
    }
}
