//! Grains from their tables: `grains`, the single grains, the blocks of sand and the fills.

use super::shapes::Shapes;
use super::{Kind, contact, contacts, settings};
use crate::build::{Matter, Scale, Site, fills_of, pairing_of_bodies, sites_for_grains};
use crate::file::{LoadedScene, SceneError};
use glam::{DQuat, DVec3};
use lawine_core::environment::Environment;
use lawine_core::geometry::{Aabb, Random, Shape};
use lawine_core::method::NewParticle;
use lawine_core::opening::Pour;
use lawine_solvers::dem::settings as solver;
use lawine_solvers::dem::{Block, BlockError, Config, Grain, Grains, GrainsError};

/// So many turns are tried before a grain counts as too large for its place.
const TURNS: u32 = 200;

/// The skin of the grid, in diameters of the smallest grain.
const SKIN: f64 = 0.05;

/// The grains of a scene; the skin of the grid is decided here if the file leaves it open.
pub(super) fn grains(site: &mut Site<'_>) -> Result<Matter, SceneError> {
    let Site { loaded, scene, env } = site;
    let table = loaded.scene.table::<solver::Grains>();
    let table = table.ok_or_else(|| loaded.error("grains", "is missing"))?;
    let mut shapes = Shapes::new(loaded, table.density);
    let mut random = Random::new(scene.seed);
    let mut grains = Vec::new();
    for index in 0..scene.grain.len() {
        grains.push(single(loaded, index, &mut shapes, &mut random)?);
    }
    for index in 0..scene.block.len() {
        grains.extend(block(loaded, index, &mut shapes, &mut random)?);
    }
    let pours = contacts::pours(loaded, &mut shapes, &mut random)?;
    let diameter = |shape: &std::sync::Arc<lawine_core::geometry::Shape>| 2.0 * shape.radius;
    let smallest = shapes.list.iter().map(diameter).fold(f64::INFINITY, f64::min);
    let largest = shapes.list.iter().map(diameter).fold(0.0, f64::max);
    check_periods(loaded, env, largest)?;
    for index in fills_of(scene, "grains") {
        grains.extend(filled(loaded, env, index, &shapes, &grains, &mut random)?);
    }
    let skin = table.skin.unwrap_or(SKIN * smallest);
    if let Some(table) = scene.table_mut::<solver::Grains>() {
        table.skin = Some(skin);
    }
    let bad = |e: GrainsError| loaded.error("grains", e.to_string());
    let mut method = Grains::new(Config::of(table, skin), shapes.list, env)
        .and_then(|made| made.with_densities(&shapes.densities))
        .map_err(bad)?;
    let places: Vec<NewParticle> =
        grains.iter().map(|g| NewParticle { position: g.position, velocity: g.velocity }).collect();
    let scale = Scale::of(env, &places, super::Grains.spacing(scene));
    if let Some(table) = contact(&loaded.scene) {
        let bodies = pairing_of_bodies(&loaded.scene, env, scale.speed());
        let contacts = contacts::contacts(&loaded.scene, table, &shapes.materials, bodies);
        let contacts = contacts.map_err(bad)?;
        method = method
            .with_contacts(&contacts, env)
            .map_err(|e| loaded.error("grains.contact", e.to_string()))?;
    }
    for grain in &grains {
        method.add(grain).map_err(bad)?;
    }
    contacts::check(loaded, &mut method, env)?;
    let bounds = bounds(env, &method, &pours);
    let warnings = contacts::warnings(&loaded.scene, &method, env);
    let (method, grain_surfaces) = (Box::new(method), shapes.grain_surfaces);
    let emitters = Vec::new();
    Ok(Matter { method, emitters, pours, boundary: 0, bounds, scale, grain_surfaces, warnings })
}

/// A single grain.
fn single(
    loaded: &LoadedScene,
    index: usize,
    shapes: &mut Shapes<'_>,
    random: &mut Random,
) -> Result<Grain, SceneError> {
    let grain = &loaded.scene.grain[index];
    let key = format!("grain.{index}.shape");
    let shape = shapes.shared(grain, &key, random)?;
    let turn = grain.orientation.map_or(DQuat::IDENTITY, |turn| turn.quaternion());
    Ok(Grain {
        shape,
        position: grain.position.get(),
        velocity: grain.velocity.get(),
        // The shape stands in its own frame, the scene in that of the shape's numbers.
        orientation: turn * shapes.list[shape as usize].rotation,
        omega: grain.angular_velocity.get(),
    })
}

