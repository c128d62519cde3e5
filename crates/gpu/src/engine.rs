//! Steps on the GPU: parameters, batches of commands, statuses.

use crate::bodies::{Row, Solids};
use crate::buffers::{BATCH, Buffers, PARAMS_SIZE};
use crate::clock::Clock;
use crate::device::Gpu;
use crate::error::{GpuError, lost};
use crate::in_flight::InFlight;
use crate::layout::{Layout, ROW};
use crate::pass::{Pass, Size};
use crate::passes::Passes;
use crate::status::{Expected, Status};
use crate::transfer::Blocks;
use bytemuck::{Pod, Zeroable};
use lawine_solvers::mpm::{Config, Walls};
use std::collections::VecDeque;
use std::sync::mpsc;
use web_time::Instant;
use wgpu::CommandEncoder;

/// First counter that a watched step starts from zero, as in `common.wgsl`.
const FIRST_WATCHED: u64 = 7;

/// Parameters of a step, as in `common.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Params {
    pub(crate) n: u32,
    pub(crate) side: u32,
    pub(crate) list: u32,
    pub(crate) bodies: u32,
    pub(crate) h: f32,
    pub(crate) inverse: f32,
    pub(crate) dt: f32,
    pub(crate) flip_fraction: f32,
    pub(crate) fade: f32,
    pub(crate) bake: f32,
    pub(crate) baked: f32,
    pub(crate) body_base: u32,
    pub(crate) kick: [f32; 3],
    pub(crate) impulse: f32,
    pub(crate) period: [i32; 3],
    pub(crate) pad: u32,
    pub(crate) low: [f32; 4],
    pub(crate) high: [f32; 4],
    pub(crate) first_wall: [i32; 4],
    pub(crate) last_wall: [i32; 4],
}

impl Params {
    /// With the walls at which splines end.
    pub(crate) fn between(self, walls: &Walls) -> Self {
        let padded = |[x, y, z]: [i32; 3]| [x, y, z, 0];
        Self { first_wall: padded(walls.first), last_wall: padded(walls.last), ..self }
    }

    /// Whether splines end anywhere.
    fn has_walls(&self) -> bool {
        let Walls { first, last } = Walls::NONE;
        self.first_wall[..3] != first || self.last_wall[..3] != last
    }
}

/// Particles on the GPU and the passes that move them.
pub(crate) struct Engine {
    pub(crate) gpu: Gpu,
    pub(crate) layout: Layout,
    pub(crate) buffers: Buffers,
    passes: Passes,
    /// What stays the same from step to step; side and list change.
    pub(crate) params: Params,
    bodies: usize,
    first_body: u32,
    encoder: Option<CommandEncoder>,
    steps: Vec<Params>,
    poses: Vec<Row>,
    clock: Option<Clock>,
    /// Statuses in flight, the oldest first.
    expected: VecDeque<Expected>,
    /// Batches with a status so far.
    watched: usize,
    /// Steps since the last one with a status.
    unwatched: usize,
    /// Number of steps that may be in flight in non-blocking mode.
    in_flight: InFlight,
    start: Instant,
}

impl Engine {
    pub(crate) fn new(
        gpu: &Gpu,
        config: &Config,
        layout: Layout,
        solids: &Solids,
        bodies: usize,
    ) -> Result<Self, GpuError> {
        let buffers = Buffers::new(gpu, &layout, &config.materials, solids)?;
        let constants = layout.constants(bodies > 0);
        let passes = gpu.compile(|| Passes::new(gpu, &buffers, &constants))?;
        gpu.check()?;
        Ok(Self {
            gpu: gpu.clone(),
            layout,
            buffers,
            passes,
            params: Params::default().between(&Walls::NONE),
            bodies,
            first_body: solids.rows.len() as u32,
            encoder: None,
            steps: Vec::new(),
            poses: Vec::new(),
            clock: None,
            expected: VecDeque::new(),
            watched: 0,
            unwatched: 0,
            in_flight: InFlight::new(),
            start: Instant::now(),
        })
    }

    /// Whether there is room for these particles, with a reserve of blocks.
    pub(crate) fn fits(&self, particles: usize, blocks: &Blocks, bodies: usize) -> bool {
        let room = [self.layout.occupied, self.layout.reached].map(|n| n as usize);
        particles <= self.layout.particles as usize
            && 2 * blocks.occupied() <= room[0]
            && 2 * blocks.reached <= room[1]
            && bodies == self.bodies
    }

    /// Starts with the number of steps in flight of another engine on the same GPU.
    pub(crate) fn learn_from(&mut self, other: &Self) {
        (self.in_flight, self.start) = (other.in_flight, other.start);
    }

    /// Ends what is under way: other particles come.
    pub(crate) fn forget(&mut self) -> Result<(), GpuError> {
        self.submit(false);
        while self.status(0)?.is_some() {}
        self.expected.iter_mut().for_each(|next| next.is_stale = true);
        self.unwatched = 0;
        Ok(())
    }

