//! Conversion of particles between the CPU solver's state and the GPU.

use crate::engine::Engine;
use glam::{DVec3, IVec3};
use lawine_core::space::Space;
use lawine_solvers::mpm::{Config, Gradient, Particles, Spline, Walls, ended};
use std::collections::HashMap;
use wgpu::Buffer;

/// Where the grid lies, as the CPU solver has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Geometry {
    pub(crate) h: f64,
    /// Position of node 0 [m].
    pub(crate) origin: DVec3,
    /// Period of each axis in blocks, zero without.
    pub(crate) period: IVec3,
    /// Where splines end.
    pub(crate) walls: Walls,
    /// The first node that a particle reaches lies this far below its cell, in cells.
    shift: DVec3,
    pub(crate) planar: bool,
}

/// Where a particle is: block, cell in it, and fractions of the cell in units of 2⁻³².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) block: IVec3,
    pub(crate) cell: u32,
    fraction: [u32; 3],
}

/// 2³².
const UNIT: f64 = 4_294_967_296.0;

impl Geometry {
    pub(crate) fn new(config: &Config, space: &Space) -> Self {
        let (mut origin, mut period) = (DVec3::ZERO, IVec3::ZERO);
        for axis in 0..3 {
            if let Some((min, length)) = space.period(axis) {
                origin[axis] = min;
                period[axis] = (length / (4.0 * config.cell)).round() as i32;
            }
        }
        let shift = if config.spline == Spline::Cubic { 1.0 } else { 0.5 };
        let planar = space.is_planar();
        let shift = DVec3::new(shift, shift, if planar { 0.0 } else { shift });
        Self { h: config.cell, origin, period, walls: Walls::NONE, shift, planar }
    }

    pub(crate) fn place(&self, x: DVec3) -> Place {
        let scaled = (x - self.origin) / self.h - self.shift;
        let mut node = scaled.floor();
        let mut fraction = [0; 3];
        for k in 0..3 {
            let units = ((scaled[k] - node[k]) * UNIT).round();
            if units >= UNIT {
                node[k] += 1.0;
            } else {
                fraction[k] = units as u32;
            }
        }
        let node = node.as_ivec3();
        let local: IVec3 = node & 3;
        let mut block: IVec3 = node >> 2;
        for k in 0..3 {
            if self.period[k] > 0 {
                block[k] = block[k].rem_euclid(self.period[k]);
            }
        }
        Place { block, cell: (local.x * 16 + local.y * 4 + local.z) as u32, fraction }
    }

    /// By how much the second moment of the weights along each axis is less than that of a whole spline.
    /// On the GPU the gradients of velocity are multiplied by it, since stress is added to them there.
    pub(crate) fn spread(&self, block: IVec3, cell: u32, fraction: [u32; 3]) -> [f32; 3] {
        let node = 4 * block + local(cell);
        [0, 1, 2].map(|axis| {
            let f = f64::from(fraction[axis]) / UNIT + self.shift[axis];
            let cubic = self.shift.x > 0.5;
            let n = if cubic { 4 } else { 3 };
            let Some((behind, y, _)) = self.walls.behind(axis, node[axis], n, f) else {
                return 1.0;
            };
            let y = y.max(0.0);
            let spread = if cubic { ended::<4>(y).spread } else { ended::<3>(y).spread };
            if behind < n { spread as f32 } else { 1.0 }
        })
    }

    pub(crate) fn position(&self, block: IVec3, cell: u32, fraction: [u32; 3]) -> DVec3 {
        let part = DVec3::from_array(fraction.map(|f| f64::from(f) / UNIT));
        let mut x = (4 * block + local(cell)).as_dvec3() + part + self.shift;
        // Blocks are wrapped by their lowest reach, particles by where they are.
        for k in (0..3).filter(|&k| self.period[k] > 0) {
            x[k] = x[k].rem_euclid(f64::from(4 * self.period[k]));
        }
        if self.planar {
            x.z = 0.0;
        }
        self.origin + x * self.h
    }
}

/// Where a cell is in its block.
fn local(cell: u32) -> IVec3 {
    let cell = cell as i32;
    IVec3::new(cell >> 4 & 3, cell >> 2 & 3, cell & 3)
}

/// Blocks that particles are in, and the number of blocks that their nodes are in.
pub(crate) struct Blocks {
    numbers: HashMap<IVec3, u32>,
    pub(crate) reached: usize,
}

impl Blocks {
    pub(crate) fn new(geometry: &Geometry, x: &[DVec3]) -> Self {
        let mut all: Vec<IVec3> = Vec::new();
        let mut last = None;
        for &x in x {
            let block = geometry.place(x).block;
            if last != Some(block) {
                all.push(block);
                last = Some(block);
            }
            if all.len() > 1 << 22 {
                shrink(&mut all);
            }
        }
        shrink(&mut all);
        let corners = (0..8).map(|k| IVec3::new(k & 1, k >> 1 & 1, k >> 2));
        let mut reached: Vec<IVec3> =
            corners.flat_map(|corner| all.iter().map(move |b| *b + corner)).collect();
        shrink(&mut reached);
        let numbers = all.iter().enumerate().map(|(k, b)| (*b, k as u32)).collect();
        Self { numbers, reached: reached.len() }
    }

