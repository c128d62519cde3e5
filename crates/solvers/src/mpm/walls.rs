//! Walls that lie on nodes, at which the splines end.
//!
//! A spline next to a wall reaches nodes behind it, which the wall holds. There the field cannot go on
//! as it would, and what is pressed against them is missing from the first free node: stress next to
//! the wall comes out 9 % too large. Where a wall lies on nodes, the values behind it are therefore taken
//! to continue those in front of it in a straight line, v₋₁ = 2 v₀ − v₁ (Höllig, Reif & Wipper 2001
//! extend splines so). This leaves no node behind the wall and gives the weights of [`ended`].

use glam::DVec3;
use lawine_core::body::{Body, Shape};

use super::collide::ON_SURFACE;

/// The outermost nodes that matter can have along each axis, between the walls that lie on nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walls {
    /// The nodes of the lower walls.
    pub first: [i32; 3],
    /// The nodes of the upper ones.
    pub last: [i32; 3],
}

impl Walls {
    /// No walls: far enough away for any node, near enough for sums.
    pub const NONE: Self = Self { first: [-(1 << 30); 3], last: [1 << 30; 3] };

    /// The planes and sides of containers at rest that lie on nodes, which are a `cell` [m] apart from
    /// `origin` on.
    #[must_use]
    pub fn find(bodies: &[Body], cell: f64, origin: DVec3) -> Self {
        let mut walls = Self::NONE;
        let rests = |body: &&Body| {
            !(body.is_moving() || body.is_gone())
                && (body.velocity, body.angular_velocity) == (DVec3::ZERO, DVec3::ZERO)
        };
        for body in bodies.iter().filter(rests) {
            match body.shape {
                Shape::Plane if !body.hollow => {
                    walls.add(body, DVec3::ZERO, DVec3::Y, cell, origin);
                }
                Shape::Container { half, open } => {
                    for axis in 0..3 {
                        for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                            if !open[axis][side] && half[axis].is_finite() {
                                let normal = DVec3::AXES[axis] * sign;
                                walls.add(body, -normal * half[axis], normal, cell, origin);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        walls
    }

    /// Adds a plane through a point with a normal, both local to a body, if it lies on nodes.
    fn add(&mut self, body: &Body, point: DVec3, normal: DVec3, cell: f64, origin: DVec3) {
        let (point, normal) = (body.pose.to_world(point), body.pose.rotation * normal);
        for axis in 0..3 {
            let place = (point[axis] - origin[axis]) / cell;
            let node = place.round();
            let on_nodes = (place - node).abs() <= ON_SURFACE && node.abs() < f64::from(1 << 30);
            if on_nodes && normal[axis].abs() > 1.0 - 1e-12 {
                if normal[axis] > 0.0 {
                    self.first[axis] = self.first[axis].max(node as i32);
                } else {
                    self.last[axis] = self.last[axis].min(node as i32);
                }
            }
        }
    }

    /// Nodes that a spline of `n` nodes from `base` on has behind a wall, and the distance [cells] of a
    /// position `f`, relative to `base`, from the wall's node; true for an upper wall.
    #[inline(always)]
    pub fn behind(&self, axis: usize, base: i32, n: i32, f: f64) -> Option<(i32, f64, bool)> {
        let below = self.first[axis] - base;
        let above = base + n - 1 - self.last[axis];
        if below.max(above) <= 0 {
            None
        } else if below >= above {
            Some((below, f - f64::from(below), false))
        } else {
            Some((above, f64::from(n - 1 - above) - f, true))
        }
    }
}

/// A spline that ends at a wall, for its first three nodes, the wall's being the first.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// Weights.
    pub w: [f64; 3],
    /// Their derivatives [1/cell].
    pub slope: [f64; 3],
    /// w·(x_node − x) [cells] over `spread`.
    pub moment: [f64; 3],
    /// The second moment of the weights over that of a whole spline.
    pub spread: f64,
}

/// The spline of `N` nodes along an axis at `y` cells from the wall; quadratic ones up to a half, where
/// they are straight lines, cubic ones up to one.
#[inline(always)]
#[must_use]
pub fn ended<const N: usize>(y: f64) -> Ended {
    if N == 3 {
        return Ended {
            w: [1.0 - y, y, 0.0],
            slope: [-1.0, 1.0, 0.0],
            moment: [-0.25, 0.25, 0.0],
            spread: 4.0 * y * (1.0 - y),
        };
    }
    let (square, cube) = (y * y, y * y * y);
    // Over y: the second moment, of which a whole spline has 1/3.
    let second = 1.0 - y + square / 3.0;
    let k = 1.0 / (3.0 * second);
    let w0 = 1.0 - y + cube / 6.0;
    Ended {
        w: [w0, y - cube / 3.0, cube / 6.0],
        slope: [-1.0 + 0.5 * square, 1.0 - square, 0.5 * square],
        moment: [-w0 * k, (1.0 - square / 3.0) * (1.0 - y) * k, square * (2.0 - y) * k / 6.0],
        spread: 3.0 * y * second,
    }
}

#[cfg(test)]
mod tests {
    use super::super::transfer::{inverse_moment, spline};
    use super::*;

    fn check<const N: usize>(end: f64) {
        for k in 1..=20 {
            let y = end * f64::from(k) / 20.0;
            let found = ended::<N>(y);
            // What continues in a straight line.
            let (w, slope) = spline::<N>(1.0 + y);
            for (i, more) in [2.0, -1.0, 0.0].into_iter().enumerate().take(N - 1) {
                assert!((found.w[i] - w[i + 1] - more * w[0]).abs() < 1e-14);
                assert!((found.slope[i] - slope[i + 1] - more * slope[0]).abs() < 1e-14);
                let moment = found.w[i] * (i as f64 - y);
                assert!((found.moment[i] * found.spread - moment).abs() < 1e-14);
                assert!(found.w[i] >= 0.0);
            }
            let of = |p: i32| -> f64 {
                found.w.iter().enumerate().map(|(i, w)| w * (i as f64 - y).powi(p)).sum()
            };
            assert!((of(0) - 1.0).abs() < 1e-14 && of(1).abs() < 1e-14);
            assert!((of(2) * inverse_moment::<N>() - found.spread).abs() < 1e-14);
        }
    }

    #[test]
    fn ended_splines_continue_in_a_straight_line() {
        check::<3>(0.5);
        check::<4>(1.0);
    }

    #[test]
    fn planes_and_containers_on_nodes_are_walls() {
        let plane = |y, normal| Body::plane("plane", DVec3::new(0.3, y, 0.0), normal).unwrap();
        let origin = DVec3::ZERO;
        let walls = Walls::find(&[plane(0.5, DVec3::Y), plane(2.0, -DVec3::Y)], 0.25, origin);
        assert_eq!((walls.first[1], walls.last[1]), (2, 8));
        assert_eq!(walls.behind(1, 1, 3, 1.25), Some((1, 0.25, false)));
        assert_eq!(walls.behind(1, 2, 3, 1.25), None);
        assert_eq!(walls.behind(1, 7, 3, 0.75), Some((1, 0.25, true)));
        let slanted = plane(0.5, DVec3::new(0.1, 1.0, 0.0));
        assert_eq!(Walls::find(&[plane(0.6, DVec3::Y), slanted], 0.25, origin), Walls::NONE);
        let open = [[false, false], [false, true], [true, true]];
        let tank = Body::container("tank", DVec3::ZERO, DVec3::ONE, open).unwrap();
        let walls = Walls::find(&[tank], 0.25, DVec3::ZERO);
        let none = Walls::NONE;
        assert_eq!(walls.first, [0, 0, none.first[2]]);
        assert_eq!(walls.last, [4, none.last[1], none.last[2]]);
    }
}
