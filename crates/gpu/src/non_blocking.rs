//! Non-blocking use of snow on the GPU, as needed in a browser: reads are requested, and polled again
//! later.

use crate::error::GpuError;
use crate::snow::Snow;
use lawine_core::environment::Environment;
use lawine_core::method::StepError;

impl Snow {
    /// Takes over the results that have arrived from the GPU; returns whether steps can be made. If
    /// the host may block they always can.
    ///
    /// # Errors
    /// When a step failed or the GPU no longer responds.
    pub fn poll(&mut self, env: &Environment) -> Result<bool, StepError> {
        if self.gpu.can_block {
            return Ok(true);
        }
        let before = self.engine.borrow().steps_in_flight();
        let dt = f64::from(self.engine.borrow().params.dt);
        self.take_status(0, dt)?;
        self.engine.borrow_mut().update_in_flight(before);
        let here = !self.needs_particles(env) || self.fetch().map_err(crate::snow::device)?;
        Ok(here && self.has_room())
    }

    /// Whether another step can be submitted now.
    #[must_use]
    pub fn has_room(&self) -> bool {
        let engine = self.engine.borrow();
        engine.has_room() && (!self.is_blocking || engine.is_idle())
    }

    /// Whether the current particles can be read without blocking, or blocking is allowed.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.gpu.can_block || self.shown.get().is_some()
    }

    /// Requests the particles; returns whether they have arrived. A step in between invalidates the
    /// request.
    ///
    /// # Errors
    /// When the GPU no longer responds.
    pub fn fetch(&mut self) -> Result<bool, GpuError> {
        if self.is_ready() {
            return self.matter().map(|_| true);
        }
        let engine = self.engine.get_mut();
        let copy = match &mut self.copy {
            Some(copy) => copy,
            none => none.insert(engine.begin_copy()?),
        };
        if !copy.is_ready(&self.gpu)? {
            return Ok(false);
        }
        let Some(mut matter) = self.spare.get_mut().take() else {
            return Err(GpuError::NotReadBack);
        };
        let ended = engine.end_copy(copy, &self.geometry, matter.particles_mut());
        self.copy = None;
        if let Err(error) = ended {
            *self.spare.get_mut() = Some(matter);
            return Err(error);
        }
        self.shown = matter.into();
        Ok(true)
    }
}
