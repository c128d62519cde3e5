//! Sizes that a scene lets expect, for what its file leaves open.

use crate::file::{ColorScale, SceneFile};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::geometry::Aabb;
use lawine_core::method::NewParticle;
use lawine_render::ColorMap;

/// Speeds and lengths that can be expected.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// Largest height of fall [m].
    fall: f64,
    /// Largest speed to expect [m/s].
    speed: f64,
}

impl Scale {
    /// What matter with this spacing [m] and bodies let expect at the start.
    pub(crate) fn of(env: &Environment, particles: &[NewParticle], spacing: f64) -> Self {
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
            if body.is_free() {
                high = high.max(height(body.pose.position));
            }
            let scripted = body.motions().iter().map(|m| top_speed(m, &bounds));
            speed = scripted.chain([body.velocity.length()]).fold(speed, f64::max);
        }
        let fall = if high >= low { high - low + 0.5 * spacing } else { 0.0 };
        let speed = (speed * speed + 2.0 * g * fall).sqrt();
        Self { fall, speed: if speed > 0.0 { speed } else { 1.0 } }
    }

    /// Largest speed to expect [m/s].
    pub(crate) fn speed(&self) -> f64 {
        self.speed
    }

    /// The larger of both.
    pub(crate) fn max(self, other: Self) -> Self {
        Self { fall: self.fall.max(other.fall), speed: self.speed.max(other.speed) }
    }

    /// k = ρ0 c² with c ten times the largest speed: the liquid is then compressed by about one
    /// percent (Monaghan 1994).
    pub(crate) fn stiffness(&self, rest_density: f64) -> f64 {
        rest_density * (10.0 * self.speed).powi(2)
    }

    /// Ends of the colour map for the fields whose size can be foreseen.
    pub(crate) fn range(&self, scene: &SceneFile) -> Option<[f64; 2]> {
        if scene.view.colors == ColorMap::Cfl {
            return None;
        }
        // Schinner's ends for logarithms of speeds: 10 m/s for powers of ten, 64 mm/s for those of two.
        match (scene.view.scale, scene.view.field.as_str()) {
            (ColorScale::MinMax, _) => return None,
            (ColorScale::Log10, "speed" | "velocity") => return Some([1e-3, 10.0]),
            (ColorScale::Log2, "speed" | "velocity") => return Some([1e-3, 0.064]),
            _ => {}
        }
        scene.matters().find_map(|kind| kind.range(scene, &scene.view.field, self))
    }

    /// Ends of the colours for speeds [m/s].
    pub fn speeds(&self) -> [f64; 2] {
        [0.0, round_up(self.speed)]
    }

    /// Ends of the colours for what grows with depth, by so much a metre; none where there is no depth.
    pub fn heights(&self, per_metre: f64) -> Option<[f64; 2]> {
        let top = per_metre * self.fall;
        (top > 0.0).then(|| [0.0, round_up(top)])
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
