//! The fast loops against the plain ones, for both kernels, in the plane and in space, with walls of either kind
//! that move and liquid that moves at random.

use super::super::config::{
    BoundaryMethod, Config, Iterations, PressureMethod, ViscositySolver, WallPressure,
};
use super::super::pairs::{Chunk, Surroundings};
use super::super::sweeps::Acceleration;
use super::super::system::Lists;
use super::super::{Equation, Liquid, StateEquation};
use super::Plain;
use glam::DVec3;
use lawine_core::body::Body;
use lawine_core::environment::Environment;
use lawine_core::geometry::Random;
use lawine_core::kernel::{CubicSplineLanes, KernelKind, LaneShape, WendlandC2Lanes};
use lawine_core::method::{Method, NewParticle};
use lawine_core::neighbors::SearchKind;
use lawine_core::space::{Dimension, Space};
use std::marker::PhantomData;

/// Compared with the largest sum of all particles. Sums of about fifty terms in `f32`, each after ten operations or
/// so that round by 6e−8; the worst is 6e−7, that of a product with the pressure system.
const TOLERANCE: f64 = 2e-6;

const D: f64 = 0.05;
const DT: f64 = 1e-3;
const LAW: StateEquation =
    StateEquation { equation: Equation::Linear, stiffness: 2e5, clamp: true };

/// Runs `check` with the liquid of every case.
fn each_case(pressure: PressureMethod, check: Check) {
    for dimension in [Dimension::Planar, Dimension::Full] {
        for wall_pressure in [WallPressure::Consistent, WallPressure::Mirror] {
            let case = |kernel| Case::new(dimension, kernel, wall_pressure, pressure);
            (check.spline)(&mut case(KernelKind::CubicSpline));
            (check.wendland)(&mut case(KernelKind::WendlandC2));
        }
    }
}

/// A check for both kernels.
struct Check {
    spline: fn(&mut Case),
    wendland: fn(&mut Case),
}

macro_rules! check {
    ($check:ident) => {
        Check { spline: $check::<CubicSplineLanes>, wendland: $check::<WendlandC2Lanes> }
    };
}

struct Case {
    name: String,
    env: Environment,
    liquid: Liquid,
}

impl Case {
    /// Disordered liquid in the corner of a tank, with the walls around it already placed.
    fn new(
        dimension: Dimension,
        kernel: KernelKind,
        wall_pressure: WallPressure,
        pressure: PressureMethod,
    ) -> Self {
        let planar = dimension == Dimension::Planar;
        let gravity = DVec3::new(0.0, -9.81, 0.0);
        let mut env = Environment::new(Space::unbounded(dimension), gravity);
        let open = [[false; 2], [false, true], [false; 2]];
        let (n, depth) = if planar { (12, 1) } else { (5, 5) };
        let size = D * DVec3::new(f64::from(n), 2.0 * f64::from(n), f64::from(depth));
        let size = if planar { size.with_z(0.0) } else { size };
        env.bodies.push(Body::container("tank", DVec3::ZERO, size, open).unwrap());
        // Two bodies that are free, so near that particles are next to both.
        for (name, side) in [("left", -1.0), ("right", 1.0)] {
            let place = 0.5 * size.with_y(size.x) + side * 1.1 * D * DVec3::X;
            let ball = Body::sphere(name, place, 0.9 * D).unwrap();
            let spin = DVec3::ZERO;
            env.bodies.push(ball.into_free(&env.space, 20.0, DVec3::ZERO, spin).unwrap());
        }
        let config = Config {
            spacing: D,
            support: 2.2 * D,
            kernel,
            search: SearchKind::Grid,
            rest_density: 1000.0,
            viscosity: 0.01,
            viscosity_solver: ViscositySolver::Explicit,
            xsph: 0.1,
            // So large that it counts beside XSPH.
            surface_tension: 200.0,
            wall_viscosity: 0.02,
            pressure,
            wall_pressure,
            boundary: BoundaryMethod::Layers(3),
            cfl: 0.4,
        };
        let mut liquid = Liquid::new(config, &env).unwrap();
        let mut random = Random::new(7);
        let flat = |v: DVec3| if planar { v.with_z(0.0) } else { v };
        let mut particles = Vec::new();
        for k in 0..n * n * depth {
            let at = [k % n, k / n % n, k / n / n].map(|k| f64::from(k) + 0.5);
            let position = flat(D * (DVec3::from_array(at) + 0.2 * random.direction()));
            particles.push(NewParticle { position, velocity: flat(random.direction()) });
        }
        liquid.insert(&particles).unwrap();
        liquid.sort_by_cell(&env).unwrap();
        for record in &mut liquid.boundary.records {
            let v = flat(random.direction()).to_array().map(|v| (v as f32).to_bits());
            record[4..7].copy_from_slice(&v);
        }
        let name = format!("{dimension:?} {kernel:?} {wall_pressure:?}");
        Self { name, env, liquid }
    }

