//! Signed distance to a closed triangle mesh of one or more shells.

use glam::DVec3;

use super::shell::Shell;
use super::{Aabb, Distance, MeshError, TriangleMesh};

/// A closed mesh that answers distance queries.
///
/// A shell is what hangs together by edges. Each adds one to the winding number of what it encloses, or
/// takes one away where its triangles face inwards, and a point is inside where the sum is one or more:
/// shells that overlap or lie in each other are a union, and a shell that faces inwards is a cavity.
///
/// Outside and in meshes of one shell the distance is exact. Inside several shells it is that to the
/// shell that is left last, as if none of its surface lay hidden in another: never more than the
/// distance to the surface of the whole.
#[derive(Clone, Debug)]
pub struct MeshDistance {
    mesh: TriangleMesh,
    bounds: Aabb,
    shells: Vec<Side>,
}

/// A shell and where it faces.
#[derive(Clone, Debug)]
struct Side {
    shell: Shell,
    outward: bool,
}

impl Side {
    /// What the shell adds to the winding number of a point with this signed distance.
    fn winding(&self, distance: f64) -> i32 {
        if self.outward { i32::from(distance < 0.0) } else { -i32::from(distance > 0.0) }
    }
}

impl MeshDistance {
    /// Checks the mesh and builds its trees.
    ///
    /// # Errors
    /// When the mesh is not the boundary of a solid, see [`TriangleMesh::check_closed`], or a shell that
    /// faces inwards is not inside others.
    pub fn new(mesh: TriangleMesh) -> Result<Self, MeshError> {
        mesh.check_closed()?;
        let side = |mesh: TriangleMesh| {
            let shell = Shell::new(mesh);
            Side { outward: shell.is_outward(), shell }
        };
        let shells: Vec<Side> = mesh.shells().into_iter().map(side).collect();
        let made = Self { bounds: mesh.bounds(), mesh, shells };
        made.check_cavities()?;
        Ok(made)
    }

