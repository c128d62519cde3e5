//! A vector of a scene file: two or three numbers, kept the way they were given.

use std::fmt;

use glam::DVec3;
use lawine_settings::{Data, Kind, Reader, Value};

/// Two or three numbers. Scenes in a plane give two; the third is then zero.
///
/// The count is kept so that a scene is written out the way it was read. A vector that was not set
/// ([`Vector::default`]) has no count yet: it is zero in any dimension, until
/// [`SceneFile::resolve`](super::SceneFile::resolve) fixes the count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vector {
    value: DVec3,
    count: usize,
}

impl Vector {
    /// A vector that was not set.
    pub const ZERO: Self = Self { value: DVec3::ZERO, count: 0 };

    /// A vector of two numbers.
    pub fn planar(x: f64, y: f64) -> Self {
        Self { value: DVec3::new(x, y, 0.0), count: 2 }
    }

    /// A vector of three numbers.
    pub fn full(x: f64, y: f64, z: f64) -> Self {
        Self { value: DVec3::new(x, y, z), count: 3 }
    }

    /// The vector, with zero for a number that was not given.
    pub fn get(self) -> DVec3 {
        self.value
    }

    /// The vector with each of its numbers changed.
    pub fn map(self, of: impl Fn(f64) -> f64) -> Self {
        let mut vector = self;
        for k in 0..self.count {
            vector.value[k] = of(self.value[k]);
        }
        vector
    }

    /// How many numbers were given: 2 or 3, or 0 for a default that is not resolved yet.
    pub fn count(self) -> usize {
        self.count
    }

    /// The numbers as they were given.
    pub fn numbers(&self) -> &[f64] {
        &self.value.as_ref()[..self.count]
    }

    /// Gives a default vector the count of numbers of the space.
    pub(super) fn resolve(&mut self, dimension: u32) {
        if self.count == 0 {
            self.count = if dimension == 3 { 3 } else { 2 };
        }
    }
}

impl fmt::Display for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.numbers())
    }
}

impl Data for Vector {
    const KIND: Kind = Kind::Vector;

    /// A list without numbers is the default of a key that is not set.
    fn read(value: &Value, _: &mut Reader<'_>) -> Option<Self> {
        let mut vector = Self::default();
        for value in value.list()?.iter().take(3) {
            vector.value[vector.count] = value.number()?;
            vector.count += 1;
        }
        Some(vector)
    }

    fn write(&self) -> Option<Value> {
        Some(Value::List(self.numbers().iter().map(|&x| x.into()).collect()))
    }
}
