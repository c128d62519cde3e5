//! Messages between the window and the simulation.

use crate::clock::Pace;
use crate::compute::{Appearance, Compute};
use crate::snapshot::SceneInfo;
use glam::DVec3;
use lawine_scene::file::{Fill, Shape, Source, View};
use std::sync::Arc;

/// A command of the window to the simulation.
pub enum Command {
    /// Opens a scene.
    Open(Source),
    /// Begins the scene again, with all changes.
    Restart,
    /// Changes keys, as `KEY=VALUE`.
    Set(Vec<String>),
    /// Changes how the scene is drawn.
    View(Box<View>),
    /// Puts particles with a velocity [m/s] where there is room.
    Insert(Vec<DVec3>, DVec3),
    /// Removes the particles for which the function is true.
    Erase(Box<dyn Fn(DVec3) -> bool + Send>),
    /// Keeps a file in memory, by the name that fills call it.
    Attach(String, Arc<[u8]>),
    /// Chooses the matter that is placed, by its key.
    Place(&'static str),
    /// Adds matter.
    AddFill(Box<Fill>),
    /// Adds an obstacle, by a name and a shape.
    AddBody(&'static str, Box<Shape>),
    /// Pulls a body, by index, towards an offset from where it was when the pull began [m].
    Stir(usize, DVec3),
    /// Lets the body go.
    Release,
    /// Pauses or resumes the simulation.
    Pause(bool),
    /// Makes one step.
    Step,
    /// Chooses the speed of time.
    Pace(Pace),
    /// Writes the state into bytes, for a checkpoint.
    Save,
    /// Computes there from now on.
    Compute(Box<Compute>),
    /// Says how particles look that stay on the graphics device.
    Show(Option<Box<Appearance>>),
}

impl Command {
    /// Whether it needs all particles on the host.
    pub(crate) fn needs_particles(&self) -> bool {
        match self {
            Self::Set(_)
            | Self::View(_)
            | Self::Insert(..)
            | Self::Erase(_)
            | Self::AddFill(_)
            | Self::AddBody(..)
            | Self::Release
            | Self::Save
            | Self::Compute(_) => true,
            Self::Open(_)
            | Self::Restart
            | Self::Attach(..)
            | Self::Place(_)
            | Self::Stir(..)
            | Self::Pause(_)
            | Self::Step
            | Self::Pace(_)
            | Self::Show(_) => false,
        }
    }
}

/// A notice of the simulation to the window.
pub enum Notice {
    /// A scene was opened, changed or begun again.
    Scene(Box<SceneInfo>),
    /// Something worth knowing.
    Note(String),
    /// Something that did not work.
    Problem(String),
    /// A step failed for this reason, and time stands still.
    Stopped(String),
    /// The state that was asked for, and the scene it belongs to.
    State(Vec<u8>, Box<SceneInfo>),
}
