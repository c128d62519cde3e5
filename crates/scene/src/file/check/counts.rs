//! What a scene asks memory for, estimated from its numbers before anything is built.

use std::f64::consts::PI;

use super::super::body::Body;
use super::super::grains::{Block, GrainShape, Sizes};
use super::super::opening::Mouth;
use super::super::schema::{Fill, SceneFile};
use super::super::shape::Solid;
use super::checker::{Checker, any_of, emitter_kind};
use super::shape;
use lawine_core::neighbors::SearchKind;
use lawine_solvers::sph::settings::Liquid;

/// The largest number of particles a scene may start with, and the largest that emitters and pours
/// make of it where the scene sets no limit of its own.
pub const MAX_PARTICLES: f64 = 50e6;

/// The largest number of boundary particles of all bodies.
pub const MAX_BOUNDARY: f64 = 50e6;

/// The most places in the mouths of all emitters.
const MAX_PLACES: f64 = 1e6;

/// The most pairs of corners, each with each of its shape, of all shapes of grains: making a shape takes
/// time as the square of their number, some seconds for one of ten thousand.
const MAX_CORNER_PAIRS: f64 = 1e8;

/// The most pairs that the start looks at; 50 million particles in space have about 46 neighbours each.
const MAX_PAIRS: f64 = 4e9;

/// Estimates of what a scene needs memory for. Meshes are not known before their files are read, and
/// not counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    particles: Vec<Part>,
    boundary: Vec<Part>,
    places: Vec<Part>,
    corner_pairs: Vec<Part>,
    pairs: f64,
}

/// What one part of a scene needs.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    key: String,
    count: f64,
}

impl Counts {
    /// Those of a scene whose numbers are in their ranges.
    pub fn of(scene: &SceneFile) -> Self {
        let particles = particles(scene);
        let boundary = boundary(scene);
        let pairs = pairs(scene, total(&particles), total(&boundary));
        Self {
            particles,
            boundary,
            places: places(scene),
            corner_pairs: corner_pairs(scene),
            pairs,
        }
    }

    /// Particles at the start.
    pub fn particles(&self) -> f64 {
        total(&self.particles)
    }

    /// Boundary particles of all bodies.
    pub fn boundary(&self) -> f64 {
        total(&self.boundary)
    }

    /// Pairs of particles that the start looks at.
    pub fn pairs(&self) -> f64 {
        self.pairs
    }

    /// Pairs of corners of all shapes of grains.
    pub fn corner_pairs(&self) -> f64 {
        total(&self.corner_pairs)
    }
}

/// Checks the counts of a scene against their limits.
pub(super) fn check(c: &mut Checker<'_>) {
    let counts = Counts::of(c.scene);
    let coarser: Vec<String> = c.scene.matters().map(|kind| kind.resolution(c.scene)).collect();
    let smaller = format!("make it smaller, or {} larger", any_of(&coarser));
    limit(c, &counts.particles, "would hold", "particles", MAX_PARTICLES, &smaller);
    limit(c, &counts.boundary, "would need", "boundary particles", MAX_BOUNDARY, &smaller);
    limit(c, &counts.places, "has", "lattice sites", MAX_PLACES, &smaller);
    let fewer = "use fewer corners, or a smaller variety";
    let (pairs, most) = (&counts.corner_pairs, MAX_CORNER_PAIRS);
    limit(c, pairs, "would have", "pairs of corners", most, fewer);
    if counts.particles() <= MAX_PARTICLES && counts.pairs > MAX_PAIRS {
        let search = c.scene.liquid.as_ref().map(|liquid| liquid.neighbors);
        let (key, value, instead) = match search {
            Some(SearchKind::BruteForce) => {
                ("liquid.neighbors", "\"brute-force\"".to_owned(), "use \"grid\"")
            }
            _ => {
                let support = c.scene.liquid.as_ref().map_or(0.0, Liquid::support);
                ("liquid.support", support.to_string(), "make it smaller")
            }
        };
        let message = format!(
            "{key} = {value} is not allowed here: about {:.1e} pairs of particles would be tested; \
             allowed: at most {MAX_PAIRS:e} ({instead}, or the spacing larger)",
            counts.pairs
        );
        c.report(key, message);
    }
}

/// Refuses parts that are too many together; the largest is named.
fn limit(c: &mut Checker<'_>, parts: &[Part], needs: &str, what: &str, most: f64, instead: &str) {
    let sum = total(parts);
    let Some(largest) = parts.iter().max_by(|a, b| a.count.total_cmp(&b.count)) else { return };
    if sum <= most {
        return;
    }
    let Part { key, count } = largest;
    let of = if parts.len() > 1 { format!(", of {sum:.0} in total") } else { String::new() };
    let message = format!(
        "{key} {needs} about {count:.0} {what}{of}; allowed: at most {most:.0} ({instead})"
    );
    c.report(key, message);
}

fn total(parts: &[Part]) -> f64 {
    parts.iter().map(|part| part.count).sum()
}

/// Matter at the start: fills, blocks and single grains.
fn particles(scene: &SceneFile) -> Vec<Part> {
    let fills = scene.fill.iter().enumerate().filter_map(|(i, fill)| {
        let key = format!("fill.{i}.shape.{}", fill.shape.word());
        Some(Part { key, count: filled(scene, fill)? })
    });
    let blocks = scene
        .block
        .iter()
        .enumerate()
        .map(|(i, block)| Part { key: format!("block.{i}"), count: in_block(block) });
    let grains = (!scene.grain.is_empty())
        .then(|| Part { key: "grain".into(), count: scene.grain.len() as f64 });
    fills.chain(blocks).chain(grains).collect()
}

