//! Pairs of bodies in hard poses, and proofs that an answer is right.
#![allow(dead_code, reason = "every test file uses a part of it")]

pub(crate) mod clipped_faces;

use glam::{DMat3, DQuat, DVec3};
use lawine_core::geometry::{
    EllipsoidGrain, Part, Platonic, Polyhedron, Random, Spread, block, platonic, prism,
};
use lawine_solvers::dem::narrow::{Closest, Pose, Status};

/// Prints what a test measured.
#[allow(clippy::print_stdout, reason = "tests that measure print what they found")]
pub(crate) fn say(text: &str) {
    println!("{text}");
}

/// Bodies of many kinds and sizes.
pub(crate) struct Pool {
    bodies: Vec<Polyhedron>,
    radii: Vec<f64>,
}

impl Pool {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0xABCD);
        let mut bodies = Vec::new();
        for size in [1e-3, 0.1, 1.0, 1.0, 1.0, 1.0, 30.0, 1e3] {
            bodies.extend(Platonic::ALL.iter().map(|body| platonic(*body, size).unwrap()));
            bodies.push(block(DVec3::ONE * size).unwrap());
            bodies.push(block(DVec3::new(1.0, 0.6, 0.3) * size).unwrap());
            bodies.push(prism(7, size, size).unwrap());
            bodies.push(prism(40, size, 0.2 * size).unwrap());
            for n in [4, 5, 8, 12, 20, 42, 162, 462] {
                for axes in [[1.0, 0.8, 0.6], [1.0, 0.01, 0.01], [1.0, 1.0, 0.01]] {
                    let grain = EllipsoidGrain {
                        spread: if random.unit() < 0.5 { Spread::Even } else { Spread::Random },
                        axis_variation: 0.1,
                        ..EllipsoidGrain::new(DVec3::from_array(axes) * size, n)
                    };
                    bodies.push(grain.make(&mut random).unwrap().0);
                }
            }
        }
        let radii = bodies.iter().map(Polyhedron::radius).collect();
        Self { bodies, radii }
    }
}

/// A pair in a pose.
pub(crate) struct Case<'a> {
    bodies: [&'a Polyhedron; 2],
    radii: [f64; 2],
    poses: [Pose; 2],
    kind: &'static str,
    gap: f64,
}

const KINDS: [&str; 7] =
    ["random", "random", "aligned", "face on face", "edge on edge", "corner on corner", "deep"];

