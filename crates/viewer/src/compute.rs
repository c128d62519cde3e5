//! The device that computes snow: the processor, or the graphics device that draws.

use eframe::wgpu;
use glam::DVec3;
use lawine_core::method::StepError;
use lawine_core::simulation::Simulation;
use lawine_gpu::{Gpu, Snow, show};

/// What computes; the processor by default. Everything but snow stays there.
///
/// In a browser calls to the device are non-blocking: a turn begins with [`Compute::poll`], and whoever needs
/// the particles asks for them ([`Compute::fetch`]) and lets time stand still until they are here.
#[derive(Clone, Debug, Default)]
pub struct Compute {
    gpu: Option<Gpu>,
}

/// How particles are shown that the device draws from its own memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Appearance {
    /// What places are relative to [m].
    pub origin: DVec3,
    /// Radius of the spheres [m].
    pub radius: f32,
    /// The field shown as colour.
    pub field: String,
    /// Its values at the ends of the colours.
    pub range: [f64; 2],
    /// Colours from one end to the other.
    pub palette: Vec<[u8; 4]>,
}

/// Spheres in the memory of the device, as the painter wants them.
#[derive(Clone, Debug)]
pub struct Spheres {
    /// Where they are.
    pub buffer: wgpu::Buffer,
    /// Their number.
    pub count: u32,
    /// What their places are relative to [m].
    pub origin: DVec3,
}

impl Compute {
    /// The device that draws, if snow can run there.
    ///
    /// # Errors
    /// Which of its limits is too low.
    pub fn on(
        adapter: &wgpu::Adapter,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
    ) -> Result<Self, String> {
        let gpu = Gpu::shared(adapter, device, queue).map_err(|e| e.to_string())?;
        Ok(Self { gpu: Some(gpu) })
    }

    /// The same in non-blocking mode, as in a browser.
    #[must_use]
    pub fn non_blocking(self) -> Self {
        Self { gpu: self.gpu.map(Gpu::non_blocking) }
    }

    /// Whether the graphics device computes.
    pub fn is_gpu(&self) -> bool {
        self.gpu.is_some()
    }

    /// Moves the snow of a simulation to the device; it is lost if that fails.
    ///
    /// # Errors
    /// Why the device cannot.
    pub fn take_over(&self, simulation: &mut Simulation) -> Result<(), String> {
        let Some(gpu) = &self.gpu else { return Ok(()) };
        lawine_gpu::take_over(gpu, simulation).map_err(|e| e.to_string())
    }

    /// Takes over results of the device; returns whether steps can be made.
    ///
    /// # Errors
    /// The error of the device, if it failed.
    pub fn poll(simulation: &mut Simulation) -> Result<bool, StepError> {
        let Simulation { env, methods, .. } = simulation;
        Snow::among_mut(methods).map_or(Ok(true), |snow| snow.poll(env))
    }

    /// Whether another step can be made in this turn.
    pub fn has_room(simulation: &Simulation) -> bool {
        Snow::among(&simulation.methods).is_none_or(Snow::has_room)
    }

    /// Whether the particles can be read.
    pub fn is_ready(simulation: &Simulation) -> bool {
        Snow::among(&simulation.methods).is_none_or(Snow::is_ready)
    }

    /// Requests the particles; returns whether they can be read. A device that no longer responds
    /// reports it when they are read.
    pub fn fetch(simulation: &mut Simulation) -> bool {
        let snow = Snow::among_mut(&mut simulation.methods);
        snow.is_none_or(|snow| snow.fetch().unwrap_or(true))
    }

    /// The particles as spheres, if the device has them and knows the field.
    pub fn show(&self, simulation: &mut Simulation, appearance: &Appearance) -> Option<Spheres> {
        let Appearance { origin, radius, ref field, range, ref palette } = *appearance;
        let value = show::Value::named(field)?;
        let snow = Snow::among_mut(&mut simulation.methods)?;
        let palette = palette.clone();
        let balls = snow.show(&show::Appearance { origin, radius, value, range, palette });
        Some(Spheres { buffer: balls.buffer, count: balls.count, origin })
    }
}
