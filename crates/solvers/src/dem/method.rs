//! Grains as a method of a simulation.

use glam::{DQuat, DVec3};
use lawine_core::environment::Environment;
use lawine_core::field::{Field, FieldValues};
use lawine_core::geometry::{Aabb, Part};
use lawine_core::method::{
    DtLimit, EditError, Energy, Method, Momentum, NewParticle, StepError, StepReport,
};
use lawine_core::phases::Phases;
use lawine_core::reduce;
use std::io::{self, Read, Write};

use super::broad::Extremes;
use super::narrow::{Closest, Ending, Pose, Status};
use super::{Grain, Grains, Neighbors, State, Work};

/// Largest angle of a step [rad].
const MAX_ANGLE: f64 = 0.1;

impl Neighbors {
    /// A pair whose distance is not known yet.
    pub(super) fn new(pair: [u32; 2]) -> Self {
        let closest = Closest {
            status: Status::Separated,
            distance: f64::INFINITY,
            points: [DVec3::ZERO; 2],
            normal: DVec3::X,
            parts: [Part::Vertex(0); 2],
            cycles: 0,
            ending: Ending::Walked,
        };
        Self { pair, closest, track: None }
    }
}

impl Method for Grains {
    fn name(&self) -> &'static str {
        "grains"
    }

    fn particle_count(&self) -> usize {
        self.state.id.len()
    }

    /// No grain turns by more than a tenth of a radian.
    fn dt_limit(&self, _env: &Environment) -> DtLimit {
        let fastest = self.state.omega.iter().map(|w| w.length()).fold(0.0, f64::max);
        let dt = if fastest > 0.0 { MAX_ANGLE / fastest } else { f64::INFINITY };
        DtLimit { dt, reason: "rotation" }
    }

    fn step(&mut self, env: &mut Environment, dt: f64) -> Result<StepReport, StepError> {
        self.make_step(env, dt)
    }

    fn fields(&self) -> Vec<Field<'_>> {
        let s = &self.state;
        vec![
            Field { name: "position", unit: "m", values: FieldValues::Vec3(&s.x) },
            Field { name: "velocity", unit: "m/s", values: FieldValues::Vec3(&s.v) },
            Field { name: "orientation", unit: "rad", values: FieldValues::Quat(&s.q) },
            Field { name: "angular_velocity", unit: "1/s", values: FieldValues::Vec3(&s.omega) },
            Field { name: "angular_momentum", unit: "kg m²/s", values: FieldValues::Vec3(&s.l) },
            Field { name: "kinetic_energy", unit: "J", values: FieldValues::F64(&self.kinetic) },
            Field { name: "shape", unit: "", values: FieldValues::U32(&s.shape) },
            Field { name: "id", unit: "", values: FieldValues::U32(&s.id) },
        ]
    }

    fn energy(&self, env: &Environment) -> Energy {
        let (s, inertias) = (&self.state, &self.inertias);
        let inertia = |i: usize| &inertias[s.shape[i] as usize];
        Energy {
            kinetic: reduce::sum(s.x.len(), |i| s.rigid(i).kinetic_energy(inertia(i))),
            potential: reduce::sum(s.x.len(), |i| -inertia(i).mass * env.gravity.dot(s.x[i])),
        }
    }

    fn momentum(&self) -> Option<Momentum> {
        let (linear, angular) = Self::momentum(self);
        Some(Momentum { linear, angular })
    }

    fn particle_radius(&self) -> f64 {
        self.shapes.iter().map(|s| s.radius).fold(0.0, f64::max)
    }

    /// New grains have the first shape, along the axes, and do not turn.
    fn insert(&mut self, new: &[NewParticle]) -> Result<(), EditError> {
        let total = u64::from(self.state.next_id()) + new.len() as u64;
        if total > u64::from(u32::MAX) {
            return Err(EditError::TooMany(total));
        }
        if !new.iter().all(|p| p.position.is_finite() && p.velocity.is_finite()) {
            return Err(EditError::NotFinite);
        }
        for particle in new {
            let NewParticle { position, velocity } = *particle;
            let (orientation, omega) = (DQuat::IDENTITY, DVec3::ZERO);
            let grain = Grain { shape: 0, position, velocity, orientation, omega };
            self.add(&grain).map_err(|_| EditError::NotFinite)?;
        }
        Ok(())
    }

    fn remove(&mut self, gone: &dyn Fn(DVec3) -> bool) -> usize {
        let keep: Vec<bool> = self.state.x.iter().map(|&x| !gone(x)).collect();
        let removed = self.state.retain(&keep);
        if removed > 0 {
            self.find_energies();
            self.work = Work::new(&self.config);
        }
        removed
    }

    fn phases(&self) -> &Phases {
        &self.phases
    }

    fn reset_phases(&mut self) {
        self.phases.reset();
    }

    fn bytes(&self) -> usize {
        let state = 2 * size_of::<u32>() + 4 * size_of::<DVec3>() + size_of::<DQuat>();
        let boxes = size_of::<Pose>() + size_of::<Extremes>() + size_of::<Aabb>();
        let pairs = self.work.neighbors.capacity() + self.work.spare.capacity();
        self.state.id.capacity() * (state + boxes)
            + self.state.gear.capacity() * size_of::<f64>()
            + pairs * size_of::<Neighbors>()
            + self.work.broad.bytes()
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.state.save(out)
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.state = State::load(from, self.shapes.len(), self.config.gear_numbers())?;
        self.find_energies();
        self.work = Work::new(&self.config);
        Ok(())
    }
}
