//! A picture as arrays for the shaders.

use crate::compute::Spheres;
use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};
use lawine_render::{BodyMesh, BodyStyle, Bounds, Color, Picture};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How bodies are drawn: Schinner's modes (Appendix D).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyDisplay {
    /// As the picture says.
    #[default]
    Shaded,
    /// Edges that are not hidden, like a drawing on paper.
    HiddenLines,
    /// All edges.
    Wire,
    /// Not at all.
    Hidden,
}

impl BodyDisplay {
    /// All ways.
    pub const ALL: [Self; 4] = [Self::Shaded, Self::HiddenLines, Self::Wire, Self::Hidden];

    /// A word for buttons.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shaded => "shaded",
            Self::HiddenLines => "hidden lines",
            Self::Wire => "wire",
            Self::Hidden => "off",
        }
    }
}

/// A sphere for the shaders.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Ball {
    center: [f32; 3],
    radius: f32,
    color: [u8; 4],
}

/// A corner of a face for the shaders.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
    /// In the last byte: how much is seen through it.
    color: [u8; 4],
}

/// An edge for the shaders.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Edge {
    ends: [[f32; 3]; 2],
    /// In the last byte: its strength.
    color: [u8; 4],
}

/// Part of the light behind glass that is seen, as in the painter of `lawine-render`.
const GLASS: u8 = 184;
/// Strength of edges.
const STRENGTH: u8 = 204;

/// A picture as arrays, with positions relative to an origin.
#[derive(Debug)]
pub struct Drawing {
    /// Different for every drawing.
    pub number: u64,
    /// What positions are relative to [m].
    pub origin: DVec3,
    /// The box around everything that is drawn [m].
    pub bounds: Bounds,
    /// Whether faces are paper instead of matter.
    pub flat: bool,
    /// Mean radius of the spheres [m].
    pub grain: f32,
    /// Spheres.
    pub balls: Vec<Ball>,
    /// Spheres that are on the device already.
    pub there: Option<Spheres>,
    /// Corners of triangles, three each.
    pub corners: Vec<Corner>,
    /// Edges.
    pub edges: Vec<Edge>,
}

impl Drawing {
    /// The arrays of a picture.
    pub fn new(picture: &Picture, look: BodyDisplay) -> Self {
        let bounds = picture.bounds().unwrap_or(Bounds { min: DVec3::ZERO, max: DVec3::ONE });
        Self::within(picture, look, bounds, bounds.center())
    }

    /// The arrays of a picture whose spheres are on the device already, with a radius on average [m]; they
    /// lie in the bounds.
    pub fn around(
        picture: &Picture,
        look: BodyDisplay,
        bounds: Bounds,
        balls: &Spheres,
        radius: f32,
    ) -> Self {
        let drawing = Self::within(picture, look, bounds, balls.origin);
        Self { grain: radius, balls: Vec::new(), there: Some(balls.clone()), ..drawing }
    }

