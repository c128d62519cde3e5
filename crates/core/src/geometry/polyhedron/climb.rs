//! Support points (extreme vertices) by hill climbing.

use glam::DVec3;

use super::Polyhedron;

impl Polyhedron {
    /// The corner that lies farthest along `direction`, by walking uphill from corner `start`: on
    /// a convex body every local summit is the summit. From the answer of the step before it takes
    /// constant time.
    #[inline]
    #[must_use]
    pub fn climb(&self, direction: DVec3, start: u32) -> u32 {
        let mut at = start;
        let mut height = direction.dot(self.vertex(at));
        loop {
            let mut best = at;
            for (h, _) in self.fan(at) {
                let v = self.head(h);
                let candidate = direction.dot(self.vertex(v));
                if candidate > height {
                    (best, height) = (v, candidate);
                }
            }
            if best == at {
                return at;
            }
            at = best;
        }
    }

    /// Height of the highest corner along `direction`, over all corners: the slow way, to be
    /// compared with.
    #[must_use]
    pub fn support(&self, direction: DVec3) -> f64 {
        self.vertices.iter().map(|v| direction.dot(*v)).fold(f64::NEG_INFINITY, f64::max)
    }
}
