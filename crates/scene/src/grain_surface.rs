//! Surfaces of grains: polyhedra with their edges, coloured and rotated.

use glam::{DQuat, DVec3};
use lawine_core::geometry::{Polyhedron, Shape, TriangleMesh};
use lawine_core::{Field, FieldValues};
use lawine_render::{BodyMesh, Color};

/// Edges of a mesh are drawn where its faces meet at more than this angle [rad].
const SHARP: f64 = 0.35;

/// The surface of a grain in its own frame, with the edges that are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GrainSurface {
    /// Corners [m].
    pub vertices: Vec<DVec3>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Edges.
    pub edges: Vec<[u32; 2]>,
}

impl GrainSurface {
    /// That of a convex shape.
    pub fn of_shape(shape: &Shape) -> Self {
        let p: &Polyhedron = &shape.polyhedron;
        let TriangleMesh { vertices, triangles } = p.mesh();
        let edge = |e: usize| [2 * e, 2 * e + 1].map(|h| p.half_edges()[h].origin);
        Self { vertices, triangles, edges: (0..p.edge_count()).map(edge).collect() }
    }

    /// That of a mesh which `shape` was made from.
    pub fn of_mesh(mesh: &TriangleMesh, shape: &Shape) -> Self {
        let into = shape.rotation.inverse();
        let vertices = mesh.vertices.iter().map(|v| into * (*v - shape.center)).collect();
        let body = BodyMesh::new(vertices, mesh.triangles.clone()).with_feature_edges(SHARP);
        Self { vertices: body.positions, triangles: body.triangles, edges: body.edges }
    }

    /// The pips of a die: little discs on the faces of a cube, whose opposite sides have seven together; none for any
    /// other shape.
    pub fn pips(&self) -> Option<Self> {
        let &corner = self.vertices.first().filter(|_| self.vertices.len() == 8)?;
        let ends = self.edges.iter().filter_map(|edge| match edge {
            [0, end] | [end, 0] => Some(self.vertices[*end as usize] - corner),
            _ => None,
        });
        let sides: Vec<DVec3> = ends.collect();
        let [a, b, c] = sides[..] else { return None };
        let length = a.length();
        let even = |u: DVec3, v: DVec3| {
            (u.length() - v.length()).abs() < 1e-6 * length
                && u.dot(v).abs() < 1e-6 * length * length
        };
        if !(even(a, b) && even(b, c) && even(c, a)) {
            return None;
        }
        let middle = corner + 0.5 * (a + b + c);
        let mut pips = Self::default();
        for (k, [out, right, up]) in [[a, b, c], [b, c, a], [c, a, b]].into_iter().enumerate() {
            for (side, count) in [(1.0, k + 1), (-1.0, 6 - k)] {
                let face = middle + side * (0.5 + 0.003) * out;
                for [x, y] in places(count) {
                    pips.add_disc(face + 0.25 * (x * right + y * up), [0.09 * right, 0.09 * up]);
                }
            }
        }
        Some(pips)
    }

    fn add_disc(&mut self, middle: DVec3, [right, up]: [DVec3; 2]) {
        const CORNERS: u32 = 12;
        let first = self.vertices.len() as u32;
        self.vertices.extend((0..CORNERS).map(|k| {
            let (sine, cosine) =
                (std::f64::consts::TAU * f64::from(k) / f64::from(CORNERS)).sin_cos();
            middle + cosine * right + sine * up
        }));
        self.triangles.extend((2..CORNERS).map(|k| [first, first + k - 1, first + k]));
    }

    /// The surface at a position.
    pub fn placed(&self, x: DVec3, q: DQuat) -> impl Iterator<Item = DVec3> + '_ {
        self.vertices.iter().map(move |v| x + q * *v)
    }

    /// A body to draw.
    pub fn body(&self, x: DVec3, q: DQuat, color: Color) -> BodyMesh {
        let mut body = BodyMesh::new(self.placed(x, q).collect(), self.triangles.clone());
        body.edges.clone_from(&self.edges);
        body.colored(color)
    }
}

/// Where the pips of a face of a die are, from -1 to 1.
fn places(count: usize) -> Vec<[f64; 2]> {
    let diagonal = [[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, 0.0], [1.0, 0.0]];
    let middle = (count % 2 == 1).then_some([0.0, 0.0]);
    diagonal.into_iter().take(count & !1).chain(middle).collect()
}

/// The columns with shape, position and orientation of grains.
#[derive(Clone, Copy)]
pub struct GrainPoses<'a> {
    /// Positions [m].
    pub x: &'a [DVec3],
    /// Orientations.
    pub q: &'a [DQuat],
    /// Indices of the shapes.
    pub shape: &'a [u32],
}

impl<'a> GrainPoses<'a> {
    /// Those among the columns of a method, if it has grains.
    pub fn of(fields: &[Field<'a>]) -> Option<Self> {
        let (mut x, mut q, mut shape) = (None, None, None);
        for field in fields {
            match (field.name, field.values) {
                ("position", FieldValues::Vec3(values)) => x = Some(values),
                ("orientation", FieldValues::Quat(values)) => q = Some(values),
                ("shape", FieldValues::U32(values)) => shape = Some(values),
                _ => {}
            }
        }
        Some(Self { x: x?, q: q?, shape: shape? })
    }

    /// Each grain with its surface, place and orientation; grains of unknown shape are left out.
    pub fn each<'b>(
        self,
        grain_surfaces: &'b [GrainSurface],
    ) -> impl Iterator<Item = (usize, &'b GrainSurface, DVec3, DQuat)> + use<'a, 'b> {
        (0..self.x.len()).filter_map(move |i| {
            let surface = grain_surfaces.get(self.shape[i] as usize)?;
            Some((i, surface, self.x[i], self.q[i]))
        })
    }
}
