//! Snow where nobody may wait for the GPU, as in a browser: one asks, goes on with something else, and
//! asks again in the next turn.

use crate::error::GpuError;
use crate::snow::Snow;
use lawine_core::environment::Environment;
use lawine_core::method::StepError;

impl Snow {
    /// Begins a turn: hears what the GPU has to say, and tells whether steps can be made. Where one may
    /// wait they always can.
    ///
    /// # Errors
    /// When a step failed or the GPU does not answer any more.
    pub fn look(&mut self, env: &Environment) -> Result<bool, StepError> {
        if self.gpu.waits {
            return Ok(true);
        }
        let before = self.engine.borrow().on_their_way();
        let dt = f64::from(self.engine.borrow().params.dt);
        self.take_status(0, dt)?;
        self.engine.borrow_mut().look(before);
        let here = !self.has_chores(env) || self.fetch().map_err(crate::snow::device)?;
        Ok(here && self.has_room())
    }

    /// Whether another step can be made in this turn.
    #[must_use]
    pub fn has_room(&self) -> bool {
        let engine = self.engine.borrow();
        engine.has_room() && (!self.is_awaited || engine.is_idle())
    }

    /// Whether the host has the particles as they are now, or gets them as soon as it asks.
    #[must_use]
    pub fn is_here(&self) -> bool {
        self.gpu.waits || self.shown.get().is_some()
    }

    /// Asks for the particles; tells whether they are here. A step in between makes what is on its way
    /// worthless.
    ///
    /// # Errors
    /// When the GPU does not answer any more.
    pub fn fetch(&mut self) -> Result<bool, GpuError> {
        if self.is_here() {
            return self.matter().map(|_| true);
        }
        let engine = self.engine.get_mut();
        let copy = match &mut self.copy {
            Some(copy) => copy,
            none => none.insert(engine.begin_copy()?),
        };
        if !copy.is_here(&self.gpu)? {
            return Ok(false);
        }
        let Some(mut matter) = self.spare.get_mut().take() else {
            return Err(GpuError::Away);
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
