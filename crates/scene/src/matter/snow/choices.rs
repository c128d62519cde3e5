//! Kinds of snow that are offered in the viewer.

use crate::matter::choices::{Choice, Offer, sizes, words, written};
use lawine_solvers::mpm::SnowKind;
use lawine_solvers::mpm::settings::{IntegratorKind, Law, NamedMaterial, Snow};

/// Integrator, where free bodies leave a choice, size and materials.
pub(super) fn choices(snow: &Snow, has_free_bodies: bool) -> Vec<Choice> {
    let integrators =
        || words("step", "snow.integrator", IntegratorKind::WORDS, snow.integrator.word());
    let mut choices: Vec<Choice> = (!has_free_bodies).then(integrators).into_iter().collect();
    choices.push(sizes(format!("cell size {} m", snow.cell), |factor| {
        vec![format!("snow.cell={}", written(snow.cell * factor))]
    }));
    choices.extend(snow.material.iter().enumerate().map(|(i, material)| of_matter(i, material)));
    choices
}

/// The kinds of snow, and sand, for a material of the grid.
fn of_matter(index: usize, material: &NamedMaterial) -> Choice {
    let now = match &material.law {
        Law::Snow(law) => law.kind.word(),
        other => other.word(),
    };
    let offer = |name: &'static str, law: &str| Offer {
        name,
        help: "replaces all values of the material; restarts the scene",
        changes: vec![format!("snow.material.{index}={{ name = {:?}, {law} }}", material.name)],
        restarts: true,
        chosen: name == now,
    };
    let kinds = SnowKind::WORDS.iter().map(|kind| offer(kind, &format!("snow.kind = {kind:?}")));
    Choice {
        label: format!("material {}", material.name),
        offers: kinds.chain([offer("sand", "sand = {}")]).collect(),
    }
}
