//! What bodies are made of, for pictures with light that is traced.

use glam::Vec3;

use crate::Color;

/// What a surface does with light.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Material {
    /// It scatters light evenly: wood, stone, sand, snow.
    #[default]
    Dull,
    /// It mirrors and refracts light, and what is in it absorbs light: water, honey. The surface must be closed.
    Liquid(Liquid),
}

/// A clear liquid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Liquid {
    /// Index of refraction [1].
    pub index: f32,
    /// What is left of white light after `depth`.
    pub tint: Color,
    /// Depth that the tint is for [m].
    pub depth: f32,
    /// Part of the absorbed light that comes out again, as from water that is not quite clear [1].
    pub cloudy: f32,
}

impl Liquid {
    /// The light that is left after a length [m] (Beer and Lambert).
    pub(crate) fn left(&self, length: f32) -> Vec3 {
        let tint = self.tint.to_linear().max(Vec3::splat(1e-4));
        (tint.map(f32::ln) * (length / self.depth)).exp()
    }
}

/// The part of light that is mirrored where it meets a surface at an angle with this cosine, unpolarised (Fresnel);
/// `ratio` is the index of refraction behind the surface over that before it. All of it beyond the critical angle.
pub(crate) fn fresnel(cosine: f32, ratio: f32) -> f32 {
    let inner2 = 1.0 - (1.0 - cosine * cosine) / (ratio * ratio);
    if inner2 <= 0.0 {
        return 1.0;
    }
    let inner = inner2.sqrt();
    let across = (cosine - ratio * inner) / (cosine + ratio * inner);
    let along = (ratio * cosine - inner) / (ratio * cosine + inner);
    0.5 * (across * across + along * along)
}

/// The direction of light behind a surface (Snell); none beyond the critical angle. `normal` points against
/// `direction`, both have length one.
pub(crate) fn refracted(direction: Vec3, normal: Vec3, ratio: f32) -> Option<Vec3> {
    let cosine = -direction.dot(normal);
    let inner2 = 1.0 - (1.0 - cosine * cosine) / (ratio * ratio);
    let inner = (inner2 > 0.0).then(|| inner2.sqrt())?;
    Some((direction / ratio + normal * (cosine / ratio - inner)).normalize())
}

/// The direction of light that a surface mirrors.
pub(crate) fn mirrored(direction: Vec3, normal: Vec3) -> Vec3 {
    direction - 2.0 * direction.dot(normal) * normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresnel_is_right_at_known_angles() {
        // Straight on: ((n - 1)/(n + 1))²; at Brewster's angle half of what is mirrored across.
        let n = 1.333_f32;
        let straight = ((n - 1.0) / (n + 1.0)).powi(2);
        assert!((fresnel(1.0, n) - straight).abs() < 1e-6);
        assert!((fresnel(1.0, 1.0 / n) - straight).abs() < 1e-6);
        let brewster = 1.0 / (1.0 + n * n).sqrt();
        let across = ((1.0 - n * n) / (1.0 + n * n)).powi(2);
        assert!((fresnel(brewster, n) - 0.5 * across).abs() < 1e-6);
        assert!((fresnel(1e-4, n) - 1.0).abs() < 1e-3);
        // The critical angle of water is 48.6°.
        assert!((fresnel(49_f32.to_radians().cos(), 1.0 / n) - 1.0).abs() < f32::EPSILON);
        assert!(fresnel(48_f32.to_radians().cos(), 1.0 / n) < 0.9);
    }

    #[test]
    fn light_is_refracted_by_snells_law_and_finds_back() {
        for degrees in [0.0_f32, 10.0, 35.0, 60.0, 85.0] {
            let angle = degrees.to_radians();
            let direction = Vec3::new(angle.sin(), 0.0, -angle.cos());
            let inner = refracted(direction, Vec3::Z, 1.333).unwrap();
            assert!((inner.x * 1.333 - angle.sin()).abs() < 1e-6 && inner.z < 0.0);
            assert!((inner.length() - 1.0).abs() < 1e-6);
            let back = refracted(-inner, Vec3::NEG_Z, 1.0 / 1.333).unwrap();
            assert!((back + direction).length() < 1e-3, "{degrees}: {back}");
            assert_eq!(mirrored(direction, Vec3::Z), direction * Vec3::new(1.0, 1.0, -1.0));
        }
        let flat = Vec3::new(0.9, 0.0, -(1.0 - 0.81_f32).sqrt());
        assert_eq!(refracted(flat, Vec3::Z, 1.0 / 1.333), None);
    }

    #[test]
    fn twice_the_length_absorbs_twice() {
        let water =
            Liquid { index: 1.333, tint: Color::rgb(90, 180, 210), depth: 0.5, cloudy: 0.0 };
        assert!((water.left(0.5) - water.tint.to_linear()).length() < 1e-5);
        assert!((water.left(0.4) * water.left(0.6) - water.left(1.0)).length() < 1e-5);
    }
}
