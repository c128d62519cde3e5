//! Solids of revolution about the local y axis: cylinders, cones and capsules.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3};

use crate::geometry::Distance;

/// A cylinder, a cone or a truncated cone about the local y axis; the origin is its centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    /// Where it begins and ends along y [m].
    pub y: [f64; 2],
    /// Radius at the beginning and at the end [m]; one of them may be zero.
    pub radii: [f64; 2],
}

/// All points within a radius of a piece of the local y axis; in the plane a stadium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Half the length of the piece, without the round ends [m].
    pub half: f64,
    /// Radius [m].
    pub radius: f64,
}

impl Frustum {
    /// With a height and the radii at its beginning and end [m].
    #[must_use]
    pub fn new(height: f64, radii: [f64; 2]) -> Self {
        let [a, b] = radii;
        let center = height * (a * a + 2.0 * a * b + 3.0 * b * b) / (4.0 * (a * a + a * b + b * b));
        Self { y: [-center, height - center], radii }
    }

    /// Height [m].
    #[must_use]
    pub fn height(&self) -> f64 {
        self.y[1] - self.y[0]
    }

    /// Volume [m³].
    #[must_use]
    pub fn volume(&self) -> f64 {
        let [a, b] = self.radii;
        PI / 3.0 * self.height() * (a * a + a * b + b * b)
    }

    /// Area of the surface [m²].
    #[must_use]
    pub fn area(&self) -> f64 {
        let [a, b] = self.radii;
        PI * (a * a + b * b + (a + b) * self.height().hypot(a - b))
    }

    /// Mean squares of x, y and z over the volume [m²].
    pub(super) fn mean_squares(&self) -> DVec3 {
        let ([a, b], h) = (self.radii, self.height());
        let (a2, ab, b2) = (a * a, a * b, b * b);
        // ∫ x² dV = π/4 ∫ r⁴ dy, and ∫ y² dV = π ∫ r² y² dy from the beginning on.
        let x = PI / 20.0 * h * (a2 * a2 + a2 * ab + a2 * b2 + ab * b2 + b2 * b2);
        let y = PI * h.powi(3) * (a2 / 30.0 + ab / 10.0 + b2 / 5.0);
        let (x, y) = (x / self.volume(), y / self.volume() - self.y[0].powi(2));
        DVec3::new(x, y, x)
    }

    /// Signed distance of a local point, exact.
    #[must_use]
    pub fn distance(&self, p: DVec3) -> Distance {
        self.settled_distance(p, 0.0)
    }

    /// See [`super::Body::settled_distance`]: of the beginning, the end and the side, the first.
    pub(super) fn settled_distance(&self, p: DVec3, tie: f64) -> Distance {
        let ([low, high], [a, b]) = (self.y, self.radii);
        // Everything happens in the half plane through the axis and the point.
        let (q, outwards) = half_plane(p);
        let side = DVec2::new(b - a, high - low);
        let across = DVec2::new(side.y, -side.x) / side.length();
        let from_side = across.dot(q - DVec2::new(a, low));
        let planes = [(low - q.y, -DVec2::Y), (q.y - high, DVec2::Y), (from_side, across)];
        let mut nearest = planes[0];
        for plane in &planes[1..] {
            if plane.0 > nearest.0 + tie {
                nearest = *plane;
            }
        }
        let (mut distance, mut normal) = nearest;
        // Inside a convex solid the closest point of the surface lies in the closest plane.
        if distance > tie {
            let t = ((q - DVec2::new(a, low)).dot(side) / side.length_squared()).clamp(0.0, 1.0);
            let feet = [
                DVec2::new(q.x.min(a), low),
                DVec2::new(q.x.min(b), high),
                DVec2::new(a, low) + t * side,
            ];
            let away = feet.map(|foot| q - foot);
            let shortest =
                away.into_iter().min_by(|u, v| u.length_squared().total_cmp(&v.length_squared()));
            if let Some(r) = shortest
                && r.length() > 1e-13 * (1.0 + p.abs().max_element())
            {
                (distance, normal) = (r.length(), r / r.length());
            }
        }
        Distance { distance, normal: outwards * normal.x + DVec3::Y * normal.y }
    }

