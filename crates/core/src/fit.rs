//! Straight lines through points.

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

#[cfg(test)]
mod tests {
    use super::*;

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
