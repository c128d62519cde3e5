//! `summary.json`: the numbers of a finished, interrupted or failed run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::convergence::ConvergenceRecord;
use lawine_render::atomic::atomic_write;
use lawine_scene::matter::ElasticMatter;

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Reached its end time.
    #[default]
    Finished,
    /// Stopped by the user; can be resumed.
    Interrupted,
    /// Stopped by an error; see [`Summary::message`].
    Failed,
}

impl Status {
    /// The word in `summary.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
        }
    }
}

/// A body with a mass, at the end of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeighedBody {
    /// Its name.
    pub name: String,
    /// Volume [m³].
    pub volume: f64,
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass [m].
    pub center: [f64; 3],
    /// Moments of inertia about its principal axes, smallest first [kg m²].
    pub moments: [f64; 3],
}

/// The numbers of a run. Times are in seconds.
///
/// JSON knows no NaN and no infinity: such values are written as `null` and read back as NaN.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Name of the scene.
    pub scene: String,
    /// Name of the method.
    pub method: String,
    /// What computed it, such as `cpu`.
    pub device: String,
    /// Version of the program.
    pub version: String,
    /// How the run ended.
    pub status: Status,
    /// What went wrong, for a failed run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What is wrong with a run that came to its end, or would be: energy without a source, particles
    /// inside bodies, steps that missed their tolerance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What may be intended: particles that left the domain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Number of particles at the end.
    pub particles: u64,
    /// Number of steps.
    pub steps: u64,
    /// Simulated time [s].
    #[serde(with = "finite_or_null")]
    pub simulated_time: f64,
    /// Time on the clock [s].
    #[serde(with = "finite_or_null")]
    pub wall_time: f64,
    /// Processor time of all threads [s].
    #[serde(with = "finite_or_null")]
    pub cpu_time: f64,
    /// Number of threads.
    pub threads: u32,
    /// Processor time of one particle for one step; with a GPU time on the clock [ns].
    #[serde(with = "finite_or_null")]
    pub ns_per_particle_step: f64,
    /// Solver iterations per step, of the matter that needs the most; 0 for methods without a solver.
    #[serde(with = "finite_or_null")]
    pub mean_iterations: f64,
    /// Mean relative density error over all steps; none for grains and snow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_density_error: Option<f64>,
    /// Largest relative density error of any particle at any step; none for grains and snow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_density_error: Option<f64>,
    /// Whether the solver converged in every step; none for methods without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub convergence: Option<ConvergenceRecord>,
    /// The bodies that have a density.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<WeighedBody>,
    /// Snow and other matter with a modulus.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<ElasticMatter>,
    /// Shortest step [s].
    #[serde(with = "finite_or_null")]
    pub dt_min: f64,
    /// Longest step [s].
    #[serde(with = "finite_or_null")]
    pub dt_max: f64,
    /// Longest semi-implicit step in explicit limits; none for explicit methods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explicit_limits: Option<f64>,
    /// Mean step [s].
    #[serde(with = "finite_or_null")]
    pub dt_mean: f64,
    /// Total energy at the start [J], where the method knows it.
    pub energy_initial: Option<f64>,
    /// Total energy at the end [J], where the method knows it.
    pub energy_final: Option<f64>,
    /// Hash of the final state in hexadecimal: equal for equal bits.
    pub state_hash: String,
    /// Time spent in each phase of the step [s], in the order of the step.
    #[serde(with = "phases")]
    pub phases: Vec<(String, f64)>,
}

/// Why a summary could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// The file system failed.
    #[error("cannot {action} {}: {source}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Not the JSON of a summary.
    #[error("{} is not the summary of a run: {source}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
}

impl Summary {
    /// The text of `summary.json`.
    ///
    /// # Errors
    /// None that is known: strings, numbers and maps with text keys always have a JSON form.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }

    /// Writes `summary.json` atomically.
    ///
    /// # Errors
    /// [`SummaryError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), SummaryError> {
        let malformed = |source| SummaryError::Malformed { path: path.to_owned(), source };
        let text = self.to_json().map_err(malformed)?;
        atomic_write(path, |out| out.write_all(text.as_bytes()))
            .map_err(|source| SummaryError::Io { action: "write", path: path.to_owned(), source })
    }

    /// Reads a `summary.json`.
    ///
    /// # Errors
    /// [`SummaryError::Io`], [`SummaryError::Malformed`].
    pub fn read(path: &Path) -> Result<Self, SummaryError> {
        let text = fs::read_to_string(path).map_err(|source| SummaryError::Io {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
        serde_json::from_str(&text)
            .map_err(|source| SummaryError::Malformed { path: path.to_owned(), source })
    }
}

/// A float that is `null` in JSON when it is not finite.
mod finite_or_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
        value.is_finite().then_some(*value).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(from)?.unwrap_or(f64::NAN))
    }
}

/// Name and seconds as a JSON object that keeps the order of the list.
mod phases {
    use std::fmt;

    use serde::de::{MapAccess, Visitor};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        phases: &[(String, f64)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_map(phases.iter().map(|(name, s)| (name, s.is_finite().then_some(*s))))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(String, f64)>, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Vec<(String, f64)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of phases and seconds")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some((name, seconds)) = map.next_entry::<String, Option<f64>>()? {
                    pairs.push((name, seconds.unwrap_or(f64::NAN)));
                }
                Ok(pairs)
            }
        }
        from.deserialize_map(Pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Summary {
        Summary {
            scene: "dam-break".to_owned(),
            status: Status::Interrupted,
            particles: 4000,
            mean_density_error: Some(0.001),
            max_density_error: Some(0.01),
            energy_final: Some(-12.5),
            state_hash: "00ff".to_owned(),
            phases: vec![("neighbours".to_owned(), 1.5), ("density".to_owned(), 0.5)],
            ..Summary::default()
        }
    }

    #[test]
    fn reads_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("summary.json");
        sample().save(&path).unwrap();
        assert_eq!(Summary::read(&path).unwrap(), sample());
    }

    #[test]
    fn json_has_the_documented_keys_and_keeps_the_order_of_phases() {
        let text = sample().to_json().unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        for key in "scene method device particles steps simulated_time wall_time cpu_time threads \
                    ns_per_particle_step mean_iterations mean_density_error max_density_error \
                    state_hash phases status version dt_min dt_max dt_mean"
            .split_whitespace()
        {
            assert!(json.get(key).is_some(), "{key} is missing");
        }
        assert_eq!(json["status"], "interrupted");
        assert!(text.find("neighbours").unwrap() < text.find("density\"").unwrap());
    }

    #[test]
    fn what_is_not_finite_is_null() {
        let mut summary = sample();
        summary.max_density_error = Some(f64::NAN);
        summary.dt_min = f64::INFINITY;
        summary.energy_initial = Some(f64::NAN);
        summary.phases.push(("broken".to_owned(), f64::NAN));
        let text = summary.to_json().unwrap();
        assert!(text.contains("\"max_density_error\": null"));
        assert!(text.contains("\"dt_min\": null"));
        assert!(text.contains("\"energy_initial\": null"));
        assert!(text.contains("\"broken\": null"));
        let read: Summary = serde_json::from_str(&text).unwrap();
        assert!(read.max_density_error.is_none() && read.phases[2].1.is_nan());
    }

    #[test]
    fn a_foreign_file_is_an_error_with_its_path() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("summary.json");
        assert!(matches!(Summary::read(&path), Err(SummaryError::Io { .. })));
        fs::write(&path, "[1, 2").unwrap();
        let error = Summary::read(&path).unwrap_err();
        assert!(error.to_string().contains("summary.json"), "{error}");
    }
}
