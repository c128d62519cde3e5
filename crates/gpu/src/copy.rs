//! Copies the particles back to the state of the CPU solver, blocking or asynchronously.

use crate::device::Gpu;
use crate::engine::Engine;
use crate::error::{GpuError, lost};
use crate::transfer::Geometry;
use glam::{DVec3, IVec3};
use lawine_solvers::mpm::Particles;
use std::ops::Range;
use std::sync::mpsc;
use wgpu::{Buffer, BufferAsyncError, BufferUsages};

/// What the host has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Identifiers and materials.
    Names,
    /// The cell of each particle, with the index of its block.
    Cells,
    /// Where the blocks are.
    Blocks,
    /// A row of the particles' numbers, see `common.wgsl`.
    Row(u32),
}

/// Particles in flight to the host, as they were when it was asked for them.
pub(crate) struct Copy {
    parts: Vec<(Part, Vec<Buffer>)>,
    arrived: mpsc::Receiver<Result<(), BufferAsyncError>>,
    missing: usize,
}

impl Copy {
    /// Whether all of it has arrived; does not wait.
    pub(crate) fn is_ready(&mut self, gpu: &Gpu) -> Result<bool, GpuError> {
        gpu.device.poll(wgpu::PollType::Poll).map_err(lost)?;
        gpu.check()?;
        while let Ok(one) = self.arrived.try_recv() {
            one.map_err(lost)?;
            self.missing -= 1;
        }
        Ok(self.missing == 0)
    }

    fn read(&self, part: Part) -> Result<Vec<u32>, GpuError> {
        let mut words = Vec::new();
        let pieces = self.parts.iter().filter(|(name, _)| *name == part).flat_map(|(_, all)| all);
        for piece in pieces {
            let view = piece.get_mapped_range(..).map_err(lost)?;
            words.extend_from_slice(bytemuck::cast_slice(&view));
        }
        Ok(words)
    }
}

impl Engine {
    /// All that there is to copy.
    fn parts(&self) -> Vec<Part> {
        let mut parts = vec![Part::Names, Part::Cells, Part::Blocks];
        let side = 4 * self.params.side;
        parts.extend((side..side + 4).map(Part::Row));
        // Stress and modulus are on the other side.
        parts.extend([Part::Row(6 - side), Part::Row(7 - side)]);
        if !self.layout.flip {
            parts.extend([Part::Row(8), Part::Row(9)]);
        }
        parts
    }

