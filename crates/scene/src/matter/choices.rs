//! The choices that matter most in a scene: method, size and material, as each kind of matter offers them.

use crate::file::SceneFile;

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
    let several = scene.matters().count() > 1;
    let of = |kind: &'static dyn super::Kind| {
        kind.choices(scene).into_iter().map(move |mut choice| {
            if several {
                choice.label = format!("{}: {}", kind.key(), choice.label);
            }
            choice
        })
    };
    scene.matters().flat_map(of).collect()
}

/// A number as a scene file spells it, without needless digits.
pub fn written(x: f64) -> String {
    let short = format!("{x:.6e}").parse::<f64>().unwrap_or(x);
    format!("{short:?}")
}

/// Words of a key, the present one chosen.
pub(super) fn words(label: &str, key: &str, words: &'static [&'static str], now: &str) -> Choice {
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
pub(super) fn sizes(label: String, changes: impl Fn(f64) -> Vec<String>) -> Choice {
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
pub(super) type Preset<const N: usize> = (&'static str, &'static str, [&'static str; N]);

pub(super) fn presets<const N: usize>(
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

pub(super) fn is(text: &str, value: f64) -> bool {
    text.parse::<f64>().is_ok_and(|x| (x - value).abs() <= 1e-9 * x.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::build;
    use crate::builtin;
    use crate::file::{Source, load, parse_scene_text};

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
