//! Emitters and outlets of a scene.

use super::fill::{TOO_CLOSE, nearest, where_it_lies};
use crate::file::{self, LoadedScene, MAX_PARTICLES, SceneError, SceneFile, emitter_kind};
use crate::matter::kind;
use glam::DVec3;
use lawine_core::body::{Body, Shape};
use lawine_core::environment::Environment;
use lawine_core::geometry::Aabb;
use lawine_core::method::NewParticle;
use lawine_core::opening::{Emitter, Mouth, Outlet, Region};

/// The emitters of one matter; mouths must be in the domain, clear of walls, and with room in front of them.
/// `particles` are those there at the start.
pub(crate) fn emitters(
    loaded: &LoadedScene,
    env: &Environment,
    matter: &'static str,
    particles: &[NewParticle],
) -> Result<Vec<Emitter>, SceneError> {
    let scene = &loaded.scene;
    let planar = env.space.is_planar();
    let mut emitters = Vec::new();
    for (index, emitter) in scene.emitter.iter().enumerate() {
        let Some(own) = emitter_kind(scene, emitter).filter(|own| own.key() == matter) else {
            continue;
        };
        let d = own.spacing(scene);
        let key = format!("emitter.{index}.shape.{}", emitter.shape.word());
        let mut made = Emitter::new(&mouth(&emitter.shape), emitter.speed, d, planar)
            .map_err(|e| loaded.error(&key, e.to_string()))?;
        made.matter = Some(matter);
        made.start = emitter.start;
        made.stop = emitter.stop.unwrap_or(f64::INFINITY);
        made.max_particles = emitter.max_particles.map_or(u64::MAX, u64::from);
        made.max_present = own.max_particles(scene).map_or(MAX_PARTICLES as u64, |(_, most)| most);
        let front = d * made.velocity().normalize_or_zero();
        let no_room = format!("no room for the {matter}: the layer behind it lies");
        for (ahead, what) in [(DVec3::ZERO, "the mouth lies"), (front, &no_room)] {
            for &site in made.sites() {
                check_place(env, site + ahead, what, TOO_CLOSE * d)
                    .map_err(|message| loaded.error(&key, message))?;
            }
        }
        emitters.push(made);
    }
    check_start(loaded, matter, particles)?;
    Ok(emitters)
}

/// The outlets, each of one matter.
pub(super) fn outlets(scene: &SceneFile) -> Vec<Outlet> {
    let mut outlets = Vec::new();
    for outlet in &scene.outlet {
        let of = |kind: &str| outlet.of.as_deref().is_none_or(|of| of == kind);
        for kind in scene.matters().filter(|kind| of(kind.key())) {
            let returns = outlet.returns.as_ref().filter(|_| !kind.is_continuous());
            let Some(region) = region(outlet) else { continue };
            outlets.push(Outlet::new(region).of(kind.key()).returning(returns.map(extent)));
        }
    }
    outlets
}

/// The cap must not be below what is there at the start, and outlets must leave some of it.
fn check_start(
    loaded: &LoadedScene,
    matter: &str,
    particles: &[NewParticle],
) -> Result<(), SceneError> {
    let given = kind(matter).and_then(|kind| kind.max_particles(&loaded.scene));
    if let Some((key, most)) = given.filter(|(_, most)| *most < particles.len() as u64) {
        let message = format!(
            "{key} = {most} is not allowed; allowed: at least the {} of the fills",
            particles.len()
        );
        return Err(loaded.error(key, message));
    }
    let outlets = outlets(&loaded.scene);
    let of_this = || outlets.iter().filter(|outlet| outlet.matter == Some(matter));
    let goes = |p: &NewParticle| of_this().any(|o| o.region().contains(p.position));
    if !particles.is_empty() && particles.iter().all(goes) {
        let message = "all initial particles are inside an outlet, which removes them at once";
        return Err(loaded.error("outlet", message));
    }
    Ok(())
}

/// The volume of an outlet; none for a shape that the checks refuse.
fn region(outlet: &file::Outlet) -> Option<Region> {
    let placement = outlet.placement;
    let shape = placement.scaled(&outlet.shape.into());
    let body = match shape {
        file::Shape::Box(e) if placement.pose().is_none() => {
            return Some(Region::Box(extent(&e)));
        }
        file::Shape::Box(e) => Body::cuboid("outlet", e.min.get(), e.max.get()),
        file::Shape::Sphere(s) => Body::sphere("outlet", s.center.get(), s.radius),
        file::Shape::Cylinder(c) => Body::cone("outlet", c.start.get(), c.end.get(), [c.radius; 2]),
        file::Shape::Cone(c) => {
            Body::cone("outlet", c.start.get(), c.end.get(), [c.radius, c.end_radius])
        }
        file::Shape::Capsule(c) => Body::capsule("outlet", c.start.get(), c.end.get(), c.radius),
        _ => return None,
    };
    let body = placement.pose().into_iter().fold(body.ok()?, Body::placed);
    Some(match body.shape {
        Shape::Cuboid { half } => Region::Cuboid { pose: body.pose, half },
        Shape::Sphere { radius } => Region::Sphere { center: body.pose.position, radius },
        Shape::Frustum(frustum) => Region::Frustum { pose: body.pose, frustum },
        Shape::Capsule(capsule) => Region::Capsule { pose: body.pose, capsule },
        _ => return None,
    })
}

/// The particles there are and those that will come in, one for each place of a mouth: what counts
/// where the size of things is guessed.
pub(crate) fn expected(mut particles: Vec<NewParticle>, emitters: &[Emitter]) -> Vec<NewParticle> {
    for emitter in emitters {
        let velocity = emitter.velocity();
        particles
            .extend(emitter.sites().iter().map(|&position| NewParticle { position, velocity }));
    }
    particles
}

/// Why nothing can come out at a place.
fn check_place(env: &Environment, x: DVec3, what: &str, least: f64) -> Result<(), String> {
    let place = format!("({}, {}, {}) m", x.x, x.y, x.z);
    if !env.space.contains(x) {
        return Err(format!("{what} at {place}, outside space.domain"));
    }
    let (distance, body) = nearest(env, x);
    if distance < least {
        return Err(format!("{what} at {place} {}", where_it_lies(body, distance, least)));
    }
    Ok(())
}

fn mouth(mouth: &file::Mouth) -> Mouth {
    match mouth {
        file::Mouth::Rectangle(r) => Mouth::Rectangle {
            center: r.center.get(),
            direction: r.direction.get(),
            up: r.up.map_or(DVec3::Y, |up| up.get()),
            width: r.width,
            height: r.height.unwrap_or_default(),
        },
        file::Mouth::Disc(disc) => Mouth::Disc {
            center: disc.center.get(),
            direction: disc.direction.get(),
            radius: disc.radius,
        },
    }
}

/// A box of the file.
pub(crate) fn extent(extent: &file::Extent) -> Aabb {
    Aabb { min: extent.min.get(), max: extent.max.get() }
}
