//! Convex polyhedra with adjacency of vertices, edges and faces.

mod build;
mod climb;

use glam::DVec3;

use super::{HalfSpace, HullError, TriangleMesh, convex_hull};

/// A part of a polyhedron's surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A corner, by its index.
    Vertex(u32),
    /// An edge, by one of its two half edges.
    Edge(u32),
    /// A face, by its index.
    Face(u32),
}

/// One side of an edge: it runs counter-clockwise around its face, seen from outside.
///
/// The half edge on the other side of edge `h` is `h ^ 1` (Baumgart's winged edge, 1975). The two
/// directions are those of its Voronoi planes: a point beyond the plane through `tail` with normal
/// `u` is closer to the edge than to the corner, and one on the side to which `side` points is
/// closer to the face than to the edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfEdge {
    /// Where it starts [m].
    pub tail: DVec3,
    /// Unit vector along it.
    pub u: DVec3,
    /// Unit vector in the face, across the edge and into the face: normal × u.
    pub side: DVec3,
    /// Length [m].
    pub length: f64,
    /// The corner it starts from.
    pub origin: u32,
    /// The next half edge around the face.
    pub next: u32,
    /// The next half edge that starts from the same corner.
    pub around: u32,
    /// The face on its left.
    pub face: u32,
}

/// A face: its plane, and one of the half edges around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// The plane, facing outwards.
    pub plane: HalfSpace,
    /// One of its half edges.
    pub first: u32,
}

/// A convex polyhedron as a graph with neighbours in constant time.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyhedron {
    vertices: Vec<DVec3>,
    /// For each corner a half edge that starts there.
    first: Vec<u32>,
    half_edges: Vec<HalfEdge>,
    faces: Vec<Face>,
}

impl Polyhedron {
    /// The convex hull of the points; triangles in one plane form one face.
    ///
    /// # Errors
    /// When there are fewer than four points, one is not finite, or all lie in a plane.
    pub fn new(points: &[DVec3]) -> Result<Self, HullError> {
        build::from_hull(&convex_hull(points)?)
    }

    /// The corners [m].
    #[must_use]
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// All half edges; those of edge `e` are `2 e` and `2 e + 1`.
    #[must_use]
    pub fn half_edges(&self) -> &[HalfEdge] {
        &self.half_edges
    }

    /// The faces.
    #[must_use]
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.half_edges.len() / 2
    }

    /// Half edge `h`.
    #[inline]
    #[must_use]
    pub fn half_edge(&self, h: u32) -> &HalfEdge {
        &self.half_edges[h as usize]
    }

    /// Corner `v` [m].
    #[inline]
    #[must_use]
    pub fn vertex(&self, v: u32) -> DVec3 {
        self.vertices[v as usize]
    }

    /// Face `f`.
    #[inline]
    #[must_use]
    pub fn face(&self, f: u32) -> &Face {
        &self.faces[f as usize]
    }

    /// The corner that half edge `h` leads to.
    #[inline]
    #[must_use]
    pub fn head(&self, h: u32) -> u32 {
        self.half_edge(h ^ 1).origin
    }

    /// The half edges that start from corner `v`, with their indices.
    #[inline]
    pub fn fan(&self, v: u32) -> impl Iterator<Item = (u32, &HalfEdge)> + '_ {
        self.walk(self.first[v as usize], |h| h.around)
    }

    /// The half edges around face `f`, counter-clockwise, with their indices.
    #[inline]
    pub fn rim(&self, f: u32) -> impl Iterator<Item = (u32, &HalfEdge)> + '_ {
        self.walk(self.faces[f as usize].first, |h| h.next)
    }

    #[inline]
    fn walk<'a>(
        &'a self,
        start: u32,
        step: impl Fn(&HalfEdge) -> u32 + 'a,
    ) -> impl Iterator<Item = (u32, &'a HalfEdge)> + 'a {
        let mut at = Some(start);
        std::iter::from_fn(move || {
            let h = at?;
            let edge = self.half_edge(h);
            let next = step(edge);
            at = (next != start).then_some(next);
            Some((h, edge))
        })
    }

    /// The surface as triangles facing outwards: a fan for each face.
    #[must_use]
    pub fn mesh(&self) -> TriangleMesh {
        let mut triangles = Vec::with_capacity(2 * self.vertices.len());
        for f in 0..self.faces.len() as u32 {
            let corners: Vec<u32> = self.rim(f).map(|(_, h)| h.origin).collect();
            triangles
                .extend((1..corners.len() - 1).map(|k| [corners[0], corners[k], corners[k + 1]]));
        }
        TriangleMesh { vertices: self.vertices.clone(), triangles }
    }

    /// The largest signed distance of `x` to a face plane and that face: negative or zero exactly
    /// when `x` is inside.
    #[must_use]
    pub fn outermost_face(&self, x: DVec3) -> (f64, u32) {
        let mut best = (f64::NEG_INFINITY, 0);
        for (f, face) in self.faces.iter().enumerate() {
            let d = face.plane.distance(x);
            if d > best.0 {
                best = (d, f as u32);
            }
        }
        best
    }

    /// Distance of the corner that is farthest from the origin [m].
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.vertices.iter().map(|v| v.length()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests;
