//! Comparison with printed numbers.

use crate::file::{LoadedStudy, Reference};
use crate::table::{Row, Table};

/// Writes the printed numbers into the cells of the rows that they belong to: those of the same case
/// with the same values of the keys that vary.
pub(crate) fn compare(study: &LoadedStudy, table: &mut Table) {
    for row in &mut table.rows {
        let case = &study.file.case[row.case];
        for reference in &study.file.reference {
            if reference.case.as_ref().is_some_and(|name| *name != case.name) {
                continue;
            }
            let varied: Vec<&str> = case.vary.iter().map(|v| v.name()).collect();
            if let Some(printed) = matching(reference, row, &varied) {
                for (column, &value) in reference.columns.iter().zip(printed) {
                    if let Some(cell) = row.cells.get_mut(column) {
                        cell.reference = Some(value);
                    }
                }
            }
        }
    }
}

/// The printed row with the settings of ours.
fn matching<'a>(reference: &'a Reference, row: &Row, varied: &[&str]) -> Option<&'a Vec<f64>> {
    let is_same = |printed: &&Vec<f64>| {
        let mut pairs = reference.columns.iter().zip(printed.iter());
        pairs.all(|(column, &value)| {
            let ours = row.number(column);
            !varied.contains(&column.as_str()) || (ours - value).abs() <= 1e-9 * value.abs()
        })
    };
    reference.rows.iter().find(is_same)
}
