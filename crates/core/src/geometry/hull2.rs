//! Convex hull in 2D.

use glam::DVec2;

use super::HullError;

/// Convex hull of points in the plane, counter-clockwise, without corners on straight edges
/// (monotone chain, Andrew 1979).
///
/// # Errors
/// When there are fewer than three points, one is not finite or all lie on a line.
pub fn convex_polygon(points: &[DVec2]) -> Result<Vec<DVec2>, HullError> {
    if points.len() < 3 {
        return Err(HullError::TooFewPoints { count: points.len(), needed: 3 });
    }
    if let Some(index) = points.iter().position(|p| !p.is_finite()) {
        return Err(HullError::NotFinite { index });
    }
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    sorted.dedup();
    let low = sorted.iter().copied().reduce(DVec2::min).unwrap_or_default();
    let high = sorted.iter().copied().reduce(DVec2::max).unwrap_or_default();
    let tolerance = 1e-12 * (high - low).length();

    let mut hull: Vec<DVec2> = Vec::new();
    chain(sorted.iter().copied(), tolerance, &mut hull);
    hull.pop();
    let lower = hull.len();
    let mut upper = Vec::new();
    chain(sorted.iter().rev().copied(), tolerance, &mut upper);
    upper.pop();
    hull.append(&mut upper);
    if lower == 0 || hull.len() < 3 || polygon_area(&hull) <= tolerance * (high - low).length() {
        return Err(HullError::Flat { dimensions: 2 });
    }
    Ok(hull)
}

/// One half of the hull: keeps left turns only.
fn chain(points: impl Iterator<Item = DVec2>, tolerance: f64, hull: &mut Vec<DVec2>) {
    for p in points {
        while let [.., a, b] = hull[..] {
            // Distance of b from the line ap, positive when the turn at b is to the left.
            let turn = (b - a).perp_dot(p - a);
            if turn > tolerance * (p - a).length() {
                break;
            }
            hull.pop();
        }
        hull.push(p);
    }
}

/// Area of a polygon [m²], positive when it runs counter-clockwise.
#[must_use]
pub fn polygon_area(polygon: &[DVec2]) -> f64 {
    let Some(&o) = polygon.first() else { return 0.0 };
    let twice: f64 = polygon.windows(2).map(|e| (e[0] - o).perp_dot(e[1] - o)).sum();
    0.5 * twice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn square_with_extra_points_has_four_corners() {
        let mut points = Vec::new();
        for i in 0..=4 {
            for j in 0..=4 {
                points.push(DVec2::new(f64::from(i) * 0.1, f64::from(j) * 0.1));
            }
        }
        let hull = convex_polygon(&points).unwrap();
        assert_eq!(hull.len(), 4);
        assert!((polygon_area(&hull) - 0.16).abs() < 1e-15);
    }

    #[test]
    fn hull_contains_its_points() {
        let points: Vec<DVec2> = (0..300)
            .map(|i| DVec2::new((f64::from(i) * 12.9).sin(), (f64::from(i) * 7.3).cos()))
            .collect();
        let hull = convex_polygon(&points).unwrap();
        for i in 0..hull.len() {
            let (a, b) = (hull[i], hull[(i + 1) % hull.len()]);
            assert!(points.iter().all(|&p| (b - a).perp_dot(p - a) >= -1e-11));
        }
    }

    #[test]
    fn flat_sets_are_refused() {
        let line: Vec<DVec2> = (0..5).map(|i| DVec2::splat(f64::from(i) * 0.3)).collect();
        assert_eq!(convex_polygon(&line), Err(HullError::Flat { dimensions: 2 }));
        assert!(matches!(convex_polygon(&line[..2]), Err(HullError::TooFewPoints { .. })));
        assert_eq!(convex_polygon(&[DVec2::ONE; 4]), Err(HullError::Flat { dimensions: 2 }));
    }
}
