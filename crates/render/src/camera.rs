//! Cameras.

use glam::{DMat3, DQuat, DVec2, DVec3};

use crate::Overlay;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest corner [m].
    pub min: DVec3,
    /// Largest corner [m].
    pub max: DVec3,
}

impl Bounds {
    /// The box between two opposite corners.
    #[must_use]
    pub fn new(a: DVec3, b: DVec3) -> Self {
        Self { min: a.min(b), max: a.max(b) }
    }

    /// The box around points; points that are not finite are left out.
    #[must_use]
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Option<Self> {
        let finite = points.into_iter().filter(|p| p.is_finite());
        finite.map(|p| Self::new(p, p)).reduce(|a, b| a.merged(&b))
    }

    /// The box around two boxes.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The middle [m].
    #[must_use]
    pub fn center(&self) -> DVec3 {
        (self.min + self.max) / 2.0
    }

    /// The lengths of the sides [m].
    #[must_use]
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }

    /// The eight corners.
    #[must_use]
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, low: f64, high: f64| if i & bit == 0 { low } else { high };
            DVec3::new(
                pick(1, self.min.x, self.max.x),
                pick(2, self.min.y, self.max.y),
                pick(4, self.min.z, self.max.z),
            )
        })
    }
}

/// A camera in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Perspective {
    /// Where it stands [m].
    pub eye: DVec3,
    /// Its matter [m].
    pub target: DVec3,
    /// What is up in the picture, of any length.
    pub up: DVec3,
    /// Angle between the upper and the lower edge of the picture [rad].
    pub field_of_view: f64,
}

impl Perspective {
    /// The axes of the picture as columns: right, down, away from the eye.
    #[must_use]
    pub fn axes(&self) -> DMat3 {
        let forward = (self.target - self.eye).normalize_or(DVec3::Y);
        let across = forward.cross(self.up);
        // Looking along `up` leaves the turn open: take any.
        let right = across.try_normalize().unwrap_or_else(|| forward.any_orthonormal_vector());
        DMat3::from_cols(right, forward.cross(right), forward)
    }

    /// Pixels per metre at a distance of one metre, in a picture of the given height [px].
    #[must_use]
    pub fn focal(&self, height: f64) -> f64 {
        height / 2.0 / (self.field_of_view / 2.0).tan()
    }
}

/// A camera straight above the x-y plane, y being up in the picture and both axes equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planar {
    /// Middle of the picture [m].
    pub center: DVec2,
    /// The rectangle that must be seen [m]; the picture shows more on two sides if its
    /// proportions differ.
    pub size: DVec2,
}

impl Planar {
    /// Pixels per metre in a picture of the given size [px].
    #[must_use]
    pub fn scale(&self, width: f64, height: f64) -> f64 {
        (width / self.size.x).min(height / self.size.y)
    }
}

/// A camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Camera {
    /// A view in space.
    Perspective(Perspective),
    /// A planar view.
    Planar(Planar),
}

impl Camera {
    /// A good view of a box in space: from its front, a little to the right and above, with the
    /// whole box inside a picture of `aspect` = width / height. The front is where -y points if
    /// z is up, and where z points if y is up.
    #[must_use]
    pub fn fit(bounds: &Bounds, up: DVec3, aspect: f64) -> Self {
        Self::fit_from(bounds, up, aspect, 28_f64.to_radians(), 20_f64.to_radians())
    }

    /// Like [`Camera::fit`], from `yaw` to the right of the front and `pitch` above it [rad].
    #[must_use]
    pub fn fit_from(bounds: &Bounds, up: DVec3, aspect: f64, yaw: f64, pitch: f64) -> Self {
        let up = up.normalize_or(DVec3::Z);
        let (right, front) = front_of(up);
        let level = front * yaw.cos() + right * yaw.sin();
        let away = level * pitch.cos() + up * pitch.sin();
        let target = bounds.center();
        let field_of_view = 32_f64.to_radians();
        let mut view = Perspective { eye: target + away, target, up, field_of_view };
        let axes = view.axes();
        // Parts of the picture the box may fill; the rest is margin and overlay.
        let tangent_y = (field_of_view / 2.0).tan() * 0.86;
        let tangent_x = (field_of_view / 2.0).tan() * aspect * 0.80;
        let distance = bounds.corners().into_iter().map(|corner| {
            let p = axes.transpose() * (corner - target);
            (p.x.abs() / tangent_x).max(p.y.abs() / tangent_y) - p.z
        });
        let distance = distance.fold(0.0, f64::max);
        view.eye = target + away * if distance > 0.0 { distance } else { 1.0 };
        Self::Perspective(view)
    }

