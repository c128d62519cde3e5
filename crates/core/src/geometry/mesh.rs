//! Triangle meshes and the conditions for a closed surface.

use glam::DVec3;

use super::Aabb;

/// A triangle mesh; the corners of a triangle run counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Corner positions [m].
    pub vertices: Vec<DVec3>,
    /// Three indices into `vertices` for each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// Why a mesh does not bound a solid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// There is no triangle.
    #[error("the mesh has no triangles")]
    Empty,
    /// More triangles or vertices than 32-bit indices can name.
    #[error("the mesh has {count} triangles or vertices; at most {limit} are allowed")]
    TooLarge {
        /// How many there are.
        count: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// A triangle names a vertex that does not exist.
    #[error("{count} triangles name a vertex that does not exist (first: triangle {first})")]
    IndexOutOfRange {
        /// How many triangles do.
        count: usize,
        /// The first of them.
        first: usize,
    },
    /// A vertex is infinite or not a number.
    #[error("{count} vertices are not finite (first: vertex {first})")]
    NotFinite {
        /// How many vertices are.
        count: usize,
        /// The first of them.
        first: usize,
    },
    /// A triangle without area.
    #[error("{count} triangles have no area (first: triangle {first})")]
    Degenerate {
        /// How many triangles have none.
        count: usize,
        /// The first of them.
        first: usize,
    },
    /// Edges with a triangle on one side only: the surface has holes.
    #[error("the mesh is not closed: {count} edges have a triangle on one side only")]
    OpenEdges {
        /// How many edges are open.
        count: usize,
    },
    /// Edges shared by more than two triangles.
    #[error("{count} edges are shared by more than two triangles")]
    NonManifold {
        /// How many edges are.
        count: usize,
    },
    /// Neighbouring triangles that disagree on which side is outside.
    #[error("{count} edges lie between triangles that disagree on which side is outside")]
    Orientation {
        /// How many edges do.
        count: usize,
    },
    /// A shell that faces inwards is not inside others.
    #[error(
        "one of the {shells} shells of the mesh faces inwards, as a cavity does, but is not inside \
         another; flip it, or move it inside"
    )]
    Cavity {
        /// How many shells the mesh has.
        shells: usize,
    },
    /// All triangles face inwards.
    #[error("the triangles face inwards (enclosed volume {volume} m³); flip the mesh")]
    InsideOut {
        /// The enclosed volume [m³], zero or negative.
        volume: f64,
    },
}

impl TriangleMesh {
    /// The corners of triangle `t`.
    ///
    /// # Panics
    /// When `t` or one of the triangle's indices is out of range.
    #[must_use]
    pub fn corners(&self, t: usize) -> [DVec3; 3] {
        self.triangles[t].map(|v| self.vertices[v as usize])
    }