    /// Compares vectors with the largest of the plain ones.
    fn compare(&self, what: &str, fast: &[DVec3], plain: &[DVec3]) {
        let largest = plain.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(largest > 0.0 && fast.len() == plain.len(), "{}: no {what}", self.name);
        for (i, (fast, plain)) in fast.iter().zip(plain).enumerate() {
            let error = (*fast - *plain).length() / largest;
            assert!(error < TOLERANCE, "{}: {what} of {i}: {fast} {plain}, {error}", self.name);
        }
    }

    fn compare_scalars(&self, what: &str, fast: &[f32], plain: &[f64]) {
        let vector = |x: f64| DVec3::new(x, 0.0, 0.0);
        let fast: Vec<DVec3> = fast.iter().map(|&x| vector(f64::from(x))).collect();
        let plain: Vec<DVec3> = plain.iter().map(|&x| vector(x)).collect();
        self.compare(what, &fast, &plain);
    }

    /// Density and pressure of an equation of state, and the plain sums.
    fn with_pressure<K: LaneShape>(&mut self) -> Plain {
        self.liquid.fill_walls::<K>();
        self.liquid.compute_density::<K>();
        self.liquid.compute_pressure(LAW);
        self.liquid.press_walls();
        Plain::new(&self.liquid, DT)
    }
}

fn each<T>(plain: &Plain, value: impl Fn(usize) -> T) -> Vec<T> {
    (0..plain.liquid.len()).map(value).collect()
}

#[test]
fn densities_pressures_and_forces() {
    fn check<K: LaneShape>(case: &mut Case) {
        let plain = case.with_pressure::<K>();
        let (liquid, coverage) = (&case.liquid, &case.liquid.work.coverage);
        let of_walls = |value: &dyn Fn(&super::Wall) -> f64| -> Vec<f64> {
            plain.walls.iter().map(value).collect()
        };
        case.compare_scalars("liquid seen", &coverage.filled, &of_walls(&|b| plain.filled(b)));
        let kappa = |j: usize| plain.liquid[j].kappa;
        if liquid.config.wall_pressure == WallPressure::Consistent {
            let pressures = of_walls(&|b| plain.wall_pressure(b, kappa));
            case.compare_scalars("wall pressure", &coverage.pressures, &pressures);
        }
        let rho = &liquid.particles.rho;
        case.compare_scalars("density", rho, &each(&plain, |i| plain.density(i)));

        let constants = liquid.force_constants(DT);
        let n = rho.len();
        let (mut out, mut stress) = (vec![[0.0; 3]; n], vec![0.0; n]);
        let mut report =
            super::super::ChunkReport { forces: vec![[0.0; 6]; 3], ..Default::default() };
        let work = &liquid.work;
        let (records, boundary, coverage) = (&work.records[..], &liquid.boundary, &work.coverage);
        work.level.run(Acceleration::<K> {
            chunk: Chunk {
                all: Surroundings { constants: &constants, records, boundary, coverage },
                first: 0,
                neighbors: &work.neighbors.chunks[0],
                wall_neighbors: &work.boundary_neighbors.chunks[0],
            },
            positions: &liquid.particles.x,
            report: &mut report,
            out: &mut out,
            stress: &mut stress,
            shape: PhantomData,
        });
        let out: Vec<DVec3> = out.into_iter().map(DVec3::from_array).collect();
        case.compare("acceleration", &out, &each(&plain, |i| plain.acceleration(i)));
        let square = |i: usize| f64::from(rho[i]).powi(2);
        let carried = each(&plain, |i| plain.carried(i, true) * square(i));
        case.compare_scalars("stress", &stress, &carried);
        let carried = each(&plain, |i| plain.carried(i, false) * square(i));
        case.compare_scalars("stress", &liquid.carried::<K>(DT), &carried);
    }
    each_case(PressureMethod::StateEquation(LAW), check!(check));
}

