//! All buffers on the GPU.

use crate::bodies::{Solids, material_rows};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::layout::{Layout, ROW, STORAGE};
use lawine_solvers::mpm::Material;
use wgpu::{Buffer, BufferUsages};

/// Bytes of the parameters of a step; a multiple of every alignment that there is.
pub(crate) const PARAMS_SIZE: u64 = 256;
/// Steps that are handed to the GPU together.
pub(crate) const BATCH: usize = 8;
/// Number of statuses in flight in non-blocking mode.
const STATUSES: usize = 8;

/// The buffers; `common.wgsl` has their layout.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub(crate) params: Buffer,
    pub(crate) materials: Buffer,
    pub(crate) particles: Vec<Buffer>,
    pub(crate) identity: Buffer,
    pub(crate) lists: Buffer,
    pub(crate) cells: Buffer,
    pub(crate) coords: Buffer,
    pub(crate) links: Buffer,
    pub(crate) atomics: Buffer,
    pub(crate) tiles: Buffer,
    pub(crate) nodes: Buffer,
    pub(crate) shapes: Buffer,
    pub(crate) dispatches: Buffer,
    /// Counters and forces in flight to the host.
    pub(crate) staging: Vec<Buffer>,
}

impl Buffers {
    pub(crate) fn new(
        gpu: &Gpu,
        layout: &Layout,
        materials: &[Material],
        solids: &Solids,
    ) -> Result<Self, GpuError> {
        let bytes = layout.particle_bytes() + layout.block_bytes();
        let what = format!("{bytes} bytes of particles and grid");
        if bytes > gpu.memory {
            return Err(GpuError::OutOfMemory { what });
        }
        let read = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let uniform = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let storage = |label, size| gpu.buffer(label, size, STORAGE);
        let status = |_| gpu.buffer("status", 4 * u64::from(layout.masks()), read);
        let bodies = (BATCH + 1) as u64 * u64::from(layout.bodies) * 9 * ROW;
        let all = Self {
            params: gpu.buffer("params", PARAMS_SIZE * (BATCH as u64 + 1), uniform),
            materials: gpu.buffer("materials", 512 * ROW, uniform),
            particles: (0..layout.segments).map(|_| storage("particles", layout.part())).collect(),
            identity: storage("identity", layout.identity()),
            lists: storage("lists", layout.lists()),
            cells: storage("cells", layout.cells()),
            coords: storage("coords", layout.coords()),
            links: storage("links", layout.links()),
            atomics: storage("atomics", layout.atomics()),
            tiles: storage("tiles", layout.tiles()),
            nodes: storage("nodes", layout.nodes()),
            shapes: storage("shapes", solids.rows.len() as u64 * ROW + bodies),
            dispatches: gpu.buffer("dispatches", 32, STORAGE | BufferUsages::INDIRECT),
            staging: (0..if gpu.can_block { 2 } else { STATUSES }).map(status).collect(),
        };
        gpu.close(scope, |_| GpuError::OutOfMemory { what })?;
        gpu.queue.write_buffer(&all.materials, 0, bytemuck::cast_slice(&material_rows(materials)));
        gpu.queue.write_buffer(&all.shapes, 0, bytemuck::cast_slice(&solids.rows));
        Ok(all)
    }
}
