//! The GPU: capabilities, buffers, read-back.

use crate::error::{GpuError, lost};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use wgpu::{Adapter, Buffer, Device, ErrorScopeGuard, Features, Limits, Queue};

/// From so many particles on they are moved block by block, which is quicker where all blocks together
/// keep the GPU busy anyway.
const TILED_FROM: usize = 3_000_000;
/// Workgroups in a row of a dispatch; every GPU allows 65,535.
const ROW: u32 = 32_768;

/// An open GPU.
#[derive(Clone, Debug)]
pub struct Gpu {
    pub(crate) device: Device,
    pub(crate) queue: Queue,
    pub(crate) limits: Limits,
    /// Largest buffer that a shader can see [bytes].
    pub(crate) largest_binding: u64,
    /// Workgroups in a row of a dispatch.
    pub(crate) row: u32,
    /// From so many particles on a workgroup moves those of a block.
    pub(crate) tiled_from: usize,
    /// Bytes that matter may take.
    pub(crate) memory: u64,
    /// It computes on the CPU.
    pub(crate) software: bool,
    /// Shaders check their bounds at run time.
    pub(crate) checked: bool,
    /// Whether calls may block until it answers: not in a browser, where answers come between
    /// the turns of the program.
    pub(crate) can_block: bool,
    name: String,
    pending_error: PendingError,
}

/// The first thing that went wrong, if anything did.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingError(Arc<Mutex<Option<GpuError>>>);

impl PendingError {
    pub(crate) fn note(&self, error: GpuError) {
        if let Ok(mut first) = self.0.lock() {
            first.get_or_insert(error);
        }
    }
}

/// Which limit is too low for the passes of snow.
pub(crate) fn obstacle(limits: &Limits) -> Option<String> {
    let least = Limits::default();
    let needs = [
        ("storage buffers", limits.max_storage_buffers_per_shader_stage, 8),
        ("bytes of workgroup memory", limits.max_compute_workgroup_storage_size, 16_384),
        ("threads of a workgroup", limits.max_compute_invocations_per_workgroup, 256),
        ("workgroups", limits.max_compute_workgroups_per_dimension, ROW),
        ("bindings", limits.max_bindings_per_bind_group, least.max_bindings_per_bind_group),
    ];
    needs
        .iter()
        .find(|(_, has, needed)| has < needed)
        .map(|(what, has, needed)| format!("it has {has} {what}, and {needed} are needed"))
}

impl Gpu {
    /// A device that somebody else has opened, to draw with it. What goes wrong is told to them.
    ///
    /// # Errors
    /// When snow cannot run there.
    pub fn shared(adapter: &Adapter, device: &Device, queue: &Queue) -> Result<Self, GpuError> {
        let info = adapter.get_info();
        if let Some(reason) = obstacle(&device.limits()) {
            return Err(GpuError::NotOpened { adapter: info.name, reason });
        }
        Ok(Self::of(&info, device.clone(), queue.clone(), PendingError::default()))
    }

