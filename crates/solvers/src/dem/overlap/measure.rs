//! Integrals over an overlap.

use glam::DVec3;

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
        Overlap { volume, centroid, area, moment: o.cross(area) - moment / 6.0 }
    }
}
