//! What grains need memory for: themselves, and their shapes.

use super::settings::{Assortment, Block, GrainShape, Sizes};
use crate::file::{Counts, Need, Part, SceneFile};

/// The most pairs of corners, each with each of its shape, of all shapes of grains: making a shape takes
/// time as the square of their number, some seconds for one of ten thousand.
const MAX_CORNER_PAIRS: f64 = 1e8;

/// Adds what the single grains, blocks and pours of a scene need.
pub(super) fn count(scene: &SceneFile, counts: &mut Counts) {
    let blocks = (0..).zip(&scene.block);
    let blocks = blocks
        .map(|(i, block): (usize, _)| Part { key: format!("block.{i}"), count: in_block(block) });
    let single = Part { key: "grain".into(), count: scene.grain.len() as f64 };
    counts.add_particles(blocks.chain([single]).filter(|part| part.count > 0.0));
    counts.add(Need {
        what: "pairs of corners",
        most: MAX_CORNER_PAIRS,
        instead: "use fewer corners, or a smaller variety".into(),
        parts: corner_pairs(scene),
    });
}

fn in_block(block: &Block) -> f64 {
    let places = (block.size.get() / block.spacing).floor().max(glam::DVec3::ZERO);
    let asked = block.count.map_or(f64::INFINITY, f64::from);
    places.element_product().min(asked)
}

/// Pairs of corners of the shapes, which are made once for each form.
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
    let of_all = |grains: &Assortment| {
        let variety = f64::from(grains.variety);
        let each = if grains.shape.is_random() { variety } else { 1.0 };
        let forms = match grains.sizes {
            Some(Sizes::Uniform(_) | Sizes::LogNormal(_)) => variety,
            Some(Sizes::TwoComponents(_)) => 2.0 * each,
            Some(Sizes::Fixed(_)) | None => each,
        };
        of(&grains.shape) * forms
    };
    let part = |list: &str, i: usize, count| Part { key: format!("{list}.{i}.shape"), count };
    let grains = (0..).zip(&scene.grain).map(|(i, g)| part("grain", i, of(&g.shape)));
    let blocks = (0..).zip(&scene.block).map(|(i, b)| part("block", i, of_all(&b.grains)));
    let pours = (0..).zip(&scene.pour).map(|(i, p)| part("pour", i, of_all(&p.grains)));
    grains.chain(blocks).chain(pours).collect()
}
