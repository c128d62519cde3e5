//! The viewer without a window: its frames go to a texture, so that their time can be measured.

use super::{Options, Viewer};
use eframe::egui_wgpu::{
    RenderState, RendererOptions, ScreenDescriptor, WgpuConfiguration, WgpuSetup,
    WgpuSetupCreateNew,
};
use eframe::{egui, wgpu};
use lawine_scene::file::{Source, load};
use std::sync::Arc;
use std::time::Instant;

/// What frames cost.
#[derive(Debug)]
pub struct Cost {
    /// The graphics device, and how it is spoken to.
    pub adapter: String,
    /// Particles in every frame.
    pub particles: usize,
    /// Width and height of the frames [px].
    pub size: [u32; 2],
    /// Frames that were drawn.
    pub frames: u32,
    /// Mean time from one frame to the next [s].
    pub mean: f64,
    /// Longest time from one frame to the next [s].
    pub longest: f64,
    /// Mean time of the graphics device for a frame [s], where it has a clock.
    pub device: Option<f64>,
}

/// Steps before the measurement, so that the particles have left their lattice.
const STEPS: u64 = 20;
/// How many frames are drawn at least.
const FEWEST: u32 = 20;
/// How fast the camera goes round [°/s].
const TURN: f64 = 30.0;

/// Draws a breaking dam of at least `particles` particles, panels and all, for some seconds. Every frame makes, uploads and
/// draws the picture anew, as if it showed another moment; time stands still meanwhile, so that nothing
/// but drawing is measured.
///
/// # Errors
/// Why nothing can be drawn.
pub fn measure_frames(particles: u32, size: [u32; 2], seconds: f64) -> Result<Cost, String> {
    let mut headless = Headless::open(dam(particles)?, size)?;
    while headless.viewer.snapshot.as_ref().is_none_or(|s| s.steps < STEPS) {
        headless.draw()?;
        if let Some(problem) = headless.viewer.notes.iter().find(|note| note.is_problem) {
            return Err(problem.text.clone());
        }
    }
    headless.viewer.pause(true);
    headless.viewer.stage.options.turn = TURN;
    for _ in 0..3 {
        headless.draw()?;
    }
    let (start, mut frames, mut longest, mut on_device) = (Instant::now(), 0, 0.0_f64, 0.0);
    while frames < FEWEST || start.elapsed().as_secs_f64() < seconds {
        let before = Instant::now();
        headless.viewer.stage.stale();
        headless.draw()?;
        on_device += headless.timer.as_ref().map_or(0.0, |timer| timer.seconds);
        longest = longest.max(before.elapsed().as_secs_f64());
        frames += 1;
    }
    let mean = start.elapsed().as_secs_f64() / f64::from(frames);
    let info = headless.state.adapter.get_info();
    Ok(Cost {
        adapter: format!("{} ({})", info.name, info.backend),
        particles: headless.viewer.particle_count(),
        size,
        frames,
        mean,
        longest,
        device: headless.timer.map(|_| on_device / f64::from(frames)),
    })
}

/// The dam break in 3D, a cube of 1 m, with at least that many particles.
fn dam(particles: u32) -> Result<Source, String> {
    // A little narrower, so that the last layer has room.
    let spacing = 1.0 / (f64::from(particles).cbrt().ceil() + 0.1);
    let change = format!("liquid.spacing={spacing}");
    let loaded = load(&Source::BuiltIn("dam-break-3d".to_owned()), &[change]);
    let scene = loaded.map_err(|e| e.to_string())?.portable();
    let text = scene.to_toml();
    Ok(Source::Text { name: "dam.toml".to_owned(), text })
}

struct Headless {
    ctx: egui::Context,
    viewer: Viewer,
    state: RenderState,
    screen: ScreenDescriptor,
    target: wgpu::TextureView,
    timer: Option<Timer>,
    start: Instant,
}

