//! Conduction of heat between particles at rest.
//!
//! The Laplacian is that of Brookshaw (1985) as Cleary and Monaghan (1999) use it for heat: with pairs ij,
//! volumes V and F = −W′(r)/r,
//!
//! dT_i/dt = 2 α Σ_j V_j F_ij (T_j − T_i).
//!
//! divided by Σ_j V_j F_ij r_ij²/d over a perfect lattice, which is one but for its gaps: the Laplacian of a square is
//! then exact on the lattice. What j gives, i gets, so heat is kept.

use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::field::{Field, FieldValues};
use lawine_core::kernel::{Kernel, KernelKind};
use lawine_core::method::{
    Account, DtLimit, EditError, Energy, Method, NewParticle, StepError, StepReport,
};
use lawine_core::neighbors::{ChunkList, PointIndex, SearchError, SearchKind};
use lawine_core::phases::Phases;
use lawine_core::simd::Portable;
use lawine_core::space::Space;
use lawine_core::{columns, reduce};
use rayon::prelude::*;
use std::io::{self, Read, Write};
use std::time::Instant;

/// What conducts, in SI units.
pub(crate) struct Material {
    /// Radius of the kernel's support [m].
    pub support: f64,
    /// Thermal diffusivity α [m²/s].
    pub diffusivity: f64,
    /// Heat that warms a particle by a kelvin [J/K], per metre of depth in planar space.
    pub capacity: f64,
    /// Volume of a particle [m³], or area in planar space [m²].
    pub volume: f64,
    /// Temperature of what comes in during the run [K].
    pub temperature: f64,
    /// Temperature that bodies hold what is near them at [K].
    pub bodies: Option<f64>,
}

/// Particles that conduct heat.
pub(crate) struct Conduction {
    material: Material,
    space: Space,
    // The state.
    x: Vec<DVec3>,
    temperature: Vec<f64>,
    id: Vec<u32>,
    next_id: u32,
    /// Heat that came from bodies so far [J].
    from_bodies: f64,
    // The work.
    index: PointIndex,
    links: Links,
    next: Vec<f64>,
    phases: Phases,
}

/// The neighbours of each particle with their rates 2 α V F [1/s]. Particles rest: they hold until one comes or
/// goes.
#[derive(Default)]
struct Links {
    is_fresh: bool,
    ends: Vec<usize>,
    to: Vec<(u32, f64)>,
    /// The largest sum of the rates of a particle [1/s].
    fastest: f64,
}

impl Conduction {
    /// No particles yet.
    pub(crate) fn new(material: Material, env: &Environment) -> Result<Self, SearchError> {
        Ok(Self {
            index: PointIndex::new(SearchKind::Hash, material.support, &env.space)?,
            space: env.space,
            material,
            x: Vec::new(),
            temperature: Vec::new(),
            id: Vec::new(),
            next_id: 0,
            from_bodies: 0.0,
            links: Links::default(),
            next: Vec::new(),
            phases: Phases::new(&["conduction"]),
        })
    }

    /// Adds particles with the temperatures of their places [K].
    pub(crate) fn add(&mut self, places: &[DVec3], temperature: impl Fn(DVec3) -> f64) {
        for &x in places {
            self.x.push(self.space.wrap(x));
            self.temperature.push(temperature(x));
            self.id.push(self.next_id);
            self.next_id += 1;
        }
        self.links.is_fresh = false;
    }

    /// Finds the neighbours of all particles.
    pub(crate) fn link(&mut self) -> Result<(), SearchError> {
        let Self { material, space, x, index, links, .. } = self;
        let kernel = Kernel::new(KernelKind::WendlandC2, material.support, space.dimensions());
        let alpha = material.diffusivity / moment(&kernel, material.volume);
        index.update(x, &mut Vec::new())?;
        (links.ends, links.to, links.fastest) = (Vec::new(), Vec::new(), 0.0);
        let (mut list, mut distances) = (ChunkList::default(), Vec::new());
        for i in 0..x.len() {
            index.collect(Portable, index, i..i + 1, &mut list, &mut distances);
            let start = links.to.len();
            for &j in list.neighbors(0).iter().filter(|&&j| j as usize != i) {
                let r = space.difference(x[i], x[j as usize]).length();
                let rate = 2.0 * alpha * material.volume * -kernel.dw_dr(r) / r;
                links.to.push((j, rate));
            }
            let sum = links.to[start..].iter().map(|(_, rate)| rate).sum();
            links.fastest = links.fastest.max(sum);
            links.ends.push(links.to.len());
        }
        links.is_fresh = true;
        Ok(())
    }

    /// Sets the temperature of particles near a body to that of the bodies.
    fn hold(&mut self, env: &Environment) {
        let Some(held) = self.material.bodies else { return };
        for (x, temperature) in self.x.iter().zip(&mut self.temperature) {
            let is_near = |body: &lawine_core::body::Body| {
                body.signed_distance(*x).distance < self.material.support
            };
            if env.bodies.iter().any(is_near) {
                self.from_bodies += self.material.capacity * (held - *temperature);
                *temperature = held;
            }
        }
    }
}

