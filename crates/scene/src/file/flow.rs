//! Velocities of the liquid at the start that differ from place to place.

use glam::DVec3;
use lawine_settings::Settings;
use std::f64::consts::TAU;

use super::vector::Vector;

/// A field of velocities; in a scene file a table with one key, for example `flow.linear = { … }`.
#[derive(Clone, Debug, PartialEq, Settings)]
pub enum Flow {
    /// Linear velocity field about a centre.
    Linear(LinearFlow),
    /// Counter-rotating vortices in the x-y plane.
    TaylorGreen(TaylorGreen),
}

impl Flow {
    /// Velocity at `x` [m/s].
    pub fn velocity(&self, x: DVec3) -> DVec3 {
        match self {
            Self::Linear(flow) => {
                let x = x - flow.center.get();
                let row = |k: usize| flow.gradient.get(k).map_or(0.0, |row| row.get().dot(x));
                DVec3::new(row(0), row(1), row(2))
            }
            Self::TaylorGreen(TaylorGreen { speed, length }) => {
                let ((sx, cx), (sy, cy)) =
                    ((TAU * x.x / length).sin_cos(), (TAU * x.y / length).sin_cos());
                speed * DVec3::new(-cx * sy, sx * cy, 0.0)
            }
        }
    }

    /// See [`SceneFile::resolve`](super::SceneFile::resolve).
    pub(super) fn resolve(&mut self, dimension: u32) {
        if let Self::Linear(flow) = self {
            flow.center.resolve(dimension);
        }
    }
}

/// A velocity v = G (x − c).
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct LinearFlow {
    /// Rows of the velocity gradient G [1/s], one per dimension.
    pub gradient: Vec<Vector>,
    /// Point of zero velocity [m].
    #[setting(default)]
    pub center: Vector,
}

/// Vortices v = U (−cos(2πx/L) sin(2πy/L), sin(2πx/L) cos(2πy/L), 0).
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct TaylorGreen {
    /// Largest speed U [m/s].
    pub speed: f64,
    /// Period L of the vortices [m].
    #[setting(above = 0)]
    pub length: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_what_their_formulas_say() {
        let gradient = vec![Vector::planar(-100.0, 0.0), Vector::planar(1.0, 100.0)];
        let center = Vector::planar(1.0, 0.0);
        let flow = Flow::Linear(LinearFlow { gradient, center });
        assert_eq!(flow.velocity(DVec3::new(2.0, 0.5, 0.0)), DVec3::new(-100.0, 51.0, 0.0));
        let vortices = Flow::TaylorGreen(TaylorGreen { speed: 2.0, length: 4.0 });
        let fast = vortices.velocity(DVec3::new(1.0, 0.0, 0.0));
        assert!((fast - DVec3::new(0.0, 2.0, 0.0)).length() < 1e-12);
        assert!(vortices.velocity(DVec3::new(1.0, 1.0, 0.0)).length() < 1e-12);
    }
}
