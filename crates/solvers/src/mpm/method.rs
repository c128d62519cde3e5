//! Matter as a method of a simulation.

use glam::{DMat3, DVec3};
use lawine_core::environment::Environment;
use lawine_core::field::{Field, FieldValues, TensorField};
use lawine_core::method::{DtLimit, EditError, Energy, Method, NewParticle, StepError, StepReport};
use lawine_core::phases::Phases;
use lawine_core::reduce;
use rayon::prelude::*;
use std::io::{self, Read, Write};

use super::config::ConfigError;
use super::{ChunkReport, Matter, NewMatter, Particles, Transfer};

/// xx, yy, zz, xy, yz, xz of a symmetric matrix.
fn six(m: DMat3) -> [f32; 6] {
    [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.y_axis.z, m.x_axis.z].map(|x| x as f32)
}

impl Method for Matter {
    fn name(&self) -> &'static str {
        "mpm"
    }

    fn matter(&self) -> &'static str {
        "snow"
    }

    fn particle_count(&self) -> usize {
        self.particles.len()
    }

    fn dt_limit(&self, env: &Environment) -> DtLimit {
        self.time_step_limit(env)
    }

    fn shared_limit(&self, env: &Environment) -> DtLimit {
        self.shared_step_limit(env)
    }

    fn step(&mut self, env: &mut Environment, dt: f64) -> Result<StepReport, StepError> {
        self.make_step(env, dt)
    }

    fn fields(&self) -> Vec<Field<'_>> {
        let p = &self.particles;
        vec![
            Field { name: "position", unit: "m", values: FieldValues::Vec3(&p.x) },
            Field { name: "velocity", unit: "m/s", values: FieldValues::Vec3(&p.v) },
            Field { name: "density", unit: "kg/m³", values: FieldValues::F32(&p.density) },
            Field { name: "pressure", unit: "Pa", values: FieldValues::F32(&p.pressure) },
            Field { name: "plastic_volume", unit: "", values: FieldValues::F64(&p.plastic_volume) },
            Field { name: "material", unit: "", values: FieldValues::U32(&p.material) },
            Field { name: "id", unit: "", values: FieldValues::U32(&p.id) },
        ]
    }

    /// Elastic stretch and Cauchy stress.
    fn tensors(&self) -> Vec<TensorField> {
        let p = &self.particles;
        let each = |tensor: &(dyn Fn(usize) -> DMat3 + Sync)| {
            let (mut values, one) = (Vec::new(), |i| six(tensor(i)));
            (0..p.len()).into_par_iter().map(one).collect_into_vec(&mut values);
            values
        };
        let stretch = each(&|i| p.elastic_stretch(i));
        let stress = each(&|i| p.stress(i));
        vec![
            TensorField { name: "elastic_stretch", unit: "", values: stretch },
            TensorField { name: "stress", unit: "Pa", values: stress },
        ]
    }

    fn energy(&self, env: &Environment) -> Energy {
        let p = &self.particles;
        let m = |i: usize| f64::from(p.points[i].m);
        Energy {
            kinetic: reduce::sum(p.len(), |i| 0.5 * m(i) * p.v[i].length_squared()),
            potential: reduce::sum(p.len(), |i| -m(i) * env.gravity.dot(p.x[i])),
        }
    }

    fn total_mass(&self) -> f64 {
        let points = &self.particles.points;
        reduce::sum(points.len(), |i| f64::from(points[i].m))
    }

    /// A cell: walls act on nodes.
    fn penetration_limit(&self) -> f64 {
        self.config.cell
    }

    /// Half the spacing of eight particles in a cell, four in the plane.
    fn particle_radius(&self) -> f64 {
        0.25 * self.config.cell
    }

    /// New particles are of the first material and have an eighth of a cell each, a quarter in the plane.
    fn insert(&mut self, new: &[NewParticle]) -> Result<(), EditError> {
        let volume = (0.5 * self.config.cell).powi(self.space.dimensions() as i32);
        let matter: Vec<NewMatter> = new
            .iter()
            .map(|&NewParticle { position, velocity }| NewMatter {
                position,
                velocity,
                volume,
                material: 0,
            })
            .collect();
        self.add(&matter).map_err(|error| match error {
            ConfigError::Edit(error) => error,
            _ => EditError::NotFinite,
        })
    }

    fn remove(&mut self, gone: &dyn Fn(DVec3) -> bool) -> usize {
        let keep = &mut self.work.keep;
        keep.clear();
        keep.extend(self.particles.x.iter().map(|&x| !gone(x)));
        self.particles.retain(keep)
    }

    fn drive(&mut self, velocity: &dyn Fn(DVec3) -> Option<DVec3>) {
        for (x, v) in self.particles.x.iter().zip(&mut self.particles.v) {
            if let Some(driven) = velocity(*x) {
                *v = driven;
            }
        }
    }

    fn phases(&self) -> &Phases {
        &self.phases
    }

    fn reset_phases(&mut self) {
        self.phases.reset();
    }

    fn bytes(&self) -> usize {
        let work = &self.work;
        let forces = work.forces.iter().chain(work.reports.iter().map(|r| &r.forces));
        self.particles.bytes()
            + self.grid.bytes()
            + work.system.bytes()
            + work.free.bytes()
            + work.near.capacity() * size_of::<u64>()
            + work.reports.capacity() * size_of::<ChunkReport>()
            + forces.map(|f| f.capacity() * size_of::<[f64; 6]>() + size_of_val(f)).sum::<usize>()
            + work.places.capacity() * size_of::<u32>()
            + work.keep.capacity()
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.particles.save(out)
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let apic = self.config.transfer == Transfer::Apic;
        self.particles = Particles::load(from, self.config.materials.len(), apic)?;
        Ok(())
    }
}
