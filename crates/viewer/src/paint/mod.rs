//! A painter for the pictures of `lawine-render` on the graphics device.
//!
//! Particles are lit sphere impostors with shadows from a map; corners and crevices are darkened
//! from the depths of the samples. Neither compute shaders nor storage buffers are needed, so that
//! WebGL2 is enough.

mod drawing;
mod gpu;
mod pipelines;
mod targets;
mod uniforms;

pub use drawing::{BodyDisplay, Drawing};
pub use gpu::Gpu;
pub use uniforms::Shot;

use eframe::egui_wgpu::{CallbackResources, CallbackTrait, ScreenDescriptor};
use eframe::{egui, wgpu};
use std::sync::Arc;

/// Paints a drawing into a rectangle of the window.
pub struct Paint {
    /// What is drawn.
    pub drawing: Arc<Drawing>,
    /// From where, and how.
    pub shot: Shot,
}

impl CallbackTrait for Paint {
    fn prepare(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        _screen: &ScreenDescriptor,
        encoder: &mut wgpu::CommandEncoder,
        resources: &mut CallbackResources,
    ) -> Vec<wgpu::CommandBuffer> {
        if let Some(gpu) = resources.get_mut::<Gpu>() {
            gpu.draw(device, queue, encoder, &self.drawing, &self.shot.fitting(device));
        }
        Vec::new()
    }

    fn paint(
        &self,
        _info: egui::PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        resources: &CallbackResources,
    ) {
        if let Some(gpu) = resources.get::<Gpu>() {
            gpu.compose(pass);
        }
    }
}
