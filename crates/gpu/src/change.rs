//! Changes of the particles on the GPU: edits, removal outside the domain, reallocation.

use crate::bodies::Solids;
use crate::device::Gpu;
use crate::engine::Engine;
use crate::error::GpuError;
use crate::layout::Layout;
use crate::snow::{Snow, SnowError, device};
use crate::transfer::{Blocks, Geometry};
use lawine_core::environment::Environment;
use lawine_core::method::{Method, StepError};
use lawine_core::space::Leaving;
use lawine_solvers::mpm::{Config, Matter, Particles};
use std::cell::{OnceCell, RefCell};

/// Part of the blocks' room that may be used before it is enlarged.
const FULL: f64 = 0.6;

impl Snow {
    /// Changes the particles on the host and takes them to the GPU again.
    pub(crate) fn edit<T>(
        &mut self,
        change: impl FnOnce(&mut Matter) -> T,
    ) -> Result<T, SnowError> {
        self.matter()?;
        let Some(mut matter) = self.shown.take() else {
            return Err(GpuError::Lost { reason: "the particles could not be read".into() }.into());
        };
        let result = change(&mut matter);
        let loaded = self.reload(&matter);
        self.count = matter.particle_count();
        self.status.speeds = matter.particles().speeds;
        self.heaviest = heaviest(&matter);
        self.shown = OnceCell::from(matter);
        loaded?;
        Ok(result)
    }

    /// Takes other particles to the GPU: into the room that is there, or into more.
    fn reload(&mut self, matter: &Matter) -> Result<(), GpuError> {
        let p = matter.particles();
        let blocks = Blocks::new(&self.geometry, &p.x);
        let engine = self.engine.get_mut();
        if engine.fits(p.len(), &blocks, self.solids.bodies()) {
            engine.forget()?;
            engine.upload(&self.geometry, p, &blocks);
            return self.gpu.check();
        }
        // Who adds particles will add more.
        let grows = p.len() > engine.layout.particles as usize;
        let room = p.len() + if grows { p.len() / 4 } else { 0 };
        let make = |room| {
            let Self { gpu, config, geometry, solids, .. } = &*self;
            load(gpu, config, geometry, solids, p, &blocks, room)
        };
        let made = if grows { make(room).or_else(|_| make(p.len())) } else { make(room) };
        let mut made = made?;
        made.learn_from(self.engine.get_mut());
        self.engine = RefCell::new(made);
        self.show = None;
        Ok(())
    }

    /// Whether there will soon be more blocks than there is room for.
    fn is_tight(&self) -> bool {
        let Layout { occupied, reached, .. } = self.engine.borrow().layout;
        let used = |k: usize, room: u32| f64::from(self.status.blocks[k]) / f64::from(room);
        used(0, occupied).max(used(1, reached)) > FULL
    }

    /// Whether there is something to do for which the host needs the particles.
    pub(crate) fn needs_particles(&self, env: &Environment) -> bool {
        env.bodies.len() != self.solids.bodies() || self.status.outside.is_some() || self.is_tight()
    }

    /// Makes more room for blocks before there are too many, and for bodies.
    pub(crate) fn enlarge(&mut self, env: &Environment) -> Result<(), StepError> {
        let is_changed = env.bodies.len() != self.solids.bodies();
        if is_changed {
            self.solids = Solids::new(&env.bodies, self.config.cell, self.geometry.origin);
        }
        if is_changed || self.is_tight() {
            self.status.blocks = [0; 2];
            self.edit(|_| ()).map_err(|error| StepError::Device(error.to_string()))?;
        }
        Ok(())
    }

    /// Deals with particles outside the domain.
    pub(crate) fn let_out(&mut self, env: &Environment) -> Result<usize, StepError> {
        if self.status.outside.take().is_none() {
            return Ok(0);
        }
        let space = env.space;
        if space.leaving == Leaving::Error {
            let matter = self.matter().map_err(device)?;
            let p = matter.particles();
            let gone = p.x.iter().position(|&x| !space.contains(x));
            let Some(k) = gone else { return Ok(0) };
            return Err(StepError::LeftDomain { id: p.id[k], position: p.x[k] });
        }
        let removed = self.edit(|matter| matter.remove(&|x| !space.contains(x)));
        removed.map_err(|error| StepError::Device(error.to_string()))
    }
}

/// Uploads particles to the GPU, with room for `room` of them.
pub(crate) fn load(
    gpu: &Gpu,
    config: &Config,
    geometry: &Geometry,
    solids: &Solids,
    p: &Particles,
    blocks: &Blocks,
    room: usize,
) -> Result<Engine, GpuError> {
    let bodies = solids.bodies();
    let counts = [blocks.occupied(), blocks.reached];
    let layout = Layout::new(gpu, config, geometry.planar, room, counts, bodies)?;
    let mut engine = Engine::new(gpu, config, layout, solids, bodies)?;
    engine.params.period = geometry.period.to_array();
    engine.upload(geometry, p, blocks);
    gpu.check()?;
    Ok(engine)
}

/// Mass of the heaviest particle [kg].
pub(crate) fn heaviest(matter: &Matter) -> f64 {
    let masses = matter.particles().points.iter().map(|point| f64::from(point.m));
    masses.fold(f64::MIN_POSITIVE, f64::max)
}
