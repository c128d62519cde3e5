//! The overlap of two convex bodies, exact to rounding.
//!
//! Half spaces are intersected one after the other, in A's frame: first the planes that bounded the
//! overlap of the step before, then all planes of both bodies that come near what is left. See
//! `solid.rs` for why degenerate poses (coplanar faces, aligned cubes) need no special care.

mod measure;
mod parts;
mod planes;
mod solid;

pub use measure::{Overlap, Spread};
pub use parts::overlap_parts;
pub use planes::Planes;

use glam::{DMat3, DVec3};
use lawine_core::geometry::HalfSpace;
use lawine_core::simd::Level;

use super::narrow::Pose;
use planes::Cylinder;
use solid::{Cut, Solid};

/// Rounds of cutting by the most violated planes before all planes are looked at.
const COLD_ROUNDS: usize = 12;
/// Planes that pass by less than this fraction of the bodies' size are cut by all the same: without it
/// cancellation hides real cuts.
const SLACK: f64 = 1e-12;

/// More planes than this near the rest are not all cut by at once. A rest that was made from the
/// planes of the last step hardly shrinks, and looking at all planes again costs more than some cuts
/// that miss.
const MANY: usize = 48;

/// The most planes that a contact remembers: enough for bodies of some hundred corners, whose overlap
/// would otherwise be searched for anew in every step.
pub(super) const REMEMBERED: usize = 45;

/// The planes that bounded an overlap: where the next query starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Warm {
    /// Faces of A, then of B, as many as `count`.
    pub(super) faces: [u16; REMEMBERED],
    pub(super) count: u16,
    /// Along the area vector, in A's frame.
    pub(super) axis: [f32; 3],
}

impl Default for Warm {
    fn default() -> Self {
        Self { faces: [0; REMEMBERED], count: 0, axis: [0.0; 3] }
    }
}

/// Scratch of the queries; one for each thread.
#[derive(Clone, Debug)]
pub struct Clipper {
    level: Level,
    solid: Solid,
    anchor: Vec<u32>,
    /// The query in which a face was cut by, or seen, last.
    seen: Vec<u32>,
    query: u32,
    near: Vec<(f64, u32)>,
}

impl Default for Clipper {
    fn default() -> Self {
        let (solid, anchor, seen, near) = Default::default();
        Self { level: Level::detect(), solid, anchor, seen, query: 0, near }
    }
}

/// Two bodies in A's frame: B's points are r x + t there.
struct Query<'a> {
    a: &'a Planes,
    b: &'a Planes,
    r: DMat3,
    t: DVec3,
    size: f64,
}

impl Query<'_> {
    /// Plane `f` of A, or of B counted on from there, in A's frame.
    #[inline]
    fn plane(&self, f: u32) -> HalfSpace {
        let (f, of_a) = (f as usize, self.a.count());
        if f < of_a {
            return self.a.plane(f);
        }
        let HalfSpace { normal, offset } = self.b.plane(f - of_a);
        let normal = self.r * normal;
        HalfSpace { normal, offset: offset + normal.dot(self.t) }
    }

    fn planes(&self) -> u32 {
        (self.a.count() + self.b.count()) as u32
    }

    fn in_b(&self, x: DVec3) -> DVec3 {
        self.r.transpose() * (x - self.t)
    }
}

/// The overlap of A and B, if they have one, starting from `warm`, which is brought up to date.
///
/// Places and moments count from A's position, directions are in space.
pub fn overlap(
    (a, pose_a): (&Planes, &Pose),
    (b, pose_b): (&Planes, &Pose),
    warm: &mut Warm,
    clipper: &mut Clipper,
) -> Option<Overlap> {
    let into_a = pose_a.rotation.transpose();
    let r = into_a * pose_b.rotation;
    let t = into_a * (pose_b.position - pose_a.position);
    let common = a.bounds().intersection(b.bounds_in(&r, t));
    if common.is_empty() || !common.is_finite() {
        warm.count = 0;
        return None;
    }
    let mut size = t.length();
    for bounds in [a.bounds(), b.bounds()] {
        size += if bounds.is_finite() { bounds.size().length() } else { 0.0 };
    }
    let query = Query { a, b, r, t, size };
    if !clipper.intersect(&query, &common.grow(0.01 * common.size().max_element()), warm) {
        warm.count = 0;
        return None;
    }
    let found = clipper.solid.measure(a.count() as u32, &mut clipper.anchor);
    if found.volume.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
        warm.count = 0;
        return None;
    }
    clipper.remember(&query, found.area, warm);
    let turn = pose_a.rotation;
    Some(Overlap {
        volume: found.volume,
        centroid: turn * found.centroid,
        area: turn * found.area,
        moment: turn * found.moment,
        spread: Spread { axes: found.spread.axes.map(|e| turn * e), ..found.spread },
    })
}

