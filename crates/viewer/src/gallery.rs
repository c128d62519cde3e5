//! The scenes to choose from, in groups, with a sentence and a small picture each.

use lawine_scene::builtin;
use lawine_scene::file::{SceneFile, parse_scene_text};

/// A scene of the gallery.
#[derive(Clone, Debug)]
pub struct Card {
    /// The name of the built-in scene.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// What to watch.
    pub watch: String,
    /// The group it belongs to.
    pub group: &'static str,
}

/// The groups, in the order of the list.
pub const GROUPS: &[&str] =
    &["Liquids in a plane", "Liquids in space", "Grains", "Snow", "After Hunkler", "To measure"];

/// Scenes that are made to be compared with a formula rather than to be looked at.
const TO_MEASURE: &[&str] = &[
    "column",
    "resting",
    "poiseuille",
    "couette",
    "taylor-green",
    "elliptical-drop",
    "bench-cube",
];

/// All built-in scenes; one that cannot be read is left out.
pub fn cards() -> Vec<Card> {
    let card = |name: &'static str| {
        let scene = parse_scene_text(builtin::get(name).ok()?).ok()?;
        let group = group(name, &scene);
        Some(Card { name, group, title: scene.title, watch: scene.watch })
    };
    builtin::names().filter_map(card).collect()
}

fn group(name: &str, scene: &SceneFile) -> &'static str {
    let is_liquid = scene.liquid.is_some();
    match name {
        _ if name.starts_with("hunkler") => "After Hunkler",
        _ if TO_MEASURE.contains(&name) => "To measure",
        _ if is_liquid && scene.space.dimension == 2 => "Liquids in a plane",
        _ if is_liquid => "Liquids in space",
        _ if scene.snow.is_some() => "Snow",
        _ => "Grains",
    }
}

/// The scene after `name` in the order of the gallery.
pub fn next(cards: &[Card], name: &str) -> Option<&'static str> {
    let ordered: Vec<&Card> =
        GROUPS.iter().flat_map(|g| cards.iter().filter(move |c| c.group == *g)).collect();
    let here = ordered.iter().position(|card| card.name == name);
    let next = here.map_or(0, |k| (k + 1) % ordered.len().max(1));
    ordered.get(next).map(|card| card.name)
}

/// Width and height of the small pictures [px].
pub const THUMBNAIL: [u32; 2] = [128, 80];

macro_rules! thumbnails {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../thumbnails/", $name, ".png")))),*]
    };
}

/// Small pictures as PNG, made by `lawine-viewer --thumbnails`.
const THUMBNAILS: &[(&str, &[u8])] = thumbnails![
    "dam-break",
    "dam-break-3d",
    "column",
    "resting",
    "hunkler-dam",
    "hunkler-leak",
    "hunkler-platform",
    "hunkler-incline",
    "hunkler-resting",
    "leaking-dam",
    "platform",
    "inclined-plane",
    "dam-obstacle",
    "sloshing",
    "drop",
    "drum-liquid",
    "poiseuille",
    "couette",
    "taylor-green",
    "elliptical-drop",
    "snowballs",
    "bench-cube",
];

/// The small picture of a scene as PNG, if there is one.
pub fn thumbnail(name: &str) -> Option<&'static [u8]> {
    THUMBNAILS.iter().find(|(known, _)| *known == name).map(|(_, png)| *png)
}

/// Draws the small pictures of those built-in scenes that have none in the folder yet.
#[cfg(not(target_arch = "wasm32"))]
pub fn draw_thumbnails(folder: &std::path::Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    for name in builtin::names() {
        let path = folder.join(format!("{name}.png"));
        if !path.exists() {
            let image = draw_thumbnail(name).map_err(|e| format!("{name}: {e}"))?;
            image.write_png(&path).map_err(|e| e.to_string())?;
        }
    }
    Ok(())
}

/// The small picture of a scene a fifth of the way to its end.
#[cfg(not(target_arch = "wasm32"))]
fn draw_thumbnail(name: &str) -> Result<lawine_render::Image, String> {
    use lawine_render::{Camera, CpuPainter, Overlay};
    use lawine_scene::draw::{Artist, Scenery};
    let size = THUMBNAIL.map(|n| 2 * n);
    let mut built = coarse(name, &format!("view.size={size:?}"))?;
    let time = 0.2 * built.scene.end;
    built.simulation.advance_to(time, &mut []).map_err(|e| e.to_string())?;
    let simulation = &built.simulation;
    let artist = Artist::new(&built.scene, built.bounds)?.with_looks(built.looks.clone());
    let mut picture = artist.picture(&Scenery {
        time,
        dt: 0.0,
        fields: &simulation.methods[0].fields(),
        bodies: &simulation.env.bodies,
        surface: None,
    })?;
    picture.overlay = Overlay::default();
    if let (Camera::Planar(_), Some(bounds)) = (picture.camera, picture.bounds()) {
        let aspect = f64::from(size[0]) / f64::from(size[1]);
        picture.camera = Camera::fit_planar(&bounds, aspect, &picture.overlay);
    }
    Ok(CpuPainter::new(size[0], size[1]).paint(&picture).halved())
}

/// A scene with larger particles, if it can do with them: a small picture shows no more.
#[cfg(not(target_arch = "wasm32"))]
fn coarse(name: &str, change: &str) -> Result<lawine_scene::build::Built, String> {
    use lawine_scene::build::build;
    use lawine_scene::file::{Source, load};
    let with = |changes: &[String]| {
        let loaded = load(&Source::BuiltIn(name.to_owned()), changes).map_err(|e| e.to_string())?;
        build(&loaded).map_err(|e| e.to_string())
    };
    let built = with(&[change.to_owned()])?;
    let space = built.scene.space.dimension;
    let (count, enough) = (built.simulation.particle_count() as f64, 1500.0);
    if count <= enough || built.scene.liquid.is_none() {
        return Ok(built);
    }
    let spacing = built.scene.spacing() * (count / enough).powf(1.0 / f64::from(space));
    let changes =
        [change.to_owned(), format!("liquid.spacing={}", crate::params::written(spacing))];
    Ok(with(&changes).unwrap_or(built))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_render::Image;

    #[test]
    fn every_scene_has_a_place_and_a_title() {
        let cards = cards();
        assert_eq!(cards.len(), builtin::names().count());
        for card in &cards {
            assert!(GROUPS.contains(&card.group) && !card.title.is_empty(), "{card:?}");
        }
    }

    #[test]
    fn the_key_v_comes_to_every_scene_and_back() {
        let cards = cards();
        let mut seen = Vec::new();
        let mut name = next(&cards, "no such scene").unwrap();
        while !seen.contains(&name) {
            seen.push(name);
            name = next(&cards, name).unwrap();
        }
        assert_eq!(seen.len(), cards.len());
        assert_eq!(name, seen[0]);
    }

    #[test]
    fn small_pictures_are_small_and_belong_to_scenes() {
        for (name, png) in THUMBNAILS {
            assert!(builtin::get(name).is_ok(), "{name}");
            let image = Image::decode_png(std::io::Cursor::new(png)).unwrap();
            assert_eq!([image.width(), image.height()], THUMBNAIL, "{name}");
            assert!(png.len() < 20_000, "{name}: {} bytes", png.len());
        }
    }
}
