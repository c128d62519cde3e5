//! Quantities of the particles that the watchdog compares.

use super::up;
use crate::body::{Body, Shape};
use crate::environment::Environment;
use crate::field::{self, FieldValues};
use crate::geometry::Aabb;
use crate::method::Method;
use crate::reduce;
use crate::simulation::Simulation;
use glam::DVec3;

/// The matter of a simulation at a moment.
pub(super) struct Survey {
    pub(super) particles: u64,
    /// Kinetic and potential energy [J].
    pub(super) energy: f64,
    kinetic: f64,
    /// Balance of all energy, if every method keeps one, and what was lost [J].
    pub(super) balance: Option<f64>,
    pub(super) lost: f64,
    pub(super) mass: f64,
    /// Size of gravity [m/s²].
    pub(super) g: f64,
    /// Height of the lowest and of the highest particle, and their mean height [m].
    pub(super) low: f64,
    pub(super) high: f64,
    mean: f64,
    /// Largest radius [m].
    pub(super) radius: f64,
    /// Whether matter falls through a periodic boundary, where its height jumps.
    pub(super) gravity_is_periodic: bool,
    pub(super) unit: &'static str,
}

impl Survey {
    pub(super) fn new(simulation: &Simulation) -> Self {
        let Simulation { env, methods, .. } = simulation;
        let (g, up) = (env.gravity.length(), up(env));
        let (mut kinetic, mut potential, mut mass) = (0.0, 0.0, 0.0);
        let (mut low, mut high, mut radius) = (f64::INFINITY, f64::NEG_INFINITY, 0.0_f64);
        for method in methods {
            let energy = method.energy(env);
            kinetic += energy.kinetic;
            potential += energy.potential;
            mass += method.total_mass();
            radius = radius.max(method.particle_radius());
            let [lowest, highest] = extent(&**method, up);
            (low, high) = (low.min(lowest), high.max(highest));
        }
        for body in &env.bodies {
            let ([moving, height], Some(free)) = (body.free_energy(env.gravity), body.free())
            else {
                continue;
            };
            kinetic += moving;
            potential += height;
            mass += free.inertia.mass;
            let at = up.dot(body.pose.position);
            (low, high) = (low.min(at), high.max(at));
        }
        let balances: Option<Vec<_>> = methods.iter().map(|m| m.energy_balance(env)).collect();
        let particles = simulation.particle_count() as u64;
        if particles == 0 {
            (low, high) = (0.0, 0.0);
        }
        let weight = mass * g;
        Self {
            particles,
            energy: kinetic + potential,
            kinetic,
            balance: balances.as_ref().map(|all| all.iter().map(|b| b.total).sum()),
            lost: balances.iter().flatten().map(|b| b.lost).sum(),
            mass,
            g,
            low,
            high,
            mean: if weight > 0.0 { potential / weight } else { 0.0 },
            radius,
            gravity_is_periodic: (0..3)
                .any(|k| env.space.periodic[k] && env.gravity[k].abs() > 0.0),
            unit: energy_unit(env),
        }
    }

    /// Energy that the matter can move with: its motion, and its height above its lowest point [J].
    pub(super) fn available(&self) -> f64 {
        self.kinetic + self.mass * self.g * (self.mean - self.low + self.radius)
    }

    /// Energy that matter set free by falling from a height to where it is [J].
    pub(super) fn fallen(&self, from: f64) -> f64 {
        self.mass * self.g * (from - self.mean)
    }
}

/// The unit of energies: per metre of depth in planar space.
pub(super) fn energy_unit(env: &Environment) -> &'static str {
    if env.space.is_planar() { "J/m" } else { "J" }
}

/// Calls `part` with the positions of each method, in chunks, and combines the results in order.
fn over_positions<T: Copy + Send + Sync>(
    method: &dyn Method,
    start: T,
    part: impl Fn(T, DVec3) -> T + Sync,
    combine: impl FnMut(T, T) -> T,
) -> T {
    let column = method.field("position");
    let x = field::positions(column.as_slice()).unwrap_or_default();
    reduce::fold(x.len(), start, |range| x[range].iter().fold(start, |a, &x| part(a, x)), combine)
}

/// Height of the lowest and of the highest particle [m].
fn extent(method: &dyn Method, up: DVec3) -> [f64; 2] {
    over_positions(
        method,
        [f64::INFINITY, f64::NEG_INFINITY],
        |[low, high], x| [low.min(up.dot(x)), high.max(up.dot(x))],
        |a, b| [a[0].min(b[0]), a[1].max(b[1])],
    )
}

/// Particles whose position is counted.
fn count(method: &dyn Method, is_counted: impl Fn(DVec3) -> bool + Sync) -> u64 {
    over_positions(method, 0, |n, x| n + u64::from(is_counted(x)), |a, b| a + b)
}

/// Particles that have penetrated a body.
pub(super) fn count_inside(simulation: &Simulation, body: &Body) -> u64 {
    let bounds = body.bounds();
    // Boxes are compared sooner than distances found; of a body that holds matter everything around is inside.
    let near = |x: DVec3| body.holds_matter() || bounds.contains(x);
    let inside = |method: &dyn Method| {
        let limit = method.penetration_limit();
        count(method, |x| near(x) && body.signed_distance(x).distance < -limit)
    };
    simulation.methods.iter().map(|method| inside(&**method)).sum()
}

/// Particles below a height [m].
pub(super) fn count_below(simulation: &Simulation, height: f64) -> u64 {
    let up = up(&simulation.env);
    simulation.methods.iter().map(|method| count(&**method, |x| up.dot(x) < height)).sum()
}

/// Whether the distance to a body is costly.
pub(super) fn is_mesh(body: &Body) -> bool {
    matches!(body.shape, Shape::Mesh(_))
}

/// The height of the lowest point of all bodies [m]; none without bodies, or if one has no end there.
pub(super) fn lowest_body(simulation: &Simulation) -> Option<f64> {
    let up = up(&simulation.env);
    let lowest = |body: &Body| {
        let Aabb { min, max } = body.bounds();
        // Zero times infinity is nothing here.
        let along = |k: usize| if up[k] > 0.0 { up[k] * min[k] } else { up[k] * max[k] };
        (0..3).filter(|&k| up[k].abs() > 0.0).map(along).sum::<f64>()
    };
    let bodies = simulation.env.bodies.iter().map(lowest);
    bodies.reduce(f64::min).filter(|height| height.is_finite())
}

/// Largest speed of the particles [m/s].
pub(super) fn largest_speed(simulation: &Simulation) -> f64 {
    let fastest = |method: &dyn Method| {
        let velocity = method.field("velocity").map(|field| field.values);
        let Some(FieldValues::Vec3(v)) = velocity else { return 0.0 };
        v.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt()
    };
    simulation.methods.iter().map(|method| fastest(&**method)).fold(0.0, f64::max)
}
