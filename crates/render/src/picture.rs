//! What to draw. Every painter reads these types; none of them knows a painter.

use std::ops::Range;

use glam::{DVec3, Vec3};

use crate::{BodyMesh, BodyStyle, Bounds, Camera, Color, Overlay};

/// A particle: a shaded sphere in space, a disc in a planar picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Centre [m].
    pub center: DVec3,
    /// Radius [m].
    pub radius: f32,
    /// Colour.
    pub color: Color,
}

impl Sphere {
    /// A sphere from its parts.
    #[must_use]
    pub const fn new(center: DVec3, radius: f32, color: Color) -> Self {
        Self { center, radius, color }
    }
}

/// What is seen where nothing is: a gradient from top to bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Background {
    /// Colour of the upper edge of the picture.
    pub top: Color,
    /// Colour of the lower edge of the picture.
    pub bottom: Color,
}

impl Background {
    /// The same colour everywhere.
    #[must_use]
    pub const fn plain(color: Color) -> Self {
        Self { top: color, bottom: color }
    }

    /// A winter sky, against which white things stand out.
    #[must_use]
    pub const fn sky() -> Self {
        Self { top: Color::hex(0x7c9cbd), bottom: Color::hex(0xd3dee9) }
    }
}

impl Default for Background {
    /// A light grey blue that turns to near white, for slides and paper.
    fn default() -> Self {
        Self { top: Color::hex(0xdbe4ee), bottom: Color::hex(0xf6f7f9) }
    }
}

/// A soft disc of floor that fades into the background and catches shadows, for scenes in space
/// that have no floor of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// The middle of the disc [m].
    pub center: DVec3,
    /// Where the floor has faded away, counted from the middle [m].
    pub radius: f64,
}

impl Floor {
    /// A floor below `bounds`.
    #[must_use]
    pub fn below(bounds: &Bounds, up: DVec3) -> Self {
        let up = up.normalize_or(DVec3::Z);
        let half = bounds.size() / 2.0;
        let drop = half.dot(up.abs());
        Self { center: bounds.center() - up * drop, radius: bounds.size().length() * 1.6 }
    }
}

/// A lens: what lies at its focus is sharp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// Diameter [m].
    pub aperture: f64,
    /// Distance of what is sharp [m].
    pub focus: f64,
}

/// What becomes of the parts of edges that something hides, in pictures of space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HiddenLines {
    /// They are not drawn.
    #[default]
    Off,
    /// They are drawn faintly.
    Faint,
    /// They are drawn like the others.
    On,
}

/// A picture to be painted.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Particles. In planar pictures later ones lie over earlier ones.
    pub spheres: Vec<Sphere>,
    /// Those of them that are parts of one matter without gaps, with the same radius and their distance at rest
    /// as the diameter: planar pictures show the area that they fill instead of discs.
    pub continua: Vec<Range<usize>>,
    /// How far each sphere moves while the shutter is open, where light is traced [m]; empty at rest.
    pub motion: Vec<Vec3>,
    /// Rigid bodies, walls, surfaces.
    pub bodies: Vec<BodyMesh>,
    /// From where it is seen.
    pub camera: Camera,
    /// The lens of the camera, where light is traced; everything is sharp without.
    pub lens: Option<Lens>,
    /// What is seen behind everything.
    pub background: Background,
    /// A soft floor; planar pictures have none.
    pub floor: Option<Floor>,
    /// Direction towards the light, of any length; planar pictures do not use it.
    pub light: DVec3,
    /// What becomes of hidden edges.
    pub hidden_lines: HiddenLines,
    /// Writing on top.
    pub overlay: Overlay,
}

impl Picture {
    /// An empty picture with the default background and a light that stands high at the left
    /// of the default view.
    #[must_use]
    pub fn new(camera: Camera) -> Self {
        let up = match &camera {
            Camera::Perspective(view) => view.up.normalize_or(DVec3::Z),
            Camera::Planar(_) => DVec3::Z,
        };
        let (right, front) = crate::camera::front_of(up);
        Self {
            spheres: Vec::new(),
            continua: Vec::new(),
            motion: Vec::new(),
            bodies: Vec::new(),
            camera,
            lens: None,
            background: Background::default(),
            floor: None,
            light: (up + 0.5 * front - 0.45 * right).normalize(),
            hidden_lines: HiddenLines::Off,
            overlay: Overlay::default(),
        }
    }

    /// The box around all spheres and bodies, if there are any.
    #[must_use]
    pub fn bounds(&self) -> Option<Bounds> {
        let spheres = self.spheres.iter().flat_map(|s| {
            let r = DVec3::splat(f64::from(s.radius));
            [s.center - r, s.center + r]
        });
        let bodies = self.bodies.iter().filter(|body| body.style != BodyStyle::Ground);
        let bodies = bodies.flat_map(|body| body.positions.iter().copied());
        Bounds::around(spheres.chain(bodies))
    }
}
