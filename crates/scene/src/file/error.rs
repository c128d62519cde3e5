//! What can be wrong with a scene file, in words that help.

use lawine_settings::did_you_mean;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a scene could not be loaded.
///
/// The text is one line a problem, each naming the place, the key, the value and what is allowed.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// The file could not be read.
    #[error("cannot read the scene file {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// There is no such file and no built-in scene of that name.
    #[error(
        "there is no scene {name:?}{}; built-in scenes: {names}; or give the path of a scene file",
        did_you_mean(suggestion.as_deref())
    )]
    UnknownScene {
        /// The name asked for.
        name: String,
        /// The closest name, if one is close.
        suggestion: Option<String>,
        /// All names, separated by commas.
        names: String,
    },
    /// An override on the command line does not read `KEY=VALUE`.
    #[error("--set {text}: {reason}; expected KEY=VALUE, for example --set time.cfl=0.3")]
    Usage {
        /// The override.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The text is not TOML, or it is not a scene.
    #[error("{}", lines(.0))]
    Invalid(Vec<Problem>),
}

impl SceneError {
    /// Whether the command line is at fault, not the scene (exit code 2 instead of 1).
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Usage { .. })
    }

    /// The problems of an invalid scene; empty for the other errors.
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::Invalid(problems) => problems,
            _ => &[],
        }
    }
}

/// One thing that is wrong with a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is.
    pub place: Place,
    /// Path of the key, for example `fill.0.shape.box.min`; empty for errors of syntax.
    pub key: String,
    /// What is wrong and what is allowed; names the key.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Where a value of a scene comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A scene file or built-in scene, and the line if it is known (the first is 1).
    Line(String, Option<usize>),
    /// An argument on the command line, as it was given.
    Override(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(source, Some(line)) => write!(f, "{source}:{line}"),
            Self::Line(source, None) => f.write_str(source),
            Self::Override(argument) => f.write_str(argument),
        }
    }
}

/// The problems, one a line; more than a screenful is only counted.
fn lines(problems: &[Problem]) -> String {
    const SHOWN: usize = 20;
    let mut lines: Vec<String> = problems.iter().take(SHOWN).map(Problem::to_string).collect();
    if problems.len() > SHOWN {
        lines.push(format!("… and {} more problems", problems.len() - SHOWN));
    }
    lines.join("\n")
}
