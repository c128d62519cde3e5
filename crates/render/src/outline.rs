//! Triangles that fill closed outlines.

use glam::DVec2;

/// Fills the area inside an odd number of outlines with triangles.
///
/// The plane is cut into slabs at the heights of all corners. Within a slab no edge begins or
/// ends, so edges sorted from left to right bound trapezoids in pairs. Outlines that cross
/// each other between corners are filled only nearly right. Slow for thousands of corners (the
/// work grows with their square), but holes and islands need no extra care.
pub(crate) fn triangulate(outlines: &[Vec<DVec2>]) -> (Vec<DVec2>, Vec<[u32; 3]>) {
    let edges: Vec<(DVec2, DVec2)> = outlines
        .iter()
        .flat_map(|o| o.iter().zip(o.iter().cycle().skip(1)))
        .map(|(&a, &b)| if a.y <= b.y { (a, b) } else { (b, a) })
        .filter(|(a, b)| a.is_finite() && b.is_finite() && a.y < b.y)
        .collect();
    let mut heights: Vec<f64> = edges.iter().flat_map(|(a, b)| [a.y, b.y]).collect();
    heights.sort_by(f64::total_cmp);
    heights.dedup();

    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for slab in heights.windows(2) {
        let (low, high) = (slab[0], slab[1]);
        let mut crossing: Vec<(f64, f64)> = edges
            .iter()
            .filter(|(a, b)| a.y <= low && b.y >= high)
            .map(|&edge| (at_height(edge, low), at_height(edge, high)))
            .collect();
        crossing.sort_by(|p, q| (p.0 + p.1).total_cmp(&(q.0 + q.1)));
        for pair in crossing.chunks_exact(2) {
            let first = positions.len() as u32;
            let ((left_low, left_high), (right_low, right_high)) = (pair[0], pair[1]);
            positions.extend([
                DVec2::new(left_low, low),
                DVec2::new(right_low, low),
                DVec2::new(right_high, high),
                DVec2::new(left_high, high),
            ]);
            triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
    (positions, triangles)
}

/// Where an edge passes a height.
fn at_height((a, b): (DVec2, DVec2), y: f64) -> f64 {
    a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(outlines: &[Vec<DVec2>]) -> f64 {
        let (positions, triangles) = triangulate(outlines);
        let twice = triangles.iter().map(|t| {
            let [a, b, c] = t.map(|i| positions[i as usize]);
            (b - a).perp_dot(c - a)
        });
        twice.sum::<f64>() / 2.0
    }

    fn square(low: f64, high: f64) -> Vec<DVec2> {
        [(low, low), (high, low), (high, high), (low, high)].map(DVec2::from).to_vec()
    }

    #[test]
    fn areas_are_right() {
        assert!((area(&[square(0.0, 2.0)]) - 4.0).abs() < 1e-12);
        assert!((area(&[square(0.0, 3.0), square(1.0, 2.0)]) - 8.0).abs() < 1e-12);
        let hook = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)];
        assert!((area(&[hook.map(DVec2::from).to_vec()]) - 5.0).abs() < 1e-12);
        let star: Vec<DVec2> = (0..10)
            .map(|i| DVec2::from_angle(f64::from(i) * 0.628_318_53) * f64::from(1 + i % 2))
            .collect();
        let shoelace: f64 =
            star.iter().zip(star.iter().cycle().skip(1)).map(|(a, b)| a.perp_dot(*b)).sum();
        assert!((area(&[star]) - shoelace / 2.0).abs() < 1e-9);
    }

    #[test]
    fn degenerate_outlines_are_empty() {
        assert!(triangulate(&[]).1.is_empty());
        assert!(
            triangulate(&[vec![], vec![DVec2::ZERO], vec![DVec2::ZERO, DVec2::X]]).1.is_empty()
        );
    }
}
