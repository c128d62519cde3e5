//! Rigid bodies, and what moves them: a script, or forces.

use super::placement::Placement;
use super::shape::Shape;
use super::vector::Vector;
use glam::DVec3;
use lawine_settings::Settings;

/// A rigid body: a wall, an obstacle, a piston.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Shape of the body.
    pub shape: Shape,
    /// What is done to the shape.
    #[setting(flatten)]
    pub placement: Placement,
    /// Whether matter is inside the shape instead of outside; a container is always hollow.
    #[setting(default = false)]
    pub hollow: bool,
    /// Whether forces move the body: it floats, sinks and falls. It needs a density or a mass.
    #[setting(default = false, fixed)]
    pub free: bool,
    /// Density [kg/m³]. For a body that is not free it only gives mass and inertia in the summary (3D only).
    #[setting(without = "mass not reported", above = 0)]
    pub density: Option<f64>,
    /// Mass of a free body instead of its density, in 2D per metre of depth [kg].
    #[setting(without = "from the density", above = 0)]
    pub mass: Option<f64>,
    /// Initial velocity of a free body [m/s].
    #[setting(default)]
    pub velocity: Vector,
    /// Initial angular velocity of a free body.
    #[setting(without = "no rotation")]
    pub spin: Option<Spin>,
    /// Axis about which alone a free body turns, through its centre of mass, which stays where it is: a wheel.
    #[setting(without = "it moves freely", fixed)]
    pub axle: Option<Axle>,
    /// Time until which a free body is held where it is [s].
    #[setting(without = "not held", at_least = 0, fixed)]
    pub release: Option<f64>,
    /// Number of its triangles that are drawn (3D only) [1].
    #[setting(without = "all", at_least = 0)]
    pub visible_triangles: Option<u32>,
    /// Coefficient of friction [1]; for contacts of free bodies the geometric mean of both bodies counts.
    #[setting(without = "the material's; 0.3 for contacts of free bodies", at_least = 0)]
    pub friction: Option<f64>,
    /// Coefficient of restitution for contacts of free bodies [1]: speed after an impact over the speed before it;
    /// the geometric mean of both bodies counts.
    #[setting(without = "0.3", above = 0, at_most = 1)]
    pub restitution: Option<f64>,
    /// Name of its material in `grains.contact.pair`.
    #[setting(without = "the first material", of = "grains")]
    pub material: Option<String>,
    /// Time at which it is removed [s].
    #[setting(without = "never")]
    pub until: Option<f64>,
    /// Whether snow sticks to it.
    #[setting(without = "`snow.sticking`", of = "snow")]
    pub sticking: Option<bool>,
    /// Prescribed motions, which are added; a body without any is fixed.
    #[setting(default)]
    pub motion: Vec<Motion>,
}

impl Body {
    /// A body at rest, all else as where a file says nothing.
    pub fn new(name: String, shape: Shape) -> Self {
        Self {
            name,
            shape,
            placement: Placement::default(),
            hollow: false,
            free: false,
            density: None,
            mass: None,
            velocity: Vector::default(),
            spin: None,
            axle: None,
            release: None,
            visible_triangles: None,
            friction: None,
            restitution: None,
            material: None,
            until: None,
            sticking: None,
            motion: Vec::new(),
        }
    }

    /// Whether matter is inside the shape: asked for by `hollow`, or because it is a container.
    pub fn holds_matter(&self) -> bool {
        self.hollow || matches!(self.shape, Shape::Container(_))
    }

    /// See [`SceneFile::resolve`](super::SceneFile::resolve).
    pub(super) fn resolve(&mut self, dimension: u32) {
        self.placement.resolve(dimension);
        self.velocity.resolve(dimension);
        if let Some(Spin { axis, .. }) = &mut self.spin
            && dimension == 2
        {
            axis.get_or_insert(Vector::full(0.0, 0.0, 1.0));
        }
        if let Some(Axle { axis }) = &mut self.axle
            && dimension == 2
        {
            axis.get_or_insert(Vector::full(0.0, 0.0, 1.0));
        }
        if let Shape::Mesh(mesh) = &mut self.shape {
            mesh.position.resolve(dimension);
        }
        for motion in &mut self.motion {
            if let Motion::Rotation(rotation) = motion {
                rotation.point.resolve(dimension);
                if dimension == 2 && rotation.axis.is_none() {
                    rotation.axis = Some(Vector::full(0.0, 0.0, 1.0));
                }
            }
        }
    }
}

/// An angular velocity.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Spin {
    /// Direction of the axis through the centre of mass, of any length [1].
    #[setting(without = "z in a plane, required in 3D")]
    pub axis: Option<Vector>,
    /// Angular velocity, counter-clockwise seen from where the axis points [rad/s].
    pub rate: f64,
}

impl Spin {
    /// The angular velocity as a vector [rad/s].
    pub fn vector(&self) -> DVec3 {
        self.rate * self.axis.map_or(DVec3::Z, Vector::get).normalize_or(DVec3::Z)
    }
}

/// The axle of a wheel.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Axle {
    /// Direction of the axle [1], of any length.
    #[setting(without = "z in a plane, required in 3D")]
    pub axis: Option<Vector>,
}

/// A scripted motion; in a scene file an entry of `[[body.motion]]` with one key.
#[derive(Clone, Debug, PartialEq, Settings)]
pub enum Motion {
    /// Constant velocity.
    Velocity(Velocity),
    /// Constant rotation about an axis.
    Rotation(Rotation),
    /// Sinusoidal vibration along a direction.
    Vibration(Vibration),
}

impl Motion {
    /// Start time [s].
    pub fn start(&self) -> f64 {
        match self {
            Self::Velocity(velocity) => velocity.start,
            Self::Rotation(rotation) => rotation.start,
            Self::Vibration(vibration) => vibration.start,
        }
    }

    /// When the motion ends [s], if it does.
    pub fn stop(&self) -> Option<f64> {
        match self {
            Self::Velocity(velocity) => velocity.stop,
            Self::Rotation(rotation) => rotation.stop,
            Self::Vibration(vibration) => vibration.stop,
        }
    }
}

/// Constant velocity.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Velocity {
    /// Velocity [m/s].
    pub velocity: Vector,
    /// Start time [s].
    #[setting(default = 0.0)]
    pub start: f64,
    /// End time [s].
    #[setting(without = "never")]
    pub stop: Option<f64>,
}

/// Constant rotation about an axis.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Rotation {
    /// Direction of the axis [1], of any length.
    #[setting(without = "z in a plane, required in 3D")]
    pub axis: Option<Vector>,
    /// Point of the axis [m].
    #[setting(default)]
    pub point: Vector,
    /// Angular velocity [rad/s].
    pub rate: f64,
    /// Start time [s].
    #[setting(default = 0.0)]
    pub start: f64,
    /// End time [s].
    #[setting(without = "never")]
    pub stop: Option<f64>,
}

/// Sinusoidal vibration, which starts where the body's shape says: the offset is
/// A (sin(2π f (t − start) + phase) − sin(phase)).
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub struct Vibration {
    /// Amplitude A [m].
    #[setting(at_least = 0)]
    pub amplitude: f64,
    /// Frequency f [1/s].
    #[setting(above = 0)]
    pub frequency: f64,
    /// Direction of the vibration [1], of any length.
    pub direction: Vector,
    /// Phase at the start [rad].
    #[setting(default = 0.0)]
    pub phase: f64,
    /// Start time [s].
    #[setting(default = 0.0)]
    pub start: f64,
    /// End time [s].
    #[setting(without = "never")]
    pub stop: Option<f64>,
}
