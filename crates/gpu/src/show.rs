//! Particles for rendering on the same GPU, without a transfer.

use crate::device::Gpu;
use crate::engine::Engine;
use crate::pass::Pass;
use crate::passes::show::PLAN;
use crate::transfer::Geometry;
use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use wgpu::{BindGroup, Buffer, BufferBindingType, BufferUsages, ShaderStages};

/// Bytes of a sphere: centre and radius as single precision, colour as four bytes.
pub const SPHERE_BYTES: u64 = 20;

/// The value shown by the colour of a particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Speed [m/s].
    Speed,
    /// Velocity along an axis [m/s].
    Velocity(u32),
    /// Plastic part of the volume.
    PlasticVolume,
    /// Density [kg/m³].
    Density,
    /// Index of the material.
    Material,
}

impl Value {
    /// The value of a field, or of a part of one, by the name that scene files use; `None` for fields
    /// that only the host knows.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "speed" | "velocity" => Self::Speed,
            "velocity.x" => Self::Velocity(0),
            "velocity.y" => Self::Velocity(1),
            "velocity.z" => Self::Velocity(2),
            "plastic_volume" => Self::PlasticVolume,
            "density" => Self::Density,
            "material" => Self::Material,
            _ => return None,
        })
    }

    fn number(self) -> u32 {
        match self {
            Self::Speed => 0,
            Self::Velocity(axis) => 1 + axis,
            Self::PlasticVolume => 4,
            Self::Density => 5,
            Self::Material => 6,
        }
    }
}

/// How particles are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Appearance {
    /// What places are relative to [m].
    pub origin: DVec3,
    /// Radius of the spheres [m].
    pub radius: f32,
    /// The value shown as colour.
    pub value: Value,
    /// Values at the ends of the colours.
    pub range: [f64; 2],
    /// Colours from one end to the other, as four bytes each.
    pub palette: Vec<[u8; 4]>,
}

/// Spheres on the GPU, [`SPHERE_BYTES`] bytes each.
#[derive(Clone, Debug)]
pub struct Spheres {
    /// Where they are; for vertices.
    pub buffer: Buffer,
    /// Their number.
    pub count: u32,
}

/// As in `show.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Frame {
    offset: [f32; 3],
    radius: f32,
    node: [i32; 3],
    value: u32,
    ends: [f32; 2],
    pad: [u32; 2],
}

/// The pass that makes spheres of particles, and its buffers.
pub(crate) struct Show {
    pass: Pass,
    group: BindGroup,
    frame: Buffer,
    palette: Buffer,
    balls: Buffer,
}

impl Show {
    pub(crate) fn new(gpu: &Gpu, engine: &Engine) -> Self {
        let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let storage = |read_only| BufferBindingType::Storage { read_only };
        let kinds = [BufferBindingType::Uniform, storage(true), storage(false)];
        let entries: [_; 3] = std::array::from_fn(|k| entry(k as u32, kinds[k]));
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("show"),
            entries: &entries,
        });
        let size = u64::from(engine.layout.particles) * SPHERE_BYTES;
        let [frame, palette, balls] = [
            (size_of::<Frame>() as u64, BufferUsages::UNIFORM | BufferUsages::COPY_DST),
            (1024, BufferUsages::STORAGE | BufferUsages::COPY_DST),
            (size, BufferUsages::STORAGE | BufferUsages::VERTEX | BufferUsages::COPY_SRC),
        ]
        .map(|(size, usage)| gpu.buffer("show", size, usage));
        let bound: [_; 3] = std::array::from_fn(|k| wgpu::BindGroupEntry {
            binding: k as u32,
            resource: [&frame, &palette, &balls][k].as_entire_binding(),
        });
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("show"),
            layout: &layout,
            entries: &bound,
        });
        let constants = engine.layout.constants(false);
        let pass = Pass::with(gpu, &engine.buffers, &constants, &PLAN, Some(&layout));
        Self { pass, group, frame, palette, balls }
    }

    /// Makes spheres of the particles as they are after all steps so far.
    pub(crate) fn run(
        &self,
        gpu: &Gpu,
        engine: &mut Engine,
        geometry: &Geometry,
        appearance: &Appearance,
    ) -> Spheres {
        let node = ((appearance.origin - geometry.origin) / geometry.h).round();
        let offset = geometry.origin + node * geometry.h - appearance.origin;
        let frame = Frame {
            offset: offset.as_vec3().to_array(),
            radius: appearance.radius,
            node: node.as_ivec3().to_array(),
            value: appearance.value.number(),
            ends: appearance.range.map(|x| x as f32),
            pad: [0; 2],
        };
        let count = appearance.palette.len().max(1);
        let colors: Vec<[u8; 4]> = (0..256)
            .map(|k| appearance.palette.get(k * count / 256).copied().unwrap_or([255; 4]))
            .collect();
        engine.submit(false);
        gpu.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(&frame));
        gpu.queue.write_buffer(&self.palette, 0, bytemuck::cast_slice(&colors));
        engine.run_alone(&self.pass, &self.group);
        Spheres { buffer: self.balls.clone(), count: engine.params.n }
    }
}
