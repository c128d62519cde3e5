//! Measured numbers against what they should be: straight lines through points, and verdicts.

use std::fmt;

/// The line y = slope · x + height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Change of y with x.
    pub slope: f64,
    /// y at x = 0.
    pub height: f64,
}

impl Line {
    /// The line of least squares; not a number with fewer than two places x.
    #[must_use]
    pub fn through(points: &[(f64, f64)]) -> Self {
        let n = points.len() as f64;
        let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
        let (mut xx, mut xy) = (0.0, 0.0);
        for p in points {
            xx += (p.0 - x) * (p.0 - x);
            xy += (p.0 - x) * (p.1 - y);
        }
        let slope = xy / xx;
        Self { slope, height: y - slope * x }
    }

    /// The root mean square of what points are above or below it.
    #[must_use]
    pub fn residual(&self, points: &[(f64, f64)]) -> f64 {
        let square = |&(x, y): &(f64, f64)| (y - self.slope * x - self.height).powi(2);
        (points.iter().map(square).sum::<f64>() / points.len() as f64).sqrt()
    }
}

/// A number that a validation case measured. Its line is what `scripts/validate` reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict<'a> {
    /// Case and quantity, with its unit in brackets.
    pub name: &'a str,
    /// What was measured.
    pub value: f64,
    /// What it should be.
    pub expected: f64,
    /// How far from that it may be.
    pub tolerance: f64,
}

impl Verdict<'_> {
    /// Whether the value is as it should be.
    #[must_use]
    pub fn holds(&self) -> bool {
        (self.value - self.expected).abs() <= self.tolerance
    }
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, expected, tolerance } = self;
        let verdict = if self.holds() { "holds" } else { "missed" };
        write!(f, "row: {name} | {value:.5} | {expected} | {tolerance} | {verdict}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_one_line() {
        let row = |value| Verdict { name: "rest [m]", value, expected: 1.5, tolerance: 0.25 };
        assert_eq!(row(1.75).to_string(), "row: rest [m] | 1.75000 | 1.5 | 0.25 | holds");
        assert!(!row(f64::NAN).holds() && !row(1.24).holds());
    }

    #[test]
    fn a_line_is_found_and_the_rest_told() {
        let points: Vec<(f64, f64)> =
            (0..10).map(|k| (f64::from(k), 3.0 - 2.0 * f64::from(k))).collect();
        let line = Line::through(&points);
        assert!((line.slope + 2.0).abs() < 1e-12 && (line.height - 3.0).abs() < 1e-12);
        assert!(line.residual(&points) < 1e-12);
        let bent = [(0.0, 1.0), (1.0, -1.0), (2.0, 1.0)];
        let line = Line::through(&bent);
        assert!(
            line.slope.abs() < 1e-12 && (line.residual(&bent) - 8.0_f64.sqrt() / 3.0).abs() < 1e-12
        );
        assert!(Line::through(&bent[..1]).slope.is_nan());
    }
}
