//! Matter at the start: particles on a lattice inside shapes.

use super::lattice::{self, Sites};
use super::room;
use crate::file::{Fill, LoadedScene, SceneError, SceneFile};
use glam::DVec3;
use lawine_core::body::{Body, Shape};
use lawine_core::environment::Environment;
use lawine_core::method::NewParticle;
use lawine_core::neighbors::{ChunkList, PointIndex, SearchKind};
use lawine_core::simd::Portable;
use rayon::prelude::*;

/// Closer than this many spacings to a wall, liquid counts as inside it.
pub(crate) const TOO_CLOSE: f64 = 0.25;

/// Carving keeps particles that are not packed from this many spacings on: half a spacing, and room for rounding.
const CARVE: f64 = 0.499;

/// All particles of the fills of one matter, in order.
pub(crate) struct Filled {
    pub(crate) particles: Vec<NewParticle>,
    /// The indices of the fills.
    fills: Vec<usize>,
    /// Where the particles of each fill end.
    ends: Vec<usize>,
}

impl Filled {
    /// The index of the fill that particle `i` belongs to.
    pub(crate) fn fill_of(&self, i: usize) -> usize {
        self.fills[self.place_of(i)]
    }

    /// The same, among those of this matter.
    fn place_of(&self, i: usize) -> usize {
        self.ends.partition_point(|&end| end <= i)
    }
}

/// The indices of the fills of one matter.
pub(crate) fn fills_of(scene: &SceneFile, matter: &str) -> Vec<usize> {
    let is_of = |i: &usize| scene.is_of(&scene.fill[*i], matter);
    (0..scene.fill.len()).filter(is_of).collect()
}

/// Fills the shapes of one matter with particles.
pub(crate) fn particles(
    loaded: &LoadedScene,
    env: &Environment,
    matter: &str,
) -> Result<Filled, SceneError> {
    let fills = fills_of(&loaded.scene, matter);
    let mut particles = Vec::new();
    let mut ends = Vec::new();
    for &index in &fills {
        particles.extend(fill_beside(loaded, env, index, particles.len())?);
        ends.push(particles.len());
    }
    let filled = Filled { particles, fills, ends };
    check_overlap(loaded, env, &filled)?;
    Ok(filled)
}

/// The particles of fill `number` alone, among the bodies of `env`.
pub fn fill_particles(
    loaded: &LoadedScene,
    env: &Environment,
    index: usize,
) -> Result<Vec<NewParticle>, SceneError> {
    fill_beside(loaded, env, index, 0)
}

/// The particles of fill `number`, where there are `others` already.
fn fill_beside(
    loaded: &LoadedScene,
    env: &Environment,
    index: usize,
    others: usize,
) -> Result<Vec<NewParticle>, SceneError> {
    let fill = &loaded.scene.fill[index];
    let key = format!("fill.{index}");
    let d = spacing_of(loaded, fill);
    let sites = Sites::new(loaded, fill, d, &format!("{key}.shape"), others)?;
    let kind = loaded.scene.matter_of(fill.of.as_deref()).filter(|_| fill.carve);
    let points = match kind.and_then(|kind| kind.pack(loaded, env, &sites)) {
        Some(points) => points?,
        None => {
            let mut points = sites.points();
            if fill.carve {
                let least = CARVE * d;
                points = points.into_par_iter().filter(|&x| nearest(env, x).0 >= least).collect();
            }
            points
        }
    };
    check_domain(loaded, env, &points, &key)?;
    check_walls(loaded, env, &points, &key, TOO_CLOSE * d)?;
    if points.is_empty() {
        let message = "holds no particle: it is thinner than the spacing of particles, or carved \
                       away altogether";
        return Err(loaded.error(&format!("{key}.shape"), message));
    }
    Ok(moving(fill, points))
}

/// Distance of the particles of a fill [m].
fn spacing_of(loaded: &LoadedScene, fill: &Fill) -> f64 {
    loaded.scene.matter_of(fill.of.as_deref()).map_or(1.0, |kind| kind.spacing(&loaded.scene))
}

/// Particles at the places of a fill, with its velocity.
pub(crate) fn moving(fill: &Fill, places: Vec<DVec3>) -> Vec<NewParticle> {
    let flow = |x| fill.flow.as_ref().map_or(DVec3::ZERO, |flow| flow.velocity(x));
    let moving =
        |position| NewParticle { position, velocity: fill.velocity.get() + flow(position) };
    places.into_iter().map(moving).collect()
}

/// Where grains of up to a `diameter` [m] have room in fill `number`, and how they move.
pub fn sites_for_grains(
    loaded: &LoadedScene,
    env: &Environment,
    index: usize,
    diameter: f64,
    others: &[DVec3],
) -> Result<Vec<NewParticle>, SceneError> {
    let fill = &loaded.scene.fill[index];
    let key = format!("fill.{index}.shape");
    let spacing = room::APART * diameter;
    let places = Sites::new(loaded, fill, spacing, &key, others.len())?.points();
    let mut places = moving(fill, places);
    room::keep_with_room(env, others, &mut places, room::Needs::of_grains(diameter));
    Ok(places)
}

