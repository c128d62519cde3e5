//! The space that particles move in: dimension, domain, periodic axes.
//!
//! There is one core for both dimensions, with `f64` vectors. In planar space every z is exactly zero, masses count per
//! metre of depth, and only the kernel's factor and the number of cells differ.

use crate::geometry::Aabb;
use glam::DVec3;
use lawine_settings::Word;

/// Planar or full space.
///
/// Planar space is full space with every z exactly zero; masses are per metre of depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Two dimensions, x and y.
    Planar,
    /// Three dimensions.
    Full,
}

/// What happens to a particle that leaves the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Leaving {
    /// The run stops with an error.
    Error,
    /// They are removed.
    Remove,
}

/// Dimension, domain and periodic axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// Planar or full.
    pub dimension: Dimension,
    /// Bounds, if there are any; needed where an axis is periodic.
    pub domain: Option<Aabb>,
    /// Axes along which the domain repeats itself.
    pub periodic: [bool; 3],
    /// What happens beyond the domain.
    pub leaving: Leaving,
}

impl Space {
    /// Space without bounds.
    pub fn unbounded(dimension: Dimension) -> Self {
        Self { dimension, domain: None, periodic: [false; 3], leaving: Leaving::Error }
    }

    /// True in two dimensions.
    pub fn is_planar(&self) -> bool {
        self.dimension == Dimension::Planar
    }

    /// 2 or 3.
    pub fn dimensions(&self) -> u32 {
        if self.is_planar() { 2 } else { 3 }
    }

    /// The period of axis `k`: its lower end and its length [m].
    pub fn period(&self, k: usize) -> Option<(f64, f64)> {
        let domain = self.domain.filter(|_| self.periodic[k])?;
        Some((domain.min[k], domain.max[k] - domain.min[k]))
    }

    /// `x` moved by whole periods into the domain.
    pub fn wrap(&self, mut x: DVec3) -> DVec3 {
        for k in 0..3 {
            if let Some((min, length)) = self.period(k)
                && !(min..min + length).contains(&x[k])
            {
                x[k] -= length * ((x[k] - min) / length).floor();
                // Rounding can land exactly on the upper end.
                if x[k] >= min + length {
                    x[k] = min;
                }
            }
        }
        x
    }

    /// The shortest of all vectors that lead from any image of `b` to `a`.
    pub fn difference(&self, a: DVec3, b: DVec3) -> DVec3 {
        let mut d = a - b;
        for k in 0..3 {
            if let Some((_, length)) = self.period(k) {
                d[k] -= length * (d[k] / length).round();
            }
        }
        d
    }

    /// True where a particle may be; only the axes that are not periodic are looked at.
    pub fn contains(&self, x: DVec3) -> bool {
        let Some(domain) = self.domain else { return true };
        let axes = if self.is_planar() { 2 } else { 3 };
        (0..axes).all(|k| self.periodic[k] || (domain.min[k] <= x[k] && x[k] <= domain.max[k]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_into_the_domain() {
        let space = Space {
            domain: Some(Aabb { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) }),
            periodic: [true, false, false],
            ..Space::unbounded(Dimension::Planar)
        };
        assert_eq!(space.wrap(DVec3::new(1.5, 3.0, 0.0)), DVec3::new(-0.5, 3.0, 0.0));
        assert!((space.wrap(DVec3::new(1.0, 0.0, 0.0)).x + 1.0).abs() < 1e-15);
        let just_below = space.wrap(DVec3::new(-1.0 - 1e-17, 0.0, 0.0)).x;
        assert!((-1.0..1.0).contains(&just_below));
        let d = space.difference(DVec3::new(0.9, 0.0, 0.0), DVec3::new(-0.9, 0.0, 0.0));
        assert!((d.x + 0.2).abs() < 1e-15);
        assert!(!space.contains(DVec3::new(5.0, 2.0, 0.0)));
        assert!(space.contains(DVec3::new(5.0, 1.0, 0.0)));
    }
}
