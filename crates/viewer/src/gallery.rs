//! The scenes to choose from, in groups, with a sentence and a small picture each.

use lawine_scene::builtin;
use lawine_scene::file::parse_scene_text;

/// A scene of the gallery.
#[derive(Clone, Debug)]
pub struct Card {
    /// The name of the built-in scene.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// What to watch.
    pub watch: String,
    /// The title of the group it belongs to.
    pub group: &'static str,
}

/// All built-in scenes, group by group; one that cannot be read is left out.
pub fn cards() -> Vec<Card> {
    let card = |name: &'static str, group: &'static str| {
        let scene = parse_scene_text(builtin::get(name).ok()?).ok()?;
        Some(Card { name, group, title: scene.title, watch: scene.watch })
    };
    let named = builtin::groups().iter().flat_map(|g| g.names().map(move |name| (name, g.title)));
    named.filter_map(|(name, group)| card(name, group)).collect()
}

/// The scene after `name` in the order of the gallery.
pub fn next(cards: &[Card], name: &str) -> Option<&'static str> {
    let here = cards.iter().position(|card| card.name == name);
    let next = here.map_or(0, |k| (k + 1) % cards.len().max(1));
    cards.get(next).map(|card| card.name)
}

/// Width and height of the small pictures [px].
pub const THUMBNAIL: [u32; 2] = [128, 80];

/// Small pictures as PNG, made by `lawine-viewer --thumbnails`: the files of the folder `thumbnails`.
const THUMBNAILS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/thumbnails.rs"));

/// The small picture of a scene as PNG, if there is one.
pub fn thumbnail(name: &str) -> Option<&'static [u8]> {
    THUMBNAILS.iter().find(|(known, _)| *known == name).map(|(_, png)| *png)
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
            assert!(!card.group.is_empty() && !card.title.is_empty(), "{card:?}");
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
    fn every_scene_has_a_small_picture_and_every_picture_a_scene() {
        for name in builtin::names() {
            let png = thumbnail(name).unwrap_or_else(|| {
                panic!(
                    "{name} has no picture: cargo run --release -p lawine-viewer -- --thumbnails \
                     crates/viewer/thumbnails"
                )
            });
            let image = Image::decode_png(std::io::Cursor::new(png)).unwrap();
            assert_eq!([image.width(), image.height()], THUMBNAIL, "{name}");
            assert!(png.len() < 20_000, "{name}: {} bytes", png.len());
        }
        assert_eq!(THUMBNAILS.len(), builtin::names().count());
    }
}
