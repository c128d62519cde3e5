//! The result of a run for the table: `result.json`, written last.

use crate::StudyError;
use lawine_record::output::atomic_write;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It came to its end.
    Finished,
    /// It did not; the reason is recorded.
    Failed,
}

/// What a run leaves for the table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// Why it failed, or a remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Warnings of the run, such as energy growth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Time on the clock [s].
    pub seconds: f64,
    /// What a search found: the name of the key and its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<(String, f64)>,
    /// The folder inside that of the run with series and pictures; empty for the run's own.
    #[serde(default)]
    pub data: String,
    /// Hash of what was run: scene with all settings, and meshes. None if it made no sense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The measures; `null` for what is not finite.
    pub measures: BTreeMap<String, Option<f64>>,
}

impl Outcome {
    /// A run that failed.
    pub(crate) fn failed(reason: impl Into<String>) -> Self {
        Self {
            status: Status::Failed,
            reason: Some(reason.into()),
            warnings: Vec::new(),
            seconds: 0.0,
            found: None,
            data: String::new(),
            input: None,
            measures: BTreeMap::new(),
        }
    }

    /// A measure, NaN where there is none.
    pub fn measure(&self, name: &str) -> f64 {
        self.measures.get(name).copied().flatten().unwrap_or(f64::NAN)
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), StudyError> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        atomic_write(path, |out| out.write_all(text.as_bytes()))
            .map_err(|e| StudyError::io("write", path, e))
    }

    /// Reads a result; none if there is no file, or half of one.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
    }
}
