//! A convex solid that is cut by planes, one after the other.
//!
//! Every corner has exactly three edges. A corner is decided against a plane once, and the topology
//! follows from the signs alone: whatever the pattern, the surface stays closed, so that no welding
//! and no tolerance is needed. Corners on a plane stay.

use glam::DVec3;
use lawine_core::geometry::Aabb;

/// Half edge 4 v + k is the k-th that leaves corner v, clockwise seen from outside.
#[derive(Clone, Debug, Default)]
pub(super) struct Solid {
    pub(super) x: Vec<DVec3>,
    /// The same edge from its other end.
    pub(super) twin: Vec<u32>,
    /// The face on the left of each half edge.
    pub(super) face: Vec<u32>,
    height: Vec<f64>,
    /// The new corner on a half edge that is cut.
    cut_at: Vec<u32>,
    cuts: Vec<u32>,
}

/// What a cut did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// All corners lie below the plane.
    Missed,
    /// A part has been removed.
    Through,
    /// Nothing is left.
    Empty,
}

/// The half edge after `h` around the corner, clockwise.
#[inline]
fn clockwise(h: u32) -> u32 {
    if h & 3 == 2 { h - 2 } else { h + 1 }
}

impl Solid {
    /// A box, whose faces are `first` to `first + 5`.
    pub(super) fn start(&mut self, bounds: &Aabb, first: u32) {
        self.x.clear();
        self.x.extend(bounds.corners());
        self.grow();
        // Seen from outside x, y, z are clockwise at corners with an even number of high sides.
        let slot = |v: u32, axis: u32| {
            if v.count_ones().is_multiple_of(2) { axis } else { (3 - axis) % 3 }
        };
        for v in 0..8_u32 {
            for axis in 0..3 {
                let (h, w) = (4 * v + slot(v, axis), v ^ (1 << axis));
                self.twin[h as usize] = 4 * w + slot(w, axis);
                // The left face lies between this edge and the one before it.
                let before = (0..3).find(|&b| slot(v, b) == (slot(v, axis) + 2) % 3).unwrap_or(0);
                let across = 3 - axis - before;
                self.face[h as usize] = first + 2 * across + ((v >> across) & 1);
            }
        }
    }

    /// Makes room for all corners.
    fn grow(&mut self) {
        let n = self.x.len();
        if self.height.len() < n {
            self.height.resize(2 * n, 0.0);
            for column in [&mut self.twin, &mut self.face, &mut self.cut_at] {
                column.resize(8 * n, 0);
            }
        }
    }

    /// Cuts away what lies beyond the plane n·x = d; the new face is `id`.
    pub(super) fn cut(&mut self, n: DVec3, d: f64, id: u32) -> Cut {
        let count = self.x.len();
        let mut dropped = 0;
        for (height, x) in self.height[..count].iter_mut().zip(&self.x) {
            *height = n.dot(*x) - d;
            dropped += usize::from(*height > 0.0);
        }
        if dropped == 0 {
            return Cut::Missed;
        }
        if dropped == count {
            self.x.clear();
            return Cut::Empty;
        }
        self.split_edges(count);
        self.link(count, id);
        self.close_gaps(count);
        Cut::Through
    }

    /// A new corner on every edge from a kept to a dropped corner.
    fn split_edges(&mut self, count: usize) {
        self.cuts.clear();
        for v in 0..count {
            let below = self.height[v];
            if below > 0.0 {
                continue;
            }
            for h in 4 * v..4 * v + 3 {
                let w = (self.twin[h] >> 2) as usize;
                let above = self.height[w];
                if above > 0.0 {
                    let t = below / (below - above);
                    self.cut_at[h] = self.x.len() as u32;
                    self.cuts.push(h as u32);
                    self.x.push(self.x[v] + t * (self.x[w] - self.x[v]));
                }
            }
        }
        self.grow();
    }

    /// Joins the new corners around the new face. On each old face the boundary leads from a new
    /// corner through dropped ones to the next kept one, before which lies the next new corner.
    fn link(&mut self, count: usize, id: u32) {
        for (c, &h) in self.cuts.iter().enumerate() {
            let u = 4 * (count + c);
            let back = self.twin[h as usize];
            self.face[u] = self.face[back as usize];
            self.face[u + 1] = self.face[h as usize];
            let mut at = self.twin[clockwise(back) as usize];
            while self.height[(at >> 2) as usize] > 0.0 {
                at = self.twin[clockwise(at) as usize];
            }
            let other = 4 * self.cut_at[at as usize] + 2;
            self.twin[u + 1] = other;
            self.twin[other as usize] = u as u32 + 1;
            self.face[other as usize] = id;
        }
        for (c, &h) in self.cuts.iter().enumerate() {
            let u = 4 * (count + c);
            self.twin[u] = h;
            self.twin[h as usize] = u as u32;
        }
    }

    /// Moves corners from the end to the places of the dropped ones.
    fn close_gaps(&mut self, count: usize) {
        let mut end = self.x.len();
        for v in 0..count {
            if self.height[v] > 0.0 {
                while end > v && end <= count && self.height[end - 1] > 0.0 {
                    end -= 1;
                }
                if end <= v {
                    break;
                }
                end -= 1;
                self.rename(end, v);
            }
        }
        self.x.truncate(end);
    }

    /// Moves corner `from` to index `to`.
    fn rename(&mut self, from: usize, to: usize) {
        self.x[to] = self.x[from];
        for k in 0..3 {
            let mut twin = self.twin[4 * from + k];
            if (twin >> 2) as usize == from {
                twin = 4 * to as u32 + (twin & 3);
            }
            self.twin[4 * to + k] = twin;
            self.face[4 * to + k] = self.face[4 * from + k];
            self.twin[twin as usize] = (4 * to + k) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Corners, edges and faces of a closed surface: V − E + F = 2.
    fn euler(solid: &Solid) -> usize {
        let n = solid.x.len();
        let mut faces: Vec<u32> =
            (0..n).flat_map(|v| (4 * v..4 * v + 3).map(|h| solid.face[h])).collect();
        faces.sort_unstable();
        faces.dedup();
        for v in 0..n as u32 {
            for h in 4 * v..4 * v + 3 {
                let twin = solid.twin[h as usize];
                assert_eq!(solid.twin[twin as usize], h);
                // The next half edge belongs to the same face.
                assert_eq!(solid.face[clockwise(twin) as usize], solid.face[h as usize]);
            }
        }
        n + faces.len() - 3 * n / 2
    }

    #[test]
    fn cuts_leave_a_closed_surface() {
        let mut solid = Solid::default();
        solid.start(&Aabb::new(DVec3::ZERO, DVec3::ONE), 100);
        assert_eq!((solid.x.len(), euler(&solid)), (8, 2));
        // A corner away, then a cut through three corners of the cube, then one that touches.
        assert_eq!(solid.cut(DVec3::ONE, 2.5, 0), Cut::Through);
        assert_eq!((solid.x.len(), euler(&solid)), (10, 2));
        assert_eq!(solid.cut(DVec3::NEG_ONE, -1.0, 1), Cut::Through);
        assert_eq!(euler(&solid), 2);
        assert_eq!(solid.cut(DVec3::X, 1.0, 2), Cut::Missed);
        assert_eq!(solid.cut(DVec3::X, -1.0, 3), Cut::Empty);
    }
}
