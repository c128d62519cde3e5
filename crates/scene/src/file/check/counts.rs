//! What a scene asks memory for, estimated from its numbers before anything is built.

use std::f64::consts::PI;

use super::super::body::Body;
use super::super::opening::Mouth;
use super::super::schema::{Fill, SceneFile};
use super::super::shape::Solid;
use super::checker::{Checker, any_of, emitter_kind};
use super::shape;
use crate::matter::Kind;

/// The largest number of particles a scene may start with, and the largest that emitters and pours
/// make of it where the scene sets no limit of its own.
pub const MAX_PARTICLES: f64 = 50e6;

/// The largest number of boundary particles of all bodies.
pub const MAX_BOUNDARY: f64 = 50e6;

/// The most places in the mouths of all emitters.
const MAX_PLACES: f64 = 1e6;

/// Estimates of what a scene needs memory and time for before it runs. Meshes are not known before their files
/// are read, and not counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    particles: Need,
    boundary: Need,
    others: Vec<Need>,
}

/// Something that a scene needs, with what limits it.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// What it is, in words.
    pub what: &'static str,
    /// How many there may be at most.
    pub most: f64,
    /// What to do where there are more, in words.
    pub instead: String,
    /// How many each part of the scene needs.
    pub parts: Vec<Part>,
}

/// What one part of a scene needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The part.
    pub key: String,
    /// How many.
    pub count: f64,
}

impl Counts {
    /// Those of a scene whose numbers are in their ranges.
    pub fn of(scene: &SceneFile) -> Self {
        let coarser: Vec<String> = scene.matters().map(|kind| kind.resolution(scene)).collect();
        let smaller = format!("make it smaller, or {} larger", any_of(&coarser));
        let need = |what, most, parts| Need { what, most, instead: smaller.clone(), parts };
        let mut counts = Self {
            particles: need("particles", MAX_PARTICLES, fills(scene)),
            boundary: need("boundary particles", MAX_BOUNDARY, boundary(scene)),
            others: vec![need("lattice sites", MAX_PLACES, places(scene))],
        };
        scene.matters().for_each(|kind| kind.count(scene, &mut counts));
        counts
    }

    /// Particles at the start.
    pub fn particles(&self) -> f64 {
        self.particles.total()
    }

    /// Boundary particles of all bodies.
    pub fn boundary(&self) -> f64 {
        self.boundary.total()
    }

    /// How many there are of something else, by its words.
    pub fn total_of(&self, what: &str) -> f64 {
        self.others.iter().filter(|need| need.what == what).map(Need::total).sum()
    }

    /// Adds particles that lie in no fill.
    pub fn add_particles(&mut self, parts: impl IntoIterator<Item = Part>) {
        self.particles.parts.extend(parts);
    }

    /// Adds something else that is needed.
    pub fn add(&mut self, need: Need) {
        self.others.push(need);
    }
}

impl Need {
    fn total(&self) -> f64 {
        self.parts.iter().map(|part| part.count).sum()
    }

    /// Refuses parts that are too many together; the largest is named.
    fn check(&self, c: &mut Checker<'_>) {
        let sum = self.total();
        let largest = self.parts.iter().max_by(|a, b| a.count.total_cmp(&b.count));
        let Some(Part { key, count }) = largest.filter(|_| sum > self.most) else { return };
        let several = self.parts.len() > 1;
        let of = if several { format!(", of {sum:.0} in total") } else { String::new() };
        let Self { what, most, instead, .. } = self;
        let message = format!(
            "{key} would need about {count:.0} {what}{of}; allowed: at most {most:.0} ({instead})"
        );
        c.report(key, message);
    }
}

/// Checks the counts of a scene against their limits.
pub(super) fn check(c: &mut Checker<'_>) {
    let counts = Counts::of(c.scene);
    counts.particles.check(c);
    counts.boundary.check(c);
    if counts.particles() <= MAX_PARTICLES {
        counts.others.iter().for_each(|need| need.check(c));
    }
}

/// Matter in the fills.
fn fills(scene: &SceneFile) -> Vec<Part> {
    let fills = scene.fill.iter().enumerate().filter_map(|(i, fill)| {
        let key = format!("fill.{i}.shape.{}", fill.shape.word());
        Some(Part { key, count: filled(scene, fill)? })
    });
    fills.collect()
}

/// Lattice points that a fill is made from.
fn filled(scene: &SceneFile, fill: &Fill) -> Option<f64> {
    let planar = scene.space.dimension == 2;
    let kind = scene.matter_of(fill.of.as_deref())?;
    let placement = fill.placement;
    // The lattice of a box turns with it.
    let is_box = matches!(fill.shape, Solid::Box(_));
    let placement = if is_box { placement.scale_only() } else { placement };
    let bounds = shape::bounds(&fill.shape.clone().into(), &placement, scene)?;
    let cells = bounds.size().max(glam::DVec3::ZERO) / kind.spacing(scene);
    // Shapes are cut out of a box of lattice points, and carving looks at those around it.
    let rim = match kind.packing_kernel(scene) {
        Some(kernel) if fill.carve => {
            4.0 * (0.5 * kernel.support() / kind.spacing(scene)).ceil() + 2.0
        }
        _ if is_box => 0.0,
        _ => 2.0,
    };
    let cells = cells + rim;
    Some(if planar { cells.x * cells.y } else { cells.element_product() })
}

/// Boundary particles of those kinds of matter that cover bodies with them.
fn boundary(scene: &SceneFile) -> Vec<Part> {
    let planar = scene.space.dimension == 2;
    let on = |body: &Body, kind: &dyn Kind| {
        let layers = f64::from(kind.wall_layers(scene));
        let surface = shape::surface(&body.shape, &body.placement, scene)?;
        let area = kind.spacing(scene).powi(if planar { 1 } else { 2 });
        (layers > 0.0).then_some(layers * surface / area)
    };
    let bodies = (0..).zip(&scene.body);
    let parts = bodies.flat_map(|(i, body): (usize, &Body)| {
        let key = format!("body.{i}.shape.{}", body.shape.word());
        scene
            .matters()
            .filter_map(move |kind| Some(Part { key: key.clone(), count: on(body, kind)? }))
    });
    parts.collect()
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
