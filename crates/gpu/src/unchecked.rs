//! Shaders without run-time bounds checks.
//!
//! The checks cost 2 to 5 % of a step (measured on an H200). All indices that the shaders compute come from
//! counters that are compared with the sizes of the buffers. Software drivers keep the checks. The tests run
//! with and without them.
#![expect(unsafe_code, reason = "the only way to leave the checks out; see above")]

use wgpu::{Device, ShaderModule, ShaderModuleDescriptor, ShaderRuntimeChecks, ShaderSource};

pub(crate) fn module(
    device: &Device,
    checked: bool,
    label: Option<&str>,
    source: ShaderSource<'_>,
) -> ShaderModule {
    let descriptor = ShaderModuleDescriptor { label, source };
    if checked {
        return device.create_shader_module(descriptor);
    }
    // SAFETY: the shaders are our own and loops in them are bounded by counts of particles, blocks and
    // bodies; indices are clamped to the buffers where counters could exceed them.
    unsafe { device.create_shader_module_trusted(descriptor, ShaderRuntimeChecks::unchecked()) }
}
