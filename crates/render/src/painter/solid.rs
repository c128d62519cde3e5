//! Things of a picture in camera space: balls and faces.

use glam::Vec3;

use super::view::View;
use crate::mesh::CREASE;
use crate::{BodyMesh, BodyStyle, Color, Liquid, Material, Picture};

/// A sphere in camera space.
pub(super) struct Ball {
    pub(super) center: Vec3,
    pub(super) radius: f32,
    pub(super) color: Vec3,
    /// First and last column and row it can cover [samples].
    pub(super) columns: (i32, i32),
    pub(super) rows: (i32, i32),
}

/// A triangle in camera space, wholly in front of the eye.
pub(super) struct Face {
    pub(super) corners: [Vec3; 3],
    /// Points to the eye.
    pub(super) normal: Vec3,
    /// Normals and colours of the corners; the normals of a flat face are its own.
    pub(super) normals: [Vec3; 3],
    pub(super) colors: [Vec3; 3],
    /// Part of the light behind it that is seen.
    pub(super) glass: f32,
    pub(super) casts_shadow: bool,
    /// Whether its outer side is seen.
    pub(super) is_front: bool,
    pub(super) liquid: Option<Liquid>,
    pub(super) is_ground: bool,
}

impl Face {
    /// Normal and colour at a point of the face.
    pub(super) fn at(&self, point: Vec3) -> (Vec3, Vec3) {
        let [a, b, c] = self.corners;
        let area = |p: Vec3, q: Vec3| (p - point).cross(q - point).dot(self.normal);
        let weights = [area(b, c), area(c, a), area(a, b)];
        let sum: f32 = weights.iter().sum();
        let mean = |of: &[Vec3; 3]| {
            let part = |k: usize| of[k] * (weights[k] / sum).clamp(0.0, 1.0);
            if sum.abs() > 0.0 { part(0) + part(1) + part(2) } else { of[0] }
        };
        (mean(&self.normals).normalize_or(self.normal), mean(&self.colors))
    }
}

/// All spheres in front of the eye.
pub(super) fn balls(picture: &Picture, view: &View) -> Vec<Ball> {
    let table: Vec<f32> = (0..=255).map(|b| Color::rgb(b, b, b).to_linear().x).collect();
    let light = |c: Color| Vec3::from_array(c.bytes().map(|b| table[usize::from(b)]));
    let seen = |sphere: &crate::Sphere| {
        let center = view.point(sphere.center);
        let radius = sphere.radius;
        if !(center.is_finite() && radius > 0.0 && center.z - radius > view.near) {
            return None;
        }
        let span = |x: f32, middle: f32| {
            let (low, high) = tangents(x, center.z, radius);
            let sample = |slope: f32| slope * view.focal + middle;
            ((sample(low) - 0.5).ceil() as i32, (sample(high) - 0.5).floor() as i32)
        };
        let columns = span(center.x, view.middle.0);
        let rows = span(center.y, view.middle.1);
        Some(Ball { center, radius, color: light(sphere.color), columns, rows })
    };
    picture.spheres.iter().filter_map(seen).collect()
}

/// The slopes of the two lines from the eye that touch a circle.
fn tangents(x: f32, z: f32, r: f32) -> (f32, f32) {
    let below = z * z - r * r;
    let root = r * (x * x + below).sqrt();
    ((x * z - root) / below, (x * z + root) / below)
}

/// All faces of these bodies that are to be drawn, cut at the near plane.
pub(super) fn faces<'a>(bodies: impl Iterator<Item = &'a BodyMesh>, view: &View) -> Vec<Face> {
    let mut faces = Vec::new();
    for body in bodies.filter(|body| body.style != BodyStyle::Wire) {
        let is_ground = body.style == BodyStyle::Ground;
        let liquid = match body.material {
            Material::Dull => None,
            Material::Liquid(liquid) => Some(liquid),
        };
        let color = body.color.to_linear();
        let see_through = body.style == BodyStyle::SeeThrough;
        let points: Vec<Vec3> = body.positions.iter().map(|&p| view.point(p)).collect();
        for triangle in &body.triangles {
            let corners = triangle.map(|i| points[i as usize]);
            let across = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            // The axes right, down, forward are right-handed, so the order of corners holds.
            let Some(normal) = across.try_normalize() else { continue };
            let faces_eye = normal.dot(corners[0]) < 0.0;
            // Ground has no lower side: what is seen from below is open.
            if see_through && faces_eye || is_ground && !faces_eye {
                continue;
            }
            let normal = if faces_eye { normal } else { -normal };
            let glass = match body.style {
                BodyStyle::SeeThrough => 0.72,
                BodyStyle::Paper => 1.0,
                BodyStyle::Solid | BodyStyle::Wire | BodyStyle::Ground => 0.0,
            };
            let casts_shadow = body.style == BodyStyle::Solid;
            let (normals, colors) = match &body.smooth {
                Some(smooth) => (
                    triangle.map(|i| {
                        let corner =
                            towards_eye(view.direction(smooth.normals[i as usize]), normal);
                        if corner.dot(normal) < CREASE { normal } else { corner }
                    }),
                    triangle.map(|i| smooth.colors[i as usize].to_linear()),
                ),
                None => ([normal; 3], [color; 3]),
            };
            for corners in clipped(corners, view.near) {
                faces.push(Face {
                    corners,
                    normal,
                    normals,
                    colors,
                    glass,
                    casts_shadow,
                    is_front: faces_eye,
                    liquid,
                    is_ground,
                });
            }
        }
    }
    faces
}

/// The normal of a corner on the side where the face looks to.
fn towards_eye(normal: Vec3, face: Vec3) -> Vec3 {
    if normal.dot(face) < 0.0 { -normal } else { normal }
}

/// The part of a triangle beyond the near plane, as up to two triangles.
fn clipped(corners: [Vec3; 3], near: f32) -> impl Iterator<Item = [Vec3; 3]> {
    let mut kept = Vec::with_capacity(4);
    for i in 0..3 {
        let (a, b) = (corners[i], corners[(i + 1) % 3]);
        if a.z >= near {
            kept.push(a);
        }
        if (a.z < near) != (b.z < near) {
            kept.push(a.lerp(b, (near - a.z) / (b.z - a.z)).with_z(near));
        }
    }
    (2..kept.len()).map(move |i| [kept[0], kept[i - 1], kept[i]])
}
