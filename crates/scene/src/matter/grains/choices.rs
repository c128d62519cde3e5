//! Shapes and materials of grains that are offered in the viewer.

use super::contact;
use super::settings::{Block, GrainShape};
use crate::file::SceneFile;
use crate::matter::choices::{Choice, Offer, Preset, is, presets, sizes, written};
use lawine_core::geometry::Platonic;
use lawine_solvers::dem::settings::ContactSettings;

/// What grains are made of: density, friction twice (sliding and at rest), restitution and rolling
/// resistance, with other grains of the kind.
const GRAINS: &[Preset<5>] = &[
    ("glass", "smooth and bouncy", ["2500.0", "0.15", "0.15", "0.9", "0.0"]),
    ("sand", "quartz sand", ["2650.0", "0.5", "0.5", "0.5", "0.0"]),
    (
        "gravel",
        "rough, with little bounce and high rolling resistance",
        ["2700.0", "0.8", "0.8", "0.3", "0.05"],
    ),
    ("wood", "light", ["700.0", "0.4", "0.4", "0.5", "0.0"]),
    ("rubber", "bouncy, high friction", ["1100.0", "0.9", "0.9", "0.8", "0.0"]),
];

/// Shape, size and material.
pub(super) fn choices(scene: &SceneFile) -> Vec<Choice> {
    let mut choices = of_shapes(scene);
    if let Some(contact) = contact(scene) {
        let offers = presets(
            [
                "grains.density",
                "grains.contact.friction",
                "grains.contact.static_friction",
                "grains.contact.restitution",
                "grains.contact.rolling_friction",
            ],
            GRAINS,
            true,
            |[_, friction, _, restitution, rolling]| {
                let ContactSettings { friction: f, restitution: e, rolling_friction: r, .. } =
                    contact;
                is(friction, *f) && is(restitution, *e) && is(rolling, *r)
            },
        );
        choices.push(Choice { label: "material".to_owned(), offers });
    }
    choices
}

/// The shapes of a scene that many grains share, with their keys; those of single grains where there
/// are no others.
fn shapes(scene: &SceneFile) -> Vec<(String, &GrainShape)> {
    let blocks =
        (0..).zip(&scene.block).map(|(i, b)| (format!("block.{i}.shape"), &b.grains.shape));
    let pours = (0..).zip(&scene.pour).map(|(i, p)| (format!("pour.{i}.shape"), &p.grains.shape));
    let many: Vec<_> = blocks.chain(pours).collect();
    if many.is_empty() {
        let single = (0..).zip(&scene.grain);
        return single.map(|(i, grain)| (format!("grain.{i}.shape"), &grain.shape)).collect();
    }
    many
}

/// Shape and size of the grains.
fn of_shapes(scene: &SceneFile) -> Vec<Choice> {
    let shapes = shapes(scene);
    let Some((_, first)) = shapes.first() else { return Vec::new() };
    let now = match first {
        GrainShape::Platonic(platonic) => platonic.solid.word(),
        GrainShape::Ellipsoid(_) => "pebble",
        _ => "",
    };
    // Changes for all shapes, each by its present radius; those of files keep theirs.
    let with = |table: &dyn Fn(f64) -> String| -> Vec<String> {
        let known = shapes.iter().filter_map(|(key, s)| Some((key, 0.5 * s.diameter()?)));
        known.map(|(key, radius)| format!("{key}={{ {} }}", table(radius))).collect()
    };
    let offer = |name: &'static str, changes| Offer {
        name,
        help: "restarts the scene",
        changes,
        restarts: true,
        chosen: name == now,
    };
    let regular = Platonic::WORDS.iter().map(|solid| {
        let table = |r| format!("platonic = {{ solid = {solid:?}, radius = {} }}", written(r));
        offer(solid, with(&table))
    });
    // Axes that change by a tenth at random still fit into the space of a regular body.
    let pebble = |r: f64| {
        let axes = [0.9 * r, 0.77 * r, 0.68 * r].map(written).join(", ");
        format!(
            "ellipsoid = {{ half_axes = [{axes}], vertices = 14, spread = \"random\", \
             axis_variation = 0.1 }}"
        )
    };
    let offers = std::iter::once(offer("pebble", with(&pebble))).chain(regular).collect();
    let mut choices = vec![Choice { label: "shape".to_owned(), offers }];
    if !(scene.block.is_empty() && scene.pour.is_empty()) {
        let across = first.diameter().map_or_else(String::new, |d| format!(" {} m", written(d)));
        choices.push(sizes(format!("grain size{across}"), |factor| {
            let shapes = shapes.iter().flat_map(|(key, shape)| scaled(key, shape, factor));
            let blocks = (0..).zip(&scene.block).flat_map(|(i, b)| respaced(i, b, factor));
            shapes.chain(blocks).collect()
        }));
    }
    choices
}

/// All lengths of a shape times a factor.
fn scaled(key: &str, shape: &GrainShape, factor: f64) -> Vec<String> {
    let number = |name: &str, x: f64| format!("{key}.{name}={}", written(factor * x));
    let vector = |name: &str, v: glam::DVec3| {
        let list = (factor * v).to_array().map(written).join(", ");
        format!("{key}.{name}=[{list}]")
    };
    match shape {
        GrainShape::Ellipsoid(e) => vec![vector("ellipsoid.half_axes", e.half_axes.get())],
        GrainShape::Platonic(p) => vec![number("platonic.radius", p.radius)],
        GrainShape::Box(b) => vec![vector("box.size", b.size.get())],
        GrainShape::Prism(p) => {
            vec![number("prism.radius", p.radius), number("prism.height", p.height)]
        }
        GrainShape::Polyhedron(p) => {
            let corner =
                |v: glam::DVec3| format!("[{}]", (factor * v).to_array().map(written).join(", "));
            let corners: Vec<String> = p.vertices.iter().map(|v| corner(v.get())).collect();
            vec![format!("{key}.polyhedron.vertices=[{}]", corners.join(", "))]
        }
        GrainShape::Mesh(m) => vec![number("mesh.scale", m.scale)],
    }
}

/// The distance of grains in a block times a factor, with as much material as before, or as fits.
fn respaced(index: u32, block: &Block, factor: f64) -> Vec<String> {
    let spacing = written(factor * block.spacing);
    let mut changes = vec![format!("block.{index}.spacing={spacing}")];
    if let Some(count) = block.count {
        let places = (block.size.get() / (factor * block.spacing)).floor().element_product();
        let count = (f64::from(count) / factor.powi(3)).min(places).max(1.0);
        changes.push(format!("block.{index}.count={}", count as u32));
    }
    changes
}
