//! Formatting of numbers for readers.

/// A narrow space that does not break.
const THIN: char = '\u{202f}';

/// An integer with its digits in groups of three.
pub(super) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && digits.len() > 4 {
            text.push(THIN);
        }
        text.push(digit);
    }
    text
}

/// A number with four significant digits, or a dash.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return "–".to_owned();
    }
    if size <= 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e6).contains(&size) {
        let text = format!("{value:.3e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent = exponent.parse().unwrap_or(0);
        let mantissa = trimmed(mantissa);
        return format!("{mantissa} × {}", crate::output::plot::power_of_ten(exponent))
            .replace('-', "−");
    }
    let decimals = (3 - size.log10().floor() as i32).max(0) as usize;
    trimmed(&format!("{value:.decimals$}")).replace('-', "−")
}

/// Without trailing zeros.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A number with its unit.
pub(super) fn quantity(value: f64, unit: &str) -> String {
    if value.is_finite() { format!("{} {unit}", number(value)) } else { number(value) }
}

/// A time on the clock: seconds, or minutes and hours when there are many.
pub(super) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 60.0 {
        return quantity(seconds, "s");
    }
    let whole = seconds.round() as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 {
        format!("{} h {minutes:02} min", count(hours))
    } else {
        format!("{minutes} min {seconds:02} s")
    }
}

/// A fraction as a percentage.
pub(super) fn percent(fraction: f64) -> String {
    quantity(100.0 * fraction, "%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(0.0), "0");
        assert_eq!(number(1234.5678), "1235");
        assert_eq!(number(-0.5), "−0.5");
        assert_eq!(number(0.001234), "0.001234");
        assert_eq!(number(2.5e-7), "2.5 × 10⁻⁷");
        assert_eq!(number(-1e9), "−1 × 10⁹");
        assert_eq!(number(100_000.0), "100000");
        assert_eq!(number(f64::NAN), "–");
        assert_eq!(percent(0.0123), "1.23 %");
        assert_eq!(quantity(f64::INFINITY, "s"), "–");
    }

    #[test]
    fn counts_have_groups() {
        assert_eq!(count(4000), "4000");
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
    }

    #[test]
    fn long_times_have_minutes_and_hours() {
        assert_eq!(duration(59.94), "59.94 s");
        assert_eq!(duration(61.0), "1 min 01 s");
        assert_eq!(duration(3725.0), "1 h 02 min");
        assert_eq!(duration(f64::NAN), "–");
    }
}
