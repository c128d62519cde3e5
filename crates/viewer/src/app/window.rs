//! The viewer in a window of the system, or on the canvas of a page.

use super::{Options, Viewer};
use crate::compute::Compute;
use crate::messages::Command;
use crate::paint::Gpu;
use crate::parity::Parity;
use eframe::egui_wgpu::RenderState;
use eframe::{egui, wgpu};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// What ended the program, for the one who started it.
#[derive(Clone, Default)]
pub struct Fatal(Arc<Mutex<Option<String>>>);

impl Fatal {
    /// The message, if there is one.
    pub fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set(&self, text: &str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.to_owned());
    }
}

/// All that a device has: snow may be computed on it.
pub fn device_descriptor(adapter: &wgpu::Adapter) -> wgpu::DeviceDescriptor<'static> {
    wgpu::DeviceDescriptor {
        label: Some("lawine"),
        required_limits: adapter.limits(),
        ..wgpu::DeviceDescriptor::default()
    }
}

/// Returns whether the graphics device was lost.
#[derive(Clone, Default)]
pub struct Loss(Arc<AtomicBool>);

impl Loss {
    /// Records it.
    pub fn happened(&self) {
        self.0.store(true, Relaxed);
    }
}

impl Viewer {
    /// Message for a lost graphics device.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// Asks for the state once the device is lost, to keep it; then there is a message in
    /// [`Viewer::fatal`].
    pub fn watch_device(&mut self) {
        if self.loss.0.swap(false, Relaxed) {
            self.send(Command::Save);
        }
    }

    /// Draws on a device.
    pub(super) fn draw_by(&mut self, state: &RenderState) {
        let gpu = Gpu::new(&state.device, state.target_format);
        state.renderer.write().callback_resources.insert(gpu);
        self.stage.room = state.device.limits().max_buffer_size;
        let info = state.adapter.get_info();
        self.backend = format!("{:?}", info.backend);
        // Software draws slowly; one sample a pixel keeps it usable.
        if info.device_type == wgpu::DeviceType::Cpu {
            self.stage.options.fineness = 1;
        }
    }

    /// Computes snow on the device that draws: if asked to, or if it is not one in software.
    fn use_device(&mut self, state: &RenderState, on_gpu: Option<bool>, compares: bool) {
        let software = state.adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        self.device = Compute::on(&state.adapter, &state.device, &state.queue);
        match &self.device {
            Ok(compute) if on_gpu.unwrap_or(!software) => {
                let command = Command::Compute(Box::new(compute.clone()));
                self.send(command);
            }
            Err(reason) if on_gpu == Some(true) => self.tell(reason.clone(), true),
            _ => {}
        }
        self.parity = self.device.as_ref().ok().filter(|_| compares).map(Parity::new);
    }

    /// Goes on with the self-test of the device, if there is one.
    pub(super) fn compare(&mut self) {
        let Some(check) = self.parity.as_mut().and_then(Parity::turn) else { return };
        self.parity = None;
        if !check.passed {
            self.tell(format!("{}: {}", check.name, check.detail), true);
        }
        self.checks.push(check);
    }
}

/// The viewer as an application.
pub struct Window {
    viewer: Viewer,
    fatal: Fatal,
}

impl Window {
    /// Prepares the graphics device and the viewer.
    pub fn new(creation: &eframe::CreationContext<'_>, options: Options, fatal: Fatal) -> Self {
        let (on_gpu, compares) = (options.on_gpu, options.compares);
        let mut viewer = Viewer::new(&creation.egui_ctx, options);
        if let Some(state) = &creation.wgpu_render_state {
            viewer.draw_by(state);
            viewer.use_device(state, on_gpu, compares);
            let (loss, waker) = (viewer.loss.clone(), creation.egui_ctx.clone());
            state.device.set_device_lost_callback(move |reason, _| {
                if reason != wgpu::DeviceLostReason::Destroyed {
                    loss.happened();
                    waker.request_repaint();
                }
            });
        }
        Self { viewer, fatal }
    }
}

impl eframe::App for Window {
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        self.viewer.watch_device();
        if let Some(text) = self.viewer.fatal() {
            self.fatal.set(text);
            ctx.send_viewport_cmd(egui::ViewportCommand::Close);
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        self.viewer.ui(ui);
        #[cfg(target_arch = "wasm32")]
        crate::web::show_status(&self.viewer.status());
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn on_exit(&mut self) {
        self.viewer.end_movie();
    }

    fn raw_input_hook(&mut self, _ctx: &egui::Context, input: &mut egui::RawInput) {
        self.viewer.inject(input);
    }
}