#[test]
fn surface_tension_and_xsph() {
    fn check<K: LaneShape>(case: &mut Case) {
        let plain = case.with_pressure::<K>();
        let (before, rho) = (case.liquid.particles.v.clone(), case.liquid.particles.rho.clone());
        case.liquid.apply_surface::<K>(DT);
        let change = |(after, before): (&DVec3, &DVec3)| (*after - *before) / DT;
        let fast: Vec<DVec3> = case.liquid.particles.v.iter().zip(&before).map(change).collect();
        case.compare("surface", &fast, &each(&plain, |i| plain.surface(i, &rho, DT)));
    }
    each_case(PressureMethod::StateEquation(LAW), check!(check));
}

#[test]
fn products_of_the_implicit_viscosity() {
    fn check<K: LaneShape>(case: &mut Case) {
        let plain = case.with_pressure::<K>();
        let (constants, v) = (case.liquid.viscous_constants(), case.liquid.particles.v.clone());
        let mut fast = v.clone();
        for moving in [true, false] {
            case.liquid.viscous_product::<K>(&constants, &v, &mut fast, moving, false);
            case.compare("L v", &fast, &each(&plain, |i| plain.laplacian(i, moving)));
        }
    }
    each_case(PressureMethod::StateEquation(LAW), check!(check));
}

#[test]
fn the_pressure_system() {
    fn check<K: LaneShape>(case: &mut Case) {
        case.liquid.assemble::<K>(DT);
        let plain = Plain::new(&case.liquid, DT);
        let (rho, work) = (&case.liquid.particles.rho, &mut case.liquid.work);
        let mut random = Random::new(3);
        let kappa: Vec<f32> = rho.iter().map(|_| random.direction().x.abs() as f32).collect();
        let wide: Vec<f64> = kappa.iter().map(|&k| f64::from(k)).collect();
        let lists = Lists { liquid: &work.neighbors, walls: &work.boundary_neighbors };
        work.system.accelerate(work.level, lists, &mut work.coverage, &kappa);
        let fast_a = work.system.vectors.clone();
        work.system.density_rate(work.level, lists, &mut work.coverage, |_, rate| rate);
        let (fast_rate, sums) = (work.system.source.clone(), work.system.sums.clone());

        let rho_of = |i: usize| f64::from(rho[i]);
        let vectors = |of: &dyn Fn(usize) -> [f32; 3]| -> Vec<DVec3> {
            (0..sums.len()).map(|i| DVec3::from_array(of(i).map(f64::from))).collect()
        };
        case.compare_scalars("density", rho, &each(&plain, |i| plain.density(i)));
        let s = each(&plain, |i| plain.s(i, rho_of(i)));
        case.compare("S", &vectors(&|i| sums[i].s), &s);
        case.compare("viscosity", &vectors(&|i| sums[i].other), &each(&plain, |i| plain.other(i)));
        let a = each(&plain, |i| plain.pressure_acceleration(i, s[i], &wide));
        case.compare("A κ", &vectors(&|i| [fast_a[i][0], fast_a[i][1], fast_a[i][2]]), &a);
        let wall_rate = each(&plain, |i| plain.wall_rate(i, rho_of(i)));
        let rate = |f: &[DVec3], i| plain.divergence(i, s[i], f) - wall_rate[i];
        case.compare_scalars("B κ", &fast_rate, &each(&plain, |i| rate(&a, i)));
        let v = plain.velocities();
        let fast: Vec<f32> = sums.iter().map(|sums| sums.rate).collect();
        case.compare_scalars("dρ/dt", &fast, &each(&plain, |i| rate(&v, i)));
        let fast: Vec<f32> = sums.iter().map(|sums| 1.0 / sums.inverse_diagonal).collect();
        case.compare_scalars("diagonal", &fast, &each(&plain, |i| plain.diagonal(i, s[i])));
    }
    each_case(PressureMethod::Iisph(Iterations::default()), check!(check));
}

