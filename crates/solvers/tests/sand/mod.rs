//! Boxes of sand for experiments: grains of 2 cm, soft enough to be quick.
#![allow(dead_code, reason = "every test file uses a part of it")]

use glam::{DQuat, DVec3};
use lawine_core::body::{Body, Motion};
use lawine_core::environment::Environment;
use lawine_core::geometry::{Aabb, EllipsoidGrain, Platonic, Random, Shape, platonic};
use lawine_core::method::Method;
use lawine_core::space::{Dimension, Space};
use lawine_solvers::dem::contact::{Contacts, Law, Materials, Pairing};
use lawine_solvers::dem::{Block, Config, Grain, Grains};
use std::sync::Arc;

/// Largest half axis of a grain [m].
pub(crate) const SIZE: f64 = 0.01;
/// Edge of the cubes in which balls of this half axis lie most densely, √8 of it [m].
pub(crate) const CUBE: f64 = 2.829 * SIZE;
/// Density of the grains [kg/m³].
pub(crate) const DENSITY: f64 = 2500.0;
/// Gravity [m/s²].
pub(crate) const G: f64 = 9.81;

/// Prints what a test measured.
#[allow(clippy::print_stdout, reason = "tests that measure print what they found")]
pub(crate) fn say(text: &str) {
    println!("{text}");
}

/// Eight irregular pebbles.
pub(crate) fn pebbles() -> Vec<Arc<Shape>> {
    pebbles_of(SIZE)
}

/// The same with another largest half axis [m].
pub(crate) fn pebbles_of(size: f64) -> Vec<Arc<Shape>> {
    (1..=8).map(|seed| pebble(size, 12, seed)).collect()
}

/// Sharp grains with eight corners, as those of sand.
pub(crate) fn shards() -> Vec<Arc<Shape>> {
    (1..=8).map(|seed| pebble(SIZE, 8, seed)).collect()
}

fn pebble(size: f64, corners: usize, seed: u64) -> Arc<Shape> {
    let grain = EllipsoidGrain::new(DVec3::new(1.0, 0.9, 0.8) * size, corners);
    let (body, axes) = grain.make(&mut Random::new(seed)).unwrap();
    Arc::new(Shape::from_polyhedron(&body).unwrap().with_ellipsoid(axes))
}

/// Sharp bodies: a cube and an octahedron of the same volume.
pub(crate) fn stones() -> Vec<Arc<Shape>> {
    let stone =
        |body, radius| Arc::new(Shape::from_polyhedron(&platonic(body, radius).unwrap()).unwrap());
    let radius = 0.999 * SIZE;
    // Volumes 8/(3√3) r³ and 4/3 r³.
    let of_cube = radius * (0.5 * 3.0_f64.sqrt()).cbrt();
    vec![stone(Platonic::Cube, of_cube), stone(Platonic::Octahedron, radius)]
}

/// The corners of cubes of an edge [m] and the middles of their faces, from an origin on, layer by layer; counts
/// are those of half edges.
pub(crate) fn face_centred(
    origin: DVec3,
    cube: f64,
    [nx, ny, nz]: [u32; 3],
) -> impl Iterator<Item = DVec3> {
    (0..nx * ny * nz)
        .map(move |k| [k / nz % nx, k / nz / nx, k % nz])
        .filter(|place| place.iter().sum::<u32>() % 2 == 0)
        .map(move |place| origin + 0.5 * cube * DVec3::from_array(place.map(f64::from)))
}

/// Diameter of the ball with the mean volume of some shapes [m].
pub(crate) fn diameter(shapes: &[Arc<Shape>]) -> f64 {
    let volume = shapes.iter().map(|s| s.volume).sum::<f64>() / shapes.len() as f64;
    (6.0 * volume / std::f64::consts::PI).cbrt()
}

/// Stiffness of grains that overlap visibly, but are quick [Pa].
pub(crate) const SOFT: f64 = 3e5;
/// Stiffness at which a bed of 10 cm lies in itself with half a per cent of its volume; with 3e5 Pa
/// it is a twentieth [Pa].
pub(crate) const HARD: f64 = 1e7;

