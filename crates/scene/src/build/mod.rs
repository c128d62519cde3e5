//! From a scene file to a simulation.

mod bodies;
mod fill;
mod openings;
#[cfg(test)]
mod tests;

use crate::file::{
    self, EquationOfState, KernelShape, LoadedScene, NeighborSearch, SceneError, SceneFile,
};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::geometry::Aabb;
use lawine_core::kernel::KernelKind;
use lawine_core::method::{Method, NewParticle};
use lawine_core::neighbors::SearchKind;
use lawine_core::simulation::{Simulation, TimeControl};
use lawine_core::space::{Dimension, Leaving, Space};
use lawine_solvers::sph::{
    BoundaryMethod, Config, Equation, Iterations, LinearSolver, Liquid, LiquidError,
    PressureMethod, StateEquation, ViscositySolver, WallPressure,
};

/// A simulation and the scene it was made from, with everything decided that the file left open.
pub struct Built {
    /// The simulation, at time zero.
    pub simulation: Simulation,
    /// The scene with the values that were derived.
    pub scene: SceneFile,
    /// A box around matter and bodies at the start, for the camera [m].
    pub bounds: Aabb,
}

/// Builds the simulation of a scene.
pub fn build(loaded: &LoadedScene) -> Result<Built, SceneError> {
    let mut scene = loaded.portable();
    let mut env = environment(&scene);
    for number in 0..scene.body.len() {
        env.bodies.push(bodies::body(loaded, number)?);
    }
    env.set_time(0.0);
    let particles = fill::particles(loaded, &env)?;
    let openings = openings::openings(loaded, &env)?;
    // What will come in counts where the size of things is guessed.
    let mut expected = particles.clone();
    for emitter in &openings.emitters {
        let velocity = emitter.velocity();
        expected.extend(emitter.sites().iter().map(|&position| NewParticle { position, velocity }));
    }
    let scale = Scale::of(&scene, &env, &expected);
    scene.pressure.stiffness.get_or_insert(scale.stiffness(scene.liquid.rest_density));
    if scene.view.range.is_none() {
        scene.view.range = scale.range(&scene);
    }
    let mut liquid = Liquid::new(config(&scene), &env).map_err(|e| liquid_error(loaded, e))?;
    liquid.insert(&particles).map_err(|e| loaded.error("fill", e.to_string()))?;
    let control = TimeControl {
        fixed: scene.solver.time_step,
        max: scene.solver.max_time_step,
        growth: scene.solver.growth,
    };
    let bounds = view_bounds(&env, &expected, scene.liquid.spacing);
    let mut simulation = Simulation::new(env, vec![Box::new(liquid)], control);
    simulation.openings = openings;
    Ok(Built { simulation, scene, bounds })
}

fn environment(scene: &SceneFile) -> Environment {
    let space = &scene.space;
    let mut periodic = [false; 3];
    for axis in &space.periodic {
        periodic[axis.index()] = true;
    }
    let space = Space {
        dimension: if space.dimension == 2 { Dimension::Planar } else { Dimension::Full },
        domain: space.domain.map(|d| Aabb { min: d.min.get(), max: d.max.get() }),
        periodic,
        leaving: match space.leaving {
            file::Leaving::Error => Leaving::Error,
            file::Leaving::Remove => Leaving::Remove,
        },
    };
    Environment::new(space, scene.space.gravity.get())
}

fn config(scene: &SceneFile) -> Config {
    let SceneFile { solver, liquid, pressure, boundary, .. } = scene;
    Config {
        spacing: liquid.spacing,
        support: liquid.support(),
        kernel: match solver.kernel {
            KernelShape::CubicSpline => KernelKind::CubicSpline,
            KernelShape::WendlandC2 => KernelKind::WendlandC2,
        },
        search: match solver.neighbors {
            NeighborSearch::Grid => SearchKind::Grid,
            NeighborSearch::Hash => SearchKind::Hash,
            NeighborSearch::BruteForce => SearchKind::BruteForce,
        },
        rest_density: liquid.rest_density,
        viscosity: liquid.viscosity,
        viscosity_solver: match liquid.viscosity_solver {
            file::ViscositySolver::Explicit => ViscositySolver::Explicit,
            file::ViscositySolver::Implicit => ViscositySolver::Implicit,
        },
        xsph: liquid.xsph,
        surface_tension: liquid.surface_tension,
        wall_viscosity: boundary.viscosity.unwrap_or(liquid.viscosity),
        pressure: pressure_method(pressure),
        wall_pressure: match boundary.pressure {
            file::WallPressure::Mirror => WallPressure::Mirror,
            file::WallPressure::Hydrostatic => WallPressure::Hydrostatic,
        },
        boundary: match boundary.method {
            file::BoundaryMethod::Layers => BoundaryMethod::Layers(boundary.layers as usize),
            file::BoundaryMethod::Volumes => BoundaryMethod::Volumes,
        },
        cfl: solver.cfl,
    }
}

