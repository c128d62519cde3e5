//! The camera of the viewer, and its mouse and key input.

use glam::{DQuat, DVec2, DVec3};
use lawine_render::{Camera, Perspective};

/// Turn for a pixel of dragging [rad].
const TURN_PER_PIXEL: f64 = 0.006;
/// Turn for a press of an arrow key [rad].
const TURN_PER_KEY: f64 = 0.09;
/// Part of the view that a press of an arrow key moves it by.
const SHIFT_PER_KEY: f64 = 0.08;

/// A camera that can be moved.
#[derive(Clone, Copy, Debug)]
pub struct Viewpoint {
    camera: Camera,
    /// Whether the user has moved it; before, it follows the scene's own.
    moved: bool,
}

impl Viewpoint {
    /// The scene's own view.
    pub fn new(camera: Camera) -> Self {
        Self { camera, moved: false }
    }

    /// The camera.
    pub fn camera(&self) -> Camera {
        self.camera
    }

    /// Takes over the scene's own view, unless the user has chosen another one.
    pub fn follow(&mut self, camera: Camera) {
        let other = std::mem::discriminant(&camera) != std::mem::discriminant(&self.camera);
        if !self.moved || other {
            *self = Self::new(camera);
        }
    }

    /// Forgets what the user has chosen.
    pub fn reset(&mut self) {
        self.moved = false;
    }

    /// Goes closer by a factor, towards a place [px] of a view of the given size.
    pub fn zoom(&mut self, factor: f64, place: DVec2, size: [u32; 2]) {
        self.moved = true;
        let factor = factor.clamp(0.2, 5.0);
        let (before, _) = self.camera.ray(place, size[0], size[1]);
        match &mut self.camera {
            Camera::Planar(view) => {
                view.size /= factor;
                let (after, _) = self.camera.ray(place, size[0], size[1]);
                if let Camera::Planar(view) = &mut self.camera {
                    view.center += (before - after).truncate();
                }
            }
            Camera::Perspective(view) => {
                view.eye = view.target + (view.eye - view.target) / factor;
            }
        }
    }

    /// Moves the view along with the mouse, by pixels of a view of the given size.
    pub fn pan(&mut self, by: DVec2, size: [u32; 2]) {
        self.moved = true;
        match &mut self.camera {
            Camera::Planar(view) => {
                let scale = view.scale(f64::from(size[0]), f64::from(size[1]));
                view.center -= DVec2::new(by.x, -by.y) / scale;
            }
            Camera::Perspective(view) => {
                let distance = (view.target - view.eye).length();
                let scale = view.focal(f64::from(size[1])) / distance;
                let axes = view.axes();
                let shift = (axes.x_axis * by.x + axes.y_axis * by.y) / scale;
                view.eye -= shift;
                view.target -= shift;
            }
        }
    }

    /// Walks around the target along with the mouse; planar views are moved instead.
    pub fn orbit(&mut self, by: DVec2, size: [u32; 2]) {
        match &mut self.camera {
            Camera::Planar(_) => self.pan(by, size),
            Camera::Perspective(view) => {
                self.moved = true;
                turn(view, -TURN_PER_PIXEL * by);
            }
        }
    }

    /// A press of an arrow key: right and up.
    pub fn walk(&mut self, right: i32, up: i32, size: [u32; 2]) {
        let by = DVec2::new(f64::from(right), f64::from(up));
        match &mut self.camera {
            Camera::Planar(_) => {
                let step = SHIFT_PER_KEY * f64::from(size[1]);
                self.pan(DVec2::new(-by.x, by.y) * step, size);
            }
            Camera::Perspective(view) => {
                self.moved = true;
                turn(view, TURN_PER_KEY * by);
            }
        }
    }

    /// Walks around the target by an angle [rad].
    pub fn turn(&mut self, angle: f64) {
        if let Camera::Perspective(_) = self.camera {
            self.camera = self.camera.turned(angle);
            self.moved = true;
        }
    }
}

/// Walks to the right and upwards around the target [rad], not over the pole.
fn turn(view: &mut Perspective, by: DVec2) {
    let up = view.up.normalize_or(DVec3::Y);
    let offset = view.eye - view.target;
    let offset = DQuat::from_axis_angle(up, by.x) * offset;
    let height = offset.normalize_or(up).dot(up).clamp(-1.0, 1.0).asin();
    let limit = 1.5;
    let rise = (height + by.y).clamp(-limit, limit) - height;
    let right = up.cross(offset).normalize_or(offset.any_orthonormal_vector());
    view.eye = view.target + DQuat::from_axis_angle(right, -rise) * offset;
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_render::{Bounds, Overlay};

    const SIZE: [u32; 2] = [800, 600];

    fn bounds() -> Bounds {
        Bounds::new(DVec3::ZERO, DVec3::new(2.0, 1.0, 1.0))
    }

    fn planar() -> Viewpoint {
        Viewpoint::new(Camera::fit_planar(&bounds(), 4.0 / 3.0, &Overlay::default()))
    }

    fn space() -> Viewpoint {
        Viewpoint::new(Camera::fit(&bounds(), DVec3::Y, 4.0 / 3.0))
    }

    #[test]
    fn zoom_keeps_what_is_under_the_mouse() {
        let mut view = planar();
        let place = DVec2::new(100.0, 450.0);
        let before = view.camera().ray(place, 800, 600).0;
        view.zoom(1.7, place, SIZE);
        let after = view.camera().ray(place, 800, 600).0;
        assert!((before - after).length() < 1e-9);
    }

    #[test]
    fn panning_moves_with_the_mouse() {
        for mut view in [planar(), space()] {
            let point = bounds().center();
            let before = view.camera().project(point, 800, 600).unwrap().0;
            view.pan(DVec2::new(30.0, -20.0), SIZE);
            let after = view.camera().project(point, 800, 600).unwrap().0;
            assert!((after - before - DVec2::new(30.0, -20.0)).length() < 1.0, "{before} {after}");
        }
    }

    #[test]
    fn walking_around_keeps_the_distance_and_never_passes_the_pole() {
        let mut view = space();
        let distance = |view: &Viewpoint| match view.camera() {
            Camera::Perspective(p) => (p.eye - p.target).length(),
            Camera::Planar(_) => unreachable!(),
        };
        let before = distance(&view);
        for _ in 0..200 {
            view.orbit(DVec2::new(3.0, 7.0), SIZE);
            view.walk(1, 1, SIZE);
        }
        assert!((distance(&view) - before).abs() < 1e-9);
        let Camera::Perspective(p) = view.camera() else { unreachable!() };
        assert!(p.axes().is_finite());
    }

    #[test]
    fn the_scene_leads_until_the_user_moves() {
        let mut view = planar();
        let other = Camera::fit_planar(&bounds(), 1.0, &Overlay::default());
        view.follow(other);
        assert_eq!(view.camera(), other);
        view.walk(1, 0, SIZE);
        let chosen = view.camera();
        view.follow(other);
        assert_eq!(view.camera(), chosen);
        view.reset();
        view.follow(other);
        assert_eq!(view.camera(), other);
        view.walk(1, 0, SIZE);
        view.follow(space().camera());
        assert_eq!(view.camera(), space().camera(), "another kind of scene, another view");
    }
}