    fn within(picture: &Picture, look: BodyDisplay, bounds: Bounds, origin: DVec3) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let mut drawing = Self {
            number: COUNT.fetch_add(1, Relaxed),
            origin,
            bounds,
            flat: look == BodyDisplay::HiddenLines,
            grain: 0.0,
            balls: Vec::with_capacity(picture.spheres.len()),
            there: None,
            corners: Vec::new(),
            edges: Vec::new(),
        };
        let mut sum = 0.0;
        for sphere in &picture.spheres {
            let center = (sphere.center - origin).as_vec3();
            if center.is_finite() && sphere.radius > 0.0 {
                let Color { r, g, b } = sphere.color;
                let (center, radius) = (center.to_array(), sphere.radius);
                drawing.balls.push(Ball { center, radius, color: [r, g, b, 255] });
                sum += f64::from(radius);
            }
        }
        drawing.grain = (sum / drawing.balls.len().max(1) as f64) as f32;
        if look != BodyDisplay::Hidden {
            for body in &picture.bodies {
                drawing.add_body(body, look, picture.background.bottom);
            }
        }
        drawing
    }

    /// What of it does not fit into buffers of a size [bytes], in words.
    pub fn too_large_for(&self, room: u64) -> Option<String> {
        let parts = [
            (self.balls.len(), size_of::<Ball>(), "particles"),
            (self.corners.len() / 3, 3 * size_of::<Corner>(), "triangles"),
            (self.edges.len(), size_of::<Edge>(), "edges"),
        ];
        let (count, size, what) =
            parts.into_iter().find(|&(count, size, _)| (count * size) as u64 > room)?;
        Some(format!(
            "This scene is too large for the graphics device: {count} {what}, and it can draw at most {}.",
            room / size as u64
        ))
    }

    fn add_body(&mut self, body: &BodyMesh, look: BodyDisplay, paper: Color) {
        let points: Vec<Vec3> =
            body.positions.iter().map(|&p| (p - self.origin).as_vec3()).collect();
        let glass = if body.style == BodyStyle::SeeThrough { GLASS } else { 0 };
        let Color { r, g, b } = if self.flat { paper } else { body.color };
        let transparent_paper = self.flat && glass > 0;
        if look != BodyDisplay::Wire && body.style != BodyStyle::Wire && !transparent_paper {
            for &triangle in &body.triangles {
                let corners = triangle.map(|i| points[i as usize]);
                let across = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
                let flat = across.normalize_or_zero().to_array();
                let smooth = body.smooth.as_ref().filter(|_| !self.flat);
                let corner = |i: u32| {
                    let (normal, Color { r, g, b }) = match smooth {
                        Some(s) => {
                            (s.normals[i as usize].as_vec3().to_array(), s.colors[i as usize])
                        }
                        None => (flat, Color { r, g, b }),
                    };
                    let position = points[i as usize].to_array();
                    Corner { position, normal, color: [r, g, b, glass] }
                };
                self.corners.extend(triangle.map(corner));
            }
        }
        let Color { r, g, b } = Color::from_linear(body.color.to_linear() * 0.35);
        self.edges.extend(body.edges.iter().map(|edge| Edge {
            ends: edge.map(|i| points[i as usize].to_array()),
            color: [r, g, b, STRENGTH],
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_render::{Camera, Sphere};

    fn picture() -> Picture {
        let bounds = Bounds::new(DVec3::splat(1e6), DVec3::splat(1e6 + 1.0));
        let mut picture = Picture::new(Camera::fit(&bounds, DVec3::Y, 1.0));
        picture.bodies.push(BodyMesh::cuboid(&bounds));
        let at = |x: f64| DVec3::new(1e6 + x, 1e6, 1e6);
        picture.spheres.push(Sphere::new(at(0.25), 0.1, Color::WHITE));
        picture.spheres.push(Sphere::new(at(f64::NAN), 0.1, Color::WHITE));
        picture
    }

    #[test]
    fn positions_keep_their_precision_far_from_the_origin() {
        let drawing = Drawing::new(&picture(), BodyDisplay::Shaded);
        assert_eq!(drawing.balls.len(), 1, "what is not finite is not drawn");
        let x = f64::from(drawing.balls[0].center[0]) + drawing.origin.x;
        assert!((x - 1e6 - 0.25).abs() < 1e-6, "{x}");
    }

    #[test]
    fn what_is_too_large_is_told_with_its_limit() {
        let mut drawing = Drawing::new(&picture(), BodyDisplay::Shaded);
        assert_eq!(drawing.too_large_for(4096), None);
        let words = drawing.too_large_for(840).unwrap();
        assert!(words.contains("12 triangles") && words.contains("draw at most 10."), "{words}");
        drawing.balls = vec![drawing.balls[0]; 1000];
        let words = drawing.too_large_for(4096).unwrap();
        assert!(words.contains("1000 particles") && words.contains("draw at most 204"), "{words}");
    }

    #[test]
    fn looks_differ_in_what_is_drawn() {
        let count = |look| {
            let drawing = Drawing::new(&picture(), look);
            (drawing.corners.len(), drawing.edges.len())
        };
        assert_eq!(count(BodyDisplay::Shaded), (36, 12));
        assert_eq!(count(BodyDisplay::HiddenLines), (36, 12));
        assert_eq!(count(BodyDisplay::Wire), (0, 12));
        assert_eq!(count(BodyDisplay::Hidden), (0, 0));
    }
}
