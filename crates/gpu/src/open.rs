//! Enumerating and opening GPUs on the desktop; in a browser the device is given.

use crate::device::{Gpu, PendingError, obstacle};
use crate::error::GpuError;
use std::sync::Arc;
use wgpu::{Adapter, Backends, Features, Instance, InstanceFlags};

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
        let mut last =
            GpuError::NoAdapter { backends: format!("{:?}", Instance::enabled_backend_features()) };
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
        let pending_error = PendingError::default();
        let lost = pending_error.clone();
        device.set_device_lost_callback(move |_, reason| lost.note(GpuError::Lost { reason }));
        let failed = pending_error.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let error = match error {
                wgpu::Error::OutOfMemory { .. } => {
                    GpuError::OutOfMemory { what: "what is read back".to_owned() }
                }
                other => GpuError::Lost { reason: other.to_string() },
            };
            failed.note(error);
        }));
        Ok(Self::of(&info, device, queue, pending_error))
    }
}
