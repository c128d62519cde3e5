//! Picking: the object under the mouse, and its values.

use glam::{DVec2, DVec3};
use lawine_core::body::{Body, Shape};
use lawine_core::{Field, FieldValues, field};
use lawine_render::Camera;
use lawine_scene::select::MatterFields;

/// Something that was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A particle, by its matter and its identifier, or its index where there are none.
    Particle(&'static str, u32),
    /// A body, by index.
    Body(usize),
}

/// What was hit, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// What.
    pub target: Target,
    /// Where [m].
    pub point: DVec3,
}

/// What is to be looked at.
pub struct Scenery<'a> {
    /// The columns of each matter.
    pub matters: &'a [MatterFields<'a>],
    /// Radius of the particles of each matter [m].
    pub radii: &'a [f64],
    /// The bodies.
    pub bodies: &'a [Body],
    /// How thick walls are drawn in a plane [m].
    pub wall: f64,
}

/// Steps along a line of sight in search of a body.
const STEPS: usize = 200;

impl Scenery<'_> {
    /// What is seen at a place of a view of the given size [px].
    pub fn hit(&self, camera: &Camera, place: DVec2, size: [u32; 2]) -> Option<Hit> {
        let (start, direction) = camera.ray(place, size[0], size[1]);
        let far = |hit: &Hit| (hit.point - start).length();
        let nearest = |a: Option<Hit>, b: Option<Hit>| match (a, b) {
            (Some(a), Some(b)) => Some(if far(&a) <= far(&b) { a } else { b }),
            (a, b) => a.or(b),
        };
        let planar = matches!(camera, Camera::Planar(_));
        let mut particle = None;
        for (matter, &radius) in self.matters.iter().zip(self.radii) {
            let x = field::positions(&matter.fields).unwrap_or_default();
            let index = if planar {
                particle_at(x, start, radius)
            } else {
                particle_along(x, start, direction, radius)
            };
            let hit = index.map(|i| {
                let id = ids(&matter.fields).map_or(i as u32, |ids| ids[i]);
                Hit { target: Target::Particle(matter.kind.key(), id), point: x[i] }
            });
            particle = nearest(particle, hit);
        }
        if planar {
            particle.or_else(|| self.body_at(start))
        } else {
            nearest(particle, self.body_along(start, direction))
        }
    }

    fn body_at(&self, point: DVec3) -> Option<Hit> {
        let depth = |body: &Body| body.signed_distance(point).distance;
        let hit = self.bodies.iter().position(|body| (-self.wall..=0.0).contains(&depth(body)));
        // A solid may be thicker than walls are drawn.
        let inside = |body: &Body| {
            depth(body) <= 0.0
                && !body.hollow
                && !matches!(body.shape, Shape::Container { .. } | Shape::Plane)
        };
        let hit = hit.or_else(|| self.bodies.iter().position(inside))?;
        Some(Hit { target: Target::Body(hit), point })
    }

    /// Follows a line of sight to the first surface, in steps as long as the distance to it.
    /// Containers are glass.
    fn body_along(&self, start: DVec3, direction: DVec3) -> Option<Hit> {
        let solid = |(_, body): &(usize, &Body)| {
            !body.hollow && !matches!(body.shape, Shape::Container { .. })
        };
        let mut along = 0.0;
        for _ in 0..STEPS {
            let point = start + along * direction;
            let distances = self.bodies.iter().enumerate().filter(solid);
            let distances = distances.map(|(k, body)| (k, body.signed_distance(point).distance));
            let (nearest, distance) = distances.min_by(|a, b| a.1.total_cmp(&b.1))?;
            if distance < 0.05 * self.wall / 6.0 {
                return Some(Hit { target: Target::Body(nearest), point });
            }
            along += distance;
        }
        None
    }
}

/// The particle next to a point of the plane.
fn particle_at(x: &[DVec3], point: DVec3, radius: f64) -> Option<usize> {
    let near = x.iter().enumerate().map(|(i, x)| (i, x.distance(point)));
    let (i, distance) = near.min_by(|a, b| a.1.total_cmp(&b.1))?;
    // As far as the middle between four of them.
    (distance <= 1.45 * radius).then_some(i)
}

/// The first particle on a line of sight.
fn particle_along(x: &[DVec3], start: DVec3, direction: DVec3, radius: f64) -> Option<usize> {
    let along = x.iter().enumerate().filter_map(|(i, &x)| {
        let offset = x - start;
        let along = offset.dot(direction);
        let off = (offset - along * direction).length();
        (off <= radius && along > 0.0).then_some((i, along))
    });
    along.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
}

fn ids<'a>(fields: &[Field<'a>]) -> Option<&'a [u32]> {
    fields.iter().find_map(|f| match f.values {
        FieldValues::U32(ids) if f.name == "id" => Some(ids),
        _ => None,
    })
}

/// Position of a particle [m]; `None` for bodies and removed particles.
pub fn position(target: Target, matters: &[MatterFields<'_>]) -> Option<DVec3> {
    let (fields, i) = particle(target, matters)?;
    field::positions(fields)?.get(i).copied()
}

/// The columns that a particle is in, and its index there.
fn particle<'a>(
    target: Target,
    matters: &'a [MatterFields<'a>],
) -> Option<(&'a [Field<'a>], usize)> {
    let Target::Particle(matter, id) = target else { return None };
    let fields = &matters.iter().find(|m| m.kind.key() == matter)?.fields;
    Some((fields, index(id, fields)?))
}