    /// Corners of a convex polyhedron with `sides` sides that stands for it: on the surface, or around it.
    ///
    /// The true surface is at most 1 − cos(π/`sides`) of the radius away from it: 0.12 % with 64 sides.
    #[must_use]
    pub fn corners(&self, sides: u32, around: bool) -> Vec<DVec3> {
        let grow = if around { 1.0 / (PI / f64::from(sides)).cos() } else { 1.0 };
        let mut corners = Vec::new();
        for (y, radius) in self.y.into_iter().zip(self.radii) {
            if radius > 0.0 {
                corners.extend(ring(y, grow * radius, sides));
            } else {
                corners.push(DVec3::new(0.0, y, 0.0));
            }
        }
        corners
    }
}

impl Capsule {
    /// Volume [m³].
    #[must_use]
    pub fn volume(&self) -> f64 {
        PI * self.radius.powi(2) * (2.0 * self.half + 4.0 / 3.0 * self.radius)
    }

    /// Area of the surface [m²].
    #[must_use]
    pub fn area(&self) -> f64 {
        TAU * self.radius * (2.0 * self.half + 2.0 * self.radius)
    }

    /// Mean squares of x, y and z over the volume [m²].
    pub(super) fn mean_squares(&self) -> DVec3 {
        let (a, r) = (self.half, self.radius);
        let ball = 4.0 / 15.0 * PI * r.powi(5);
        let x = ball + PI / 2.0 * a * r.powi(4);
        // The round ends lie a further out: ∫ (a + y)² dV over both.
        let ends = ball + PI * a * r.powi(4) + 4.0 / 3.0 * PI * a * a * r.powi(3);
        let y = ends + PI * r * r * 2.0 / 3.0 * a.powi(3);
        DVec3::new(x, y, x) / self.volume()
    }

    /// Signed distance of a local point.
    #[must_use]
    pub fn distance(&self, p: DVec3) -> Distance {
        let r = p - DVec3::new(0.0, p.y.clamp(-self.half, self.half), 0.0);
        let length = r.length();
        let normal = if length > 0.0 { r / length } else { DVec3::X };
        Distance { distance: length - self.radius, normal }
    }

    /// Corners of a convex polyhedron on its surface, with `sides` sides around the axis.
    #[must_use]
    pub fn corners(&self, sides: u32) -> Vec<DVec3> {
        let rings = sides.div_ceil(4);
        let mut corners = vec![DVec3::new(0.0, -self.half - self.radius, 0.0)];
        for end in [-1.0, 1.0] {
            for k in 0..rings {
                let (s, c) = (0.5 * PI * f64::from(k) / f64::from(rings)).sin_cos();
                corners.extend(ring(end * (self.half + s * self.radius), c * self.radius, sides));
            }
        }
        corners.push(DVec3::new(0.0, self.half + self.radius, 0.0));
        corners
    }

    /// The profile from the lower end to the upper one: radius and height [m].
    pub(super) fn profile(&self, parts: u32) -> Vec<DVec2> {
        let quarter = |k: u32| (0.5 * PI * f64::from(k) / f64::from(parts)).sin_cos();
        let upper = (0..=parts).map(|k| {
            let (s, c) = quarter(k);
            DVec2::new(if k == parts { 0.0 } else { c * self.radius }, self.half + s * self.radius)
        });
        let upper: Vec<DVec2> = upper.collect();
        let lower = upper.iter().rev().map(|p| DVec2::new(p.x, -p.y));
        lower.chain(upper.iter().copied()).collect()
    }
}

/// Distance from the y axis and height, and the unit vector away from the axis.
fn half_plane(p: DVec3) -> (DVec2, DVec3) {
    let radius = p.x.hypot(p.z);
    let outwards =
        if radius > 0.0 { DVec3::new(p.x / radius, 0.0, p.z / radius) } else { DVec3::X };
    (DVec2::new(radius, p.y), outwards)
}