/// Lattice points that a fill is made from.
fn filled(scene: &SceneFile, fill: &Fill) -> Option<f64> {
    let planar = scene.space.dimension == 2;
    let kind = scene.matter_of(fill.of.as_deref())?;
    let placement = fill.placement();
    // The lattice of a box turns with it.
    let is_box = matches!(fill.shape, Solid::Box(_));
    let placement = if is_box { placement.scale_only() } else { placement };
    let bounds = shape::bounds(&fill.shape.clone().into(), &placement, scene)?;
    let cells = bounds.size().max(glam::DVec3::ZERO) / kind.spacing(scene);
    // Shapes are cut out of a box of lattice points, and carving looks at those around it.
    let rim = match scene.liquid.as_ref().filter(|_| scene.is_of(fill.of.as_deref(), "liquid")) {
        Some(liquid) if fill.carve => 4.0 * (0.5 * liquid.support() / liquid.spacing).ceil() + 2.0,
        _ if is_box => 0.0,
        _ => 2.0,
    };
    let cells = cells + rim;
    Some(if planar { cells.x * cells.y } else { cells.element_product() })
}

fn in_block(block: &Block) -> f64 {
    let places = (block.size.get() / block.spacing).floor().max(glam::DVec3::ZERO);
    let asked = block.count.map_or(f64::INFINITY, f64::from);
    places.element_product().min(asked)
}

/// Boundary particles, which only liquids have.
fn boundary(scene: &SceneFile) -> Vec<Part> {
    let Some(liquid) = &scene.liquid else { return Vec::new() };
    let planar = scene.space.dimension == 2;
    let of = |body: &Body| {
        let surface = shape::surface(&body.shape, &body.placement(), scene)?;
        let area = liquid.spacing.powi(if planar { 1 } else { 2 });
        Some(f64::from(liquid.walls.layers) * surface / area)
    };
    let bodies = scene.body.iter().enumerate().filter_map(|(i, body)| {
        let key = format!("body.{i}.shape.{}", body.shape.word());
        Some(Part { key, count: of(body)? })
    });
    bodies.collect()
}

/// Places in the mouths of emitters.
fn places(scene: &SceneFile) -> Vec<Part> {
    let planar = scene.space.dimension == 2;
    let emitters = scene.emitter.iter().enumerate().map(|(i, emitter)| {
        let spacing = emitter_kind(scene, emitter).map_or(1.0, |kind| kind.spacing(scene));
        let along = |length: f64| length / spacing + 1.0;
        let count = match &emitter.shape {
            Mouth::Rectangle(mouth) => {
                let across = mouth.height.filter(|_| !planar).map_or(1.0, along);
                along(mouth.width) * across
            }
            Mouth::Disc(disc) if planar => along(2.0 * disc.radius),
            Mouth::Disc(disc) => 0.25 * PI * along(2.0 * disc.radius).powi(2),
        };
        Part { key: format!("emitter.{i}.shape.{}", emitter.shape.word()), count }
    });
    emitters.collect()
}

/// Pairs of corners of the shapes of grains, which are made once for each form.
fn corner_pairs(scene: &SceneFile) -> Vec<Part> {
    let corners = |shape: &GrainShape| match shape {
        GrainShape::Ellipsoid(ellipsoid) => f64::from(ellipsoid.vertices),
        GrainShape::Platonic(_) => 20.0,
        GrainShape::Box(_) => 8.0,
        GrainShape::Prism(prism) => 2.0 * f64::from(prism.sides),
        GrainShape::Polyhedron(hull) => hull.vertices.len() as f64,
        GrainShape::Mesh(_) => 1.0,
    };
    let of = |shape: &GrainShape| corners(shape).powi(2);
    let forms = |shape: &GrainShape, sizes: &Option<Sizes>, variety: u32| {
        let each = if shape.is_random() { f64::from(variety) } else { 1.0 };
        match sizes {
            Some(Sizes::Uniform(_) | Sizes::LogNormal(_)) => f64::from(variety),
            Some(Sizes::TwoComponents(_)) => 2.0 * each,
            Some(Sizes::Fixed(_)) | None => each,
        }
    };
    let grains = scene
        .grain
        .iter()
        .enumerate()
        .map(|(i, grain)| Part { key: format!("grain.{i}.shape"), count: of(&grain.shape) });
    let blocks = scene.block.iter().enumerate().map(|(i, block)| Part {
        key: format!("block.{i}.shape"),
        count: of(&block.shape) * forms(&block.shape, &block.sizes, block.variety),
    });
    let pours = scene.pour.iter().enumerate().map(|(i, pour)| Part {
        key: format!("pour.{i}.shape"),
        count: of(&pour.shape) * forms(&pour.shape, &pour.sizes, pour.variety),
    });
    grains.chain(blocks).chain(pours).collect()
}

/// Pairs that a liquid of so many particles and boundary particles looks at: those of neighbours, or
/// all of them.
fn pairs(scene: &SceneFile, particles: f64, boundary: f64) -> f64 {
    let Some(liquid) = &scene.liquid else { return 0.0 };
    if liquid.neighbors == SearchKind::BruteForce {
        return particles * (particles + boundary);
    }
    let reach = liquid.support() / liquid.spacing;
    let neighbors = match scene.space.dimension {
        2 => PI * reach.powi(2),
        _ => 4.0 / 3.0 * PI * reach.powi(3),
    };
    particles * neighbors
}