/// Grains of a stiffness [Pa] with friction among themselves, and with a list of bodies.
pub(crate) fn contacts(stiffness: f64, friction: f64, walls: &[f64]) -> Contacts {
    let pairing = Pairing::new(stiffness, 0.4, friction);
    let mut materials = Materials::new(1 + walls.len(), pairing);
    for (wall, &friction) in walls.iter().enumerate() {
        let of_wall = Pairing { friction, static_friction: friction, ..pairing };
        materials.set(0, wall + 1, of_wall).unwrap();
    }
    let of_bodies = (1..=walls.len()).collect();
    Contacts { law: Law::Square, materials, of_bodies, ..Contacts::new(pairing) }
}

/// A body that swings up and down from a time to another [s], with an acceleration of so many g.
pub(crate) fn shaking(gamma: f64, frequency: f64, [start, stop]: [f64; 2]) -> Motion {
    let omega = std::f64::consts::TAU * frequency;
    let (amplitude, direction) = (gamma * G / (omega * omega), DVec3::Y);
    // From the highest point on, so that it starts without a jolt.
    let phase = std::f64::consts::FRAC_PI_2;
    Motion::Vibration { amplitude, frequency, direction, phase, start, stop }
}

/// A box with an edge along every axis; sides are named as for containers.
pub(crate) fn container(size: DVec3, open: [[bool; 2]; 3]) -> Body {
    Body::container("box", DVec3::ZERO, size, open).unwrap()
}

/// Grains among bodies, and the clock.
pub(crate) struct Sand {
    pub(crate) env: Environment,
    pub(crate) grains: Grains,
    pub(crate) time: f64,
    /// How much longer steps are than their limit, in which the fastest oscillation turns by a fifth of a
    /// radian. With steps of 2.5 limits grains pack as with one (0.676 and 0.677), and with four as
    /// with 2.5 (0.581 and 0.579).
    pub(crate) haste: f64,
    /// Where grains are removed, and their number so far.
    pub(crate) outlet: Option<Aabb>,
    pub(crate) drained: usize,
    random: Random,
}

impl Sand {
    /// No grain yet; width and depth repeat after a length [m], where one is given.
    pub(crate) fn new(
        shapes: Vec<Arc<Shape>>,
        bodies: Vec<Body>,
        contacts: &Contacts,
        [width, depth]: [Option<f64>; 2],
    ) -> Self {
        let mut space = Space::unbounded(Dimension::Full);
        let far = |length: Option<f64>| length.map_or([-100.0, 100.0], |length| [0.0, length]);
        let ([left, right], [back, front]) = (far(width), far(depth));
        let domain = Aabb::new(DVec3::new(left, -100.0, back), DVec3::new(right, 100.0, front));
        (space.domain, space.periodic) = (Some(domain), [width.is_some(), false, depth.is_some()]);
        let mut env = Environment::new(space, DVec3::NEG_Y * G);
        env.bodies = bodies;
        let grains = Grains::new(Config::new(DENSITY), shapes, &env).unwrap();
        let grains = grains.with_contacts(contacts, &env).unwrap();
        let random = Random::new(1);
        Self { env, grains, time: 0.0, haste: 1.0, outlet: None, drained: 0, random }
    }