#[test]
fn free_bodies_in_the_pressure_system() {
    fn check<K: LaneShape>(case: &mut Case) {
        case.liquid.assemble::<K>(DT);
        case.liquid.find_free_bodies(&case.env, DT);
        let plain = Plain::new(&case.liquid, DT);
        let m = case.liquid.mass();
        let (rho, work) = (&case.liquid.particles.rho, &mut case.liquid.work);
        let mut random = Random::new(5);
        let kappa: Vec<f32> = rho.iter().map(|_| random.direction().x.abs() as f32).collect();
        let wide: Vec<f64> = kappa.iter().map(|&k| f64::from(k)).collect();
        let lists = Lists { liquid: &work.neighbors, walls: &work.boundary_neighbors };
        work.system.accelerate(work.level, lists, &mut work.coverage, &kappa);
        let motions = work.system.free.motions.clone();
        work.system.density_rate(work.level, lists, &mut work.coverage, |_, rate| rate);
        let fast_rate = work.system.source.clone();

        let rho_of = |i: usize| f64::from(rho[i]);
        let s = each(&plain, |i| plain.s(i, rho_of(i)));
        let a = each(&plain, |i| plain.pressure_acceleration(i, s[i], &wide));
        let mut rate =
            each(&plain, |i| plain.divergence(i, s[i], &a) - plain.wall_rate(i, rho_of(i)));
        for (motion, number) in motions.iter().zip([1_u32, 2]) {
            let body = &case.env.bodies[number as usize];
            let at = body.pose.position;
            let c = each(&plain, |i| plain.coupling(i, number, at, rho_of(i)));
            let push =
                |part: usize| m * c.iter().zip(&wide).map(|(c, k)| *k * c[part]).sum::<DVec3>();
            let (force, torque) = (push(0), push(1));
            let free = body.free().unwrap();
            let linear = force / free.inertia.mass;
            let angular = free.turned_by(body.pose.rotation, torque);
            let fast = |k: usize| DVec3::new(motion[k], motion[k + 1], motion[k + 2]);
            assert!(fast(0).distance(linear) < 1e-5 * linear.length(), "{}: {motion:?}", case.name);
            // Torques of balls cancel: the forces point at the middle but for what the ahead turns.
            let scale = 0.05 * linear.length() / D;
            assert!(
                fast(3).distance(angular) < 1e-5 * scale.max(angular.length()),
                "{}",
                case.name
            );
            for (rate, c) in rate.iter_mut().zip(&c) {
                *rate -= c[0].dot(linear) + c[1].dot(angular);
            }
        }
        case.compare_scalars("B' κ", &fast_rate, &rate);
    }
    each_case(PressureMethod::Iisph(Iterations::default()), check!(check));
}

/// z = D⁻¹(r − C y) solves (D + m C M⁻¹ Cᵀ) z = r, and what was left out stays as it is.
#[test]
fn the_preconditioner_takes_the_bodies_in() {
    fn check<K: LaneShape>(case: &mut Case) {
        case.liquid.assemble::<K>(DT);
        case.liquid.find_free_bodies(&case.env, DT);
        let system = &mut case.liquid.work.system;
        let mut random = Random::new(6);
        system.free.residuals.iter_mut().for_each(|r| *r = random.direction().x as f32);
        let inverse: Vec<f32> = system.sums.iter().map(|sums| sums.inverse_diagonal).collect();
        // Every third particle is without pressure.
        let start = |i: usize| if i.is_multiple_of(3) { 0.0 } else { 1.0 };
        system.free.precondition(start, |i| inverse[i]);
        let residuals = system.free.residuals.clone();
        let corrections = system.free.of_particles.clone();
        let is_active = |i: usize| start(i) > 0.0 || residuals[i] < 0.0;
        let z: Vec<f32> = (0..inverse.len())
            .map(|i| if is_active(i) { inverse[i] * (residuals[i] - corrections[i]) } else { 0.0 })
            .collect();
        system.free.accelerate(&z);
        system.free.follow();
        let largest = corrections.iter().fold(0.0_f32, |most, c| most.max(c.abs()));
        assert!(largest > 0.1, "{}: bodies count", case.name);
        for i in 0..z.len() {
            if is_active(i) {
                let product = z[i] / inverse[i] + system.free.of_particles[i];
                let error = (product - residuals[i]).abs();
                assert!(error < 1e-4, "{}: {i}: {product} {}", case.name, residuals[i]);
            } else {
                assert!(corrections[i] == 0.0, "{}: {i}", case.name);
            }
        }
    }
    each_case(PressureMethod::Iisph(Iterations::default()), check!(check));
}
