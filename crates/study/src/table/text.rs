//! The table as text: for terminals, Markdown and CSV.

use super::{Cell, Row, Table};
use crate::file::{Measure, with_unit};
use lawine_record::output::report::number;

impl Table {
    /// The measures that are printed.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &Measure> {
        self.measures.iter().filter(|m| !m.hidden)
    }

    /// Whether a column has printed numbers beside ours.
    pub(crate) fn has_reference(&self, name: &str) -> bool {
        self.rows.iter().any(|r| r.cells.get(name).is_some_and(|c| c.reference.is_some()))
    }

    /// What the numbers beside ours are: printed in the source, or computed by a formula of it.
    pub(crate) fn reference_word(&self, name: &str) -> &'static str {
        if self.formulas.contains(name) { "formula" } else { "printed" }
    }

    /// Whether there is more than one case.
    pub(crate) fn has_cases(&self) -> bool {
        self.rows.iter().any(|r| r.case != self.rows[0].case)
    }

    /// Whether a run failed.
    pub(crate) fn has_failures(&self) -> bool {
        self.rows.iter().any(|r| !r.failures.is_empty())
    }

    /// Whether a run has a warning.
    pub(crate) fn has_warnings(&self) -> bool {
        self.rows.iter().any(|r| !r.warnings.is_empty())
    }

    /// Texts of failures and warnings, each once, with its mark: the notes below the table.
    pub fn notes(&self) -> Vec<(String, &str)> {
        let mut notes: Vec<(String, &str)> = Vec::new();
        for text in self.rows.iter().flat_map(|row| row.failures.iter().chain(&row.warnings)) {
            if !notes.iter().any(|(_, known)| known == text) {
                notes.push((format!("[{}]", notes.len() + 1), text));
            }
        }
        notes
    }

    /// The marks of the notes with this text.
    pub(crate) fn marks(&self, texts: &[String]) -> String {
        let notes = self.notes().into_iter().filter(|(_, note)| texts.iter().any(|t| t == note));
        notes.map(|(mark, _)| mark).collect::<Vec<_>>().join(" ")
    }

    /// The notes as lines, each after an empty one.
    fn note_lines(&self) -> String {
        let line =
            |(mark, note): &(String, &str)| format!("\n{mark} {}\n", note.replace('\n', " "));
        self.notes().iter().map(line).collect()
    }

    /// Headings and cells as text. Printed numbers stand in brackets behind ours.
    pub fn text(&self) -> Vec<Vec<String>> {
        let heading = |measure: &Measure| {
            let name = &measure.name;
            let word = self.has_reference(name).then(|| self.reference_word(name));
            let beside = word.map_or_else(String::new, |word| format!(" ({word})"));
            format!("{}{beside}", measure.heading())
        };
        let mut head = Vec::new();
        head.extend(self.has_cases().then(|| "case".to_owned()));
        head.extend(self.keys.iter().map(|(name, unit)| with_unit(name, unit)));
        head.extend(self.visible().map(heading));
        head.extend(self.has_failures().then(|| "failed".to_owned()));
        head.extend(self.has_warnings().then(|| "warning".to_owned()));
        let mut lines = vec![head];
        lines.extend(self.rows.iter().map(|row| self.line(row)));
        lines
    }

    fn line(&self, row: &Row) -> Vec<String> {
        let mut line = Vec::new();
        line.extend(self.has_cases().then(|| self.cases[row.case].clone()));
        for (key, _) in &self.keys {
            let value = row.setting(key).unwrap_or_else(|| "–".to_owned());
            let printed = row.cells.get(key).and_then(|c| c.reference);
            line.push(with_printed(value, printed));
        }
        for measure in self.visible() {
            line.push(row.cells.get(&measure.name).map_or_else(String::new, shown));
        }
        if self.has_failures() {
            line.push(self.marks(&row.failures));
        }
        if self.has_warnings() {
            line.push(self.marks(&row.warnings));
        }
        line
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let lines = self.text();
        let cell = |cell: &String| cell.replace('\n', " ").replace('|', "\\|");
        let row = |cells: &[String]| {
            format!("| {} |\n", cells.iter().map(cell).collect::<Vec<_>>().join(" | "))
        };
        let mut text = row(&lines[0]);
        text += &row(&vec!["---".to_owned(); lines[0].len()]);
        lines[1..].iter().for_each(|line| text += &row(line));
        text + &self.note_lines()
    }

    /// With columns under each other, for a terminal.
    pub fn aligned(&self) -> String {
        let lines = self.text();
        let columns = lines[0].len();
        let width = |k: usize| lines.iter().map(|l| l[k].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for line in &lines {
            let cells: Vec<String> =
                line.iter().zip(&widths).map(|(cell, w)| format!("{cell:>w$}")).collect();
            text += cells.join("  ").trim_end();
            text.push('\n');
        }
        text + &self.note_lines()
    }

    /// As CSV, with all digits; for each measure its error and the printed number where there are
    /// any.
    pub fn csv(&self) -> String {
        let mut head = vec!["case".to_owned()];
        head.extend(self.keys.iter().map(|(name, unit)| with_unit(name, unit)));
        for measure in &self.measures {
            head.push(measure.heading());
            head.push(format!("{} error", measure.name));
            if self.has_reference(&measure.name) {
                head.push(format!("{} {}", measure.name, self.reference_word(&measure.name)));
                head.push(format!("{} ratio", measure.name));
            }
        }
        head.push("failure".to_owned());
        head.extend(self.has_warnings().then(|| "warning".to_owned()));
        let mut text = csv_line(&head);
        for row in &self.rows {
            let mut line = vec![self.cases[row.case].clone()];
            for (key, _) in &self.keys {
                let setting = row.settings.iter().find(|s| s.name == *key);
                line.push(setting.map_or_else(String::new, |s| crate::matrix::plain(&s.value)));
            }
            for measure in &self.measures {
                let empty = Cell { value: f64::NAN, error: 0.0, reference: None };
                let cell = row.cells.get(&measure.name).unwrap_or(&empty);
                line.push(raw(cell.value));
                line.push(raw(cell.error));
                if self.has_reference(&measure.name) {
                    line.push(cell.reference.map_or_else(String::new, raw));
                    line.push(cell.ratio().map_or_else(String::new, raw));
                }
            }
            line.push(row.failures.join("; "));
            line.extend(self.has_warnings().then(|| row.warnings.join("; ")));
            text += &csv_line(&line);
        }
        text
    }
}

impl Cell {
    /// Ours over the printed one.
    pub fn ratio(&self) -> Option<f64> {
        self.reference.map(|printed| self.value / printed).filter(|ratio| ratio.is_finite())
    }
}

fn shown(cell: &Cell) -> String {
    let error =
        if cell.error > 0.0 { format!(" ± {}", number(cell.error)) } else { String::new() };
    with_printed(format!("{}{error}", number(cell.value)), cell.reference)
}

fn with_printed(value: String, printed: Option<f64>) -> String {
    printed.map_or(value.clone(), |printed| format!("{value} ({})", number(printed)))
}

fn raw(value: f64) -> String {
    if value.is_finite() { format!("{value}") } else { String::new() }
}

fn csv_line(cells: &[String]) -> String {
    let quoted = |cell: &String| {
        let plain = cell.replace(['\n', '\r'], " ");
        match plain.contains([',', '"']) {
            true => format!("\"{}\"", plain.replace('"', "\"\"")),
            false => plain,
        }
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}