/// Σ_j V F r²/d over a perfect lattice of particles with a volume V.
fn moment(kernel: &Kernel, volume: f64) -> f64 {
    let dimension = f64::from(kernel.dimension());
    let spacing = volume.powf(1.0 / dimension);
    let reach = (kernel.support() / spacing).ceil() as i32;
    let depth = if kernel.dimension() == 2 { 0 } else { reach };
    let mut sum = 0.0;
    for x in -reach..=reach {
        for y in -reach..=reach {
            for z in -depth..=depth {
                let r = spacing * f64::from(x * x + y * y + z * z).sqrt();
                if r < kernel.support() {
                    sum -= kernel.dw_dr(r) * r;
                }
            }
        }
    }
    volume * sum / dimension
}

impl Method for Conduction {
    fn name(&self) -> &'static str {
        "sph-heat"
    }

    fn matter(&self) -> &'static str {
        "heat"
    }

    fn particle_count(&self) -> usize {
        self.x.len()
    }

    /// No temperature may pass the mean of its neighbours, and a factor of two for accuracy.
    fn dt_limit(&self, _env: &Environment) -> DtLimit {
        let dt = 0.5 / self.links.fastest;
        DtLimit { dt, reason: "conduction of heat" }
    }

    fn stable_limit(&self, _env: &Environment) -> DtLimit {
        DtLimit { dt: 1.0 / self.links.fastest, reason: "conduction of heat" }
    }

    fn step(&mut self, env: &mut Environment, dt: f64) -> Result<StepReport, StepError> {
        let start = Instant::now();
        if !self.links.is_fresh {
            self.link()?;
        }
        self.hold(env);
        let (links, temperature) = (&self.links, &self.temperature);
        self.next.resize(temperature.len(), 0.0);
        self.next.par_iter_mut().enumerate().for_each(|(i, next)| {
            let first = if i == 0 { 0 } else { links.ends[i - 1] };
            let to = &links.to[first..links.ends[i]];
            let flow =
                to.iter().map(|&(j, rate)| rate * (temperature[j as usize] - temperature[i]));
            *next = temperature[i] + dt * flow.sum::<f64>();
        });
        std::mem::swap(&mut self.temperature, &mut self.next);
        if let Some(i) = self.temperature.iter().position(|t| !t.is_finite()) {
            return Err(StepError::NotFinite { field: "temperature", id: self.id[i], dt });
        }
        self.phases.lap(0, start);
        Ok(StepReport::default())
    }

    fn fields(&self) -> Vec<Field<'_>> {
        vec![
            Field { name: "position", unit: "m", values: FieldValues::Vec3(&self.x) },
            Field { name: "temperature", unit: "K", values: FieldValues::F64(&self.temperature) },
            Field { name: "id", unit: "", values: FieldValues::U32(&self.id) },
        ]
    }

    fn energy(&self, _env: &Environment) -> Energy {
        Energy::default()
    }

    fn total_mass(&self) -> f64 {
        0.0
    }

    fn accounts(&self, _env: &Environment) -> Vec<Account> {
        let heat =
            self.material.capacity * reduce::sum(self.temperature.len(), |i| self.temperature[i]);
        vec![
            Account { name: "heat", unit: "J", value: heat },
            Account { name: "heat_from_bodies", unit: "J", value: self.from_bodies },
        ]
    }

    fn particle_radius(&self) -> f64 {
        0.5 * self.material.volume.powf(1.0 / f64::from(self.space.dimensions()))
    }

    fn insert(&mut self, particles: &[NewParticle]) -> Result<(), EditError> {
        if particles.iter().any(|particle| !particle.position.is_finite()) {
            return Err(EditError::NotFinite);
        }
        let places: Vec<DVec3> = particles.iter().map(|particle| particle.position).collect();
        let temperature = self.material.temperature;
        self.add(&places, |_| temperature);
        Ok(())
    }

    fn remove(&mut self, gone: &dyn Fn(DVec3) -> bool) -> usize {
        let keep: Vec<bool> = self.x.iter().map(|&x| !gone(x)).collect();
        let count = keep.iter().filter(|keep| !**keep).count();
        let mut each = keep.iter();
        self.temperature.retain(|_| each.next() == Some(&true));
        let mut each = keep.iter();
        self.id.retain(|_| each.next() == Some(&true));
        let mut each = keep.iter();
        self.x.retain(|_| each.next() == Some(&true));
        self.links.is_fresh &= count == 0;
        count
    }

    fn phases(&self) -> &Phases {
        &self.phases
    }

    fn reset_phases(&mut self) {
        self.phases.reset();
    }

    fn bytes(&self) -> usize {
        let particle = size_of::<DVec3>() + 2 * size_of::<f64>() + size_of::<u32>();
        self.x.len() * particle
            + self.links.to.capacity() * size_of::<(u32, f64)>()
            + self.index.bytes()
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        columns::write(out, "position", &self.x)?;
        columns::write(out, "temperature", &self.temperature)?;
        columns::write(out, "id", &self.id)?;
        columns::write(out, "next_id", &[self.next_id])?;
        columns::write(out, "from_bodies", &[self.from_bodies])
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let x = columns::read(from, "position")?;
        let (temperature, id) = (columns::read(from, "temperature")?, columns::read(from, "id")?);
        if [temperature.len(), id.len()] != [x.len(); 2] {
            let message = "columns of heat differ in length";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        (self.x, self.temperature, self.id) = (x, temperature, id);
        self.next_id = columns::read_one(from, "next_id")?;
        self.from_bodies = columns::read_one(from, "from_bodies")?;
        self.link().map_err(io::Error::other)
    }
}