    /// Measures the passes from now on, if the GPU can.
    pub(crate) fn start_clock(&mut self) {
        self.clock = Clock::new(&self.gpu);
    }

    pub(crate) fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref()
    }

    /// A step with the parameters as they are; `poses` are the bodies' rows. A watched step fills in the
    /// status and is handed in at once.
    pub(crate) fn step(&mut self, poses: &[Row], watch: bool) {
        let passes = std::mem::take(&mut self.encoder);
        let mut encoder = passes.unwrap_or_else(|| self.encoder());
        let slot = self.prepare(poses);
        if watch {
            let end = 4 * u64::from(self.layout.masks());
            encoder.clear_buffer(
                &self.buffers.atomics,
                4 * FIRST_WATCHED,
                Some(end - 4 * FIRST_WATCHED),
            );
        }
        let p = &self.passes;
        let mut list: Vec<&Pass> = Vec::with_capacity(12);
        if self.params.bake.to_bits() != self.params.baked.to_bits() {
            list.push(&p.bake);
        }
        let middle = if watch { [&p.grid_watch, &p.g2p_watch] } else { [&p.grid, &p.g2p] };
        list.push(&p.p2g);
        if self.params.has_walls() {
            list.extend(&p.p2g_at_walls);
        }
        list.extend(middle);
        self.encode(&mut encoder, &list, slot);
        self.encode_sort(&mut encoder, slot);
        self.params.baked = self.params.bake;
        self.params.side = 1 - self.params.side;
        self.params.list = 1 - self.params.list;
        self.encoder = Some(encoder);
        self.unwatched += 1;
        if watch {
            self.submit(true);
        } else if self.steps.len() > BATCH {
            self.submit(false);
        }
    }

    /// True when the next step is the last of its batch.
    pub(crate) fn is_last(&self) -> bool {
        let batch = if self.gpu.can_block { BATCH } else { BATCH.min(self.in_flight.steps()) };
        self.unwatched + 1 >= batch
    }

    /// Steps that have been submitted, but whose status has not arrived.
    pub(crate) fn steps_in_flight(&self) -> usize {
        self.unwatched + self.expected.iter().map(|next| next.steps).sum::<usize>()
    }

    /// Whether all requested statuses have arrived.
    pub(crate) fn is_idle(&self) -> bool {
        self.expected.is_empty()
    }

    /// Whether another step may be submitted.
    pub(crate) fn has_room(&self) -> bool {
        self.gpu.can_block || self.is_idle() || self.steps_in_flight() < self.in_flight.steps()
    }

    /// Updates the limit of steps in flight; `before` were in flight before statuses were taken.
    pub(crate) fn update_in_flight(&mut self, before: usize) {
        let left = if self.is_idle() { 0 } else { self.steps_in_flight() };
        self.in_flight.update(self.start.elapsed().as_secs_f64(), before, left);
    }

    /// Submits a pass over the particles that is not part of a step.
    pub(crate) fn run_alone(&mut self, pass: &Pass, more: &wgpu::BindGroup) {
        let mut encoder = self.encoder();
        let slot = self.prepare(&[]);
        let mut commands = encoder.begin_compute_pass(&Default::default());
        commands.set_bind_group(1, more, &[]);
        self.dispatch(&mut commands, pass, slot);
        drop(commands);
        self.encoder = Some(encoder);
        self.submit(false);
    }

    /// Folds the stress of another step into the affine matrices.
    pub(crate) fn bake(&mut self, bake: f32) {
        let encoder = std::mem::take(&mut self.encoder);
        let mut encoder = encoder.unwrap_or_else(|| self.encoder());
        self.params.bake = bake;
        let slot = self.prepare(&[]);
        self.encode(&mut encoder, &[&self.passes.bake], slot);
        self.params.baked = bake;
        self.encoder = Some(encoder);
        self.submit(false);
    }

    /// Sorts particles whose keys were just set; they are on the side and their blocks in the list that
    /// the parameters name.
    pub(crate) fn sort(&mut self) {
        let mut encoder = self.encoder();
        self.params.side = 1 - self.params.side;
        let slot = self.prepare(&[]);
        self.encode_sort(&mut encoder, slot);
        self.params.side = 1 - self.params.side;
        self.params.list = 1 - self.params.list;
        self.encoder = Some(encoder);
        self.submit(true);
    }

    fn encoder(&self) -> CommandEncoder {
        self.gpu.device.create_command_encoder(&Default::default())
    }

    /// Notes the parameters of a step; returns the offset of its place.
    fn prepare(&mut self, poses: &[Row]) -> u32 {
        let mut params = self.params;
        params.body_base = self.first_body + self.poses.len() as u32;
        self.poses.extend_from_slice(poses);
        self.steps.push(params);
        ((self.steps.len() - 1) as u64 * PARAMS_SIZE) as u32
    }

    fn encode_sort(&mut self, encoder: &mut CommandEncoder, slot: u32) {
        let (at, size) = (4 * u64::from(self.layout.table_at()), 4 * u64::from(self.layout.table));
        encoder.clear_buffer(&self.buffers.atomics, at, Some(size));
        let list: Vec<&Pass> = self.passes.sort.iter().collect();
        self.encode(encoder, &list, slot);
    }

    fn encode(&self, encoder: &mut CommandEncoder, list: &[&Pass], slot: u32) {
        let Some(clock) = &self.clock else {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            list.iter().for_each(|p| self.dispatch(&mut pass, p, slot));
            return;
        };
        for p in list {
            let timestamp_writes = clock.next(p.name);
            let label = Some(p.name);
            let descriptor = wgpu::ComputePassDescriptor { label, timestamp_writes };
            self.dispatch(&mut encoder.begin_compute_pass(&descriptor), p, slot);
        }
    }

    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, p: &Pass, slot: u32) {
        pass.set_pipeline(&p.pipeline);
        pass.set_bind_group(0, &p.group, &[slot]);
        match p.size {
            Size::Particles(size) => {
                let groups = self.params.n.div_ceil(size);
                let row = self.layout.row;
                pass.dispatch_workgroups(groups.min(row), groups.div_ceil(row), 1);
            }
            Size::Occupied => pass.dispatch_workgroups_indirect(&self.buffers.dispatches, 0),
            Size::Reached => pass.dispatch_workgroups_indirect(&self.buffers.dispatches, 16),
            Size::Blocks => pass.dispatch_workgroups(self.layout.groups, 1, 1),
        }
    }

    /// Hands in what has been recorded; with `watched`, asks for the status after it.
    pub(crate) fn submit(&mut self, watched: bool) {
        let Some(mut encoder) = self.encoder.take() else { return };
        let mut bytes = vec![0_u8; self.steps.len() * PARAMS_SIZE as usize];
        for (slot, params) in bytes.chunks_exact_mut(PARAMS_SIZE as usize).zip(&self.steps) {
            slot[..size_of::<Params>()].copy_from_slice(bytemuck::bytes_of(params));
        }
        self.gpu.queue.write_buffer(&self.buffers.params, 0, &bytes);
        let first = u64::from(self.first_body) * ROW;
        let poses = bytemuck::cast_slice(&self.poses);
        self.gpu.queue.write_buffer(&self.buffers.shapes, first, poses);
        let last = self.steps.last().copied().unwrap_or_default();
        self.steps.clear();
        self.poses.clear();
        if let Some(clock) = &self.clock {
            clock.resolve(&mut encoder);
        }
        let size = 4 * u64::from(self.layout.masks());
        // A slot may still be in use in non-blocking mode.
        let watched = watched && self.expected.len() < self.buffers.staging.len();
        let place = self.watched % self.buffers.staging.len();
        let staging = &self.buffers.staging[place];
        if watched {
            encoder.copy_buffer_to_buffer(&self.buffers.atomics, 0, staging, 0, size);
        }
        let after = self.gpu.queue.submit([encoder.finish()]);
        if let Some(clock) = &mut self.clock {
            clock.collect(&self.gpu);
        }
        if watched {
            let (send, arrived) = mpsc::channel();
            staging.map_async(wgpu::MapMode::Read, 0..size, move |result| {
                // Nobody listens any more when the device was lost.
                let _ = send.send(result);
            });
            let list = self.params.list as usize;
            let steps = std::mem::take(&mut self.unwatched);
            let (params, is_stale) = (last, false);
            let next = Expected { place, steps, list, params, after, arrived, is_stale };
            self.expected.push_back(next);
            self.watched += 1;
        }
    }

    /// The oldest status, if more than `behind` of them are pending; waits for it. Where nobody may
    /// wait, the oldest if it has arrived.
    pub(crate) fn status(&mut self, behind: usize) -> Result<Option<Status>, GpuError> {
        let behind = if self.gpu.can_block { behind } else { 0 };
        if self.expected.len() <= behind {
            return self.gpu.check().map(|()| None);
        }
        while let Some(next) = self.expected.front() {
            if !next.is_ready(&self.gpu)? {
                return Ok(None);
            }
            let staging = &self.buffers.staging[next.place];
            let size = 4 * u64::from(self.layout.masks());
            let view = staging.get_mapped_range(0..size).map_err(lost)?;
            let (list, bodies) = (next.list, self.layout.bodies as usize);
            let status = Status::new(bytemuck::cast_slice(&view), list, &next.params, bodies);
            drop(view);
            staging.unmap();
            if self.expected.pop_front().is_some_and(|next| !next.is_stale) {
                return Ok(Some(status));
            }
        }
        Ok(None)
    }
}
