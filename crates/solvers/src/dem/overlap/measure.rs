//! Integrals over an overlap.

use glam::{DVec2, DVec3};

use super::solid::Solid;

/// Volume, centroid, and area of one body's surface inside the other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// Volume V [m³].
    pub volume: f64,
    /// Centroid of the volume [m].
    pub centroid: DVec3,
    /// Area vector S of the part of B's surface inside A [m²]: ∂V/∂x_B = S.
    pub area: DVec3,
    /// First moment G = ∫ r × dS of that part [m³]: ∂V/∂φ_B = G for turns about the origin.
    pub moment: DVec3,
    /// How far that part spreads.
    pub spread: Spread,
}

/// Second moments of a patch about its middle, seen along its area vector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Two directions in the patch, normal to each other.
    pub axes: [DVec3; 2],
    /// Means of x², y² and xy along them [m²].
    pub squares: [f64; 3],
}

impl Spread {
    /// ⟨r r·u⟩, r from the middle of the patch [m²].
    #[must_use]
    pub fn times(&self, u: DVec3) -> DVec3 {
        let ([e, f], [xx, yy, xy]) = (self.axes, self.squares);
        let (x, y) = (e.dot(u), f.dot(u));
        (xx * x + xy * y) * e + (xy * x + yy * y) * f
    }

    /// ⟨r²⟩ [m²]: half the square of the radius for a disc.
    #[must_use]
    pub fn trace(&self) -> f64 {
        self.squares[0] + self.squares[1]
    }
}

impl Solid {
    /// The integrals, in one pass over the half edges. Faces from `first_b` on are B's; `anchor` has
    /// room for every face.
    pub(super) fn measure(&self, first_b: u32, anchor: &mut [u32]) -> Overlap {
        let Some(&o) = self.x.first() else { return Overlap::default() };
        for v in 0..self.x.len() {
            for h in 4 * v..4 * v + 3 {
                anchor[self.face[h] as usize] = v as u32;
            }
        }
        let (mut volume, mut first) = (0.0, DVec3::ZERO);
        let (mut area, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        for v in 0..self.x.len() {
            let p = self.x[v] - o;
            for h in 4 * v..4 * v + 3 {
                let twin = self.twin[h] as usize;
                if twin < h {
                    continue;
                }
                let q = self.x[twin >> 2] - o;
                let (left, right) = (self.face[h], self.face[twin]);
                let cross = p.cross(q);
                // Pyramids over the triangles (c, p, q), c a corner of the face.
                let (l, r) = (anchor[left as usize] as usize, anchor[right as usize] as usize);
                let (l, r) = (self.x[l] - o, self.x[r] - o);
                let (on_left, on_right) = (l.dot(cross), r.dot(cross));
                volume += on_left - on_right;
                first += on_left * (l + p + q) - on_right * (r + p + q);
                // The rim of B's part: B on the left, A on the right.
                let rim = f64::from(i8::from(left >= first_b) - i8::from(right >= first_b));
                let square = p.length_squared() + p.dot(q) + q.length_squared();
                area += rim * cross;
                moment += (rim * square) * (q - p);
            }
        }
        let (volume, area) = (volume / 6.0, 0.5 * area);
        let centroid = if volume > 0.0 { o + first / (24.0 * volume) } else { o };
        let (moment, spread) = (o.cross(area) - moment / 6.0, self.spread(first_b, area));
        Overlap { volume, centroid, area, moment, spread }
    }

    /// Moments of the patch that the rim surrounds, by Green's theorem in the plane across its area.
    fn spread(&self, first_b: u32, area: DVec3) -> Spread {
        let Some(normal) = area.try_normalize() else { return Spread::default() };
        let (e, f) = normal.any_orthonormal_pair();
        let o = self.x[0];
        let (mut whole, mut first, mut second) = (0.0, DVec2::ZERO, [0.0; 3]);
        for v in 0..self.x.len() {
            for h in 4 * v..4 * v + 3 {
                let twin = self.twin[h] as usize;
                if self.face[h] < first_b || self.face[twin] >= first_b {
                    continue;
                }
                let [p, q] =
                    [self.x[v] - o, self.x[twin >> 2] - o].map(|x| DVec2::new(e.dot(x), f.dot(x)));
                let cross = p.perp_dot(q);
                let s = p + q;
                whole += cross;
                first += cross * s;
                second[0] += cross * (s.x * s.x - p.x * q.x);
                second[1] += cross * (s.y * s.y - p.y * q.y);
                second[2] += cross * (s.x * s.y + p.x * p.y + q.x * q.y);
            }
        }
        if whole <= 0.0 {
            return Spread::default();
        }
        let m = first / (3.0 * whole);
        let [xx, yy, xy] = second;
        let squares = [
            (xx / (6.0 * whole) - m.x * m.x).max(0.0),
            (yy / (6.0 * whole) - m.y * m.y).max(0.0),
            xy / (12.0 * whole) - m.x * m.y,
        ];
        Spread { axes: [e, f], squares }
    }
}
