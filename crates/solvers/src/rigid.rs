//! The six numbers of a rigid body's motion, and systems of six equations: what methods share that solve for the motion
//! of free bodies together with their own.

use glam::{DMat3, DVec3};
use lawine_core::body::Body;

/// A force and a torque, a velocity and an angular velocity, or the like.
pub(crate) type Six = [f64; 6];

pub(crate) fn linear(x: &Six) -> DVec3 {
    DVec3::new(x[0], x[1], x[2])
}

pub(crate) fn angular(x: &Six) -> DVec3 {
    DVec3::new(x[3], x[4], x[5])
}

pub(crate) fn join(a: DVec3, b: DVec3) -> Six {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

pub(crate) fn dot(a: &Six, b: &Six) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn add(sum: &mut Six, factor: f64, x: &Six) {
    sum.iter_mut().zip(x).for_each(|(sum, x)| *sum += factor * x);
}

/// How many times heavier a wheel is where it cannot move.
const STUCK: f64 = 1e12;

/// The inertia of a body that forces move, in units of a mass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeBody {
    /// Its number in the environment.
    pub(crate) number: usize,
    /// Its mass; that of a wheel is next to infinite.
    mass: f64,
    /// Its inertia in the world [m²], and the inverse.
    inertia: DMat3,
    inverse_inertia: DMat3,
}

impl FreeBody {
    /// Of body `number` of the environment, over `unit` [kg].
    pub(crate) fn new(number: usize, body: &Body, unit: f64) -> Option<Self> {
        let free = body.released()?;
        let turned = DVec3::AXES.map(|axis| free.turned_by(body.pose.rotation, axis));
        let inverse = DMat3::from_cols(turned[0], turned[1], turned[2]) * unit;
        let inverse_inertia = 0.5 * (inverse + inverse.transpose());
        let mass = free.inertia.mass / unit;
        let Some(axle) = free.axle() else {
            let inertia = inverse_inertia.inverse();
            return Some(Self { number, mass, inertia, inverse_inertia });
        };
        let along = DMat3::from_cols(axle.x * axle, axle.y * axle, axle.z * axle);
        let moment = 1.0 / axle.dot(inverse_inertia * axle);
        let inertia = moment * (along + STUCK * (DMat3::IDENTITY - along));
        Some(Self { number, mass: STUCK * mass, inertia, inverse_inertia })
    }

    /// The momentum of a motion.
    pub(crate) fn momentum(&self, x: &Six) -> Six {
        join(self.mass * linear(x), self.inertia * angular(x))
    }

    /// The change of motion by an impulse.
    pub(crate) fn acceleration(&self, x: &Six) -> Six {
        join(linear(x) / self.mass, self.inverse_inertia * angular(x))
    }

    /// An entry of the matrix that makes a momentum of a motion.
    pub(crate) fn entry(&self, row: usize, column: usize) -> f64 {
        match (row, column) {
            (0..3, 0..3) if row == column => self.mass,
            (3.., 3..) => self.inertia.col(column - 3)[row - 3],
            _ => 0.0,
        }
    }
}

/// The Cholesky factor L of a positive matrix, in its lower triangle.
pub(crate) fn factor(a: &mut [Six; 6]) {
    for column in 0..6 {
        for row in column..6 {
            let known: f64 = (0..column).map(|k| a[row][k] * a[column][k]).sum();
            let rest = a[row][column] - known;
            a[row][column] = if row == column {
                rest.max(f64::MIN_POSITIVE).sqrt()
            } else {
                rest / a[column][column]
            };
        }
    }
}

/// The solution of L Lᵀ x = b.
pub(crate) fn solve_factored(l: &[Six; 6], b: &Six) -> Six {
    let mut x = *b;
    for row in 0..6 {
        let known: f64 = (0..row).map(|k| l[row][k] * x[k]).sum();
        x[row] = (x[row] - known) / l[row][row];
    }
    for row in (0..6).rev() {
        let known: f64 = (row + 1..6).map(|k| l[k][row] * x[k]).sum();
        x[row] = (x[row] - known) / l[row][row];
    }
    x
}
