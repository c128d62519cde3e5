//! What matter there can be: everything that the rest of the program has to know about a kind of matter stands
//! in its module, and is asked for by way of [`Kind`]. The kinds of this crate are registered here; a program
//! adds others with [`register`].

pub mod choices;
pub mod grains;
mod liquid;
mod snow;

use crate::build::{Matter, Scale, Site, Sites};
use crate::file::{Checker, Counts, Fill, LoadedScene, SceneError, SceneFile};
use choices::Choice;
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::kernel::Kernel;
use lawine_render::{Color, Material};
use lawine_settings::{OpenTable, Setting, Settings};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};
use thiserror::Error;

/// The kinds of this crate, in the order in which they are built, stepped, saved and drawn.
static OWN: [&dyn Kind; 3] = [&liquid::Liquid, &snow::Snow, &grains::Grains];

/// What has been registered besides.
static MORE: Mutex<Vec<&'static dyn Kind>> = Mutex::new(Vec::new());

/// All kinds, from the first question on.
static KINDS: OnceLock<Vec<&'static dyn Kind>> = OnceLock::new();

/// Registers another kind of matter, behind the others. This must come before the first scene is read, for
/// what a scene file may hold does not change afterwards.
///
/// # Errors
/// When it is too late, or another kind has the key.
pub fn register(kind: &'static dyn Kind) -> Result<(), RegisterError> {
    let mut more = MORE.lock().unwrap_or_else(PoisonError::into_inner);
    let key = kind.key();
    if KINDS.get().is_some() {
        return Err(RegisterError::TooLate(key));
    }
    if OWN.iter().chain(&*more).any(|known| known.key() == key) {
        return Err(RegisterError::Taken(key));
    }
    more.push(kind);
    Ok(())
}

/// Why a kind of matter cannot be registered.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum RegisterError {
    /// Scenes have been read.
    #[error("the matter \"{0}\" must be registered before the first scene is read")]
    TooLate(&'static str),
    /// There is another kind with this key.
    #[error("there is matter with the key \"{0}\" already")]
    Taken(&'static str),
}

/// All kinds of matter, in the order in which they are built, stepped, saved and drawn.
pub fn kinds() -> &'static [&'static dyn Kind] {
    KINDS.get_or_init(|| {
        let more = MORE.lock().unwrap_or_else(PoisonError::into_inner);
        OWN.iter().chain(&*more).copied().collect()
    })
}

/// The kind with this key.
pub fn kind(key: &str) -> Option<&'static dyn Kind> {
    kinds().iter().copied().find(|kind| kind.key() == key)
}

/// The kinds that a setting belongs to, as its description says: by their keys, or those that are `continuous`.
pub fn kinds_of(setting: &Setting) -> Vec<&'static dyn Kind> {
    let names = |kind: &dyn Kind| {
        let is = |of: &str| of == kind.key() || of == "continuous" && kind.is_continuous();
        setting.of.is_empty() || setting.of.split(' ').any(is)
    };
    kinds().iter().copied().filter(|kind| names(*kind)).collect()
}

/// The tables of all kinds.
pub(crate) fn tables() -> &'static [&'static OpenTable] {
    static TABLES: OnceLock<Vec<&'static OpenTable>> = OnceLock::new();
    TABLES.get_or_init(|| kinds().iter().map(|kind| kind.table()).collect())
}

/// A kind of matter. Its settings are those of [`Kind::table`]; [`SceneFile::table`] gives them by their type.
pub trait Kind: Sync {
    /// Its table in scene files: a key and the type of the settings.
    fn table(&self) -> &'static OpenTable;

