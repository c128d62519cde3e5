//! The light from outside: a sky that is brighter at the horizon, and a sun.

use glam::Vec3;

/// A sky.
pub(super) struct Sky {
    /// Up.
    pub(super) up: Vec3,
    /// Towards the middle of the sun.
    pub(super) sun: Vec3,
    /// Light of the sun that arrives on a surface across it, over π: what a white surface there shows.
    pub(super) sunlight: Vec3,
    /// Sine of half the angle under which the sun is seen.
    pub(super) sun_size: f32,
    pub(super) horizon: Vec3,
    pub(super) zenith: Vec3,
    /// Brightness of the haze about the sun.
    pub(super) haze: f32,
}

impl Sky {
    /// A clear day, with a sun larger than ours, because soft shadows are easier to read.
    pub(super) fn day(up: Vec3, sun: Vec3) -> Self {
        Self {
            up,
            sun,
            sunlight: Vec3::new(1.12, 1.02, 0.88),
            sun_size: 0.045,
            horizon: Vec3::new(0.78, 0.86, 0.95),
            zenith: Vec3::new(0.20, 0.38, 0.72),
            haze: 0.35,
        }
    }

    /// The light from a direction of length one, without the sun.
    pub(super) fn light(&self, direction: Vec3) -> Vec3 {
        let height = direction.dot(self.up).max(0.0);
        let near = direction.dot(self.sun).max(0.0);
        self.horizon.lerp(self.zenith, height.powf(0.55))
            + self.haze * near.powi(12) * self.sunlight
    }

    /// The light from a direction, with the sun: what a mirror shows.
    pub(super) fn light_with_sun(&self, direction: Vec3) -> Vec3 {
        let sky = self.light(direction);
        let away2 = 1.0 - direction.dot(self.sun).max(0.0).powi(2);
        let size2 = self.sun_size * self.sun_size;
        // The sun fills the solid angle π sin².
        if away2 < size2 { sky + self.sunlight / size2 } else { sky }
    }

    /// The mean light of the whole sky, nearly.
    pub(super) fn mean(&self) -> Vec3 {
        0.5 * (self.horizon + self.zenith)
    }

    /// A direction towards the sun.
    pub(super) fn toward_sun(&self, (u, v): (f32, f32)) -> Vec3 {
        let (x, y) = disc(u, v);
        let (right, front) = self.sun.any_orthonormal_pair();
        (self.sun + (right * x + front * y) * self.sun_size).normalize()
    }
}

/// A place in the unit disc, evenly, neighbours staying neighbours (Shirley and Chiu 1997).
pub(super) fn disc(u: f32, v: f32) -> (f32, f32) {
    let (a, b) = (2.0 * u - 1.0, 2.0 * v - 1.0);
    let quarter = std::f32::consts::FRAC_PI_4;
    let (r, angle) = if a.abs() > b.abs() {
        (a, quarter * (b / a))
    } else if b.abs() > 0.0 {
        (b, 2.0 * quarter - quarter * (a / b))
    } else {
        (0.0, 0.0)
    };
    (r * angle.cos(), r * angle.sin())
}