impl Clipper {
    /// Leaves the common part in `solid`; false if there is none.
    fn intersect(
        &mut self,
        query: &Query<'_>,
        start: &lawine_core::geometry::Aabb,
        warm: &Warm,
    ) -> bool {
        let planes = query.planes();
        self.begin(planes as usize + 6);
        self.solid.start(start, planes);
        let known = &warm.faces[..usize::from(warm.count).min(warm.faces.len())];
        for &f in known.iter().filter(|&&f| u32::from(f) < planes) {
            if !self.cut(query, u32::from(f)) {
                return false;
            }
        }
        let [x, y, z] = warm.axis.map(f64::from);
        let mut axis = DVec3::new(x, y, z).try_normalize().unwrap_or(DVec3::X);
        if warm.count == 0 {
            match self.cut_most_violated(query) {
                Some(found) => axis = found,
                None => return false,
            }
        }
        self.cut_near(query, axis)
    }

    /// Forgets which faces were seen.
    fn begin(&mut self, faces: usize) {
        if self.seen.len() < faces {
            self.seen.resize(faces, 0);
            self.anchor.resize(faces, 0);
        }
        if self.query >= u32::MAX - 2 {
            self.query = 0;
            self.seen.fill(0);
        }
        // One number for the cuts, one for remembering.
        self.query += 2;
    }

    /// Cuts by a face; false if nothing is left.
    fn cut(&mut self, query: &Query<'_>, f: u32) -> bool {
        self.seen[f as usize] = self.query;
        let HalfSpace { normal, offset } = query.plane(f);
        self.solid.cut(normal, offset, f) != Cut::Empty
    }

    fn center(&self) -> DVec3 {
        self.solid.x.iter().sum::<DVec3>() / self.solid.x.len().max(1) as f64
    }

    /// Cuts by the planes that the middle of the rest lies farthest beyond, until it lies in both
    /// bodies. Gives an axis for the cylinder; none if nothing is left.
    fn cut_most_violated(&mut self, query: &Query<'_>) -> Option<DVec3> {
        let of_a = query.a.count();
        let mut axis = DVec3::ZERO;
        for _ in 0..COLD_ROUNDS {
            let center = self.center();
            let (above_a, in_a) = query.a.outermost(center);
            let (above_b, in_b) = query.b.outermost(query.in_b(center));
            let faces = [in_a as u32, (of_a + in_b) as u32];
            axis = query.plane(faces[0]).normal - query.plane(faces[1]).normal;
            let mut inside = true;
            for (above, f) in [above_a, above_b].into_iter().zip(faces) {
                if above > 0.0 && self.seen[f as usize] != self.query {
                    inside = false;
                    if !self.cut(query, f) {
                        return None;
                    }
                }
            }
            if inside {
                break;
            }
        }
        Some(axis.try_normalize().unwrap_or(DVec3::X))
    }

    /// Cuts by every plane that comes near the rest, the nearest first, until none is left.
    fn cut_near(&mut self, query: &Query<'_>, axis: DVec3) -> bool {
        let slack = SLACK * query.size;
        loop {
            let within = self.cylinder(axis);
            let mut near = std::mem::take(&mut self.near);
            near.clear();
            let (seen, now, of_a) = (&self.seen, self.query, query.a.count());
            query.a.near(&within, slack, self.level, |s, f| {
                if seen[f] != now {
                    near.push((s, f as u32));
                }
            });
            let center = query.in_b(within.center);
            let turned = Cylinder { center, axis: query.r.transpose() * axis, ..within };
            query.b.near(&turned, slack, self.level, |s, f| {
                if seen[of_a + f] != now {
                    near.push((s, (of_a + f) as u32));
                }
            });
            near.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            // With very many candidates the rest soon becomes smaller: check after some.
            let batch = if near.len() > MANY { MANY / 4 } else { near.len() };
            let left = near[..batch].iter().all(|&(_, f)| self.cut(query, f));
            let done = batch == near.len();
            self.near = near;
            if !left {
                return false;
            }
            if done {
                return true;
            }
        }
    }

    /// A cylinder along `axis` around the rest.
    fn cylinder(&self, axis: DVec3) -> Cylinder {
        let center = self.center();
        let (mut half_height, mut square) = (0.0_f64, 0.0_f64);
        for &x in &self.solid.x {
            let along = axis.dot(x - center);
            half_height = half_height.max(along.abs());
            square = square.max((x - center - along * axis).length_squared());
        }
        Cylinder { center, axis, half_height, radius: square.sqrt() }
    }

    /// Notes the faces that bound the overlap, in the order of their first corner.
    fn remember(&mut self, query: &Query<'_>, area: DVec3, warm: &mut Warm) {
        let planes = query.planes();
        let noted = self.query + 1;
        let mut count = 0;
        for v in 0..self.solid.x.len() {
            for h in 4 * v..4 * v + 3 {
                let f = self.solid.face[h];
                if f < planes.min(u32::from(u16::MAX))
                    && self.seen[f as usize] != noted
                    && count < warm.faces.len()
                {
                    self.seen[f as usize] = noted;
                    warm.faces[count] = f as u16;
                    count += 1;
                }
            }
        }
        warm.count = count as u16;
        let axis = area.try_normalize().unwrap_or(DVec3::X);
        warm.axis = axis.to_array().map(|k| k as f32);
    }
}
