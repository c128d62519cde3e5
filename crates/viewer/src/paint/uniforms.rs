//! The camera and the light as the shaders read them; the fields are those of `view.wgsl`.

use super::drawing::Drawing;
use bytemuck::{Pod, Zeroable};
use eframe::wgpu;
use glam::{DVec3, Vec3};
use lawine_render::{Background, Camera, Floor};

/// The struct `View` of the shaders.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Uniforms {
    right: [f32; 4],
    down: [f32; 4],
    away: [f32; 4],
    light_x: [f32; 4],
    light_y: [f32; 4],
    light_z: [f32; 4],
    light: [f32; 4],
    up: [f32; 4],
    top: [f32; 4],
    bottom: [f32; 4],
    floor: [f32; 4],
    lens: [f32; 4],
    size: [f32; 4],
    reach: [f32; 4],
}

/// What is seen, besides the drawing itself.
#[derive(Clone, Copy, Debug)]
pub struct Shot {
    /// From where.
    pub camera: Camera,
    /// Width and height on the screen [px].
    pub size: [u32; 2],
    /// Samples across a pixel.
    pub fineness: u32,
    /// What is seen behind everything.
    pub background: Background,
    /// A soft floor.
    pub floor: Option<Floor>,
    /// Towards the light.
    pub light: DVec3,
    /// Whether things cast shadows.
    pub shadows: bool,
    /// How much corners and crevices are darkened, 0 to 1.
    pub occlusion: f32,
}

impl Shot {
    /// The same with fewer samples, if a device has no textures that large.
    pub fn fitting(self, device: &wgpu::Device) -> Self {
        let most = device.limits().max_texture_dimension_2d / self.size[0].max(self.size[1]).max(1);
        Self { fineness: self.fineness.min(most).max(1), ..self }
    }

    /// Width and height of the samples.
    pub fn samples(&self) -> [u32; 2] {
        self.size.map(|n| (n * self.fineness).max(1))
    }

    /// Whether the picture is planar.
    pub fn is_planar(&self) -> bool {
        matches!(self.camera, Camera::Planar(_))
    }

    /// The uniforms for a drawing. `encode` is whether the window needs encoded colours.
    pub fn uniforms(&self, drawing: &Drawing, encode: bool) -> Uniforms {
        let [width, height] = self.samples().map(f64::from);
        let relative = |p: DVec3| (p - drawing.origin).as_vec3();
        let light = self.light.normalize_or(DVec3::Y).as_vec3();
        let across = light.any_orthonormal_vector();
        let size = drawing.bounds.size();
        let half = (0.5 * size.length()).max(1e-9) as f32;
        let fineness = self.fineness as f32;
        let mut uniforms = Uniforms {
            light_x: with(across, 0.0),
            light_y: with(light.cross(across), 0.0),
            light_z: with(-light, 0.0),
            light: with(light, 1.02 * half),
            top: with(self.background.top.to_linear(), 0.0),
            bottom: with(self.background.bottom.to_linear(), 0.0),
            size: [width as f32, height as f32, fineness, f32::from(u8::from(encode))],
            reach: [
                if drawing.grain > 0.0 { 3.5 * drawing.grain } else { 0.04 * half },
                0.12 * half,
                self.occlusion,
                f32::from(u8::from(drawing.flat)),
            ],
            ..Uniforms::default()
        };
        match &self.camera {
            Camera::Planar(view) => {
                let eye = relative(view.center.extend(0.0));
                let scale = view.scale(width, height);
                uniforms.set_axes([Vec3::X, Vec3::NEG_Y, Vec3::NEG_Z], eye);
                uniforms.top[3] = 1.0;
                let lens = [2.0 * scale / width, 2.0 * scale / height, 0.0, 0.5 * height];
                uniforms.lens = lens.map(|x| x as f32);
            }
            Camera::Perspective(view) => {
                let axes = view.axes();
                let axes = [axes.x_axis, axes.y_axis, axes.z_axis].map(|axis| axis.as_vec3());
                uniforms.set_axes(axes, relative(view.eye));
                let focal = view.focal(height);
                let near = ((view.target - view.eye).length() * 1e-2).max(1e-9);
                let lens = [2.0 * focal / width, 2.0 * focal / height, near, 0.5 * height];
                uniforms.lens = lens.map(|x| x as f32);
                let shadows = f32::from(u8::from(self.shadows));
                uniforms.up = with(view.up.normalize_or(DVec3::Y).as_vec3(), shadows);
                if let Some(floor) = self.floor {
                    uniforms.floor = with(relative(floor.center), floor.radius as f32);
                }
            }
        }
        uniforms
    }
}

impl Uniforms {
    fn set_axes(&mut self, [right, down, away]: [Vec3; 3], eye: Vec3) {
        self.right = with(right, eye.x);
        self.down = with(down, eye.y);
        self.away = with(away, eye.z);
    }
}

fn with(v: Vec3, w: f32) -> [f32; 4] {
    v.extend(w).to_array()
}