    /// The mesh.
    #[must_use]
    pub fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }

    /// The smallest box around the mesh.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Signed distance of `p`, negative inside.
    #[must_use]
    pub fn signed_distance(&self, p: DVec3) -> Distance {
        if let [only] = &self.shells[..] {
            return only.shell.signed_distance(p);
        }
        let winding = self.winding(p, None);
        if winding < 1 {
            // Between a point outside and the nearest place of a shell nothing lies: it is in sight.
            return self.nearest(p, None, |distance| distance >= 0.0).1;
        }
        // Leaving means to cross as many of the shells around as given by the winding number.
        let mut found = self.nearest(p, None, |distance| distance < 0.0);
        for _ in 1..winding {
            found = self.nearest(p, Some((found.1.distance.abs(), found.0)), |d| d < 0.0);
        }
        found.1
    }

    /// Winding number of `p` around all shells, or all but one.
    fn winding(&self, p: DVec3, without: Option<usize>) -> i32 {
        let near = self
            .shells
            .iter()
            .enumerate()
            .filter(|(i, side)| Some(*i) != without && side.shell.bounds().contains(p));
        near.map(|(_, side)| side.winding(side.shell.signed_distance(p).distance)).sum()
    }

    /// The nearest shell on the right side of `p`, and its signed distance; of those that come after
    /// one at a distance, if that is given.
    fn nearest(
        &self,
        p: DVec3,
        after: Option<(f64, usize)>,
        is_right: impl Fn(f64) -> bool,
    ) -> (usize, Distance) {
        let mut best = (0, Distance { distance: f64::INFINITY, normal: DVec3::ZERO });
        for (i, Side { shell, .. }) in self.shells.iter().enumerate() {
            let least = best.1.distance.abs();
            if shell.bounds().distance_squared(p) >= least * least {
                continue;
            }
            let found = shell.signed_distance(p);
            let length = found.distance.abs();
            let is_after = after.is_none_or(|after| (length, i) > after);
            if length < least && is_after && is_right(found.distance) {
                best = (i, found);
            }
        }
        best
    }

    /// Every shell that faces inwards must be inside others: a cavity in nothing is a contradiction.
    fn check_cavities(&self) -> Result<(), MeshError> {
        for (i, side) in self.shells.iter().enumerate().filter(|(_, side)| !side.outward) {
            let is_free = |x: &DVec3| self.winding(*x, Some(i)) < 1;
            if side.shell.vertices().iter().any(is_free) {
                return Err(MeshError::Cavity { shells: self.shells.len() });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::convex_hull;

    fn cube(min: f64, max: f64) -> TriangleMesh {
        convex_hull(&Aabb::new(DVec3::splat(min), DVec3::splat(max)).corners()).unwrap().mesh
    }

    fn joined(meshes: &[TriangleMesh]) -> TriangleMesh {
        let mut all = TriangleMesh::default();
        for mesh in meshes {
            let first = all.vertices.len() as u32;
            all.vertices.extend(&mesh.vertices);
            all.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| v + first)));
        }
        all
    }

    /// Points of a lattice in a box, and whether they are inside the mesh.
    fn inside(mesh: &MeshDistance, wanted: impl Fn(DVec3) -> bool) {
        for i in 0..4096 {
            let p = DVec3::new((i % 16) as f64, (i / 16 % 16) as f64, (i / 256) as f64);
            let p = 0.25 * p - 0.623;
            assert_eq!(mesh.signed_distance(p).distance < 0.0, wanted(p), "{p}");
        }
    }

    fn within(p: DVec3, min: f64, max: f64) -> bool {
        p.min_element() > min && p.max_element() < max
    }

    #[test]
    fn shells_that_overlap_are_a_union() {
        let mesh = MeshDistance::new(joined(&[cube(0.0, 2.0), cube(1.0, 3.0)])).unwrap();
        inside(&mesh, |p| within(p, 0.0, 2.0) || within(p, 1.0, 3.0));
        // In the second cube, near the hidden corner of the first: half a metre below its side.
        let found = mesh.signed_distance(DVec3::new(2.05, 1.5, 2.0));
        assert!((found.distance + 0.5).abs() < 1e-12, "{found:?}");
        assert!(found.normal.distance(DVec3::NEG_Y) < 1e-12, "{found:?}");
        // In both: the one that is left last counts.
        let found = mesh.signed_distance(DVec3::new(1.9, 1.5, 1.5));
        assert!((found.distance + 0.5).abs() < 1e-12, "{found:?}");
        let found = mesh.signed_distance(DVec3::new(2.5, 0.5, 1.5));
        assert!((found.distance - 0.5).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn a_shell_within_another_of_the_same_orientation_changes_nothing() {
        let nested = MeshDistance::new(joined(&[cube(0.0, 3.0), cube(1.0, 2.0)])).unwrap();
        inside(&nested, |p| within(p, 0.0, 3.0));
        let found = nested.signed_distance(DVec3::splat(1.5));
        assert!((found.distance + 1.5).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn a_shell_that_faces_inwards_is_a_cavity() {
        let hollow = joined(&[cube(0.0, 3.0), cube(0.5, 2.5).flipped()]);
        let mesh = MeshDistance::new(hollow.clone()).unwrap();
        inside(&mesh, |p| within(p, 0.0, 3.0) && !within(p, 0.5, 2.5));
        let found = mesh.signed_distance(DVec3::new(0.4, 1.5, 1.5));
        assert!((found.distance + 0.1).abs() < 1e-12 && found.normal.x > 0.99, "{found:?}");
        let filled = MeshDistance::new(joined(&[hollow, cube(1.0, 2.0)])).unwrap();
        inside(&filled, |p| within(p, 0.0, 3.0) && !within(p, 0.5, 2.5) || within(p, 1.0, 2.0));
        for bad in [cube(2.0, 4.0), cube(5.0, 6.0)] {
            let error = MeshDistance::new(joined(&[cube(0.0, 3.0), bad.flipped()])).unwrap_err();
            assert!(matches!(error, MeshError::Cavity { shells: 2 } | MeshError::InsideOut { .. }));
        }
    }

    #[test]
    fn shells_that_touch_at_a_corner_are_two() {
        let mesh = joined(&[cube(0.0, 1.0), cube(1.0, 2.0)]).welded();
        assert_eq!((mesh.vertices.len(), mesh.shells().len()), (15, 2));
        let mesh = MeshDistance::new(mesh).unwrap();
        inside(&mesh, |p| within(p, 0.0, 1.0) || within(p, 1.0, 2.0));
    }
}