    pub(crate) fn occupied(&self) -> usize {
        self.numbers.len()
    }
}

fn shrink(blocks: &mut Vec<IVec3>) {
    blocks.sort_unstable_by_key(|b| (b.z, b.y, b.x));
    blocks.dedup();
}

/// Particles that are packed at a time.
const PIECE: usize = 1 << 18;

impl Engine {
    /// Copies particles to the GPU and sorts them there.
    pub(crate) fn upload(&mut self, geometry: &Geometry, p: &Particles, blocks: &Blocks) {
        (self.params.side, self.params.list) = (0, 0);
        (self.params.bake, self.params.baked) = (0.0, 0.0);
        self.params.n = p.len() as u32;
        let flip = self.layout.flip;
        let mut rows: [Vec<[u32; 4]>; 6] = Default::default();
        let (mut keys, mut names) = (Vec::new(), Vec::new());
        let bits = f32::to_bits;
        for first in (0..p.len()).step_by(PIECE) {
            let range = first..(first + PIECE).min(p.len());
            rows.iter_mut().for_each(Vec::clear);
            keys.clear();
            names.clear();
            for i in range.clone() {
                let place = geometry.place(p.x[i]);
                let number = blocks.numbers.get(&place.block).copied().unwrap_or(0);
                // Direction 13 of 27 is to stay.
                keys.push(number * 2048 + 13 * 64 + place.cell);
                names.push([p.id[i], p.material[i]]);
                let point = &p.points[i];
                let [x, y, z] = place.fraction;
                let mut c: Gradient = if flip { [0.0; 9] } else { p.gradients[i] };
                let spread = geometry.spread(place.block, place.cell, place.fraction);
                c.iter_mut().enumerate().for_each(|(k, c)| *c *= spread[k / 3]);
                let v = p.v[i].as_vec3();
                let q = (p.plastic_volume[i] - 1.0) as f32;
                let e = point.e;
                rows[0].push([x, y, z, bits(point.m)]);
                rows[1].push([v.x, v.y, v.z, c[8]].map(bits));
                rows[2].push([e[0], e[1], e[2], e[3]].map(bits));
                rows[3].push([e[4], e[5], q, point.volume].map(bits));
                rows[4].push([c[0], c[1], c[2], c[3]].map(bits));
                rows[5].push([c[4], c[5], c[6], c[7]].map(bits));
            }
            for (row, data) in [0, 1, 2, 3, 8, 9].into_iter().zip(&rows) {
                self.write_row(row, first, data);
            }
            let queue = &self.gpu.queue;
            queue.write_buffer(&self.buffers.lists, first as u64 * 4, bytemuck::cast_slice(&keys));
            queue.write_buffer(
                &self.buffers.identity,
                first as u64 * 8,
                bytemuck::cast_slice(&names),
            );
            // Staging memory is given back only when it has been used.
            queue.submit([]);
        }
        self.upload_blocks(blocks);
        self.sort();
    }

    fn upload_blocks(&self, blocks: &Blocks) {
        let mut coords = vec![[0_i32; 4]; blocks.occupied()];
        for (block, &k) in &blocks.numbers {
            coords[k as usize] = [block.x, block.y, block.z, 0];
        }
        let queue = &self.gpu.queue;
        queue.write_buffer(&self.buffers.coords, 0, bytemuck::cast_slice(&coords));
        let mut counters = [0_u32; 16];
        counters[0] = blocks.occupied() as u32;
        queue.write_buffer(&self.buffers.atomics, 0, bytemuck::cast_slice(&counters));
        let masks = vec![1_u32 << 13; blocks.occupied()];
        let at = 4 * u64::from(self.layout.masks());
        queue.write_buffer(&self.buffers.atomics, at, bytemuck::cast_slice(&masks));
    }

    /// The pieces of a row of particles from `first` on: buffer, offset, and range of the particles.
    pub(crate) fn pieces(
        &self,
        row: u32,
        first: usize,
        count: usize,
    ) -> Vec<(&Buffer, u64, std::ops::Range<usize>)> {
        let segment = self.layout.segment as usize;
        let mut all = Vec::new();
        let mut at = first;
        while at < first + count {
            let end = ((at / segment + 1) * segment).min(first + count);
            let offset = (row as usize * segment + at % segment) as u64 * 16;
            all.push((&self.buffers.particles[at / segment], offset, at - first..end - first));
            at = end;
        }
        all
    }

    fn write_row(&self, row: u32, first: usize, data: &[[u32; 4]]) {
        for (buffer, offset, range) in self.pieces(row, first, data.len()) {
            self.gpu.queue.write_buffer(buffer, offset, bytemuck::cast_slice(&data[range]));
        }
    }
}
