//! Status of steps on the GPU.

use crate::device::Gpu;
use crate::engine::Params;
use crate::error::{GpuError, lost};
use crate::layout::{COUNTERS, REPLICAS};
use glam::DVec3;
use std::sync::mpsc;

/// Status of the last watched step.
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

/// A status on its way.
pub(crate) struct Expected {
    /// Place of its buffer.
    pub(crate) place: usize,
    /// Steps since the status before.
    pub(crate) steps: usize,
    pub(crate) list: usize,
    pub(crate) params: Params,
    pub(crate) after: wgpu::SubmissionIndex,
    pub(crate) arrived: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
    /// It belongs to particles that have been replaced since.
    pub(crate) is_stale: bool,
}

impl Expected {
    /// Whether it has arrived; waits for it where one may.
    pub(crate) fn is_ready(&self, gpu: &Gpu) -> Result<bool, GpuError> {
        let arrived = if gpu.can_block {
            let submission_index = Some(self.after.clone());
            let wait = wgpu::PollType::Wait { submission_index, timeout: None };
            let waited = gpu.device.poll(wait);
            gpu.check()?;
            waited.map_err(lost)?;
            self.arrived.recv().map_err(lost)?
        } else {
            gpu.device.poll(wgpu::PollType::Poll).map_err(lost)?;
            gpu.check()?;
            match self.arrived.try_recv() {
                Err(mpsc::TryRecvError::Empty) => return Ok(false),
                arrived => arrived.map_err(lost)?,
            }
        };
        arrived.map_err(lost)?;
        Ok(true)
    }
}

impl Status {
    pub(crate) fn new(words: &[u32], list: usize, params: &Params, bodies: usize) -> Self {
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