fn pressure_method(pressure: &file::Pressure) -> PressureMethod {
    let iterations = Iterations {
        tolerance: pressure.tolerance,
        min: pressure.min_iterations,
        max: pressure.max_iterations,
        linear_solver: match pressure.linear_solver {
            file::LinearSolver::Jacobi => LinearSolver::Jacobi,
            file::LinearSolver::Accelerated => LinearSolver::Accelerated,
        },
        relaxation: pressure.relaxation,
        target: pressure.target_iterations,
        strict: pressure.unsolved == file::Unsolved::Error,
    };
    match pressure.method {
        file::PressureMethod::Eos => PressureMethod::StateEquation(StateEquation {
            equation: match pressure.equation {
                EquationOfState::Linear => Equation::Linear,
                EquationOfState::Tait => Equation::Tait { exponent: pressure.exponent },
            },
            stiffness: pressure.stiffness.unwrap_or_default(),
            clamp: pressure.clamp,
        }),
        file::PressureMethod::Iisph => PressureMethod::Iisph(iterations),
        file::PressureMethod::Dfsph => PressureMethod::Dfsph(iterations),
    }
}

fn liquid_error(loaded: &LoadedScene, error: LiquidError) -> SceneError {
    match error {
        LiquidError::Config(e) => loaded.error(e.key, e.to_string()),
        LiquidError::Search(e) => loaded.error("space.periodic", e.to_string()),
        LiquidError::Boundary(e) => loaded.error("body", e.to_string()),
    }
}

/// Speeds and lengths that can be expected.
struct Scale {
    /// Largest height of fall [m].
    fall: f64,
    /// Largest speed to expect [m/s].
    speed: f64,
}

impl Scale {
    fn of(scene: &SceneFile, env: &Environment, particles: &[NewParticle]) -> Self {
        let g = env.gravity.length();
        let up = -env.gravity.normalize_or_zero();
        let height = |x: DVec3| up.dot(x);
        let (mut low, mut high, mut speed) = (f64::INFINITY, f64::NEG_INFINITY, 0.0_f64);
        for particle in particles {
            low = low.min(height(particle.position));
            high = high.max(height(particle.position));
            speed = speed.max(particle.velocity.length());
        }
        for body in &env.bodies {
            let bounds = flat(body.bounds());
            let lowest = bounds.corners().map(height).into_iter().fold(f64::INFINITY, f64::min);
            if lowest.is_finite() {
                low = low.min(lowest);
            }
            speed =
                speed.max(body.motion.iter().map(|m| top_speed(m, &bounds)).fold(0.0, f64::max));
        }
        let fall = if high >= low { high - low + 0.5 * scene.liquid.spacing } else { 0.0 };
        let speed = (speed * speed + 2.0 * g * fall).sqrt();
        Self { fall, speed: if speed > 0.0 { speed } else { 1.0 } }
    }

    /// k = ρ0 c² with c ten times the largest speed: the liquid is then compressed by about one
    /// percent (Monaghan 1994).
    fn stiffness(&self, rest_density: f64) -> f64 {
        rest_density * (10.0 * self.speed).powi(2)
    }

    /// Ends of the colour map for the fields whose size can be foreseen.
    fn range(&self, scene: &SceneFile) -> Option<[f64; 2]> {
        if scene.view.colors == "cfl" {
            return None;
        }
        let g = scene.space.gravity.get().length();
        let rho0 = scene.liquid.rest_density;
        match scene.view.field.as_str() {
            "speed" | "velocity" => Some([0.0, round_up(self.speed)]),
            "velocity.x" | "velocity.y" | "velocity.z" => {
                Some([-round_up(self.speed), round_up(self.speed)])
            }
            "pressure" if g * self.fall > 0.0 => Some([0.0, round_up(rho0 * g * self.fall)]),
            "density" => Some([0.98 * rho0, 1.02 * rho0]),
            _ => None,
        }
    }
}

/// The next larger number of the form 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten.
fn round_up(x: f64) -> f64 {
    let power = 10.0_f64.powf(x.log10().floor());
    let steps = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    power * steps.into_iter().find(|s| s * power >= x * (1.0 - 1e-9)).unwrap_or(10.0)
}

/// Bounds without the endless depth that shapes of the plane have: infinity times zero is no number.
fn flat(mut bounds: Aabb) -> Aabb {
    if bounds.min.z == f64::NEG_INFINITY && bounds.max.z == f64::INFINITY {
        (bounds.min.z, bounds.max.z) = (0.0, 0.0);
    }
    bounds
}

/// The largest speed that a motion gives to a body's surface.
fn top_speed(motion: &lawine_core::body::Motion, bounds: &Aabb) -> f64 {
    use lawine_core::body::Motion;
    match motion {
        Motion::Velocity { velocity, .. } => velocity.length(),
        Motion::Rotation { rate, point, .. } => {
            let reach = bounds.corners().map(|c| (c - *point).length());
            rate.abs() * reach.into_iter().filter(|r| r.is_finite()).fold(0.0, f64::max)
        }
        Motion::Vibration { amplitude, frequency, .. } => {
            amplitude.abs() * std::f64::consts::TAU * frequency
        }
    }
}

/// What the camera should see.
fn view_bounds(env: &Environment, particles: &[NewParticle], spacing: f64) -> Aabb {
    let mut bounds = Aabb::from_points(particles.iter().map(|p| p.position)).grow(0.5 * spacing);
    for body in &env.bodies {
        let own = body.bounds();
        // Planes and planar boxes have no end along some axes.
        if own.min.x.is_finite() && own.max.x.is_finite() && own.min.y.is_finite() {
            bounds = bounds.union(own);
        } else if let Some(domain) = env.space.domain {
            bounds = bounds.union(own.intersection(domain));
        }
    }
    if env.space.is_planar() || !bounds.is_finite() {
        bounds.min.z = if bounds.min.z.is_finite() { bounds.min.z } else { 0.0 };
        bounds.max.z = if bounds.max.z.is_finite() { bounds.max.z } else { 0.0 };
    }
    bounds
}
