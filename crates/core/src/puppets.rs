//! Matter that does as it is told, for tests.

use crate::columns;
use crate::environment::Environment;
use crate::field::{Field, FieldValues};
use crate::method::{
    DtLimit, EditError, Energy, Grain, Method, NewParticle, StepError, StepReport,
};
use crate::phases::Phases;
use glam::DVec3;
use std::io::{self, Read, Write};

/// Radius [m].
const RADIUS: f64 = 0.05;

/// Particles of a kilogram each that a function moves.
pub(crate) struct Puppets {
    pub(crate) x: Vec<DVec3>,
    pub(crate) v: Vec<DVec3>,
    strings: Strings,
    phases: Phases,
}

/// What moves them by a step [s].
pub(crate) type Strings = fn(&mut Puppets, &mut Environment, f64);

impl Puppets {
    /// At rest at their positions [m].
    pub(crate) fn new(x: Vec<DVec3>, strings: Strings) -> Self {
        Self { v: vec![DVec3::ZERO; x.len()], x, strings, phases: Phases::new(&[]) }
    }

    fn has_room(&self, at: DVec3) -> bool {
        self.x.iter().all(|x| x.distance(at) > 2.0 * RADIUS)
    }
}

impl Method for Puppets {
    fn name(&self) -> &'static str {
        "puppets"
    }

    fn particle_count(&self) -> usize {
        self.x.len()
    }

    fn dt_limit(&self, _env: &Environment) -> DtLimit {
        DtLimit::NONE
    }

    fn step(&mut self, env: &mut Environment, dt: f64) -> Result<StepReport, StepError> {
        (self.strings)(self, env, dt);
        let max_speed = self.v.iter().map(|v| v.length()).fold(0.0, f64::max);
        let removed = self.remove(&|x| !env.space.contains(x));
        Ok(StepReport { max_speed, removed, ..StepReport::default() })
    }

    fn fields(&self) -> Vec<Field<'_>> {
        vec![
            Field { name: "position", unit: "m", values: FieldValues::Vec3(&self.x) },
            Field { name: "velocity", unit: "m/s", values: FieldValues::Vec3(&self.v) },
        ]
    }

    fn energy(&self, env: &Environment) -> Energy {
        Energy {
            kinetic: self.v.iter().map(|v| 0.5 * v.length_squared()).sum(),
            potential: self.x.iter().map(|x| -env.gravity.dot(*x)).sum(),
        }
    }

    fn total_mass(&self) -> f64 {
        self.x.len() as f64
    }

    fn particle_radius(&self) -> f64 {
        RADIUS
    }

    fn insert(&mut self, new: &[NewParticle]) -> Result<(), EditError> {
        self.x.extend(new.iter().map(|p| p.position));
        self.v.extend(new.iter().map(|p| p.velocity));
        Ok(())
    }

    fn remove(&mut self, gone: &dyn Fn(DVec3) -> bool) -> usize {
        let before = self.x.len();
        let keep: Vec<bool> = self.x.iter().map(|&x| !gone(x)).collect();
        let (mut a, mut b) = (keep.iter(), keep.iter());
        self.x.retain(|_| *a.next().unwrap());
        self.v.retain(|_| *b.next().unwrap());
        before - self.x.len()
    }

    /// Those of shape 0 are balls.
    fn place(&mut self, grain: &Grain) -> Result<bool, EditError> {
        if grain.shape != 0 {
            return Err(EditError::UnknownShape(grain.shape));
        }
        let has_room = self.has_room(grain.position);
        if has_room {
            self.x.push(grain.position);
            self.v.push(grain.velocity);
        }
        Ok(has_room)
    }

    fn relocate(&mut self, to: &mut dyn FnMut(DVec3) -> Option<DVec3>) -> Result<usize, EditError> {
        let mut moved = 0;
        for i in 0..self.x.len() {
            if let Some(x) = to(self.x[i]).filter(|&x| self.has_room(x)) {
                (self.x[i], self.v[i]) = (x, DVec3::ZERO);
                moved += 1;
            }
        }
        Ok(moved)
    }

    fn phases(&self) -> &Phases {
        &self.phases
    }

    fn reset_phases(&mut self) {}

    fn bytes(&self) -> usize {
        0
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        columns::write(out, "position", &self.x)?;
        columns::write(out, "velocity", &self.v)
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        (self.x, self.v) = (columns::read(from, "position")?, columns::read(from, "velocity")?);
        Ok(())
    }
}
