//! The choices that matter most in a scene: method, size and material, for each kind of matter.

use crate::params::written;
use lawine_core::geometry::Platonic;
use lawine_scene::file::{Block, Contact, GrainShape, Liquid, NamedMaterial, SceneFile, Snow};
use lawine_solvers::mpm::SnowKind;
use lawine_solvers::mpm::settings::IntegratorKind;
use lawine_solvers::sph::settings::PressureKind;

/// Factors of lengths for finer and coarser particles.
const SIZES: [(&str, f64); 2] = [("finer", 0.8), ("coarser", 1.25)];

/// A row of offers.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What is chosen, with the present value where that is a number.
    pub label: String,
    /// What there is to choose from.
    pub offers: Vec<Offer>,
}

/// Something to choose.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Its name.
    pub name: &'static str,
    /// What it stands for.
    pub help: &'static str,
    /// Keys and values, as `KEY=VALUE`.
    pub changes: Vec<String>,
    /// Whether the scene has to begin again for it.
    pub restarts: bool,
    /// Whether it is what the scene has now.
    pub chosen: bool,
}

/// The choices of a scene, from the matter it is made of.
pub fn choices(scene: &SceneFile) -> Vec<Choice> {
    if let Some(liquid) = &scene.liquid {
        of_liquid(liquid)
    } else if let Some(snow) = &scene.snow {
        of_snow(snow)
    } else {
        of_grains(scene)
    }
}

/// Words of a key, the present one chosen.
fn words(label: &str, key: &str, words: &'static [&'static str], now: &str) -> Choice {
    let offer = |&name: &&'static str| Offer {
        name,
        help: "takes effect immediately",
        changes: vec![format!("{key}={name}")],
        restarts: false,
        chosen: name == now,
    };
    Choice { label: label.to_owned(), offers: words.iter().map(offer).collect() }
}

/// Finer and coarser, as changes for a factor of lengths.
fn sizes(label: String, changes: impl Fn(f64) -> Vec<String>) -> Choice {
    let offer = |(name, factor)| Offer {
        name,
        help: "restarts the scene",
        changes: changes(factor),
        restarts: true,
        chosen: false,
    };
    Choice { label, offers: SIZES.map(offer).to_vec() }
}