    /// With other random numbers for what is put in from now on.
    pub(crate) fn reseed(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    /// Fills a block with grains on a lattice, turned at random.
    pub(crate) fn fill(&mut self, min: DVec3, max: DVec3) -> usize {
        self.fill_with(self.grains.shapes().len(), min, max)
    }

    /// The same with the first few shapes.
    pub(crate) fn fill_with(&mut self, shapes: usize, min: DVec3, max: DVec3) -> usize {
        let radii = self.grains.shapes()[..shapes].iter().map(|s| s.radius);
        let across = 2.0 * radii.fold(0.0, f64::max);
        let spacing = DVec3::splat(across * (1.0 + 1e-9));
        let block = Block { origin: min, size: max - min, spacing };
        for position in block.places(None, across).unwrap() {
            self.put(shapes, position);
        }
        self.grains.particle_count()
    }

    /// Fills a block with grains as densely as the balls around them can lie, on the corners of cubes
    /// and the middles of their faces, where they are wanted.
    pub(crate) fn fill_densely(
        &mut self,
        min: DVec3,
        max: DVec3,
        wanted: impl Fn(DVec3) -> bool,
    ) -> usize {
        let counts = (2.0 * (max - min) / CUBE).to_array().map(|n| (n + 1e-6) as u32);
        for x in face_centred(min + 1.01 * SIZE, CUBE, counts).filter(|x| wanted(*x)) {
            self.put(self.grains.shapes().len(), x);
        }
        self.grains.particle_count()
    }

    /// A grain of one of the first few shapes at rest.
    pub(crate) fn put(&mut self, shapes: usize, position: DVec3) {
        let shape = self.random.below(shapes) as u32;
        let orientation: DQuat = self.random.orientation();
        let (velocity, omega) = (DVec3::ZERO, DVec3::ZERO);
        self.grains.add(&Grain { shape, position, velocity, orientation, omega }).unwrap();
    }

    /// Runs up to a time [s] and looks after every step.
    pub(crate) fn run(&mut self, until: f64, mut look: impl FnMut(&Self)) {
        while self.time < until {
            let limit = self.haste * self.grains.dt_limit(&self.env).dt;
            let dt = limit.min(until - self.time);
            self.env.clear_forces();
            self.grains.step(&mut self.env, dt).unwrap();
            self.time += dt;
            self.env.set_time(self.time);
            if let Some(outlet) = self.outlet {
                self.drained += self.grains.remove(&|x| outlet.contains(x));
            }
            look(self);
        }
    }

    /// Runs on until the mean kinetic energy is below that of a fall by a fraction of the size, at most
    /// for a time [s], and says whether it is.
    pub(crate) fn rest(&mut self, fraction: f64, at_most: f64) -> bool {
        let end = self.time + at_most;
        let slow = fraction * SIZE * self.weight();
        while self.time < end {
            self.run((self.time + 0.02).min(end), |_| {});
            if self.grains.energy(&self.env).kinetic < slow {
                return true;
            }
        }
        false
    }

    /// Weight of all grains [N].
    pub(crate) fn weight(&self) -> f64 {
        let volume = |i: usize| self.grains.shape(i).volume;
        (0..self.grains.particle_count()).map(volume).sum::<f64>() * DENSITY * G
    }

    /// Fraction of a box that grains fill, by the grains whose centre is inside.
    pub(crate) fn packing(&self, within: &Aabb) -> f64 {
        let x = &self.grains.state().x;
        let inside = (0..x.len()).filter(|&i| within.contains(x[i]));
        inside.map(|i| self.grains.shape(i).volume).sum::<f64>() / within.size().element_product()
    }

    /// The height of the highest grain over every interval of a length along x, from zero on [m].
    pub(crate) fn profile(&self, step: f64) -> Vec<f64> {
        let mut tops = Vec::new();
        for x in &self.grains.state().x {
            let k = (x.x / step).max(0.0) as usize;
            if tops.len() <= k {
                tops.resize(k + 1, 0.0);
            }
            tops[k] = x.y.max(tops[k]);
        }
        tops
    }
}

/// Runs all cases at once, each on threads of its own, as many as its part of the work; returns what they found, in
/// their order.
pub(crate) fn side_by_side<C: Copy + Send + Sync, R: Send>(
    cases: &[C],
    work: impl Fn(C) -> f64,
    run: impl Fn(C) -> R + Sync,
) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let all: f64 = cases.iter().map(|&case| work(case)).sum();
    let alone = |case: C, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(case))
    };
    std::thread::scope(|scope| {
        let start = |&case: &C| {
            let threads = (cores as f64 * work(case) / all).round().max(1.0) as usize;
            scope.spawn(move || alone(case, threads))
        };
        let runs: Vec<_> = cases.iter().map(start).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    })
}