    pub(crate) fn of(
        info: &wgpu::AdapterInfo,
        device: Device,
        queue: Queue,
        pending_error: PendingError,
    ) -> Self {
        let limits = device.limits();
        let largest_binding =
            limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) & !255;
        Self {
            device,
            queue,
            limits,
            largest_binding,
            row: ROW,
            tiled_from: TILED_FROM,
            memory: u64::MAX,
            software: info.device_type == wgpu::DeviceType::Cpu,
            checked: info.device_type == wgpu::DeviceType::Cpu,
            can_block: cfg!(not(target_arch = "wasm32")),
            name: info.name.clone(),
            pending_error,
        }
    }

    /// Limits buffers to that many bytes, as on a smaller GPU.
    #[must_use]
    pub fn restricted(mut self, largest_binding: u64) -> Self {
        self.largest_binding = self.largest_binding.min(largest_binding & !255);
        self
    }

    /// Limits the workgroups in a row of a dispatch, as with many more of them.
    #[must_use]
    pub fn with_rows_of(mut self, groups: u32) -> Self {
        self.row = groups.clamp(1, ROW);
        self
    }

    /// Limits the memory for matter to that many bytes, as on a smaller GPU.
    #[must_use]
    pub fn with_memory_of(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// Sets the number of particles from which they are moved block by block.
    #[must_use]
    pub fn with_tiles_from(mut self, particles: usize) -> Self {
        self.tiled_from = particles;
        self
    }

    /// Lets shaders check their bounds at run time, or not; by default they do on software drivers only.
    #[must_use]
    pub fn with_checks(mut self, checked: bool) -> Self {
        self.checked = checked;
        self
    }

    /// Non-blocking mode, as in a browser.
    #[must_use]
    pub fn non_blocking(mut self) -> Self {
        self.can_block = false;
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it supports timestamps of passes.
    #[must_use]
    pub fn has_timestamps(&self) -> bool {
        self.device.features().contains(Features::TIMESTAMP_QUERY)
    }

    /// Whether it computes on the CPU.
    #[must_use]
    pub fn is_software(&self) -> bool {
        self.software
    }

    /// The first thing that went wrong, if anything did.
    pub(crate) fn check(&self) -> Result<(), GpuError> {
        match self.pending_error.0.lock() {
            Ok(pending_error) => pending_error.clone().map_or(Ok(()), Err),
            Err(_) => Err(GpuError::Lost { reason: "a callback of the driver failed".to_owned() }),
        }
    }

    /// Ends a scope; `error` makes sense of what failed in it. In a browser one is told so later.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn close(
        &self,
        scope: ErrorScopeGuard,
        error: impl FnOnce(wgpu::Error) -> GpuError + 'static,
    ) -> Result<(), GpuError> {
        pollster::block_on(scope.pop()).map_or(Ok(()), |found| Err(error(found)))
    }

    #[cfg(target_arch = "wasm32")]
    pub(crate) fn close(
        &self,
        scope: ErrorScopeGuard,
        error: impl FnOnce(wgpu::Error) -> GpuError + 'static,
    ) -> Result<(), GpuError> {
        let (found, pending_error) = (scope.pop(), self.pending_error.clone());
        wasm_bindgen_futures::spawn_local(async move {
            if let Some(found) = found.await {
                pending_error.note(error(found));
            }
        });
        Ok(())
    }

    /// Does something that the driver may refuse; `error` makes sense of what it says.
    pub(crate) fn guarded<T>(
        &self,
        work: impl FnOnce() -> T,
        error: impl FnOnce(wgpu::Error) -> GpuError + 'static,
    ) -> Result<T, GpuError> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let done = work();
        self.close(scope, error).map(|()| done)
    }

    /// Makes something of shaders.
    pub(crate) fn compile<T>(&self, make: impl FnOnce() -> T) -> Result<T, GpuError> {
        let adapter = self.name.clone();
        let reason = |error: wgpu::Error| error.to_string();
        self.guarded(make, move |error| GpuError::NotOpened { adapter, reason: reason(error) })
    }

    /// A buffer filled with zeros.
    pub(crate) fn buffer(&self, label: &str, size: u64, usage: wgpu::BufferUsages) -> Buffer {
        let size = size.next_multiple_of(16).max(16);
        let label = Some(label);
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label,
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    /// Waits until everything that was handed in is done.
    pub(crate) fn wait(&self) -> Result<(), GpuError> {
        let waited = self.device.poll(wgpu::PollType::wait_indefinitely());
        self.check()?;
        waited.map(|_| ()).map_err(lost)
    }

    /// Bytes of a buffer, after everything that was handed in before; hands them to `take` in pieces.
    pub(crate) fn read(
        &self,
        buffer: &Buffer,
        range: std::ops::Range<u64>,
        mut take: impl FnMut(&[u8]),
    ) -> Result<(), GpuError> {
        const PIECE: u64 = 64 << 20;
        let size = (range.end - range.start).min(PIECE);
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let staging = self.buffer("staging", size, usage);
        let mut at = range.start;
        while at < range.end {
            let length = (range.end - at).min(PIECE);
            let mut encoder = self.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(buffer, at, &staging, 0, length);
            self.queue.submit([encoder.finish()]);
            let mapped = self.guarded(|| self.map(&staging, length, &mut take), lost);
            // The first error is more informative.
            mapped.map_err(|error| self.check().err().unwrap_or(error))??;
            at += length;
        }
        Ok(())
    }

    /// Shows the first bytes of a buffer of the host's.
    pub(crate) fn map(
        &self,
        staging: &Buffer,
        length: u64,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<(), GpuError> {
        let (send, receive) = mpsc::channel();
        staging.map_async(wgpu::MapMode::Read, 0..length, move |result| {
            // Nobody listens any more when the wait below failed.
            let _ = send.send(result);
        });
        self.wait()?;
        receive.try_recv().map_err(lost)?.map_err(lost)?;
        let view = staging.get_mapped_range(0..length).map_err(lost)?;
        take(&view);
        drop(view);
        staging.unmap();
        Ok(())
    }
}