/// The grains of a block.
fn block(
    loaded: &LoadedScene,
    index: usize,
    shapes: &mut Shapes<'_>,
    random: &mut Random,
) -> Result<Vec<Grain>, SceneError> {
    let block = &loaded.scene.block[index];
    let key = format!("block.{index}");
    let moulds = shapes.moulds(&block.grains, &key, random)?;
    let lattice = Block {
        origin: block.origin.get(),
        size: block.size.get(),
        spacing: DVec3::splat(block.spacing),
    };
    let bad = |error: BlockError| block_error(loaded, &key, block, &error);
    let across = moulds.shapes().map(|s| shapes.across(s, block.turned)).fold(0.0, f64::max);
    let room = block.spacing * (1.0 + 1e-12);
    // How large random shapes become is chance: one that is longer than its place is wide is turned
    // until it fits.
    let by_chance =
        block.turned && (block.grains.shape.is_random() || block.grains.sizes.is_some());
    let least = if by_chance { 0.0 } else { across * (1.0 - 1e-12) };
    let places = lattice.places(block.count.map(|count| count as usize), least).map_err(bad)?;
    if places.is_empty() {
        let message = format!(
            "{key}.spacing = {} is not allowed; allowed: at most the shortest edge of the block, \
             {} m, so that a grain fits",
            block.spacing,
            block.size.get().min_element()
        );
        return Err(loaded.error(&format!("{key}.spacing"), message));
    }
    let made = places.into_iter().map(|position| {
        let index = moulds.draw(random);
        let shape = &shapes.list[index as usize];
        let orientation = if block.turned {
            let turn = fitting_turn(shape, room, random);
            turn.ok_or(BlockError::TooClose { spacing: block.spacing, diameter: across })?
        } else {
            DQuat::IDENTITY
        };
        Ok(Grain {
            shape: index,
            position,
            velocity: block.velocity.get() + block.speed * random.direction(),
            orientation: orientation * shape.rotation,
            omega: block.spin * random.direction(),
        })
    });
    made.collect::<Result<_, _>>().map_err(bad)
}

/// A random turn of a shape about its centre, such that it fits into a cube with edges of `room` [m].
fn fitting_turn(shape: &Shape, room: f64, random: &mut Random) -> Option<DQuat> {
    let always_fits = 2.0 * shape.radius <= room;
    let fits = |turn: &DQuat| {
        let orientation = *turn * shape.rotation;
        let reach = |v: &DVec3| (orientation * *v).abs().max_element();
        always_fits || shape.polyhedron.vertices().iter().all(|v| 2.0 * reach(v) <= room)
    };
    (0..TURNS).map(|_| random.orientation()).find(fits)
}

/// The grains of a fill: of all shapes that the scene has, where there is room for them.
fn filled(
    loaded: &LoadedScene,
    env: &Environment,
    index: usize,
    shapes: &Shapes<'_>,
    others: &[Grain],
    random: &mut Random,
) -> Result<Vec<Grain>, SceneError> {
    let diameter = 2.0 * shapes.list.iter().map(|shape| shape.radius).fold(0.0, f64::max);
    let others: Vec<DVec3> = others.iter().map(|grain| grain.position).collect();
    let places = sites_for_grains(loaded, env, index, diameter, &others)?;
    if places.is_empty() {
        let message = format!("has no room for a grain, which is up to {diameter:.6e} m across");
        return Err(loaded.error(&format!("fill.{index}.shape"), message));
    }
    let made = places.into_iter().map(|NewParticle { position, velocity }| {
        let shape = random.below(shapes.list.len()) as u32;
        let orientation = random.orientation();
        Grain { shape, position, velocity, orientation, omega: DVec3::ZERO }
    });
    Ok(made.collect())
}

/// Why grains cannot be put into a block, with the key to change.
fn block_error(
    loaded: &LoadedScene,
    key: &str,
    block: &settings::Block,
    error: &BlockError,
) -> SceneError {
    let (name, value, allowed) = match *error {
        BlockError::TooMany { asked, places } => {
            let allowed = format!("at most {places}, the number of sites in the block");
            ("count", asked.to_string(), allowed)
        }
        BlockError::TooClose { diameter, .. } => {
            let allowed = format!("at least {diameter:.6e} m, so far its largest grain is across");
            ("spacing", block.spacing.to_string(), allowed)
        }
        BlockError::Length { .. } => {
            ("size", block.size.to_string(), "every edge length above 0 m".into())
        }
    };
    let key = format!("{key}.{name}");
    loaded.error(&key, format!("{key} = {value} is not allowed; allowed: {allowed}"))
}

/// A grain must meet each other grain in one place only.
fn check_periods(loaded: &LoadedScene, env: &Environment, largest: f64) -> Result<(), SceneError> {
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        if let Some((_, length)) = env.space.period(k)
            && length <= 2.0 * largest
        {
            let message = format!(
                "space.domain = {length} m along {axis} is not allowed; allowed: above {} m, twice \
                 the diameter of the largest grain, since {axis} is periodic",
                2.0 * largest
            );
            return Err(loaded.error("space.domain", message));
        }
    }
    Ok(())
}

/// A box around all grains, around where they come in, and around the whole of a space that repeats.
fn bounds(env: &Environment, grains: &Grains, pours: &[Pour]) -> Aabb {
    let (state, reach) = (grains.state(), |i: usize| DVec3::splat(grains.shape(i).radius));
    let around = |i: usize| [state.x[i] - reach(i), state.x[i] + reach(i)];
    let mut bounds = Aabb::from_points((0..state.id.len()).flat_map(around));
    for pour in pours {
        bounds = bounds.union(*pour.region());
    }
    if let Some(domain) = env.space.domain {
        for k in (0..3).filter(|&k| env.space.periodic[k]) {
            bounds.min[k] = domain.min[k];
            bounds.max[k] = domain.max[k];
        }
    }
    bounds
}