impl<'a> Case<'a> {
    pub(crate) fn new(pool: &'a Pool, random: &mut Random, round: usize) -> Self {
        let kind = KINDS[round % KINDS.len()];
        let pick = [random.below(pool.bodies.len()), random.below(pool.bodies.len())];
        let bodies = pick.map(|k| &pool.bodies[k]);
        let radii = pick.map(|k| pool.radii[k]);
        let size = radii[0] + radii[1];
        let gap = [0.0, 1e-9, -1e-9, 1e-6, 1e-3, 0.3][random.below(6)] * radii[0].min(radii[1]);
        let [a, b] = bodies;
        let (mut qa, mut qb) = (random.orientation(), random.orientation());
        let offset = match kind {
            "random" => random.direction() * size * random.range(0.0, 1.5),
            "aligned" => {
                (qa, qb) = (DQuat::IDENTITY, DQuat::IDENTITY);
                let steps = [-1.0, -0.5, 0.0, 0.5, 1.0];
                let mut along = || steps[random.below(5)];
                let reach = |d: DVec3| a.support(d) + b.support(-d);
                let reach = DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z));
                DVec3::new(along(), along(), along()) * reach + DVec3::Z * gap
            }
            "face on face" => {
                let f = a.face(random.below(a.faces().len()) as u32).plane.normal;
                let g = b.face(random.below(b.faces().len()) as u32).plane.normal;
                let facing = DQuat::from_rotation_arc(g, -f);
                qb = qa * DQuat::from_axis_angle(f, random.range(0.0, 6.0)) * facing;
                let across = (qb * DVec3::ONE).cross(qa * f) * random.range(-0.3, 0.3) * radii[0];
                qa * f * (a.support(f) + b.support(g) + gap) + across
            }
            "edge on edge" => {
                let (h, k) = (edge_of(a, random), edge_of(b, random));
                let parallel = random.unit() < 0.5;
                let (f, g) = (bisector(a, h), bisector(b, k));
                let facing = DQuat::from_rotation_arc(g, -f);
                let mut u = facing * b.half_edge(k).u;
                u = (u - f * f.dot(u)).normalize();
                let turn = DQuat::from_rotation_arc(u, a.half_edge(h).u);
                qb = qa * if parallel { turn * facing } else { facing };
                let at = |p: &Polyhedron, h: u32, s: f64| {
                    let half = p.half_edge(h);
                    half.tail + s * half.length * half.u
                };
                let (s, t) = (random.unit(), random.unit());
                qa * (at(a, h, s) + gap * f) - qb * at(b, k, t)
            }
            "corner on corner" => {
                let v = a.vertex(random.below(a.vertices().len()) as u32);
                let w = b.vertex(random.below(b.vertices().len()) as u32);
                if random.unit() < 0.5 {
                    qb = qa * DQuat::from_rotation_arc(w.normalize(), -v.normalize());
                }
                qa * (v + gap * v.normalize()) - qb * w
            }
            _ => {
                let v = a.vertex(random.below(a.vertices().len()) as u32);
                qa * v * random.range(0.0, 0.9)
            }
        };
        let origin = random.direction() * size;
        let poses = [Pose::new(origin, qa), Pose::new(origin + offset, qb)];
        Self { bodies, radii, poses, kind, gap }
    }

    pub(crate) fn a(&self) -> (&Polyhedron, &Pose) {
        (self.bodies[0], &self.poses[0])
    }

    pub(crate) fn b(&self) -> (&Polyhedron, &Pose) {
        (self.bodies[1], &self.poses[1])
    }

    /// The pose of B, moved by `share` of the smaller body's radius and turned about that body by `share`:
    /// faces that were coplanar then cut each other in a line that is well defined, and what the smaller
    /// body sees moves by no more than that.
    pub(crate) fn shaken(&self, random: &mut Random, fraction: f64) -> Pose {
        let [a, b] = &self.poses;
        let center = if self.radii[0] < self.radii[1] { a.position } else { b.position };
        let way = fraction * self.smaller() * random.direction();
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(fraction * random.direction()));
        let position = center + turn * (b.position - center) + way;
        Pose { position, rotation: turn * b.rotation }
    }

    /// Whether nothing was made to touch.
    pub(crate) fn is_random(&self) -> bool {
        self.kind == "random" || self.kind == "deep"
    }

    pub(crate) fn smaller(&self) -> f64 {
        self.radii[0].min(self.radii[1])
    }

    pub(crate) fn size(&self) -> f64 {
        self.radii[0] + self.radii[1]
    }

    pub(crate) fn ratio(&self) -> f64 {
        (self.radii[0] / self.radii[1]).max(self.radii[1] / self.radii[0])
    }

    pub(crate) fn describe(&self) -> String {
        let n = self.bodies.map(|b| b.vertices().len());
        format!("{} with gap {:e}, {n:?} corners, radii {:?}", self.kind, self.gap, self.radii)
    }
}

fn edge_of(p: &Polyhedron, random: &mut Random) -> u32 {
    random.below(p.half_edges().len()) as u32
}

/// Between the normals of an edge's faces.
fn bisector(p: &Polyhedron, h: u32) -> DVec3 {
    let normal = |h: u32| p.face(p.half_edge(h).face).plane.normal;
    let sum = normal(h) + normal(h ^ 1);
    let u = p.half_edge(h).u;
    (sum - u * u.dot(sum)).try_normalize().unwrap_or_else(|| normal(h))
}

/// How far two bodies overlap at least, over all directions that can separate polyhedra (normals of
/// faces, and across pairs of edges); zero or less when they do not.
pub(crate) fn overlap(case: &Case<'_>) -> f64 {
    let ((a, pose_a), (b, pose_b)) = (case.a(), case.b());
    let between = pose_b.position - pose_a.position;
    let reach = |p: &Polyhedron, pose: &Pose, d: DVec3| p.support(pose.rotation.transpose() * d);
    let depth = |d: DVec3| reach(a, pose_a, d) + reach(b, pose_b, -d) - d.dot(between);
    let mut least = f64::INFINITY;
    for face in a.faces() {
        least = least.min(depth(pose_a.rotation * face.plane.normal));
    }
    for face in b.faces() {
        least = least.min(depth(pose_b.rotation * -face.plane.normal));
    }
    for e in a.half_edges().iter().step_by(2) {
        for g in b.half_edges().iter().step_by(2) {
            let across = (pose_a.rotation * e.u).cross(pose_b.rotation * g.u);
            if let Some(d) = across.try_normalize().filter(|_| across.length() > 1e-9) {
                least = least.min(depth(d)).min(depth(-d));
            }
        }
    }
    least
}

