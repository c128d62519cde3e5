//! Triangle meshes of bodies.

use std::collections::BTreeMap;

use glam::{DVec2, DVec3, Vec3};

use crate::outline::triangulate;
use crate::{Bounds, Color, Material};

/// How a body is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyStyle {
    /// All faces.
    #[default]
    Solid,
    /// Edges only.
    Wire,
    /// A container seen from outside: only the faces that look away from the camera, so that
    /// one sees what is in it, and the edges. Triangles must be counter-clockwise seen from
    /// outside, see [`BodyMesh::outward`]. It casts no shadow. Planar pictures show its edges.
    SeeThrough,
    /// Faces the colour of the background, which hide what is behind them: a drawing by edges. It
    /// casts no shadow.
    Paper,
    /// All faces of the part that is seen of an endless plane. It casts no shadow, and pictures do not count it
    /// where they ask how large things are.
    Ground,
}

/// Corners look smooth up to this angle between their normal and a face [cosine]; beyond it is an edge.
pub(crate) const CREASE: f32 = 0.75;

/// What makes a surface look smooth: a normal and a colour for each corner, blended in between.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Smooth {
    /// Normals at the corners, pointing outwards.
    pub normals: Vec<DVec3>,
    /// Colours of the corners.
    pub colors: Vec<Color>,
}

/// A body of triangles. In planar pictures z is ignored.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyMesh {
    /// Corners [m].
    pub positions: Vec<DVec3>,
    /// Triangles as indices of corners.
    pub triangles: Vec<[u32; 3]>,
    /// Edges to be drawn as thin lines, as indices of corners.
    pub edges: Vec<[u32; 2]>,
    /// Colour of the faces; edges are a darker kind of it.
    pub color: Color,
    /// How it is drawn.
    pub style: BodyStyle,
    /// Normals and colours of its corners, for a smooth surface in space; flat faces of one colour
    /// without it.
    pub smooth: Option<Smooth>,
    /// What it is made of, where light is traced.
    pub material: Material,
    /// How far each corner moves while the shutter is open, where light is traced [m]; empty at rest.
    pub motion: Vec<Vec3>,
}

impl BodyMesh {
    /// The calm grey of walls and tools.
    pub const GREY: Color = Color::hex(0xa9b1ba);

    /// A body in grey without edges.
    #[must_use]
    pub fn new(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Self {
        Self {
            positions,
            triangles,
            edges: Vec::new(),
            color: Self::GREY,
            style: BodyStyle::Solid,
            smooth: None,
            material: Material::Dull,
            motion: Vec::new(),
        }
    }

    /// A box along the axes, with its twelve edges.
    #[must_use]
    pub fn cuboid(bounds: &Bounds) -> Self {
        // Corner i has bit 0 for x, bit 1 for y, bit 2 for z.
        let quads =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let mut body = Self::new(bounds.corners().to_vec(), triangles);
        for i in 0..8_u32 {
            for bit in [1, 2, 4] {
                if i & bit == 0 {
                    body.edges.push([i, i | bit]);
                }
            }
        }
        body
    }

    /// A planar body: the area inside an odd number of the closed outlines, so that an outline
    /// within another one is a hole.
    #[must_use]
    pub fn planar(outlines: &[Vec<DVec2>]) -> Self {
        let (positions, triangles) = triangulate(outlines);
        let mut body = Self::new(positions.iter().map(|p| p.extend(0.0)).collect(), triangles);
        for outline in outlines {
            let first = body.positions.len() as u32;
            let count = outline.len() as u32;
            body.positions.extend(outline.iter().map(|p| p.extend(0.0)));
            body.edges.extend((0..count).map(|i| [first + i, first + (i + 1) % count]));
        }
        body
    }

    /// The same body in another colour.
    #[must_use]
    pub fn colored(mut self, color: Color) -> Self {
        self.color = color;
        self
    }

    /// The same body in another style.
    #[must_use]
    pub fn styled(mut self, style: BodyStyle) -> Self {
        self.style = style;
        self
    }

    /// The same body with its edges found: borders of the surface, and edges where neighbouring
    /// faces differ by more than `angle` [rad]. Corners at the same place are one corner here.
    #[must_use]
    pub fn with_feature_edges(mut self, angle: f64) -> Self {
        let mut place = BTreeMap::new();
        let same: Vec<u32> = (0_u32..)
            .zip(&self.positions)
            .map(|(i, p)| *place.entry(p.to_array().map(|x| (x + 0.0).to_bits())).or_insert(i))
            .collect();
        let mut faces: BTreeMap<[u32; 2], Vec<DVec3>> = BTreeMap::new();
        for t in &self.triangles {
            let normal = self.normal(*t).normalize_or_zero();
            let t = t.map(|i| same[i as usize]);
            for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                faces.entry([a.min(b), a.max(b)]).or_default().push(normal);
            }
        }
        let limit = angle.cos();
        let sharp = |normals: &[DVec3]| normals.len() != 2 || normals[0].dot(normals[1]) < limit;
        self.edges = faces.into_iter().filter(|(_, n)| sharp(n)).map(|(edge, _)| edge).collect();
        self
    }

    /// The same body with normals at its corners, so that what is round looks round; edges stay edges.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        let mut normals = vec![DVec3::ZERO; self.positions.len()];
        for &triangle in &self.triangles {
            let normal = self.normal(triangle);
            triangle.iter().for_each(|&i| normals[i as usize] += normal);
        }
        normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
        self.smooth = Some(Smooth { normals, colors: vec![self.color; self.positions.len()] });
        self
    }

    /// The same closed body with all triangles turned over if they pointed inwards.
    #[must_use]
    pub fn outward(mut self) -> Self {
        let [origin, ..] = self.positions[..] else { return self };
        let volume: f64 = self
            .triangles
            .iter()
            .map(|&t| self.normal(t).dot(self.positions[t[0] as usize] - origin))
            .sum();
        if volume < 0.0 {
            self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        self
    }

    /// Twice the area of a triangle along its normal.
    fn normal(&self, triangle: [u32; 3]) -> DVec3 {
        let [a, b, c] = triangle.map(|i| self.positions[i as usize]);
        (b - a).cross(c - a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBE: Bounds = Bounds { min: DVec3::ZERO, max: DVec3::ONE };

    #[test]
    fn a_cuboid_points_outwards_and_has_twelve_edges() {
        let cube = BodyMesh::cuboid(&CUBE);
        for &t in &cube.triangles {
            let middle = t.iter().map(|&i| cube.positions[i as usize]).sum::<DVec3>() / 3.0;
            assert!(cube.normal(t).dot(middle - CUBE.center()) > 0.0, "{t:?}");
        }
        assert_eq!(cube.edges.len(), 12);
        let mut found = cube.clone().with_feature_edges(0.5).edges;
        let mut known = cube.edges.clone();
        found.sort_unstable();
        known.sort_unstable();
        assert_eq!(found, known);
    }

    #[test]
    fn an_inward_mesh_is_turned_over() {
        let cube = BodyMesh::cuboid(&CUBE);
        let mut inward = cube.clone();
        inward.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        assert_eq!(inward.outward(), cube.clone().outward());
        assert_eq!(cube.clone().outward(), cube);
    }

    #[test]
    fn a_single_triangle_is_all_border() {
        let mesh = BodyMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]);
        assert_eq!(mesh.with_feature_edges(0.5).edges.len(), 3);
    }
}