    /// The smallest box around all vertices.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb::from_points(self.vertices.iter().copied())
    }

    /// Sum of the triangles' areas [m²].
    #[must_use]
    pub fn area(&self) -> f64 {
        let twice = |t| {
            let [a, b, c] = self.corners(t);
            (b - a).cross(c - a).length()
        };
        0.5 * (0..self.triangles.len()).map(twice).sum::<f64>()
    }

    /// Enclosed volume [m³] of a closed mesh, negative when the triangles face inwards.
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.moments().0
    }

    /// Centre of the enclosed volume [m].
    #[must_use]
    pub fn centroid(&self) -> DVec3 {
        let (volume, moment) = self.moments();
        moment / volume
    }

    /// Volume and its first moment, by tetrahedra from the middle of the bounds.
    fn moments(&self) -> (f64, DVec3) {
        let o = self.bounds().center();
        let (mut volume, mut moment) = (0.0, DVec3::ZERO);
        for t in 0..self.triangles.len() {
            let [a, b, c] = self.corners(t).map(|v| v - o);
            let v = a.dot(b.cross(c)) / 6.0;
            volume += v;
            moment += 0.25 * v * (a + b + c);
        }
        (volume, moment + volume * o)
    }

    /// The same surface with inside and outside exchanged.
    #[must_use]
    pub fn flipped(mut self) -> Self {
        for t in &mut self.triangles {
            t.swap(1, 2);
        }
        self
    }

    /// The mesh moved by `offset` [m].
    #[must_use]
    pub fn translated(mut self, offset: DVec3) -> Self {
        for v in &mut self.vertices {
            *v += offset;
        }
        self
    }

    /// Merges vertices with the same position and drops triangles that lose their area by it, as
    /// formats that repeat every corner (STL) need it.
    #[must_use]
    pub fn welded(&self) -> Self {
        let key = |v: u32| (self.vertices[v as usize] + 0.0).to_array();
        let compare = |a: &u32, b: &u32| {
            let (ka, kb) = (key(*a), key(*b));
            let by = |i: usize| ka[i].total_cmp(&kb[i]);
            by(0).then_with(|| by(1)).then_with(|| by(2)).then_with(|| a.cmp(b))
        };
        let mut order: Vec<u32> = (0..self.vertices.len()).map(|v| v as u32).collect();
        order.sort_unstable_by(compare);
        // The first of equal vertices stands for all of them.
        let mut stands_for: Vec<u32> = (0..self.vertices.len()).map(|v| v as u32).collect();
        for pair in order.windows(2) {
            let same = key(pair[0]).map(f64::to_bits) == key(pair[1]).map(f64::to_bits);
            if same {
                stands_for[pair[1] as usize] = stands_for[pair[0] as usize];
            }
        }
        let mut new_index = vec![u32::MAX; self.vertices.len()];
        let mut vertices = Vec::new();
        for v in 0..self.vertices.len() {
            if stands_for[v] as usize == v {
                new_index[v] = vertices.len() as u32;
                vertices.push(self.vertices[v]);
            }
        }
        // An index out of range stays one, for `check_closed` to report.
        let rename = |v: u32| {
            stands_for.get(v as usize).map_or(u32::MAX, |&first| new_index[first as usize])
        };
        let renamed = self.triangles.iter().map(|t| t.map(rename));
        let triangles =
            renamed.filter(|[a, b, c]| a != b && b != c && c != a || *a == u32::MAX).collect();
        Self { vertices, triangles }
    }

    /// Checks that the mesh is the boundary of a solid: closed, manifold, facing outwards.
    ///
    /// # Errors
    /// The first kind of defect found, with the number of places that have it.
    pub fn check_closed(&self) -> Result<(), MeshError> {
        self.check_triangles()?;
        self.check_edges()?;
        let volume = self.volume();
        if volume > 0.0 { Ok(()) } else { Err(MeshError::InsideOut { volume }) }
    }

    /// Checks that there are triangles, each with an area and between vertices that exist.
    ///
    /// # Errors
    /// The first kind of defect found, with the number of places that have it.
    pub fn check_triangles(&self) -> Result<(), MeshError> {
        let limit = (u32::MAX / 4) as usize;
        let count = self.triangles.len().max(self.vertices.len());
        if self.triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        if count > limit {
            return Err(MeshError::TooLarge { count, limit });
        }
        let known = |t: &[u32; 3]| t.iter().all(|&v| (v as usize) < self.vertices.len());
        if let Some((count, first)) = tally(self.triangles.iter().map(|t| !known(t))) {
            return Err(MeshError::IndexOutOfRange { count, first });
        }
        if let Some((count, first)) = tally(self.vertices.iter().map(|v| !v.is_finite())) {
            return Err(MeshError::NotFinite { count, first });
        }
        if let Some((count, first)) = tally((0..self.triangles.len()).map(|t| self.is_flat(t))) {
            return Err(MeshError::Degenerate { count, first });
        }
        Ok(())
    }

    /// Whether triangle `t` has no area within rounding.
    fn is_flat(&self, t: usize) -> bool {
        let [a, b, c] = self.corners(t);
        let longest = (b - a).length_squared().max((c - b).length_squared());
        let longest = longest.max((a - c).length_squared());
        (b - a).cross(c - a).length() <= 1e-14 * longest
    }

    /// Every edge must have two triangles that run along it in opposite directions.
    fn check_edges(&self) -> Result<(), MeshError> {
        let edges = self.sorted_half_edges();
        let (mut open, mut many, mut twisted) = (0, 0, 0);
        for group in edges.chunk_by(|a, b| a.0 == b.0) {
            match group {
                [_] => open += 1,
                [a, b] => twisted += usize::from(a.1 == b.1),
                _ => many += 1,
            }
        }
        match (open, many, twisted) {
            (0, 0, 0) => Ok(()),
            (0, 0, count) => Err(MeshError::Orientation { count }),
            (0, count, _) => Err(MeshError::NonManifold { count }),
            (count, _, _) => Err(MeshError::OpenEdges { count }),
        }
    }

    /// All half edges `((low, high), forward, 3 * triangle + edge)`, sorted.
    pub(super) fn sorted_half_edges(&self) -> Vec<([u32; 2], bool, u32)> {
        let mut edges = Vec::with_capacity(3 * self.triangles.len());
        for (t, corners) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                edges.push(([a.min(b), a.max(b)], a < b, (3 * t + k) as u32));
            }
        }
        edges.sort_unstable();
        edges
    }

    /// The parts of a closed mesh that hang together by edges.
    #[must_use]
    pub fn shells(&self) -> Vec<Self> {
        // Triangles point to others of their shell, and in the end to its first one.
        let mut points_to: Vec<u32> = (0..self.triangles.len()).map(|t| t as u32).collect();
        for group in self.sorted_half_edges().chunk_by(|a, b| a.0 == b.0) {
            for pair in group.windows(2) {
                let [a, b] = [pair[0].2 / 3, pair[1].2 / 3].map(|t| first_of(&mut points_to, t));
                points_to[a.max(b) as usize] = a.min(b);
            }
        }
        let firsts: Vec<u32> =
            (0..self.triangles.len()).map(|t| first_of(&mut points_to, t as u32)).collect();
        if firsts.iter().all(|&first| first == 0) {
            return vec![self.clone()];
        }
        let mut shell_of = vec![usize::MAX; self.triangles.len()];
        let mut shells: Vec<Self> = Vec::new();
        // Where a vertex is in a shell; one that shells share is in each of them.
        let mut names: Vec<Vec<(usize, u32)>> = vec![Vec::new(); self.vertices.len()];
        for (triangle, &first) in self.triangles.iter().zip(&firsts) {
            if shell_of[first as usize] == usize::MAX {
                shell_of[first as usize] = shells.len();
                shells.push(Self::default());
            }
            let number = shell_of[first as usize];
            let shell = &mut shells[number];
            let renamed = triangle.map(|v| {
                let known = &mut names[v as usize];
                if let Some(&(_, name)) = known.iter().find(|(shell, _)| *shell == number) {
                    return name;
                }
                let name = shell.vertices.len() as u32;
                shell.vertices.push(self.vertices[v as usize]);
                known.push((number, name));
                name
            });
            shell.triangles.push(renamed);
        }
        shells
    }

    /// Edges where the surface bends by more than `angle` [rad], and edges with one triangle only.
    #[must_use]
    pub fn feature_edges(&self, angle: f64) -> Vec<[u32; 2]> {
        let limit = angle.cos();
        let normal = |half: u32| {
            let [a, b, c] = self.corners(half as usize / 3);
            (b - a).cross(c - a).normalize_or_zero()
        };
        let edges = self.sorted_half_edges();
        let groups = edges.chunk_by(|a, b| a.0 == b.0);
        let is_feature = |group: &&[([u32; 2], bool, u32)]| match group {
            [a, b] => normal(a.2).dot(normal(b.2)) < limit,
            _ => true,
        };
        groups.filter(is_feature).map(|group| group[0].0).collect()
    }
}

