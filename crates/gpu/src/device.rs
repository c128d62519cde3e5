//! The GPU: finding, opening, reading back.

use crate::error::GpuError;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use wgpu::{Adapter, Backends, Buffer, Device, Features, Instance, InstanceFlags, Limits, Queue};

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
    /// Bytes that matter may take.
    pub(crate) memory: u64,
    /// It computes on the CPU.
    pub(crate) software: bool,
    name: String,
    trouble: Arc<Mutex<Option<GpuError>>>,
}

/// A GPU that is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Name by the driver.
    pub name: String,
    /// Vulkan, Metal and so on.
    pub backend: String,
    /// Discrete, integrated, virtual, or software.
    pub kind: &'static str,
    /// Driver and its version.
    pub driver: String,
    /// Largest buffer that a shader can see [bytes].
    pub largest_binding: u64,
    /// Largest buffer [bytes].
    pub largest_buffer: u64,
    /// Buffers that a shader can see.
    pub bindings: u32,
    /// Why snow cannot run there, if it cannot.
    pub obstacle: Option<String>,
}

impl Description {
    fn of(adapter: &Adapter) -> Self {
        let (info, limits) = (adapter.get_info(), adapter.limits());
        let kind = match info.device_type {
            wgpu::DeviceType::DiscreteGpu => "discrete",
            wgpu::DeviceType::IntegratedGpu => "integrated",
            wgpu::DeviceType::VirtualGpu => "virtual",
            wgpu::DeviceType::Cpu => "software",
            wgpu::DeviceType::Other => "other",
        };
        let driver = format!("{} {}", info.driver, info.driver_info);
        Self {
            obstacle: obstacle(&limits),
            name: info.name,
            backend: format!("{:?}", info.backend),
            kind,
            driver: driver.trim().to_owned(),
            largest_binding: limits.max_storage_buffer_binding_size,
            largest_buffer: limits.max_buffer_size,
            bindings: limits.max_storage_buffers_per_shader_stage,
        }
    }
}

/// Which limit is too low for the passes of snow.
fn obstacle(limits: &Limits) -> Option<String> {
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

/// All backends that this program was built with.
fn instance() -> Instance {
    // The sizes of indirect dispatches come from our own shaders and are within the limits;
    // checking them again costs 7 µs each.
    let flags = InstanceFlags::default() - InstanceFlags::VALIDATION_INDIRECT_CALL;
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.flags = flags;
    // Asking for more than this part [%] of what is free is an error, before the machine stands still.
    descriptor.memory_budget_thresholds.for_resource_creation = Some(95);
    Instance::new(descriptor)
}

/// The GPUs of this machine, those that are likely fast first.
#[must_use]
pub fn devices() -> Vec<Description> {
    adapters(&instance()).iter().map(Description::of).collect()
}

fn adapters(instance: &Instance) -> Vec<Adapter> {
    let mut all = pollster::block_on(instance.enumerate_adapters(Backends::all()));
    all.sort_by_key(|adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    });
    all
}

impl Gpu {
    /// Opens the GPU that is likely fastest.
    ///
    /// # Errors
    /// When there is none, or none can be opened.
    pub fn open() -> Result<Self, GpuError> {
        let instance = instance();
        let all = adapters(&instance);
        let mut last = GpuError::NoAdapter { backends: format!("{:?}", Backends::all()) };
        for adapter in all {
            match Self::from_adapter(&adapter) {
                Ok(gpu) => return Ok(gpu),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn from_adapter(adapter: &Adapter) -> Result<Self, GpuError> {
        let (info, limits) = (adapter.get_info(), adapter.limits());
        let refuse = |reason| GpuError::NotOpened { adapter: info.name.clone(), reason };
        if let Some(reason) = obstacle(&limits) {
            return Err(refuse(reason));
        }
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("lawine"),
            required_features: adapter.features() & Features::TIMESTAMP_QUERY,
            required_limits: limits,
            memory_hints: wgpu::MemoryHints::Performance,
            ..wgpu::DeviceDescriptor::default()
        };
        let opened = pollster::block_on(adapter.request_device(&descriptor));
        let (device, queue) = opened.map_err(|error| refuse(error.to_string()))?;
        let trouble = Arc::new(Mutex::new(None));
        let note = |trouble: &Arc<Mutex<Option<GpuError>>>, error: GpuError| {
            if let Ok(mut first) = trouble.lock() {
                first.get_or_insert(error);
            }
        };
        let lost = Arc::clone(&trouble);
        device.set_device_lost_callback(move |_, reason| note(&lost, GpuError::Lost { reason }));
        let failed = Arc::clone(&trouble);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let error = match error {
                wgpu::Error::OutOfMemory { .. } => {
                    GpuError::OutOfMemory { what: "what is read back".to_owned() }
                }
                other => GpuError::Lost { reason: other.to_string() },
            };
            note(&failed, error);
        }));
        Ok(Self::of(&info, device, queue, trouble))
    }

    /// A device that somebody else has opened, to draw with it. What goes wrong is told to them.
    ///
    /// # Errors
    /// When snow cannot run there.
    pub fn shared(adapter: &Adapter, device: &Device, queue: &Queue) -> Result<Self, GpuError> {
        let info = adapter.get_info();
        if let Some(reason) = obstacle(&device.limits()) {
            return Err(GpuError::NotOpened { adapter: info.name, reason });
        }
        Ok(Self::of(&info, device.clone(), queue.clone(), Arc::default()))
    }

    fn of(
        info: &wgpu::AdapterInfo,
        device: Device,
        queue: Queue,
        trouble: Arc<Mutex<Option<GpuError>>>,
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
            memory: u64::MAX,
            software: info.device_type == wgpu::DeviceType::Cpu,
            name: info.name.clone(),
            trouble,
        }
    }

    /// Uses only buffers up to so many bytes, as on a smaller GPU.
    #[must_use]
    pub fn restricted(mut self, largest_binding: u64) -> Self {
        self.largest_binding = self.largest_binding.min(largest_binding & !255);
        self
    }

    /// Puts only so many workgroups into a row of a dispatch, as if there were many more of them.
    #[must_use]
    pub fn with_rows_of(mut self, groups: u32) -> Self {
        self.row = groups.clamp(1, ROW);
        self
    }

    /// Gives matter only so many bytes, as on a smaller GPU.
    #[must_use]
    pub fn with_memory_of(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it can say how long a pass takes.
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
        match self.trouble.lock() {
            Ok(trouble) => trouble.clone().map_or(Ok(()), Err),
            Err(_) => Err(GpuError::Lost { reason: "a callback of the driver failed".to_owned() }),
        }
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
        waited.map(|_| ()).map_err(|error| GpuError::Lost { reason: error.to_string() })
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
            self.map(&staging, length, &mut take)?;
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
        let failed = |reason: String| GpuError::Lost { reason };
        match receive.try_recv() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(failed(error.to_string())),
            Err(error) => return Err(failed(error.to_string())),
        }
        let view = staging.get_mapped_range(0..length).map_err(|e| failed(e.to_string()))?;
        take(&view);
        drop(view);
        staging.unmap();
        Ok(())
    }
}