/// Distance to the nearest body and that body.
pub(crate) fn nearest(env: &Environment, x: DVec3) -> (f64, Option<&Body>) {
    let mut nearest = (f64::INFINITY, None);
    for body in &env.bodies {
        let distance = body.signed_distance(x).distance;
        if distance < nearest.0 {
            nearest = (distance, Some(body));
        }
    }
    nearest
}

/// Where a point lies, at a distance below `least` from the nearest body, in words.
pub(crate) fn where_it_lies(body: Option<&Body>, distance: f64, least: f64) -> String {
    let name = body.map_or("", |b| b.name.as_str());
    let hollow = body.is_some_and(Body::holds_matter);
    let (place, distance) = match (distance < 0.0, hollow) {
        (true, true) => ("outside", format!("{:.3e} m behind its wall", -distance)),
        (true, false) => ("inside", format!("distance {distance:.3e} m")),
        (false, _) => ("too close to", format!("distance {distance:.3e} m")),
    };
    let kind = if hollow { "container" } else { "body" };
    format!(
        "{place} the {kind} \"{name}\" ({distance}; at least {least:.3e} m, a quarter of the \
         spacing, is allowed)"
    )
}

fn check_domain(
    loaded: &LoadedScene,
    env: &Environment,
    points: &[DVec3],
    key: &str,
) -> Result<(), SceneError> {
    let outside = points.iter().find(|&&x| !env.space.contains(x));
    outside.map_or(Ok(()), |x| {
        let message =
            format!("places a particle at ({}, {}, {}) m, outside space.domain", x.x, x.y, x.z);
        Err(loaded.error(&format!("{key}.shape"), message))
    })
}

fn check_walls(
    loaded: &LoadedScene,
    env: &Environment,
    points: &[DVec3],
    key: &str,
    least: f64,
) -> Result<(), SceneError> {
    let Some(x) = points.par_iter().find_first(|&&x| nearest(env, x).0 < least) else {
        return Ok(());
    };
    let (distance, body) = nearest(env, *x);
    let lies = where_it_lies(body, distance, least);
    let advice = match body.map(|body| &body.shape) {
        Some(Shape::Container { .. }) => {
            "move it, open that side of the container (such as open = [\"+y\"]), or"
        }
        _ => "move it, or",
    };
    Err(loaded.error(
        &format!("{key}.shape"),
        format!(
            "places a particle at ({}, {}, {}) m {lies}; {advice} set {key}.carve = true to leave \
             such particles out",
            x.x, x.y, x.z
        ),
    ))
}

/// Two fills must not put particles on top of each other, nor between each other's: a particle has to
/// be half a spacing from any other, and a whole one (nearly) from those of a fill whose shape it is
/// inside of.
fn check_overlap(
    loaded: &LoadedScene,
    env: &Environment,
    filled: &Filled,
) -> Result<(), SceneError> {
    if filled.ends.len() < 2 {
        return Ok(());
    }
    let mut positions: Vec<DVec3> =
        filled.particles.iter().map(|p| env.space.wrap(p.position)).collect();
    let d = spacing_of(loaded, &loaded.scene.fill[filled.fills[0]]);
    let insides = (filled.fills.iter().map(|&n| (n, &loaded.scene.fill[n])))
        .map(|(n, fill)| lattice::inside(loaded, fill, &format!("fill.{n}.shape"), TOO_CLOSE * d))
        .collect::<Result<Vec<_>, _>>()?;
    let bad = |e| loaded.error("space.periodic", format!("{e}"));
    let mut index = PointIndex::new(SearchKind::Hash, 0.9 * d, &env.space).map_err(bad)?;
    index.update(&mut positions, &mut Vec::new()).map_err(bad)?;
    let (mut list, mut distances) = (ChunkList::default(), Vec::new());
    for (i, &x) in positions.iter().enumerate() {
        index.collect(Portable, &index, i..i + 1, &mut list, &mut distances);
        let own = filled.place_of(i);
        let clash = list.neighbors(0).iter().map(|&j| j as usize).find(|&j| {
            let near = env.space.difference(x, positions[j]).length() < 0.5 * d;
            let other = filled.place_of(j);
            j != i && (near || own != other && insides[other](x))
        });
        if let Some(j) = clash {
            let [a, b] = [i.min(j), i.max(j)].map(|k| filled.fill_of(k));
            let (a, b) = (a.min(b), a.max(b));
            return Err(loaded.error(
                &format!("fill.{b}"),
                format!(
                    "overlaps fill.{a} near ({}, {}, {}) m: fills may touch, but not overlap",
                    x.x, x.y, x.z
                ),
            ));
        }
    }
    Ok(())
}
