//! Meiers' brush: particles placed by a click (Meiers 6.2).

use glam::DVec3;

/// The shape of a brush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrushShape {
    /// A box, a rectangle in a plane.
    Box,
    /// A ball, a circle in a plane. Width and height may differ.
    Circle,
    /// One particle.
    Particle,
}

impl BrushShape {
    /// The shapes in the order of the key Q.
    pub const ALL: [Self; 3] = [Self::Box, Self::Circle, Self::Particle];

    /// A word for buttons.
    pub fn name(self) -> &'static str {
        match self {
            Self::Box => "box",
            Self::Circle => "circle",
            Self::Particle => "particle",
        }
    }

    /// The next shape, around in a circle.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Box => Self::Circle,
            Self::Circle => Self::Particle,
            Self::Particle => Self::Box,
        }
    }
}

/// Fewest and most particles across a brush.
pub const COUNTS: std::ops::RangeInclusive<u32> = 1..=200;

/// A brush. Its size counts in particles, so that it fits every scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brush {
    /// The shape.
    pub shape: BrushShape,
    /// Particles across.
    pub width: u32,
    /// Particles upwards.
    pub height: u32,
    /// The velocity of what is placed [m/s].
    pub velocity: DVec3,
}

impl Default for Brush {
    fn default() -> Self {
        Self { shape: BrushShape::Box, width: 12, height: 12, velocity: DVec3::ZERO }
    }
}

impl Brush {
    /// Makes the brush wider or narrower by about a tenth, one particle at least.
    pub fn widen(&mut self, by: i32) {
        self.width = changed(self.width, by);
    }

    /// Makes the brush higher or lower by about a tenth, one particle at least.
    pub fn heighten(&mut self, by: i32) {
        self.height = changed(self.height, by);
    }

    /// Half the width, height and depth of the area it covers [m]. The depth is the mean of both.
    pub fn half(&self, spacing: f64) -> DVec3 {
        let (width, height) = self.counts();
        let (width, height) = (f64::from(width), f64::from(height));
        0.5 * spacing * DVec3::new(width, height, 0.5 * (width + height))
    }

    fn counts(&self) -> (u32, u32) {
        if self.shape == BrushShape::Particle { (1, 1) } else { (self.width, self.height) }
    }

    /// Whether an offset from the middle is covered, with a reach of `grow` beyond the edge [m].
    pub fn covers(&self, offset: DVec3, spacing: f64, planar: bool, grow: f64) -> bool {
        let half = self.half(spacing) + grow;
        let offset = if planar { offset.with_z(0.0) } else { offset };
        match self.shape {
            BrushShape::Circle => (offset / half).length_squared() <= 1.0,
            _ => offset.abs().cmple(half).all(),
        }
    }

    /// Where it puts particles around `center`: on a lattice of the given spacing [m].
    pub fn points(&self, center: DVec3, spacing: f64, planar: bool) -> Vec<DVec3> {
        let (width, height) = self.counts();
        let depth = if planar { 1 } else { (width + height).div_ceil(2) };
        let place = |i: u32, n: u32| (f64::from(i) - 0.5 * (f64::from(n) - 1.0)) * spacing;
        let mut points = Vec::new();
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width {
                    let offset = DVec3::new(place(x, width), place(y, height), place(z, depth));
                    if self.covers(offset, spacing, planar, 0.0) {
                        let point = center + offset;
                        points.push(if planar { point.with_z(0.0) } else { point });
                    }
                }
            }
        }
        points
    }
}

fn changed(count: u32, by: i32) -> u32 {
    let step = (count / 10).max(1) as i32;
    let count = count as i32 + by * step;
    count.clamp(*COUNTS.start() as i32, *COUNTS.end() as i32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const CENTER: DVec3 = DVec3::new(1.0, 2.0, 0.0);

    fn brush(shape: BrushShape, width: u32, height: u32) -> Brush {
        Brush { shape, width, height, ..Brush::default() }
    }

    #[test]
    fn a_box_is_full() {
        let points = brush(BrushShape::Box, 4, 3).points(CENTER, 0.1, true);
        assert_eq!(points.len(), 12);
        let mean = points.iter().sum::<DVec3>() / 12.0;
        assert!((mean - CENTER).length() < 1e-12);
        assert!(points.iter().all(|p| p.z.abs() <= 0.0));
        assert_eq!(brush(BrushShape::Box, 4, 4).points(CENTER, 0.1, false).len(), 64);
    }

    #[test]
    fn a_circle_is_round() {
        let points = brush(BrushShape::Circle, 20, 20).points(CENTER, 0.1, true);
        let expected = std::f64::consts::PI * 100.0;
        assert!((points.len() as f64 - expected).abs() < 0.06 * expected, "{}", points.len());
        assert!(points.iter().all(|p| (*p - CENTER).length() <= 1.0 + 1e-9));
    }

    #[test]
    fn a_particle_is_one_whatever_the_size() {
        for planar in [true, false] {
            assert_eq!(brush(BrushShape::Particle, 30, 7).points(CENTER, 0.1, planar), [CENTER]);
        }
    }

    #[test]
    fn no_two_particles_are_closer_than_the_spacing() {
        for shape in BrushShape::ALL {
            let points = brush(shape, 7, 6).points(CENTER, 0.1, false);
            for (i, a) in points.iter().enumerate() {
                assert!(points[..i].iter().all(|b| (*a - *b).length() > 0.0999));
            }
        }
    }

    #[test]
    fn the_size_has_ends_and_shapes_go_around() {
        let mut brush = Brush::default();
        for _ in 0..300 {
            brush.widen(-1);
            brush.heighten(1);
        }
        assert_eq!((brush.width, brush.height), (*COUNTS.start(), *COUNTS.end()));
        brush.widen(1);
        assert_eq!(brush.width, 2);
        let shapes = [1, 2, 3].map(|_| {
            brush.shape = brush.shape.next();
            brush.shape
        });
        assert_eq!(shapes, [BrushShape::Circle, BrushShape::Particle, BrushShape::Box]);
    }
}
