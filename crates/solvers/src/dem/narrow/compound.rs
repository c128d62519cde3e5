//! Closest features of bodies of several convex parts.

use lawine_core::geometry::{Polyhedron, Shape};

use super::{Closest, Pose, Scratch, Track, closest};

/// Closest points of two bodies: those of the convex parts that are closest, or deepest in each
/// other. Convex bodies are tracked; the parts of others start cold, from the corners that hill
/// climbing finds, so that a query costs as much as there are pairs of parts.
pub fn closest_parts(
    [(a, pose_a), (b, pose_b)]: [(&Shape, &Pose); 2],
    track: &mut Option<Track>,
    scratch: &mut Scratch,
) -> Closest {
    if a.parts.is_empty() && b.parts.is_empty() {
        return closest((&a.polyhedron, pose_a), (&b.polyhedron, pose_b), track, scratch);
    }
    let mut query =
        |p: &Polyhedron, q: &Polyhedron| closest((p, pose_a), (q, pose_b), &mut None, scratch);
    let (first, second) = (a.convex_parts(), b.convex_parts());
    let mut best = query(&first[0], &second[0]);
    for (n, p) in first.iter().enumerate() {
        for q in &second[usize::from(n == 0)..] {
            let found = query(p, q);
            if found.distance < best.distance {
                best = found;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dem::narrow::Status;
    use glam::DVec3;
    use lawine_core::geometry::{Aabb, block};

    #[test]
    fn a_ball_in_the_notch_touches_neither_arm() {
        // Two bars with a gap of one metre between them; the mass is that of some other mesh.
        let bar = |x: f64| {
            let low = DVec3::new(x, 0.0, 0.0);
            Aabb::new(low, low + DVec3::new(1.0, 3.0, 1.0)).corners().to_vec()
        };
        let mesh = block(DVec3::splat(1.0)).unwrap().mesh();
        let fork = Shape::of_parts(&mesh, &[bar(0.0), bar(2.0)]).unwrap();
        let cube = Shape::from_polyhedron(&block(DVec3::splat(0.5)).unwrap()).unwrap();
        // Shapes stand in their own frames; the poses undo that.
        let pose = |shape: &Shape, x: DVec3| Pose::new(x + shape.center, shape.rotation);
        let at = |x: f64| {
            let place = DVec3::new(x, 1.5, 0.5);
            let bodies = [(&fork, &pose(&fork, DVec3::ZERO)), (&cube, &pose(&cube, place))];
            closest_parts(bodies, &mut None, &mut Scratch::default())
        };
        let middle = at(1.5);
        assert!(middle.status == Status::Separated && (middle.distance - 0.25).abs() < 1e-12);
        let right = at(1.6);
        assert!((right.distance - 0.15).abs() < 1e-12 && right.normal.x < -0.99);
        assert_eq!(at(2.5).status, Status::Penetrating);
    }
}