    /// A planar view of a box, with a margin that has room for the overlay in a picture of
    /// `aspect` = width / height.
    #[must_use]
    pub fn fit_planar(bounds: &Bounds, aspect: f64, overlay: &Overlay) -> Self {
        let size = bounds.size().truncate();
        let largest = size.max_element();
        let size = if largest > 0.0 { size.max(DVec2::splat(largest * 1e-3)) } else { DVec2::ONE };
        // Margins in parts of the picture's height.
        let small = 0.04;
        let written = overlay.title.is_some() || overlay.time_stamp.is_some();
        let top = if written { 0.115 } else { small };
        let right = if overlay.color_bar.is_some() { 0.25 } else { small };
        let free = DVec2::new(aspect - small - right, 1.0 - small - top).max(DVec2::splat(0.1));
        // Height of the picture [m].
        let height = (size / free).max_element();
        let shift = DVec2::new(right - small, top - small) / 2.0 * height;
        let center = bounds.center().truncate() + shift;
        Self::Planar(Planar { center, size: DVec2::new(aspect, 1.0) * height })
    }

    /// The same view after a walk around the target by `angle` [rad], counter-clockwise seen
    /// from above. Planar views stay as they are.
    #[must_use]
    pub fn turned(&self, angle: f64) -> Self {
        match *self {
            Self::Planar(view) => Self::Planar(view),
            Self::Perspective(view) => {
                let turn = DQuat::from_axis_angle(view.up.normalize_or(DVec3::Z), angle);
                let eye = view.target + turn * (view.eye - view.target);
                Self::Perspective(Perspective { eye, ..view })
            }
        }
    }

    /// Where a point is seen in a picture of the given size: column from the left, row from the
    /// top [px], and distance along the line of sight [m] (0 in planar views). `None` for points
    /// behind the eye.
    #[must_use]
    pub fn project(&self, point: DVec3, width: u32, height: u32) -> Option<(DVec2, f64)> {
        let size = DVec2::new(f64::from(width), f64::from(height));
        match self {
            Self::Planar(view) => {
                let p = (point.truncate() - view.center) * view.scale(size.x, size.y);
                Some((size / 2.0 + DVec2::new(p.x, -p.y), 0.0))
            }
            Self::Perspective(view) => {
                let p = view.axes().transpose() * (point - view.eye);
                let seen = size / 2.0 + p.truncate() * (view.focal(size.y) / p.z);
                (p.z > 0.0).then_some((seen, p.z))
            }
        }
    }

    /// What is seen at a place of a picture of the given size [px]: a point and the direction away
    /// from the viewer, of length one. The inverse of [`Camera::project`].
    #[must_use]
    pub fn ray(&self, place: DVec2, width: u32, height: u32) -> (DVec3, DVec3) {
        let size = DVec2::new(f64::from(width), f64::from(height));
        let off = place - size / 2.0;
        match self {
            Self::Planar(view) => {
                let p = view.center + DVec2::new(off.x, -off.y) / view.scale(size.x, size.y);
                (p.extend(0.0), DVec3::NEG_Z)
            }
            Self::Perspective(view) => {
                (view.eye, (view.axes() * off.extend(view.focal(size.y))).normalize())
            }
        }
    }
}