/// A material: its name, what it stands for, and the values of some keys.
type Preset<const N: usize> = (&'static str, &'static str, [&'static str; N]);

fn presets<const N: usize>(
    keys: [&str; N],
    presets: &[Preset<N>],
    restarts: bool,
    is_now: impl Fn(&[&str; N]) -> bool,
) -> Vec<Offer> {
    let offer = |(name, help, values): &Preset<N>| Offer {
        name,
        help,
        changes: keys.iter().zip(values).map(|(key, value)| format!("{key}={value}")).collect(),
        restarts,
        chosen: is_now(values),
    };
    presets.iter().map(offer).collect()
}

fn is(text: &str, value: f64) -> bool {
    text.parse::<f64>().is_ok_and(|x| (x - value).abs() <= 1e-9 * x.abs())
}

/// Liquids. The viscosities are true ones but for water, which needs more to calm the sound waves of
/// an equation of state.
const LIQUIDS: &[Preset<3>] = &[
    ("water", "1000 kg/m³, with slightly increased viscosity", ["1000.0", "0.001", "\"explicit\""]),
    ("oil", "900 kg/m³, 0.01 m²/s: cold heavy engine oil", ["900.0", "0.01", "\"implicit\""]),
    ("honey", "1400 kg/m³, 0.1 m²/s: thick honey", ["1400.0", "0.1", "\"implicit\""]),
    ("mercury", "13,534 kg/m³", ["13534.0", "0.0005", "\"explicit\""]),
];

fn of_liquid(liquid: &Liquid) -> Vec<Choice> {
    let keys = ["liquid.rest_density", "liquid.viscosity", "liquid.viscosity_solver"];
    let is_now = |[density, viscosity, _]: &[&str; 3]| {
        is(density, liquid.rest_density) && is(viscosity, liquid.viscosity)
    };
    vec![
        words(
            "pressure",
            "liquid.pressure.method",
            PressureKind::WORDS,
            liquid.pressure.method.word(),
        ),
        sizes(format!("particle size {} m", liquid.spacing), |factor| {
            let spacing = format!("liquid.spacing={}", written(liquid.spacing * factor));
            let support = format!("liquid.support={}", written(liquid.support() * factor));
            vec![spacing, support]
        }),
        Choice { label: "material".to_owned(), offers: presets(keys, LIQUIDS, false, is_now) },
    ]
}

fn of_snow(snow: &Snow) -> Vec<Choice> {
    let mut choices = vec![
        words("step", "snow.integrator", IntegratorKind::WORDS, snow.integrator.word()),
        sizes(format!("cell size {} m", snow.cell), |factor| {
            vec![format!("snow.cell={}", written(snow.cell * factor))]
        }),
    ];
    choices.extend(snow.material.iter().enumerate().map(|(i, material)| of_matter(i, material)));
    choices
}

/// The kinds of snow, and sand, for a material of the grid.
fn of_matter(number: usize, material: &NamedMaterial) -> Choice {
    use lawine_scene::file::Law;
    let now = match &material.law {
        Law::Snow(law) => law.kind.word(),
        other => other.word(),
    };
    let offer = |name: &'static str, law: &str| Offer {
        name,
        help: "replaces all values of the material; restarts the scene",
        changes: vec![format!("snow.material.{number}={{ name = {:?}, {law} }}", material.name)],
        restarts: true,
        chosen: name == now,
    };
    let kinds = SnowKind::WORDS.iter().map(|kind| offer(kind, &format!("snow.kind = {kind:?}")));
    Choice {
        label: format!("material {}", material.name),
        offers: kinds.chain([offer("sand", "sand = {}")]).collect(),
    }
}

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

fn of_grains(scene: &SceneFile) -> Vec<Choice> {
    let mut choices = of_shapes(scene);
    if let Some(contact) = scene.contact() {
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
                let Contact { friction: f, restitution: e, rolling_friction: r, .. } = contact;
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
    let blocks = (0..).zip(&scene.block).map(|(i, b)| (format!("block.{i}.shape"), &b.shape));
    let pours = (0..).zip(&scene.pour).map(|(i, p)| (format!("pour.{i}.shape"), &p.shape));
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
fn respaced(number: u32, block: &Block, factor: f64) -> Vec<String> {
    let spacing = written(factor * block.spacing);
    let mut changes = vec![format!("block.{number}.spacing={spacing}")];
    if let Some(count) = block.count {
        let places = (block.size.get() / (factor * block.spacing)).floor().element_product();
        let count = (f64::from(count) / factor.powi(3)).min(places).max(1.0);
        changes.push(format!("block.{number}.count={}", count as u32));
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_scene::build::build;
    use lawine_scene::builtin;
    use lawine_scene::file::{Source, load, parse_scene_text};

    #[test]
    fn every_scene_has_choices_that_can_be_taken() {
        for name in builtin::names() {
            let scene = parse_scene_text(builtin::get(name).unwrap()).unwrap();
            let choices = choices(&scene);
            assert!(!choices.is_empty(), "{name}");
            let source = Source::BuiltIn(name.to_owned());
            for offer in choices.iter().flat_map(|choice| &choice.offers) {
                let taken = load(&source, &offer.changes);
                assert!(taken.is_ok(), "{name}, {}: {}", offer.name, taken.err().unwrap());
            }
        }
    }

    fn offer(scene: &SceneFile, name: &str) -> Offer {
        let choices = choices(scene);
        choices.into_iter().flat_map(|c| c.offers).find(|offer| offer.name == name).unwrap()
    }

    #[test]
    fn snow_changes_its_kind_and_grains_their_shape_and_size() {
        let count = |name: &str, wanted: &str| {
            let scene = parse_scene_text(builtin::get(name).unwrap()).unwrap();
            let before = offer(&scene, wanted);
            assert!(!before.chosen && before.restarts, "{name}, {wanted}");
            let loaded = load(&Source::BuiltIn(name.to_owned()), &before.changes).unwrap();
            let chosen = offer(&loaded.scene, wanted).chosen;
            (build(&loaded).unwrap().simulation.particle_count(), chosen)
        };
        assert!(count("sand-drum", "cube").1);
        assert!(count("snow-press", "icy").1);
        assert!(count("snow-press", "sand").1);
        assert!(count("settling-sand", "glass").1);
        let sizes = ["finer", "coarser"].map(|size| count("settling-sand", size).0);
        assert!(sizes[0] > 600 && sizes[1] < 300, "{sizes:?}: 400 before");
    }
}