/// The triangle that the chain from `t` ends at; chains get shorter on the way.
fn first_of(points_to: &mut [u32], mut t: u32) -> u32 {
    while points_to[t as usize] != t {
        points_to[t as usize] = points_to[points_to[t as usize] as usize];
        t = points_to[t as usize];
    }
    t
}

/// How many are true and which is the first; `None` when none is.
fn tally(flags: impl Iterator<Item = bool>) -> Option<(usize, usize)> {
    let mut hits = flags.enumerate().filter_map(|(i, hit)| hit.then_some(i));
    let first = hits.next()?;
    Some((1 + hits.count(), first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::convex_hull;

    fn cube() -> TriangleMesh {
        let corners = Aabb::new(DVec3::ZERO, DVec3::ONE).corners();
        convex_hull(&corners).unwrap().mesh
    }

    #[test]
    fn cube_is_closed_with_unit_volume_and_twelve_creases() {
        let mesh = cube();
        mesh.check_closed().unwrap();
        assert!((mesh.volume() - 1.0).abs() < 1e-14 && (mesh.area() - 6.0).abs() < 1e-14);
        assert!(mesh.centroid().distance(DVec3::splat(0.5)) < 1e-14);
        assert_eq!(mesh.feature_edges(0.5).len(), 12);
    }

    #[test]
    fn every_defect_has_its_error() {
        assert_eq!(TriangleMesh::default().check_closed(), Err(MeshError::Empty));
        let mut open = cube();
        open.triangles.pop();
        assert_eq!(open.check_closed(), Err(MeshError::OpenEdges { count: 3 }));
        let mut twice = cube();
        twice.triangles.push(twice.triangles[0]);
        assert!(matches!(twice.check_closed(), Err(MeshError::NonManifold { count: 3 })));
        let mut twisted = cube();
        twisted.triangles[0].swap(0, 1);
        assert_eq!(twisted.check_closed(), Err(MeshError::Orientation { count: 3 }));
        let mut flat = cube();
        flat.triangles[2] = [1, 1, 3];
        assert_eq!(flat.check_closed(), Err(MeshError::Degenerate { count: 1, first: 2 }));
        let mut unknown = cube();
        unknown.triangles[1][0] = 99;
        let found = unknown.check_closed();
        assert_eq!(found, Err(MeshError::IndexOutOfRange { count: 1, first: 1 }));
        let mut infinite = cube();
        infinite.vertices[3].y = f64::NAN;
        assert_eq!(infinite.check_closed(), Err(MeshError::NotFinite { count: 1, first: 3 }));
        assert!(matches!(cube().flipped().check_closed(), Err(MeshError::InsideOut { .. })));
    }

    #[test]
    fn welding_closes_a_triangle_soup() {
        let mesh = cube();
        let mut soup = TriangleMesh::default();
        for t in 0..mesh.triangles.len() {
            let n = soup.vertices.len() as u32;
            soup.vertices.extend(mesh.corners(t));
            soup.triangles.push([n, n + 1, n + 2]);
        }
        assert!(matches!(soup.check_closed(), Err(MeshError::OpenEdges { count: 36 })));
        let welded = soup.welded();
        welded.check_closed().unwrap();
        assert_eq!(welded.vertices.len(), 8);
    }
}
