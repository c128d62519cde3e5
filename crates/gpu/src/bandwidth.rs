//! Memory bandwidth.

use crate::device::Gpu;
use crate::error::GpuError;
use wgpu::{BindGroupEntry, BufferUsages, CommandEncoderDescriptor, ComputePassDescriptor};

/// Copies that are timed together, and tries.
const COPIES: u64 = 8;
const TRIES: usize = 4;
/// Workgroups of a copy.
const GROUPS: u32 = 16_384;

impl Gpu {
    /// Bytes that are read or written in a second when a shader copies a buffer: the best of a few tries.
    ///
    /// # Errors
    /// When the GPU has too little memory or does not answer.
    pub fn bandwidth(&self) -> Result<f64, GpuError> {
        let most = if self.software { 16 << 20 } else { 1 << 30 };
        let size = self.largest_binding.min(most) & !15;
        let buffers = [(); 2].map(|()| self.buffer("copy", size, BufferUsages::STORAGE));
        let source = wgpu::include_wgsl!("bandwidth.wgsl");
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: source.label,
            layout: None,
            module: &self.device.create_shader_module(source),
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        });
        let entries: [_; 2] = std::array::from_fn(|k| BindGroupEntry {
            binding: k as u32,
            resource: buffers[k].as_entire_binding(),
        });
        let bindings = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut best = 0.0_f64;
        for _ in 0..TRIES {
            let mut encoder =
                self.device.create_command_encoder(&CommandEncoderDescriptor::default());
            let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &bindings, &[]);
            (0..COPIES).for_each(|_| pass.dispatch_workgroups(GROUPS, 1, 1));
            drop(pass);
            let start = web_time::Instant::now();
            self.queue.submit([encoder.finish()]);
            self.wait()?;
            best = best.max((2 * COPIES * size) as f64 / start.elapsed().as_secs_f64());
        }
        Ok(best)
    }
}
