//! Closest points on segments and triangles (Ericson 2005, section 5.1).

use glam::DVec3;

/// The part of a triangle `abc` that holds the closest point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The corner with this index.
    Vertex(usize),
    /// The edge from the corner with this index to the next one.
    Edge(usize),
    /// The open face.
    Face,
}

/// The point of the segment `ab` that is closest to `p`.
#[must_use]
pub fn closest_point_on_segment(p: DVec3, a: DVec3, b: DVec3) -> DVec3 {
    let ab = b - a;
    let length_squared = ab.length_squared();
    if length_squared > 0.0 {
        a + ((p - a).dot(ab) / length_squared).clamp(0.0, 1.0) * ab
    } else {
        a
    }
}

/// The point of the triangle `abc` that is closest to `p`, and the part of the triangle it lies on.
#[must_use]
pub fn closest_point_on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> (DVec3, Feature) {
    let (ab, ac) = (b - a, c - a);
    let ap = p - a;
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, Feature::Vertex(0));
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, Feature::Vertex(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + d1 / (d1 - d3) * ab, Feature::Edge(0));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, Feature::Vertex(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + d2 / (d2 - d6) * ac, Feature::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (b + t * (c - b), Feature::Edge(1));
    }
    let scale = 1.0 / (va + vb + vc);
    (a + vb * scale * ab + vc * scale * ac, Feature::Face)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closest_point_beats_a_dense_sampling() {
        let t = [DVec3::new(0.0, 0.0, 0.0), DVec3::new(2.0, 0.3, 0.1), DVec3::new(0.4, 1.5, -0.2)];
        for i in 0..200 {
            let f = f64::from(i);
            let p = DVec3::new(2.0 * (f * 0.7).sin(), 2.0 * (f * 1.1).cos(), (f * 0.3).sin());
            let (q, feature) = closest_point_on_triangle(p, t);
            let mut best = f64::INFINITY;
            for u in 0..=60 {
                for v in 0..=(60 - u) {
                    let (u, v) = (f64::from(u) / 60.0, f64::from(v) / 60.0);
                    let s = t[0] + u * (t[1] - t[0]) + v * (t[2] - t[0]);
                    best = best.min(s.distance(p));
                }
            }
            assert!(q.distance(p) <= best + 1e-12 && q.distance(p) > best - 0.04);
            if let Feature::Edge(k) = feature {
                let on_edge = closest_point_on_segment(p, t[k], t[(k + 1) % 3]);
                assert!(on_edge.distance(q) < 1e-12);
            }
        }
    }
}