    /// The key of its table, and the first part of the names of its fields.
    fn key(&self) -> &'static str {
        self.table().setting.name
    }

    /// Whether a scene has it.
    fn is_in(&self, scene: &SceneFile) -> bool {
        scene.tables.has(self.key())
    }

    /// Fills in the defaults that follow from other keys when a scene is read.
    fn resolve(&self, _scene: &mut SceneFile) {}

    /// Fills in what is made of its keys when a scene is built.
    fn derive(&self, _scene: &mut SceneFile) {}

    /// Prepares a scene for changes of its keys, given as `KEY=VALUE`: what was derived from them follows.
    fn before_change(&self, _scene: &mut SceneFile, _changes: &[String]) {}

    /// Checks what several of its keys say together, in a scene that has it.
    fn check(&self, c: &mut Checker<'_>);

    /// Adds what it needs memory for, besides particles in fills and emitters.
    fn count(&self, _scene: &SceneFile, _counts: &mut Counts) {}

    /// Builds it.
    ///
    /// # Errors
    /// With the key of the scene that is wrong.
    fn build(&self, site: &mut Site<'_>) -> Result<Matter, SceneError>;

    /// Distance between particles at rest [m], by which they are drawn and placed; one metre where none is
    /// known.
    fn spacing(&self, scene: &SceneFile) -> f64;

    /// The key that makes it coarser, with its value, for messages.
    fn resolution(&self, scene: &SceneFile) -> String;

    /// A change of a key, `KEY=VALUE`, with which a small picture of it takes less time: particles so many times
    /// as large, where it has a size.
    fn coarser(&self, _scene: &SceneFile, _times: f64) -> Option<String> {
        None
    }

    /// Distance over which fields are smoothed [m].
    fn smoothing(&self, scene: &SceneFile) -> f64 {
        2.0 * self.spacing(scene)
    }

    /// How far particles see each other at least [m]; periodic axes are three times as long.
    fn reach(&self, scene: &SceneFile) -> f64 {
        self.smoothing(scene)
    }

    /// The kernel with which particles are packed next to bodies where a fill is carved; none if those too close
    /// are left out.
    fn packing_kernel(&self, _scene: &SceneFile) -> Option<Kernel> {
        None
    }

    /// Packs the particles of a carved fill next to bodies; none if those too close are left out.
    fn pack(
        &self,
        _loaded: &LoadedScene,
        _env: &Environment,
        _sites: &Sites,
    ) -> Option<Result<Vec<DVec3>, SceneError>> {
        None
    }

    /// Layers of boundary particles that it covers bodies with.
    fn wall_layers(&self, _scene: &SceneFile) -> u32 {
        0
    }

    /// The largest number of particles that emitters may make it, if its table says one, and the key.
    fn max_particles(&self, _scene: &SceneFile) -> Option<(&'static str, u64)> {
        None
    }

    /// Whether its particles are parts of a continuum: emitters can let it in, and it can have a surface.
    fn is_continuous(&self) -> bool {
        true
    }

    /// Whether it and free bodies push each other.
    fn carries_bodies(&self) -> bool {
        false
    }

    /// Whether the friction of bodies means something to it.
    fn rubs_on_bodies(&self) -> bool {
        true
    }

    /// Whether a graphics card can compute it.
    fn runs_on_gpu(&self) -> bool {
        false
    }

    /// Whether a step is doubtful in which particles move by more than a spacing or two.
    fn moves_by_spacings(&self) -> bool {
        false
    }

    /// What its particles are called.
    fn particles(&self) -> &'static str {
        "particles"
    }

    /// What it looks like where no field is shown, in a scene of a size [m].
    fn look(&self, scene: &SceneFile, size: f64) -> Look;

    /// How large its spheres are drawn on screen, in space, against their true size.
    fn sphere_size(&self) -> f64 {
        1.0
    }

    /// Ends of the colours for a field whose size can be foreseen from what the scene lets expect.
    fn range(&self, _scene: &SceneFile, field: &str, scale: &Scale) -> Option<[f64; 2]> {
        (field == "speed").then(|| scale.speeds())
    }

    /// Those of the columns about solvers in `series.csv` that mean something for it.
    fn solver_columns(&self, _scene: &SceneFile) -> &'static [&'static str] {
        &[]
    }

    /// The materials that a fill can be of: name, and what they are.
    fn materials(&self, _scene: &SceneFile) -> Vec<(String, &'static str)> {
        Vec::new()
    }

    /// Takes its materials out of a scene.
    fn forget_materials(&self, _scene: &mut SceneFile) {}

    /// What its materials with a modulus were computed with, for the report.
    fn elastic_materials(&self, _scene: &SceneFile) -> Vec<ElasticMatter> {
        Vec::new()
    }

    /// What was decided that the file left open, for `lawine check`: a word or two, and the value.
    fn decided(&self, _scene: &SceneFile) -> Option<(&'static str, String)> {
        None
    }

    /// The choices that matter most, for the viewer.
    fn choices(&self, _scene: &SceneFile) -> Vec<Choice> {
        Vec::new()
    }
}