impl Headless {
    fn open(scene: Source, size: [u32; 2]) -> Result<Self, String> {
        let mut setup = WgpuSetupCreateNew::without_display_handle();
        setup.device_descriptor = Arc::new(|adapter| wgpu::DeviceDescriptor {
            required_features: adapter.features() & Timer::FEATURES,
            ..super::window::device_descriptor(adapter)
        });
        let setup = WgpuSetup::CreateNew(setup);
        let configuration =
            WgpuConfiguration { wgpu_setup: setup.clone(), ..WgpuConfiguration::default() };
        let state = pollster::block_on(async {
            let instance = setup.new_instance().await;
            let options = RendererOptions::default();
            RenderState::create(&configuration, &instance, None, options).await
        });
        let state = state.map_err(|e| format!("no graphics device can be used: {e}"))?;
        let ctx = egui::Context::default();
        let options = Options { scene: Some(scene), ..Options::default() };
        let mut viewer = Viewer::new(&ctx, options);
        viewer.draw_by(&state);
        let [width, height] = size;
        let target = state.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("frame"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: state.target_format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        Ok(Self {
            viewer,
            screen: ScreenDescriptor { size_in_pixels: size, pixels_per_point: 1.0 },
            target: target.create_view(&wgpu::TextureViewDescriptor::default()),
            timer: Timer::new(&state.device, &state.queue),
            start: Instant::now(),
            state,
            ctx,
        })
    }

    /// Draws a frame, and waits until the device has done it.
    fn draw(&mut self) -> Result<(), String> {
        let [width, height] = self.screen.size_in_pixels.map(|n| n as f32);
        let input = egui::RawInput {
            screen_rect: Some(egui::Rect::from_min_size(
                egui::Pos2::ZERO,
                egui::vec2(width, height),
            )),
            time: Some(self.start.elapsed().as_secs_f64()),
            ..egui::RawInput::default()
        };
        let output = self.ctx.run_ui(input, |ui| self.viewer.ui(ui));
        let jobs = self.ctx.tessellate(output.shapes, 1.0);
        let RenderState { device, queue, renderer, .. } = &self.state;
        let mut renderer = renderer.write();
        for (id, changes) in &output.textures_delta.set {
            for change in changes {
                renderer.update_texture(device, queue, *id, change);
            }
        }
        let mut encoder = device.create_command_encoder(&Default::default());
        if let Some(timer) = &self.timer {
            encoder.write_timestamp(&timer.queries, 0);
        }
        let mut buffers = renderer.update_buffers(device, queue, &mut encoder, &jobs, &self.screen);
        let target = wgpu::RenderPassColorAttachment {
            view: &self.target,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations::default(),
        };
        let mut pass = encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("frame"),
                color_attachments: &[Some(target)],
                ..wgpu::RenderPassDescriptor::default()
            })
            .forget_lifetime();
        renderer.render(&mut pass, &jobs, &self.screen);
        drop(pass);
        if let Some(timer) = &self.timer {
            timer.end(&mut encoder);
        }
        buffers.push(encoder.finish());
        queue.submit(buffers);
        for id in &output.textures_delta.free {
            renderer.free_texture(id);
        }
        let waited = device.poll(wgpu::PollType::wait_indefinitely());
        waited.map_err(|e| format!("the graphics device does not respond: {e}"))?;
        match &mut self.timer {
            Some(timer) => timer.read(device),
            None => Ok(()),
        }
    }
}

/// The clock of the device.
struct Timer {
    queries: wgpu::QuerySet,
    ticks: wgpu::Buffer,
    copy: wgpu::Buffer,
    /// Seconds in a tick.
    period: f64,
    /// What the last frame took [s].
    seconds: f64,
}

impl Timer {
    const FEATURES: wgpu::Features =
        wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);

    fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Option<Self> {
        if !device.features().contains(Self::FEATURES) {
            return None;
        }
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("ticks"),
                size: 16,
                usage,
                mapped_at_creation: false,
            })
        };
        Some(Self {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("frame"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            ticks: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            copy: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            period: 1e-9 * f64::from(queue.get_timestamp_period()),
            seconds: 0.0,
        })
    }

    fn end(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.write_timestamp(&self.queries, 1);
        encoder.resolve_query_set(&self.queries, 0..2, &self.ticks, 0);
        encoder.copy_buffer_to_buffer(&self.ticks, 0, &self.copy, 0, 16);
    }

    fn read(&mut self, device: &wgpu::Device) -> Result<(), String> {
        self.copy.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| e.to_string())?;
        let view = self.copy.slice(..).get_mapped_range().map_err(|e| e.to_string())?;
        let ticks: [u64; 2] = bytemuck::pod_read_unaligned(&view);
        drop(view);
        self.copy.unmap();
        self.seconds = ticks[1].saturating_sub(ticks[0]) as f64 * self.period;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message stays as long as the scene does not fit.
    #[test]
    fn a_scene_too_large_for_the_device_says_so() {
        let scene = Source::BuiltIn("column".to_owned());
        let Ok(mut headless) = Headless::open(scene, [320, 200]) else { return };
        headless.viewer.stage.room = 1000;
        while headless.viewer.particle_count() == 0 {
            headless.draw().unwrap();
        }
        headless.draw().unwrap();
        let words: Vec<&str> = headless.viewer.messages().collect();
        let told = "too large for the graphics device: 400 particles, and it can draw at most 50.";
        assert!(words.iter().any(|text| text.contains(told)), "{words:?}");
        headless.viewer.stage.room = u64::MAX;
        headless.viewer.stage.stale();
        headless.draw().unwrap();
        assert_eq!(headless.viewer.messages().count(), 0);
    }
}
