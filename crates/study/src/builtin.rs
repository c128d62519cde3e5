//! The studies that come with the program: the files of `studies/`, embedded.

use crate::StudyError;
use lawine_settings::closest;

/// A built-in study: its name and its text.
macro_rules! studies {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../studies/", $name, ".toml")))),*]
    };
}

/// Names and texts, in the order of lists.
const STUDIES: &[(&str, &str)] = studies![
    "meiers-kernels",
    "meiers-column-k",
    "meiers-column-viscosity",
    "meiers-column-dt",
    "meiers-neighbors",
    "meiers-phases",
    "hunkler-5-1",
    "hunkler-5-2",
    "hunkler-5-3",
    "hunkler-algorithms",
    "hunkler-larger",
    "schinner-2-2",
    "schinner-3-6",
    "schinner-decay",
    "schinner-top",
    "schinner-4-3",
    "schinner-4-4",
    "schinner-b-2",
    "schinner-grains",
    "schinner-repose",
    "schinner-drum",
    "schinner-convection",
    "schinner-conveyor",
    "schinner-brazil-nut",
    "schinner-hopper",
    "meyer-10",
    "meyer-11",
    "meyer-12",
    "meyer-13",
    "meyer-14",
    "meyer-15",
    "meyer-16",
];

/// The names of the built-in studies.
pub fn names() -> impl Iterator<Item = &'static str> {
    STUDIES.iter().map(|&(name, _)| name)
}

/// The text of a built-in study.
pub fn get(name: &str) -> Option<&'static str> {
    STUDIES.iter().find(|&&(study, _)| study == name).map(|&(_, text)| text)
}

/// The error for a name that does not exist: the closest name and the list.
pub(crate) fn unknown(name: &str) -> StudyError {
    StudyError::Unknown {
        name: name.into(),
        suggestion: closest(name, names()).map(str::to_string),
        names: names().collect::<Vec<_>>().join(", "),
    }
}
