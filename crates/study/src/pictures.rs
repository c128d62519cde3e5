//! Pictures of the runs: the last one of each, scaled down.

use crate::file::LoadedStudy;
use crate::table::{Row, Table};
use lawine_record::output::report::shrunk;
use std::fs;

/// The picture of a row of the table.
pub(crate) struct Shown {
    /// What the row varies.
    pub(crate) label: String,
    /// The picture as PNG.
    pub(crate) png: Vec<u8>,
}

/// The pictures that the study asks for, in the order of the table.
pub(crate) fn all(study: &LoadedStudy, table: &Table) -> Vec<Shown> {
    let Some(spec) = &study.file.pictures else { return Vec::new() };
    let wanted =
        |row: &&Row| spec.cases.is_empty() || spec.cases.contains(&study.file.case[row.case].name);
    let shown =
        |row: &Row| Some(Shown { label: row.label.clone(), png: shrunk(&last_picture(row)?) });
    table.rows.iter().filter(wanted).filter_map(shown).collect()
}

/// The picture with the highest number in a run's folder.
fn last_picture(row: &Row) -> Option<Vec<u8>> {
    let entries = fs::read_dir(row.data.join("pictures")).ok()?;
    let last = entries.filter_map(|e| e.ok().map(|e| e.path())).max()?;
    fs::read(last).ok()
}