    /// Where a part is [bytes].
    fn places(&self, part: Part) -> Vec<(&Buffer, Range<u64>)> {
        let n = u64::from(self.params.n);
        let one = |buffer, first: u64, bytes: u64| vec![(buffer, first..first + bytes)];
        match part {
            Part::Names => {
                let first = u64::from(self.params.side) * u64::from(self.layout.particles) * 8;
                one(&self.buffers.identity, first, 8 * n)
            }
            Part::Cells => one(&self.buffers.lists, 0, 4 * n),
            Part::Blocks => {
                let first = u64::from(self.params.list) * u64::from(self.layout.reached) * 16;
                one(&self.buffers.coords, first, 16 * u64::from(self.layout.occupied))
            }
            Part::Row(row) => {
                let bytes = |(buffer, first, range): (_, u64, Range<usize>)| {
                    (buffer, first..first + 16 * range.len() as u64)
                };
                self.pieces(row, 0, n as usize).into_iter().map(bytes).collect()
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn read_words(
        &self,
        buffer: &Buffer,
        first: u64,
        n: usize,
    ) -> Result<Vec<u32>, GpuError> {
        let mut words = Vec::with_capacity(n);
        self.gpu.read(buffer, 4 * first..4 * (first + n as u64), |piece| {
            words.extend_from_slice(bytemuck::cast_slice(piece));
        })?;
        Ok(words)
    }

    /// Begins to copy the particles.
    ///
    /// The stress is taken out of the affine matrices, so that the GPU continues from the copied state.
    ///
    /// # Errors
    /// When the GPU is lost.
    pub(crate) fn begin_copy(&mut self) -> Result<Copy, GpuError> {
        self.bake(0.0);
        self.gpu.guarded(|| self.stage(), lost)
    }

    fn stage(&self) -> Copy {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let mut stage = |(buffer, range): (&Buffer, Range<u64>)| {
            let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
            let size = range.end - range.start;
            let staging = self.gpu.buffer("copy", size, usage);
            encoder.copy_buffer_to_buffer(buffer, range.start, &staging, 0, size);
            staging
        };
        let all = self.parts().into_iter().map(|part| {
            (part, self.places(part).into_iter().map(&mut stage).collect::<Vec<Buffer>>())
        });
        let parts: Vec<_> = all.collect();
        self.gpu.queue.submit([encoder.finish()]);
        let (send, arrived) = mpsc::channel();
        let pieces = || parts.iter().flat_map(|(_, pieces)| pieces);
        for piece in pieces() {
            let send = send.clone();
            piece.map_async(wgpu::MapMode::Read, .., move |result| {
                // Nobody listens any more when the copy is not wanted any more.
                let _ = send.send(result);
            });
        }
        let missing = pieces().count();
        Copy { parts, arrived, missing }
    }

    /// Ends a copy that is here.
    pub(crate) fn end_copy(
        &self,
        copy: &Copy,
        geometry: &Geometry,
        p: &mut Particles,
    ) -> Result<(), GpuError> {
        self.unpack(geometry, p, &|part| copy.read(part))
    }

    /// Copies the particles, and waits for them, a part after the other.
    pub(crate) fn download(
        &mut self,
        geometry: &Geometry,
        p: &mut Particles,
    ) -> Result<(), GpuError> {
        self.bake(0.0);
        self.unpack(geometry, p, &|part| {
            let mut words = Vec::new();
            for (buffer, range) in self.places(part) {
                self.gpu.read(buffer, range, |piece| {
                    words.extend_from_slice(bytemuck::cast_slice(piece));
                })?;
            }
            Ok(words)
        })
    }

    /// Fills in the CPU solver's state, ordered by identifiers.
    fn unpack(
        &self,
        geometry: &Geometry,
        p: &mut Particles,
        read: &dyn Fn(Part) -> Result<Vec<u32>, GpuError>,
    ) -> Result<(), GpuError> {
        let (n, side) = (self.params.n as usize, 4 * self.params.side);
        let names = read(Part::Names)?;
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_unstable_by_key(|&i| names[2 * i as usize]);
        let order = || order.iter().map(|&i| i as usize);
        p.id = order().map(|i| names[2 * i]).collect();
        p.material = order().map(|i| names[2 * i + 1]).collect();
        let float = f32::from_bits;
        let rows = |row| read(Part::Row(row));

        // Keys are by place in memory after the sort; they hold the cells.
        let (cells, blocks) = (read(Part::Cells)?, read(Part::Blocks)?);
        let row = rows(side)?;
        let row = fours(&row);
        let place = |i: usize| {
            let b = 4 * (cells[i] / 64) as usize;
            let block = IVec3::from_array([0, 1, 2].map(|k| blocks[b + k] as i32));
            (block, cells[i] % 64, [row[i][0], row[i][1], row[i][2]])
        };
        p.x = order().map(place).map(|(b, c, f)| geometry.position(b, c, f)).collect();
        let spreads: Vec<[f32; 3]> =
            order().map(place).map(|(b, c, f)| geometry.spread(b, c, f)).collect();
        p.points.clear();
        p.points.resize(n, Default::default());
        for (point, i) in p.points.iter_mut().zip(order()) {
            point.m = float(row[i][3]);
        }
        let row = rows(side + 1)?;
        let row = fours(&row);
        let velocity = |i: usize| DVec3::from_array([0, 1, 2].map(|k| f64::from(float(row[i][k]))));
        p.v = order().map(velocity).collect();
        if self.layout.flip {
            p.gradients = Vec::new();
        } else {
            let (a, b) = (rows(8)?, rows(9)?);
            let (a, b) = (fours(&a), fours(&b));
            let gradient = |i: usize| {
                let mut c = [0.0; 9];
                (0..4).for_each(|k| (c[k], c[4 + k]) = (float(a[i][k]), float(b[i][k])));
                c[8] = float(row[i][3]);
                c
            };
            p.gradients = order().map(gradient).collect();
            for (c, spread) in p.gradients.iter_mut().zip(&spreads) {
                // At the wall itself nothing is left of the gradient, and nothing will be made of it.
                let inverse = spread.map(|s| if s > 1e-6 { 1.0 / s } else { 0.0 });
                c.iter_mut().enumerate().for_each(|(k, c)| *c *= inverse[k / 3]);
            }
        }
        let (a, b) = (rows(side + 2)?, rows(side + 3)?);
        let (a, b) = (fours(&a), fours(&b));
        p.plastic_volume = order().map(|i| 1.0 + f64::from(float(b[i][2]))).collect();
        for (point, i) in p.points.iter_mut().zip(order()) {
            point.volume = float(b[i][3]);
            point.e = [a[i][0], a[i][1], a[i][2], a[i][3], b[i][0], b[i][1]].map(float);
        }
        let (a, b) = (rows(6 - side)?, rows(7 - side)?);
        let (a, b) = (fours(&a), fours(&b));
        for (point, i) in p.points.iter_mut().zip(order()) {
            point.tau = [a[i][0], a[i][1], a[i][2], a[i][3], b[i][0], b[i][1]].map(float);
        }
        derive(p, order().map(|i| float(b[i][2])));
        Ok(())
    }
}

fn fours(words: &[u32]) -> &[[u32; 4]] {
    words.as_chunks().0
}

/// Density, pressure and the largest speeds from the rest; `modulus` is that of waves [Pa].
fn derive(p: &mut Particles, modulus: impl Iterator<Item = f32>) {
    p.density.clear();
    p.pressure.clear();
    let mut fastest = 0.0_f64;
    for ((point, &plastic), modulus) in p.points.iter().zip(&p.plastic_volume).zip(modulus) {
        let [xx, yy, zz, yz, xz, xy] = point.e.map(f64::from);
        let (a, b, c) = (1.0 + xx, 1.0 + yy, 1.0 + zz);
        let det = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
        let volume = det.max(0.0).sqrt() * plastic;
        let density = f64::from(point.m) / (f64::from(point.volume) * volume);
        fastest = fastest.max(f64::from(modulus) / density);
        p.density.push(density as f32);
        let trace: f64 = point.tau[..3].iter().map(|&t| f64::from(t)).sum();
        p.pressure.push((-trace / (3.0 * volume)) as f32);
    }
    let speed = p.v.iter().map(|v| v.length()).fold(0.0, f64::max);
    p.speeds = [speed, fastest.sqrt()];
}
