//! Draws the thumbnails of the gallery.

use crate::gallery::THUMBNAIL;
use lawine_core::field;
use lawine_record::draw::{Artist, Scenery};
use lawine_render::{Bounds, Camera, CpuPainter, Image, Overlay, Perspective};
use lawine_scene::build::{Built, build};
use lawine_scene::builtin;
use lawine_scene::file::{Source, load};
use lawine_scene::select::MatterFields;
use std::path::Path;

/// Particles that a small picture needs, in a plane and in space.
const ENOUGH: [f64; 2] = [1500.0, 4000.0];

/// When there is most to see [s], where that is not a fifth of the way to the end.
const MOMENTS: &[(&str, f64)] = &[
    ("avalanche", 0.9),
    ("brazil-nut", 1.6),
    ("column-collapse", 0.12),
    ("column-plane", 0.12),
    ("dam-cubes", 0.75),
    ("flood", 0.9),
    ("hare", 0.4),
    ("hopper", 0.6),
    ("meiers-barriers", 0.5),
    ("sand-pile", 0.8),
    ("snow-kinds", 0.1),
    ("snow-plough", 0.9),
    ("snow-press", 0.6),
    ("snow-roll", 0.7),
    ("snowballs", 0.16),
    ("water-wheel", 1.5),
    ("wet-pile", 0.25),
];

/// Draws the small pictures of those built-in scenes that have none in the folder yet.
pub fn draw_thumbnails(folder: &Path) -> Result<(), String> {
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

/// The small picture of a scene.
fn draw_thumbnail(name: &str) -> Result<Image, String> {
    let size = THUMBNAIL.map(|n| 2 * n);
    let mut built = coarse(name, &format!("view.size={size:?}"))?;
    let chosen = MOMENTS.iter().find(|(scene, _)| *scene == name).map(|(_, time)| *time);
    let time = chosen.unwrap_or(0.2 * built.scene.end);
    built.simulation.advance_to(time, &mut []).map_err(|e| e.to_string())?;
    let simulation = &built.simulation;
    let artist =
        Artist::new(&built.scene, built.bounds).with_grain_surfaces(built.grain_surfaces.clone());
    let mut picture = artist.picture(&Scenery {
        time,
        dt: 0.0,
        matters: &MatterFields::of(simulation),
        bodies: &simulation.env.bodies,
        surface: None,
        lines: &[],
    })?;
    picture.overlay = Overlay::default();
    let columns: Vec<_> = simulation.methods.iter().map(|m| m.field("position")).collect();
    let places = columns.iter().filter_map(|column| field::positions(column.as_slice()));
    let matter = Bounds::around(places.flatten().copied());
    picture.camera = match (picture.camera, picture.bounds(), matter) {
        (Camera::Planar(_), Some(all), _) => {
            Camera::fit_planar(&all, f64::from(size[0]) / f64::from(size[1]), &picture.overlay)
        }
        (Camera::Perspective(view), _, Some(matter)) => {
            let radii = simulation.methods.iter().map(|method| method.particle_radius());
            let radius = radii.fold(0.0, f64::max);
            Camera::Perspective(closer(view, &matter, radius))
        }
        (camera, ..) => camera,
    };
    Ok(CpuPainter::new(size[0], size[1]).paint(&picture).halved())
}

/// Goes closer, until the matter, of particles of a radius [m], fills the picture.
fn closer(view: Perspective, matter: &Bounds, radius: f64) -> Perspective {
    let away = view.eye - view.target;
    let size = (matter.size() + 2.0 * radius).length();
    let distance = 0.6 * size / (0.5 * view.field_of_view).sin();
    if distance > away.length() {
        return view;
    }
    let target = matter.center();
    Perspective { eye: target + distance * away.normalize(), target, ..view }
}

/// A scene with larger particles, or softer grains, if it can do with them: a small picture shows no
/// more.
fn coarse(name: &str, change: &str) -> Result<Built, String> {
    let with = |changes: &[String]| {
        let loaded = load(&Source::BuiltIn(name.to_owned()), changes).map_err(|e| e.to_string())?;
        build(&loaded).map_err(|e| e.to_string())
    };
    let built = with(&[change.to_owned()])?;
    let space = built.scene.space.dimension;
    let count = built.simulation.particle_count() as f64;
    let larger = (count / ENOUGH[usize::from(space == 3)]).powf(1.0 / f64::from(space)).max(1.0);
    let scene = &built.scene;
    let Some(coarser) = scene.matters().find_map(|kind| kind.coarser(scene, larger)) else {
        return Ok(built);
    };
    Ok(with(&[change.to_owned(), coarser]).unwrap_or(built))
}
