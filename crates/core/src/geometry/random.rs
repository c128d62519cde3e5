//! Random numbers that are identical on all platforms and versions.

use super::Aabb;
use glam::{DQuat, DVec3};

/// A sequence of random numbers (SplitMix64: Steele, Lea, Flood 2014), decided by its seed alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence that belongs to the seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The sequence of member `index` of a family, independent of the other members'.
    #[must_use]
    pub fn stream(seed: u64, index: u64) -> Self {
        let mut outer = Self::new(seed ^ 0x5851_F42D_4C95_7F2D_u64.wrapping_mul(index + 1));
        Self::new(outer.bits())
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number in [low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A point of a box, all equally likely.
    pub fn within(&mut self, region: &Aabb) -> DVec3 {
        let unit = DVec3::new(self.unit(), self.unit(), self.unit());
        region.min + unit * region.size()
    }

    /// An integer below `n`; zero when `n` is zero.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A number of the normal distribution with mean 0 and deviation 1 (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// A direction, all equally likely.
    pub fn direction(&mut self) -> DVec3 {
        let z = self.range(-1.0, 1.0);
        let phi = self.range(0.0, std::f64::consts::TAU);
        let r = (1.0 - z * z).max(0.0).sqrt();
        DVec3::new(r * phi.cos(), r * phi.sin(), z)
    }

    /// An orientation, all equally likely (Shoemake 1992).
    pub fn orientation(&mut self) -> DQuat {
        let (u, a, b) = (self.unit(), self.unit(), self.unit());
        let (a, b) = (std::f64::consts::TAU * a, std::f64::consts::TAU * b);
        let (p, q) = ((1.0 - u).sqrt(), u.sqrt());
        DQuat::from_xyzw(p * a.sin(), p * a.cos(), q * b.sin(), q * b.cos()).normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_numbers_are_those_of_the_published_generator() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn moments_of_the_distributions() {
        let mut random = Random::new(7);
        let n = 100_000;
        let (mut mean, mut square, mut sum) = (0.0, 0.0, DVec3::ZERO);
        for _ in 0..n {
            let x = random.normal();
            mean += x / f64::from(n);
            square += x * x / f64::from(n);
            sum += random.direction() / f64::from(n);
            assert!(random.below(7) < 7 && (random.orientation().length() - 1.0).abs() < 1e-12);
        }
        assert!(mean.abs() < 0.02 && (square - 1.0).abs() < 0.03 && sum.length() < 0.02);
        assert_ne!(Random::stream(1, 0).bits(), Random::stream(1, 1).bits());
        assert_eq!(random.below(0), 0);
    }
}