/// What a check of an answer says.
pub(crate) enum Verdict {
    /// It is right: points of both bodies, and a plane between them.
    Proved,
    /// The bodies touch within rounding, so that the direction is not determined.
    Vague,
    /// It is wrong.
    Wrong(String),
}

/// Whether a point in space lies on the part of the body that is named with it.
fn on_part((p, pose): (&Polyhedron, &Pose), part: Part, x: DVec3, tolerance: f64) -> bool {
    let x = pose.rotation.transpose() * (x - pose.position);
    match part {
        Part::Vertex(v) => x.distance(p.vertex(v)) <= tolerance,
        Part::Edge(h) => {
            let half = p.half_edge(h);
            let along = half.u.dot(x - half.tail).clamp(0.0, half.length);
            x.distance(half.tail + along * half.u) <= tolerance
        }
        Part::Face(f) => {
            let inside = p.rim(f).all(|(_, h)| h.side.dot(x - h.tail) >= -tolerance);
            inside && p.face(f).plane.distance(x).abs() <= tolerance
        }
    }
}

/// 0 for a corner, 1 for an edge, 2 for a face.
pub(crate) fn dimension(part: Part) -> usize {
    match part {
        Part::Vertex(_) => 0,
        Part::Edge(_) => 1,
        Part::Face(_) => 2,
    }
}

/// Proves an answer: both points belong to their bodies and are as far apart as it says, and no corner
/// of a body lies beyond the plane through its point across the normal. A pair that penetrates must
/// show a point of both bodies.
pub(crate) fn verify(case: &Case<'_>, found: &Closest) -> Verdict {
    let size = case.size();
    let tolerance = 1e-11 * size;
    let wrong = |why: &str| Verdict::Wrong(why.to_string());
    let finite = found.distance.is_finite()
        && found.normal.is_finite()
        && found.points.iter().all(|x| x.is_finite());
    if !finite {
        return wrong("a number is not finite");
    }
    if (found.normal.length() - 1.0).abs() > 1e-9 {
        return wrong("the normal has no unit length");
    }
    let depth = |(p, pose): (&Polyhedron, &Pose), x: DVec3| {
        p.outermost_face(pose.rotation.transpose() * (x - pose.position)).0
    };
    let [x, y] = found.points;
    if found.status == Status::Penetrating {
        let shared = match found.parts {
            [Part::Face(_), Part::Vertex(_)] => y,
            _ => x,
        };
        let common = depth(case.a(), shared).max(depth(case.b(), shared));
        return if common <= tolerance { Verdict::Proved } else { wrong("no common point") };
    }
    if depth(case.a(), x) > tolerance || depth(case.b(), y) > tolerance {
        return wrong("a point does not belong to its body");
    }
    let named = on_part(case.a(), found.parts[0], x, tolerance)
        && on_part(case.b(), found.parts[1], y, tolerance);
    if !named {
        return wrong("a point does not lie on its part");
    }
    if (x.distance(y) - found.distance.abs()).abs() > tolerance || found.distance < -tolerance {
        return wrong("the points have another distance");
    }
    let support = |(p, pose): (&Polyhedron, &Pose), d: DVec3| {
        p.support(DMat3::transpose(&pose.rotation) * d) + pose.position.dot(d)
    };
    // The direction between close points is known only so well.
    let slack = tolerance + 1e-14 * size * size / found.distance.abs();
    let n = found.normal;
    let beyond_a = support(case.a(), n) - n.dot(x);
    let beyond_b = support(case.b(), -n) + n.dot(y);
    if beyond_a <= tolerance && beyond_b <= tolerance {
        return Verdict::Proved;
    }
    if beyond_a <= slack && beyond_b <= slack {
        return if slack < 1e-5 * size { Verdict::Proved } else { Verdict::Vague };
    }
    if found.distance < 1e-12 * size { Verdict::Vague } else { wrong("it is not the closest pair") }
}
