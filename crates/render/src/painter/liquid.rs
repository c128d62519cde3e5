//! Clear liquids in pictures of space: what lies behind them is seen bent and tinted by their thickness.

use super::canvas::Canvas;
use super::parallel::for_strips;
use super::samples::{NOTHING, Samples, thickness};
use super::shade::Scene;
use super::solid::Face;
use crate::material::refracted;

/// How much of the bending is shown: things that are seen past their own border would be seen twice.
const BENT: f32 = 0.35;

/// Paints the surfaces of liquids over what lies behind them. Returns how far away they are at each pixel, where they
/// are.
pub(super) fn paint(scene: &Scene<'_>, faces: &[Face], canvas: &mut Canvas) -> Vec<Option<f32>> {
    let solid = scene.samples;
    let size = (solid.columns, solid.rows);
    let front = Samples::new(scene.view, size, &[], faces, None);
    let inside = thickness(scene.view, solid, faces);
    let behind = canvas.light.clone();
    let (width, height, n) = (canvas.width, canvas.height, scene.fineness);
    let mut depths = vec![None; width * height];
    let samples = |x: usize, y: usize| {
        let rows = y * n..(y + 1) * n;
        rows.flat_map(move |row| (x * n..(x + 1) * n).map(move |column| (column, row)))
    };
    let seen = |(column, row): (usize, usize)| {
        let i = row * solid.columns + column;
        let sample = front.seen[i];
        let is_seen = sample.thing != NOTHING && sample.depth < solid.seen[i].depth;
        is_seen.then_some((sample, i))
    };
    for_strips(&mut depths, width, |y, row| {
        for (x, depth) in row.iter_mut().enumerate() {
            *depth = samples(x, y).find_map(seen).map(|(sample, _)| sample.depth);
        }
    });
    for_strips(&mut canvas.light, width, |y, row| {
        for (x, pixel) in row.iter_mut().enumerate() {
            let own = y * width + x;
            if depths[own].is_none() {
                continue;
            }
            let mut sum = glam::Vec3::ZERO;
            for place in samples(x, y) {
                let Some((sample, i)) = seen(place) else {
                    sum += behind[own];
                    continue;
                };
                let face = &faces[sample.thing as usize];
                let Some(liquid) = face.liquid else { continue };
                let point = scene.view.ray(place.0, place.1) * sample.depth;
                let normal = face.at(point).0;
                let sight = point.normalize_or_zero();
                let normal = if normal.dot(sight) < 0.0 { normal } else { face.normal };
                let through = refracted(sight, normal, liquid.index).unwrap_or(sight);
                let end = point + sight.lerp(through, BENT) * inside[i].max(0.0);
                let at = scene.view.project(end) / n as f64;
                let [u, v] = [(at.x, width), (at.y, height)]
                    .map(|(x, size)| (x.max(0.0) as usize).min(size - 1));
                // What stands before the liquid is not seen through it.
                let there = solid.seen[v * n * solid.columns + u * n].depth;
                let light = behind[if there < sample.depth { own } else { v * width + u }];
                sum += scene.liquid(liquid, (point, normal), inside[i], light);
            }
            *pixel = sum / (n * n) as f32;
        }
    });
    depths
}