/// The directions right and to the front of a scene whose up is `up`.
pub(crate) fn front_of(up: DVec3) -> (DVec3, DVec3) {
    let start = if up.x.abs() > 0.9 { DVec3::Y } else { DVec3::X };
    let right = start.reject_from(up).normalize();
    (right, right.cross(up))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Bounds = Bounds { min: DVec3::ZERO, max: DVec3::new(4.0, 1.0, 2.0) };

    #[test]
    fn the_target_is_in_the_middle() {
        for up in [DVec3::Z, DVec3::Y] {
            let camera = Camera::fit(&BOX, up, 16.0 / 9.0);
            let (p, depth) = camera.project(BOX.center(), 1280, 720).unwrap();
            assert!((p - DVec2::new(640.0, 360.0)).length() < 1e-9);
            assert!(depth > 0.0);
        }
    }

    #[test]
    fn the_whole_box_is_seen_and_up_is_up() {
        for (up, aspect, width) in [(DVec3::Z, 16.0 / 9.0, 1280), (DVec3::Y, 0.5, 360)] {
            let camera = Camera::fit(&BOX, up, aspect);
            for corner in BOX.corners() {
                let (p, _) = camera.project(corner, width, 720).unwrap();
                assert!(p.x > 0.0 && p.x < f64::from(width) && p.y > 0.0 && p.y < 720.0, "{p}");
            }
            let above = camera.project(BOX.center() + 0.5 * up, width, 720).unwrap().0;
            assert!(above.y < 360.0);
            // A point further right stays right, one further back is further away.
            let right = camera.project(BOX.center() + 0.5 * DVec3::X, width, 720).unwrap().0;
            assert!(right.x > f64::from(width) / 2.0);
        }
    }

    #[test]
    fn rays_lead_to_what_is_seen() {
        let point = DVec3::new(3.0, 0.2, 1.5);
        let planar = Camera::fit_planar(&BOX, 1.5, &Overlay::default());
        for camera in [Camera::fit(&BOX, DVec3::Z, 1.5), planar] {
            let (place, _) = camera.project(point, 1200, 800).unwrap();
            let (start, direction) = camera.ray(place, 1200, 800);
            assert!((point - start).reject_from(direction).length() < 1e-9);
        }
    }

    #[test]
    fn what_lies_behind_is_not_seen() {
        let Camera::Perspective(view) = Camera::fit(&BOX, DVec3::Z, 1.0) else { unreachable!() };
        let behind = view.eye + (view.eye - view.target);
        assert!(Camera::Perspective(view).project(behind, 100, 100).is_none());
    }

    #[test]
    fn a_planar_view_has_equal_axes() {
        let area = Bounds::new(DVec3::ZERO, DVec3::new(2.0, 1.0, 0.0));
        let camera = Camera::fit_planar(&area, 1280.0 / 720.0, &Overlay::default());
        let at = |x: f64, y: f64| camera.project(DVec3::new(x, y, 0.0), 1280, 720).unwrap().0;
        assert!((at(1.0, 0.5) - DVec2::new(640.0, 360.0)).length() < 1e-9);
        assert!(((at(1.1, 0.5).x - 640.0) - (360.0 - at(1.0, 0.6).y)).abs() < 1e-9);
        assert!(at(0.0, 0.0).x > 0.0 && at(2.0, 1.0).x < 1280.0);
        assert!(at(0.0, 0.0).y < 720.0 && at(2.0, 1.0).y > 0.0);
    }

    #[test]
    fn a_planar_view_leaves_room_for_the_overlay() {
        let area = Bounds::new(DVec3::ZERO, DVec3::new(3.0, 1.0, 0.0));
        let title = Some("title".to_owned());
        let camera = Camera::fit_planar(&area, 2.0, &Overlay { title, ..Overlay::default() });
        let corner = camera.project(DVec3::new(0.0, 1.0, 0.0), 1000, 500).unwrap().0;
        assert!(corner.y > 0.11 * 500.0 && (corner.x - 0.04 * 500.0).abs() < 1e-6, "{corner}");
    }

    #[test]
    fn a_full_turn_ends_where_it_began() {
        let camera = Camera::fit(&BOX, DVec3::Z, 1.5);
        let (Camera::Perspective(a), Camera::Perspective(b)) =
            (camera, (0..4).fold(camera, |c, _| c.turned(std::f64::consts::FRAC_PI_2)))
        else {
            unreachable!()
        };
        assert!((a.eye - b.eye).length() < 1e-9);
        let Camera::Perspective(half) = camera.turned(std::f64::consts::PI) else { unreachable!() };
        assert!((half.eye.z - a.eye.z).abs() < 1e-9);
        assert!((half.eye + a.eye - 2.0 * a.target).truncate().length() < 1e-9);
    }
}
