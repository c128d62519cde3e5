//! Steps on the GPU: parameters, batches of commands, what comes back.

use crate::bodies::{Row, Solids};
use crate::buffers::{BATCH, Buffers, PARAMS_SIZE};
use crate::clock::Clock;
use crate::device::Gpu;
use crate::error::GpuError;
use crate::layout::{COUNTERS, Layout, REPLICAS, ROW};
use crate::pass::{Pass, Size};
use crate::passes::Passes;
use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use lawine_solvers::mpm::Config;
use std::collections::VecDeque;
use std::sync::mpsc;
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
    pub(crate) share: f32,
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

/// What the GPU has to say about its last watched step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Status {
    /// Blocks with particles, and with nodes.
    pub(crate) blocks: [u32; 2],
    /// Largest speed of particles and of elastic waves [m/s].
    pub(crate) speeds: [f64; 2],
    /// There were more blocks than there is room for.
    pub(crate) full: bool,
    /// A cell had too many particles for its order to be found.
    pub(crate) crowded: bool,
    /// A particle that is not finite any more.
    pub(crate) broken: Option<u32>,
    /// A particle that left the domain.
    pub(crate) outside: Option<u32>,
    /// Force [N] and torque about its position [N m] on each body.
    pub(crate) forces: Vec<[DVec3; 2]>,
}

/// Particles on the GPU and the passes that move them.
pub(crate) struct Engine {
    pub(crate) gpu: Gpu,
    pub(crate) layout: Layout,
    pub(crate) buffers: Buffers,
    passes: Passes,
    /// What stays the same from step to step; side and list change.
    pub(crate) params: Params,
    first_body: u32,
    encoder: Option<CommandEncoder>,
    steps: Vec<Params>,
    poses: Vec<Row>,
    clock: Option<Clock>,
    /// Statuses on their way, the oldest first.
    expected: VecDeque<Expected>,
    /// Batches with a status so far.
    watched: usize,
    /// Steps since the last one with a status.
    unwatched: usize,
}

/// A status on its way.
struct Expected {
    /// Place of its buffer.
    place: usize,
    list: usize,
    params: Params,
    after: wgpu::SubmissionIndex,
    arrived: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
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
        let passes = Passes::new(gpu, &buffers, &layout.constants(bodies > 0));
        gpu.check()?;
        Ok(Self {
            gpu: gpu.clone(),
            layout,
            buffers,
            passes,
            params: Params::default(),
            first_body: solids.rows.len() as u32,
            encoder: None,
            steps: Vec::new(),
            poses: Vec::new(),
            clock: None,
            expected: VecDeque::new(),
            watched: 0,
            unwatched: 0,
        })
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
        list.extend(middle);
        self.encode(&mut encoder, &list, slot);
        self.encode_sort(&mut encoder, slot);
        self.params.baked = self.params.bake;
        self.params.side = 1 - self.params.side;
        self.params.list = 1 - self.params.list;
        self.encoder = Some(encoder);
        self.unwatched += 1;
        if watch {
            self.unwatched = 0;
            self.submit(true);
        } else if self.steps.len() > BATCH {
            self.submit(false);
        }
    }

    /// True when the next step is the last of its batch.
    pub(crate) fn is_last(&self) -> bool {
        self.unwatched + 1 >= BATCH
    }

    /// Hands in a pass over the particles that is not part of a step.
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

    /// Notes the parameters of a step; gives the offset of its place.
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
            self.expected.push_back(Expected { place, list, params: last, after, arrived });
            self.watched += 1;
        }
    }

    /// The oldest status, if more than `behind` of them are on their way; waits for it.
    pub(crate) fn status(&mut self, behind: usize) -> Result<Option<Status>, GpuError> {
        if self.expected.len() <= behind {
            return self.gpu.check().map(|()| None);
        }
        let Some(next) = self.expected.pop_front() else { return Ok(None) };
        let lost = |reason: String| GpuError::Lost { reason };
        let wait = wgpu::PollType::Wait { submission_index: Some(next.after), timeout: None };
        let waited = self.gpu.device.poll(wait);
        self.gpu.check()?;
        waited.map_err(|error| lost(error.to_string()))?;
        let arrived = next.arrived.recv().map_err(|error| lost(error.to_string()))?;
        arrived.map_err(|error| lost(error.to_string()))?;
        let staging = &self.buffers.staging[next.place];
        let size = 4 * u64::from(self.layout.masks());
        let view = staging.get_mapped_range(0..size).map_err(|error| lost(error.to_string()))?;
        let bodies = self.layout.bodies as usize;
        let status = Status::new(bytemuck::cast_slice(&view), next.list, &next.params, bodies);
        drop(view);
        staging.unmap();
        Ok(Some(status))
    }
}

impl Status {
    fn new(words: &[u32], list: usize, params: &Params, bodies: usize) -> Self {
        let force = f64::from(params.impulse) / f64::from(params.dt).max(f64::MIN_POSITIVE);
        let wide = |part: usize| {
            let one = |replica: usize| {
                let at = COUNTERS as usize + replica * bodies * 12 + part;
                (u64::from(words[at + 1]) << 32 | u64::from(words[at])) as i64
            };
            (0..REPLICAS as usize).map(one).fold(0, i64::wrapping_add) as f64
        };
        let vector = |part: usize| DVec3::new(wide(part), wide(part + 2), wide(part + 4));
        let on = |body: usize| {
            [vector(12 * body) * force, vector(12 * body + 6) * force * f64::from(params.h)]
        };
        Self {
            blocks: [words[list], words[2 + list]],
            full: words[5] != 0,
            crowded: words[6] != 0,
            speeds: [7, 8].map(|k| f64::from(f32::from_bits(words[k])).max(0.0).sqrt()),
            broken: words[9].checked_sub(1),
            outside: words[10].checked_sub(1),
            forces: (0..bodies).map(on).collect(),
        }
    }
}
