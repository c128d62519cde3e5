//! What matter there can be: everything that the rest of the program has to know about a kind of matter
//! stands in its module, and each kind is registered in [`KINDS`].

mod grains;
mod liquid;
mod snow;

use crate::build::{Matter, Site};
use crate::file::{Checker, SceneError, SceneFile};
use lawine_render::Color;
use std::fmt;

/// All kinds of matter, in the order in which they are built, stepped, saved and drawn.
pub static KINDS: [&dyn Kind; 3] = [&liquid::Liquid, &snow::Snow, &grains::Grains];

/// A kind of matter.
pub trait Kind: Sync {
    /// Its table in scene files, and the first part of the names of its fields.
    fn key(&self) -> &'static str;

    /// Whether a scene has it.
    fn is_in(&self, scene: &SceneFile) -> bool;

    /// Distance between particles at rest [m], by which they are drawn and placed; one metre where none is
    /// known.
    fn spacing(&self, scene: &SceneFile) -> f64;

    /// Distance over which fields are smoothed [m].
    fn smoothing(&self, scene: &SceneFile) -> f64 {
        2.0 * self.spacing(scene)
    }

    /// How far particles see each other at least [m]; periodic axes are three times as long.
    fn reach(&self, scene: &SceneFile) -> f64 {
        self.smoothing(scene)
    }

    /// What its particles are called.
    fn particles(&self) -> &'static str {
        "particles"
    }

    /// Those of the columns about solvers in `series.csv` that mean something for it.
    fn solver_columns(&self, _scene: &SceneFile) -> &'static [&'static str] {
        &[]
    }

    /// Its own colour, where no field is shown.
    fn color(&self) -> Color;

    /// The key that makes it coarser, with its value, for messages.
    fn resolution(&self, scene: &SceneFile) -> String;

    /// Whether its particles are parts of a continuum: emitters can let it in, and it can have a surface.
    fn is_continuous(&self) -> bool {
        true
    }

    /// Fills in the defaults that follow from other keys.
    fn resolve(&self, _scene: &mut SceneFile) {}

    /// Checks conditions on several of its keys, in a scene that has it.
    fn check(&self, c: &mut Checker<'_>);

    /// Refuses keys that belong to it, in a scene without it.
    fn refuse_keys(&self, _c: &mut Checker<'_>) {}

    /// Builds it.
    ///
    /// # Errors
    /// With the key of the scene that is wrong.
    fn build(&self, site: &mut Site<'_>) -> Result<Matter, SceneError>;
}

/// The kind with this key.
pub fn kind(key: &str) -> Option<&'static dyn Kind> {
    KINDS.into_iter().find(|kind| kind.key() == key)
}

impl fmt::Debug for dyn Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

impl SceneFile {
    /// The kinds of matter in it.
    pub fn matters(&self) -> impl Iterator<Item = &'static dyn Kind> + '_ {
        KINDS.into_iter().filter(|kind| kind.is_in(self))
    }

    /// The kind that `of` names, or the only one in the scene.
    pub fn matter_of(&self, of: Option<&str>) -> Option<&'static dyn Kind> {
        let mut fitting = self.matters().filter(|kind| of.is_none_or(|of| of == kind.key()));
        fitting.next().filter(|_| fitting.next().is_none())
    }

    /// Whether `of` names this kind of matter, or the scene has no other.
    pub(crate) fn is_of(&self, of: Option<&str>, kind: &str) -> bool {
        self.matter_of(of).is_some_and(|found| found.key() == kind)
    }

    /// Distance between particles at rest of its first matter [m].
    pub fn spacing(&self) -> f64 {
        self.matters().next().map_or(1.0, |kind| kind.spacing(self))
    }

    /// Distance over which fields of its first matter are smoothed [m]: the support of a kernel.
    pub fn smoothing(&self) -> f64 {
        self.matters().next().map_or(2.0, |kind| kind.smoothing(self))
    }

    /// Whether a column about solvers in `series.csv` means something.
    pub fn has_solver_column(&self, column: &str) -> bool {
        self.matters().any(|kind| kind.solver_columns(self).contains(&column))
    }
}