fn index(id: u32, fields: &[Field<'_>]) -> Option<usize> {
    match ids(fields) {
        Some(ids) => ids.iter().position(|&other| other == id),
        None => Some(id as usize),
    }
}

/// The values of what was hit, as names and texts; `None` if it was removed.
pub fn values(
    target: Target,
    matters: &[MatterFields<'_>],
    bodies: &[Body],
) -> Option<Vec<(String, String)>> {
    match target {
        Target::Particle(..) => {
            let (fields, i) = particle(target, matters)?;
            let count = field::positions(fields).map_or(0, <[DVec3]>::len);
            (i < count).then(|| fields.iter().map(|f| value_of(f, i)).collect())
        }
        Target::Body(number) => bodies.get(number).map(body_values),
    }
}

fn value_of(field: &Field<'_>, i: usize) -> (String, String) {
    let text = match field.values {
        FieldValues::U32(v) => v[i].to_string(),
        FieldValues::Vec3(v) => vector(v[i]),
        values => number(values.magnitude(i)),
    };
    (field.name.to_owned(), with_unit(&text, field.unit))
}

fn body_values(body: &Body) -> Vec<(String, String)> {
    let row = |name: &str, v: DVec3, unit: &str| (name.to_owned(), with_unit(&vector(v), unit));
    vec![
        ("body".to_owned(), body.name.clone()),
        ("shape".to_owned(), body.shape.name().to_owned()),
        row("position", body.pose.position, "m"),
        row("velocity", body.velocity, "m/s"),
        row("angular velocity", body.angular_velocity, "rad/s"),
        row("force", body.force, "N"),
        row("torque", body.torque, "N·m"),
    ]
}

fn with_unit(text: &str, unit: &str) -> String {
    if unit.is_empty() { text.to_owned() } else { format!("{text} {unit}") }
}

fn vector(v: DVec3) -> String {
    format!("({}, {}, {})", number(v.x), number(v.y), number(v.z))
}

/// A number with four digits.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if size <= 0.0 {
        "0".to_owned()
    } else if (1e-3..1e5).contains(&size) {
        let digits = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
        format!("{x:.digits$}")
    } else {
        format!("{x:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_render::{Bounds, Overlay};
    use lawine_scene::matter::kind;

    fn camera(planar: bool) -> Camera {
        let bounds = Bounds::new(DVec3::splat(-1.0), DVec3::splat(1.0));
        if planar {
            Camera::fit_planar(&bounds, 1.0, &Overlay::default())
        } else {
            Camera::fit(&bounds, DVec3::Y, 1.0)
        }
    }

    fn place(camera: &Camera, point: DVec3) -> DVec2 {
        camera.project(point, 400, 400).unwrap().0
    }

    #[test]
    fn particles_and_bodies_are_found_where_they_are_seen() {
        let x = [DVec3::new(0.5, 0.5, 0.0), DVec3::new(-0.5, 0.2, 0.0)];
        let v = [DVec3::X, DVec3::Y];
        let fields = vec![
            Field { name: "position", unit: "m", values: FieldValues::Vec3(&x) },
            Field { name: "velocity", unit: "m/s", values: FieldValues::Vec3(&v) },
            Field { name: "id", unit: "", values: FieldValues::U32(&[7, 9]) },
        ];
        let bodies = [Body::sphere("ball", DVec3::new(0.0, -0.5, 0.0), 0.2).unwrap()];
        let matters = [MatterFields { kind: kind("liquid").unwrap(), fields }];
        let scenery = Scenery { matters: &matters, radii: &[0.05], bodies: &bodies, wall: 0.3 };
        for planar in [true, false] {
            let camera = camera(planar);
            let at = |p: DVec3| scenery.hit(&camera, place(&camera, p), [400, 400]);
            assert_eq!(at(x[1]).unwrap().target, Target::Particle("liquid", 9));
            assert_eq!(at(DVec3::new(0.0, -0.45, 0.0)).unwrap().target, Target::Body(0));
            assert_eq!(at(DVec3::new(0.9, 0.9, 0.0)), None);
        }
        let values = values(Target::Particle("liquid", 9), &matters, &bodies).unwrap();
        assert!(values.contains(&("velocity".to_owned(), "(0, 1.000, 0) m/s".to_owned())));
        assert!(super::values(Target::Particle("liquid", 8), &matters, &bodies).is_none());
        assert!(super::values(Target::Body(1), &matters, &bodies).is_none());
        let body = super::values(Target::Body(0), &matters, &bodies).unwrap();
        assert!(body.contains(&("body".to_owned(), "ball".to_owned())));
    }

    #[test]
    fn numbers_have_four_digits() {
        for (x, text) in [(0.0, "0"), (-9.81, "-9.810"), (1234.5, "1234"), (1e-7, "1.000e-7")] {
            assert_eq!(number(x), text);
        }
    }
}
