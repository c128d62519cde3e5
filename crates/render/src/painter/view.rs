//! The perspective camera as the painter uses it.

use glam::{DMat3, DVec2, DVec3, Vec3};

use crate::Perspective;

/// Camera space has x to the right, y down and z away from the eye, in metres. Sample space
/// counts samples from the upper left corner.
pub(super) struct View {
    eye: DVec3,
    to_camera: DMat3,
    /// Samples per metre at a distance of one metre.
    pub(super) focal: f32,
    inverse_focal: f32,
    /// Middle of the picture [samples].
    pub(super) middle: (f32, f32),
    /// What is nearer is not drawn [m].
    pub(super) near: f32,
}

impl View {
    /// A view with the given number of samples.
    pub(super) fn new(camera: &Perspective, columns: usize, rows: usize) -> Self {
        let distance = (camera.target - camera.eye).length();
        Self {
            eye: camera.eye,
            to_camera: camera.axes().transpose(),
            focal: camera.focal(rows as f64) as f32,
            inverse_focal: (1.0 / camera.focal(rows as f64)) as f32,
            middle: (columns as f32 / 2.0, rows as f32 / 2.0),
            near: (distance * 1e-3).max(1e-9) as f32,
        }
    }

    /// A point in camera space. The eye is taken off in double precision, because a scene may
    /// lie far from the origin.
    pub(super) fn point(&self, p: DVec3) -> Vec3 {
        (self.to_camera * (p - self.eye)).as_vec3()
    }

    /// A direction in camera space.
    pub(super) fn direction(&self, d: DVec3) -> Vec3 {
        (self.to_camera * d).as_vec3()
    }

    /// Where a point in camera space is seen [samples].
    pub(super) fn project(&self, p: Vec3) -> DVec2 {
        let scale = self.focal / p.z;
        DVec2::new(f64::from(p.x * scale + self.middle.0), f64::from(p.y * scale + self.middle.1))
    }

    /// The line of sight through the middle of a sample, with z = 1.
    pub(super) fn ray(&self, column: usize, row: usize) -> Vec3 {
        Vec3::new(
            (column as f32 + 0.5 - self.middle.0) * self.inverse_focal,
            (row as f32 + 0.5 - self.middle.1) * self.inverse_focal,
            1.0,
        )
    }
}