/// Points on a circle about the y axis, clockwise seen from above.
pub(super) fn ring(y: f64, radius: f64, sides: u32) -> impl Iterator<Item = DVec3> {
    (0..sides).map(move |i| {
        let (s, c) = (TAU * f64::from(i) / f64::from(sides)).sin_cos();
        DVec3::new(radius * c, y, -radius * s)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use crate::geometry::{MassProperties, Polyhedron};
    use proptest::prelude::*;

    /// The distance of a point to the profile of a solid, by search: along a straight line it is convex.
    fn to_profile(profile: &[DVec2], q: DVec2) -> f64 {
        let to_line = |ends: &[DVec2]| {
            let distance = |t: f64| ends[0].lerp(ends[1], t).distance(q);
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..100 {
                let third = (high - low) / 3.0;
                let (a, b) = (low + third, high - third);
                if distance(a) < distance(b) { high = b } else { low = a }
            }
            distance(low).min(distance(0.0)).min(distance(1.0))
        };
        profile.windows(2).map(to_line).fold(f64::INFINITY, f64::min)
    }

    fn gradient(body: &Body, p: DVec3) -> DVec3 {
        let h = 1e-6;
        let along = |axis: DVec3| {
            let at = |s: f64| body.signed_distance(p + s * axis).distance;
            (at(h) - at(-h)) / (2.0 * h)
        };
        DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z))
    }

    proptest! {
        #[test]
        fn frustums_are_as_far_as_their_profile(
            height in 0.1..3.0_f64, a in 0.0..2.0_f64, b in 0.05..2.0_f64,
            p in prop::array::uniform3(-3.0..3.0_f64),
        ) {
            let solid = Frustum::new(height, [a, b]);
            let p = DVec3::from(p);
            let q = DVec2::new(p.x.hypot(p.z), p.y);
            let [low, high] = solid.y;
            let profile =
                [DVec2::new(0.0, low), DVec2::new(a, low), DVec2::new(b, high), DVec2::new(0.0, high)];
            let found = solid.settled_distance(p, 0.0);
            prop_assert!((found.distance.abs() - to_profile(&profile, q)).abs() < 1e-9);
            let t = (q.y - low) / height;
            let inside = (0.0..=1.0).contains(&t) && q.x <= a + t * (b - a);
            prop_assert_eq!(found.distance <= 0.0, inside);
            // Back along the normal lies the surface.
            let foot = solid.settled_distance(p - found.distance * found.normal, 0.0);
            prop_assert!(foot.distance.abs() < 1e-12, "{foot:?}");
        }

        #[test]
        fn normals_are_gradients(
            start in prop::array::uniform3(-1.0..1.0_f64),
            end in prop::array::uniform3(-1.0..1.0_f64),
            p in prop::array::uniform3(-2.0..2.0_f64),
            hollow: bool,
        ) {
            let [start, end, p] = [start, end, p].map(DVec3::from);
            prop_assume!(start.distance(end) > 0.1);
            for body in [
                Body::cone("cone", start, end, [0.4, 0.0]),
                Body::cone("cylinder", start, end, [0.5, 0.5]),
                Body::capsule("capsule", start, end, 0.3),
            ] {
                let mut body = body.unwrap();
                body.hollow = hollow;
                let found = body.signed_distance(p);
                prop_assert!((found.normal.length() - 1.0).abs() < 1e-12);
                let slope = gradient(&body, p);
                // On ridges, which a difference straddles, there is none.
                if (slope.length() - 1.0).abs() < 1e-6 {
                    prop_assert!(slope.distance(found.normal) < 1e-4, "{} {slope} {found:?}", body.name);
                }
            }
        }
    }

    #[test]
    fn capsules_are_as_far_as_their_axis() {
        let body = Body::capsule("c", DVec3::ZERO, DVec3::new(2.0, 0.0, 0.0), 0.5).unwrap();
        for (p, expected) in [
            (DVec3::new(1.0, 1.0, 0.0), 0.5),
            (DVec3::new(1.0, 0.1, 0.0), -0.4),
            (DVec3::new(3.0, 0.0, 0.0), 0.5),
            (DVec3::new(-3.0, 4.0, 0.0), 4.5),
        ] {
            assert!((body.signed_distance(p).distance - expected).abs() < 1e-12, "{p}");
        }
        let bounds = body.bounds();
        assert!(bounds.min.distance(DVec3::new(-0.5, -0.5, -0.5)) < 1e-12);
        assert!(bounds.max.distance(DVec3::new(2.5, 0.5, 0.5)) < 1e-12);
    }

    #[test]
    fn a_cylinder_is_bounded_tightly_however_it_lies() {
        let body = Body::cone("c", DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0), [0.5, 0.5]).unwrap();
        let reach = 0.5 * 0.5_f64.sqrt();
        let bounds = body.bounds();
        assert!(bounds.min.distance(DVec3::new(-reach, -reach, -0.5)) < 1e-12, "{bounds:?}");
        assert!(bounds.max.distance(DVec3::new(1.0 + reach, 1.0 + reach, 0.5)) < 1e-12);
    }

    #[test]
    fn masses_are_those_of_fine_polyhedra() {
        let (start, end) = (DVec3::new(0.1, 0.2, 0.3), DVec3::new(0.5, -0.4, 0.9));
        let solids = [
            Body::cone("cone", start, end, [0.4, 0.0]),
            Body::cone("bucket", start, end, [0.3, 0.5]),
            Body::cone("cylinder", start, end, [0.5, 0.5]),
            Body::capsule("capsule", start, end, 0.3),
        ];
        for body in solids.map(Result::unwrap) {
            let exact = body.mass_properties(700.0).unwrap();
            let corners = match &body.shape {
                super::super::Shape::Frustum(f) => f.corners(400, false),
                super::super::Shape::Capsule(c) => c.corners(120),
                _ => unreachable!(),
            };
            let hull = Polyhedron::new(&corners).unwrap();
            let fine = MassProperties::of_mesh(&hull.mesh(), 700.0);
            assert!((fine.mass / exact.mass - 1.0).abs() < 2e-3, "{}", body.name);
            assert!(exact.center.distance(body.pose.to_world(fine.center)) < 1e-3);
            let turn = glam::DMat3::from_quat(body.pose.rotation);
            let turned = turn * fine.inertia * turn.transpose();
            let error = (turned - exact.inertia).to_cols_array().map(f64::abs);
            let worst = error.into_iter().fold(0.0, f64::max);
            assert!(worst < 4e-3 * exact.inertia.x_axis.x, "{}: {worst}", body.name);
            assert!(exact.center.distance(body.pose.position) < 1e-12, "{}", body.name);
        }
    }

    #[test]
    fn polyhedra_that_stand_for_them_err_to_the_stated_side() {
        let solid = Frustum::new(1.0, [0.4, 0.2]);
        for (around, sign) in [(false, 1.0), (true, -1.0)] {
            let hull = Polyhedron::new(&solid.corners(64, around)).unwrap();
            for face in hull.faces() {
                // The middle of a side is the deepest point of an inner, the nearest of an outer one.
                let corner = hull.vertices().iter().map(|v| face.plane.distance(*v).abs());
                assert!(corner.fold(f64::INFINITY, f64::min) < 1e-12);
            }
            for k in 0..500 {
                let (s, c) = (0.1234 * f64::from(k)).sin_cos();
                let t = f64::from(k) / 500.0;
                let radius = 0.4 + t * (0.2 - 0.4);
                let p = DVec3::new(radius * c, solid.y[0] + t, radius * s);
                let (depth, _) = hull.outermost_face(p);
                assert!(sign * depth > -1e-12 && depth.abs() < 0.0013 * 0.4, "{depth}");
            }
        }
    }
}