impl fmt::Debug for dyn Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

/// What matter looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Its colour.
    pub color: Color,
    /// How much its particles differ from each other in brightness [1].
    pub variety: f64,
    /// What light does to its surface.
    pub material: Material,
}

impl Look {
    /// Something dull of one colour.
    pub fn plain(color: Color) -> Self {
        Self { color, variety: 0.0, material: Material::Dull }
    }

    /// The colour of one particle or grain.
    pub fn of(&self, index: usize) -> Color {
        if self.variety <= 0.0 {
            return self.color;
        }
        // Steps by the golden ratio are spread evenly, whatever the indices.
        let part = (index as f64 * 0.618_033_988_749_895).fract() - 0.5;
        let warm = (index as f64 * 0.754_877_666_246_693).fract() - 0.5;
        let factor = 1.0 + 2.0 * self.variety * part;
        let tone = [1.0 + 0.4 * self.variety * warm, 1.0, 1.0 - 0.8 * self.variety * warm];
        let Color { r, g, b } = self.color;
        let channels = [r, g, b].map(|c| f64::from(c) / 255.0);
        Color::from_unit(std::array::from_fn(|k| channels[k] * tone[k] * factor))
    }
}

/// A kind of snow or other matter with a modulus, with the numbers it was computed with: those of the scene, of
/// its kind, or derived from its density.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElasticMatter {
    /// Its name.
    pub name: String,
    /// The law that it follows, as in a scene file.
    pub law: String,
    /// The classes of snow that its density belongs to; none for other matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// Density [kg/m³].
    pub density: f64,
    /// Young's modulus E [Pa].
    pub young: f64,
    /// Poisson's ratio ν [1].
    pub poisson: f64,
}

impl SceneFile {
    /// The settings of a kind of matter, by their type.
    pub fn table<T: Settings + 'static>(&self) -> Option<&T> {
        self.tables.get()
    }

    /// The settings of a kind of matter, to be changed.
    pub fn table_mut<T: Settings + 'static>(&mut self) -> Option<&mut T> {
        self.tables.get_mut()
    }

    /// The kinds of matter in it.
    pub fn matters(&self) -> impl Iterator<Item = &'static dyn Kind> + '_ {
        kinds().iter().copied().filter(|kind| kind.is_in(self))
    }

    /// The kind that `of` names, or the only one in the scene.
    pub fn matter_of(&self, of: Option<&str>) -> Option<&'static dyn Kind> {
        let mut fitting = self.matters().filter(|kind| of.is_none_or(|of| of == kind.key()));
        fitting.next().filter(|_| fitting.next().is_none())
    }

    /// Whether a fill is of this kind of matter.
    pub(crate) fn is_of(&self, fill: &Fill, kind: &str) -> bool {
        self.matter_of(fill.of.as_deref()).is_some_and(|found| found.key() == kind)
    }

    /// The smallest distance between particles at rest of its matters [m].
    pub fn finest_spacing(&self) -> f64 {
        self.matters().map(|kind| kind.spacing(self)).reduce(f64::min).unwrap_or(1.0)
    }

    /// Whether a column about solvers in `series.csv` means something.
    pub fn has_solver_column(&self, column: &str) -> bool {
        self.matters().any(|kind| kind.solver_columns(self).contains(&column))
    }

    /// The scene with what is made of its keys when it is built.
    #[must_use]
    pub fn derived(mut self) -> Self {
        kinds().iter().for_each(|kind| kind.derive(&mut self));
        self
    }

    /// Whether a graphics card can compute all of it; it does not move free bodies so far.
    pub fn runs_on_gpu(&self) -> bool {
        self.matters().all(Kind::runs_on_gpu) && !self.body.iter().any(|body| body.free)
    }
}
