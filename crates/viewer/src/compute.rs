//! Where snow is computed: on the processor, or on the graphics device that draws.

use eframe::wgpu;
use glam::DVec3;
use lawine_core::simulation::Simulation;

/// What computes; the processor by default. Everything but snow stays there, and all of it in a browser,
/// where nobody may wait for the device.
#[derive(Clone, Debug, Default)]
pub struct Compute {
    #[cfg(not(target_arch = "wasm32"))]
    gpu: Option<lawine_gpu::Gpu>,
}

/// How particles are shown that the device draws from its own memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Appearance {
    /// What places are relative to [m].
    pub origin: DVec3,
    /// Radius of the spheres [m].
    pub radius: f32,
    /// The field that the colour tells.
    pub field: String,
    /// Its values at the ends of the colours.
    pub range: [f64; 2],
    /// Colours from one end to the other.
    pub palette: Vec<[u8; 4]>,
}

/// Spheres in the memory of the device, as the painter wants them.
#[derive(Clone, Debug)]
pub struct Balls {
    /// Where they are.
    pub buffer: wgpu::Buffer,
    /// Their number.
    pub count: u32,
    /// What their places are relative to [m].
    pub origin: DVec3,
}

#[cfg(not(target_arch = "wasm32"))]
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
        let gpu = lawine_gpu::Gpu::shared(adapter, device, queue).map_err(|e| e.to_string())?;
        Ok(Self { gpu: Some(gpu) })
    }

    /// Whether the graphics device computes.
    pub fn is_gpu(&self) -> bool {
        self.gpu.is_some()
    }

    /// Lets the device go on with the snow of a simulation, which is lost if that fails.
    ///
    /// # Errors
    /// Why the device cannot.
    pub fn take_over(&self, simulation: &mut Simulation) -> Result<(), String> {
        let Some(gpu) = &self.gpu else { return Ok(()) };
        lawine_gpu::take_over(gpu, simulation).map_err(|e| e.to_string())
    }

    /// The particles as spheres, if the device has them and knows the field.
    pub fn show(&self, simulation: &mut Simulation, appearance: &Appearance) -> Option<Balls> {
        let Appearance { origin, radius, ref field, range, ref palette } = *appearance;
        let value = lawine_gpu::show::Value::named(field)?;
        let method: &mut dyn std::any::Any = &mut **simulation.methods.first_mut()?;
        let snow = method.downcast_mut::<lawine_gpu::Snow>()?;
        let palette = palette.clone();
        let balls =
            snow.show(&lawine_gpu::show::Appearance { origin, radius, value, range, palette });
        Some(Balls { buffer: balls.buffer, count: balls.count, origin })
    }
}

#[cfg(target_arch = "wasm32")]
impl Compute {
    /// Whether the graphics device computes.
    pub fn is_gpu(&self) -> bool {
        false
    }

    /// Leaves the simulation to the processor.
    ///
    /// # Errors
    /// None.
    pub fn take_over(&self, _simulation: &mut Simulation) -> Result<(), String> {
        Ok(())
    }

    /// Nothing is on the device.
    pub fn show(&self, _simulation: &mut Simulation, _look: &Appearance) -> Option<Balls> {
        None
    }
}
