//! Pictures: sizes a movie can have, a camera that sees something.

use super::super::view::{Axes, Camera};
use super::super::words::ColorScale;
use super::checker::Checker;

/// The longer and the shorter side of the largest movie that the encoder takes [px].
const LARGEST_MOVIE: [u32; 2] = [3840, 2160];

/// Checks the view.
pub(super) fn check(c: &mut Checker<'_>) {
    let view = &c.scene.view;
    if let Some([low, high]) = view.range {
        c.require(low < high, "view.range", format!("[{low}, {high}]"), "[smaller, larger]");
    }
    let [width, height] = view.size;
    let good = |n: u32| n.is_multiple_of(2);
    let size = format!("[{width}, {height}]");
    c.require(good(width) && good(height), "view.size", size, "two even numbers from 16 to 8192");
    let [long, short] = LARGEST_MOVIE;
    if c.scene.output.movie && (width.max(height) > long || width.min(height) > short) {
        let size = format!("[{width}, {height}]");
        let allowed =
            format!("at most {long} × {short} or {short} × {long}, with output.movie = true");
        c.refuse("view.size", size, allowed);
    }

    let only_in_space = "only in 3D (space.dimension = 3)";
    let only_in_plane = "only in a plane (space.dimension = 2)";
    if let Some(surface) = &c.scene.surface {
        if let Some(of) = &surface.of {
            c.matter("surface.of", Some(of), |kind| kind.is_continuous());
        }
        if c.is_planar() && surface.save.is_some() {
            let problem = format!("surface.save is not allowed here; it is {only_in_space}");
            c.report("surface.save", problem);
        }
    }
    if let Some(camera) = &view.camera {
        if c.is_planar() {
            c.report(
                "view.camera",
                format!("view.camera is not allowed here; it is {only_in_space}"),
            );
        } else {
            check_camera(c, camera);
        }
    }
    if view.turn.abs() > 0.0 && c.is_planar() {
        c.refuse("view.turn", view.turn, format!("0 here; a camera rotates {only_in_space}"));
    }
    for (key, angles) in [("view.angles", view.angles), ("view.spin", view.spin)] {
        if let Some(angles) = angles {
            if c.is_planar() {
                c.report(key, format!("{key} is not allowed here; it is {only_in_space}"));
            } else {
                c.vector(key, angles);
            }
        }
    }
    for (i, label) in view.label.iter().enumerate() {
        c.vector(&format!("view.label[{i}].at"), label.at);
    }
    if let Some(axes) = &view.axes {
        check_axes(c, axes);
    }
    if let (ColorScale::Log10 | ColorScale::Log2, Some([low, high])) = (view.scale, view.range) {
        let allowed = format!("numbers above 0 with view.scale = \"{}\"", view.scale);
        c.require(low > 0.0, "view.range", format!("[{low}, {high}]"), &allowed);
    }
    if let Some(center) = view.center {
        if c.is_planar() {
            c.vector("view.center", center);
        } else {
            let message = format!(
                "view.center is not allowed here; it is {only_in_plane}; see view.camera.target"
            );
            c.report("view.center", message);
        }
    }
    if view.width.is_some() && !c.is_planar() {
        let message =
            format!("view.width is not allowed here; it is {only_in_plane}; see view.camera.fov");
        c.report("view.width", message);
    }
    let (title, values) = (view.title.and_then(|t| t.at), view.values.as_ref().and_then(|v| v.at));
    for (key, at) in [("view.title.at", title), ("view.values.at", values)] {
        if let Some([x, y]) = at {
            c.require(y <= 1.0, key, format!("[{x}, {y}]"), "[0 to 10, 0 to 1]");
        }
    }
}

/// Axes that begin before they end.
fn check_axes(c: &mut Checker<'_>, axes: &Axes) {
    for (low, high, min, max) in [
        ("view.axes.min", "view.axes.max", axes.min, axes.max),
        ("view.axes.labels_min", "view.axes.labels_max", axes.labels_min, axes.labels_max),
    ] {
        for (key, vector) in [(low, min), (high, max)] {
            if let Some(vector) = vector {
                c.vector(key, vector);
            }
        }
        if let (Some(min), Some(max)) = (min, max) {
            let used = c.dimension() as usize;
            let (a, b) = (min.get().to_array(), max.get().to_array());
            let fine = a[..used].iter().zip(&b[..used]).all(|(a, b)| a < b);
            c.require(fine, high, max, &format!("every number above that of {low} = {min}"));
        }
    }
}

fn check_camera(c: &mut Checker<'_>, camera: &Camera) {
    if let Some(eye) = camera.eye {
        c.vector("view.camera.eye", eye);
        if let Some(target) = camera.target
            && target.get().distance(eye.get()) <= 0.0
        {
            c.refuse("view.camera.eye", eye, "a point other than view.camera.target");
        }
    }
    if let Some(target) = camera.target {
        c.vector("view.camera.target", target);
    }
    if let Some(up) = camera.up {
        c.direction("view.camera.up", up);
    }
}
