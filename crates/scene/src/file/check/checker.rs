//! The tools of the checks: collecting problems, and the checks that occur often.

use std::fmt::Display;

use glam::DVec3;

use super::super::error::{Problem, SceneError};
use super::super::locations::Locations;
use super::super::opening::Emitter;
use super::super::schema::{Extent, SceneFile};
use super::super::vector::Vector;
use crate::matter::Kind;
use lawine_settings::{closest, did_you_mean, join};

/// The shortest vector that gives a direction.
pub(crate) const SHORTEST: f64 = 1e-9;

/// Words as in "a, b or c"; "nothing" if there are none.
pub(crate) fn any_of(words: &[String]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// The matter that an emitter lets in.
pub(crate) fn emitter_kind(scene: &SceneFile, emitter: &Emitter) -> Option<&'static dyn Kind> {
    let of = emitter.of.as_deref();
    let mut fitting =
        scene.matters().filter(|kind| kind.is_continuous() && of.is_none_or(|of| of == kind.key()));
    fitting.next().filter(|_| fitting.next().is_none())
}

/// Collects the problems of a scene.
pub struct Checker<'a> {
    /// The scene.
    pub scene: &'a SceneFile,
    locations: &'a Locations,
    problems: Vec<Problem>,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(scene: &'a SceneFile, locations: &'a Locations) -> Self {
        Self { scene, locations, problems: Vec::new() }
    }

    /// All problems as one error, if there are any.
    pub(crate) fn finish(self) -> Result<(), SceneError> {
        if self.problems.is_empty() { Ok(()) } else { Err(SceneError::Invalid(self.problems)) }
    }

    /// Whether the scene is planar.
    pub fn is_planar(&self) -> bool {
        self.scene.space.dimension == 2
    }

    pub(crate) fn dimension(&self) -> i32 {
        if self.is_planar() { 2 } else { 3 }
    }

    /// Adds a problem.
    pub fn report(&mut self, key: &str, message: String) {
        self.problems.push(self.locations.problem(key, message));
    }

    /// Adds the problem of a value that is not allowed.
    pub fn refuse(&mut self, key: &str, value: impl Display, allowed: impl Display) {
        self.report(key, format!("{key} = {value} is not allowed; allowed: {allowed}"));
    }

    /// Refuses a value unless a condition holds.
    pub fn require(&mut self, holds: bool, key: &str, value: impl Display, allowed: &str) {
        if !holds {
            self.refuse(key, value, allowed);
        }
    }

    /// Refuses a name that is not among the known ones; the closest is named.
    pub fn known(&mut self, key: &str, name: &str, known: &[&str], what: &str) {
        if !known.contains(&name) {
            let near = closest(name, known.iter().copied()).map(|name| format!("{name:?}"));
            let allowed = format!("{what}{}", did_you_mean(near.as_deref()));
            self.refuse(key, format!("{name:?}"), allowed);
        }
    }

    /// Refuses matter that the scene does not have or that `fits` not; it may be left out where there is only
    /// one that does.
    pub(crate) fn matter(&mut self, key: &str, of: Option<&str>, fits: impl Fn(&dyn Kind) -> bool) {
        let fitting = self.scene.matters().filter(|kind| fits(*kind));
        let keys: Vec<String> = fitting.map(|kind| format!("{:?}", kind.key())).collect();
        let allowed = any_of(&keys);
        match of {
            Some(of) if !keys.contains(&format!("{of:?}")) => {
                self.refuse(key, format!("{of:?}"), format!("{allowed}, the matter of this scene"));
            }
            None if keys.len() > 1 => {
                let message = format!(
                    "{key} is missing: the scene has several kinds of matter; allowed: {allowed}"
                );
                self.report(key, message);
            }
            _ => {}
        }
    }

    /// Refuses matter that the scene does not have, and any for what is not about one of them, the thing `what`.
    pub(crate) fn matter_of_field(
        &mut self,
        key: &str,
        of: Option<&str>,
        is_of_one: bool,
        what: &str,
    ) {
        match of {
            Some(_) if is_of_one => self.matter(key, of, |_| true),
            Some(_) => self.report(key, format!("{key} is not allowed: {what} is of all matter")),
            None => {}
        }
    }

    /// Checks when an emitter or pour begins and ends; `key` is its path.
    pub(crate) fn span(&mut self, key: &str, start: f64, stop: Option<f64>) {
        let begins = self.scene.start;
        if begins > 0.0 {
            let allowed = format!("at least start = {begins} s");
            self.require(start >= begins, &format!("{key}.start"), start, &allowed);
        }
        if let Some(stop) = stop {
            let allowed = format!("above start = {start} s");
            self.require(stop > start, &format!("{key}.stop"), stop, &allowed);
        }
    }

    /// Matter that does not come by itself needs a fill or an emitter.
    pub fn needs_fill_or_emitter(&mut self, kind: &str) {
        let scene = self.scene;
        let filled = scene.fill.iter().any(|fill| scene.is_of(fill, kind));
        let emitted = scene
            .emitter
            .iter()
            .any(|emitter| emitter_kind(scene, emitter).is_some_and(|k| k.key() == kind));
        if !filled && !emitted {
            let message = format!(
                "fill is missing: a scene with [{kind}] needs at least one [[fill]] of it, or an [[emitter]]"
            );
            self.report("fill", message);
        }
    }

    /// Refuses a vector with the wrong count of numbers for the space.
    pub(crate) fn vector(&mut self, key: &str, vector: Vector) {
        if self.is_planar() {
            let flat = vector.get().z.abs() <= 0.0;
            self.require(flat, key, vector, "2 numbers in a plane (space.dimension = 2)");
        } else {
            // A default vector has no count yet and is zero in any space.
            let full = matches!(vector.count(), 0 | 3);
            self.require(full, key, vector, "3 numbers (space.dimension = 3)");
        }
    }

    /// Refuses a vector without a direction.
    pub(crate) fn direction(&mut self, key: &str, vector: Vector) {
        self.vector(key, vector);
        let length = vector.get().length();
        let allowed = format!("a nonzero vector, {SHORTEST:e} long or more");
        self.require(length >= SHORTEST, key, vector, &allowed);
    }

    /// Checks the corners of a box.
    pub(crate) fn extent(&mut self, key: &str, min: Vector, max: Vector) -> Bounds {
        self.vector(&join(key, "min"), min);
        self.vector(&join(key, "max"), max);
        let (low, high) = (min.get(), max.get());
        for (axis, name) in ["x", "y", "z"].into_iter().take(self.dimension() as usize).enumerate()
        {
            if low[axis] >= high[axis] {
                let key = join(key, "max");
                let allowed = format!(
                    "{name} above that of min, which is {} (it is {})",
                    low[axis], high[axis]
                );
                self.refuse(&key, max, allowed);
            }
        }
        Bounds { min: low, max: high }
    }

    /// The domain, if there is one.
    pub(crate) fn domain(&self) -> Option<Bounds> {
        self.scene.space.domain.map(|domain| Bounds::new(domain.min, domain.max))
    }

    /// Checks a place, which must lie in the domain.
    pub(crate) fn place(&mut self, key: &str, place: Vector) {
        self.vector(key, place);
        self.in_domain(key, place);
    }

    /// Refuses a place outside the domain.
    pub(crate) fn in_domain(&mut self, key: &str, place: Vector) {
        let point = Bounds { min: place.get(), max: place.get() };
        if self.domain().is_some_and(|domain| !domain.contains(point)) {
            self.refuse(key, place, "a point inside space.domain");
        }
    }

    /// Checks a box that something is measured in, a part of which must lie in the domain.
    pub(crate) fn region(&mut self, key: &str, region: Extent) {
        let bounds = self.extent(key, region.min, region.max);
        self.meets_domain(key, bounds);
    }

    /// Refuses a box of which no part is in the domain.
    pub(crate) fn meets_domain(&mut self, key: &str, bounds: Bounds) {
        if self.domain().is_some_and(|domain| !domain.meets(bounds)) {
            self.report(key, format!("{key} lies outside space.domain; allowed: inside it"));
        }
    }

    /// Checks a vector through which a column along gravity goes, somewhere in the domain.
    pub(crate) fn column(&mut self, key: &str, place: Vector) {
        self.vector(key, place);
        let up = self.scene.space.gravity.get().abs().max_position();
        if let Some(domain) = self.domain() {
            let mut foot = place.get();
            foot[up] = domain.min[up];
            if !domain.contains(Bounds { min: foot, max: foot }) {
                self.refuse(key, place, "a column inside space.domain");
            }
        }
    }

    /// Checks the names of a list: not empty, all different, fit for tables.
    pub(crate) fn names(&mut self, list: &str, names: &[&str]) {
        for (i, name) in names.iter().enumerate() {
            let key = format!("{list}.{i}.name");
            if name.trim().is_empty() {
                self.refuse(&key, format!("{name:?}"), "text that is not empty");
            } else if name.contains(|c: char| c == ',' || c == '"' || c.is_control()) {
                let allowed = "text without commas, quotes or control characters";
                self.refuse(&key, format!("{name:?}"), allowed);
            } else if let Some(j) = names[..i].iter().position(|other| other == name) {
                let allowed = format!("a unique name ({list}.{j} has this one)");
                self.refuse(&key, format!("{name:?}"), allowed);
            }
        }
    }

    /// The problems so far as one error, if there are any.
    pub(crate) fn stop_if_bad(&mut self) -> Result<(), SceneError> {
        match std::mem::take(&mut self.problems) {
            problems if problems.is_empty() => Ok(()),
            problems => Err(SceneError::Invalid(problems)),
        }
    }
}

/// An axis-aligned box around something.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) min: DVec3,
    pub(crate) max: DVec3,
}

impl Bounds {
    pub(crate) fn new(min: Vector, max: Vector) -> Self {
        Self { min: min.get(), max: max.get() }
    }

    pub(crate) fn size(self) -> DVec3 {
        self.max - self.min
    }

    /// Surface, or circumference in a plane.
    pub(crate) fn surface(self, planar: bool) -> f64 {
        let size = self.size();
        if planar {
            2.0 * (size.x + size.y)
        } else {
            2.0 * (size.x * size.y + size.y * size.z + size.z * size.x)
        }
    }

    /// Whether the other box lies inside, up to rounding.
    pub(crate) fn contains(self, other: Self) -> bool {
        let slack = DVec3::splat(1e-9 * self.size().max_element());
        (other.min + slack).cmpge(self.min).all() && (other.max - slack).cmple(self.max).all()
    }

    /// Whether the boxes have a point in common.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}
