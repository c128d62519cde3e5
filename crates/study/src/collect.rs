//! Output of a study from the results of its runs: tables, plots and the report.

use crate::StudyError;
use crate::engine::Study;
use crate::finding::{Answer, answers};
use crate::folder::Folder;
use crate::plot::Drawing;
use crate::table::Table;
use crate::{figures, page, pictures, reference, report};
use lawine_record::output::atomic_write;
use std::fs;
use std::path::{Path, PathBuf};

/// What a study has found so far.
#[derive(Debug)]
pub struct Collected {
    /// The table.
    pub table: Table,
    /// Answers to the study's questions.
    pub answers: Vec<Answer>,
    /// The questions that only the full form answers.
    pub skipped_findings: Vec<String>,
    /// Runs that have not been done.
    pub open: usize,
    /// Rows with runs that failed although they should not.
    pub failed: usize,
    /// Plots that could not be drawn, and why.
    pub missing_plots: Vec<String>,
    /// The files that were written.
    pub files: Vec<PathBuf>,
}

impl Collected {
    pub(crate) fn new(study: &Study, folder: &Folder) -> Result<Self, StudyError> {
        let loaded = &study.loaded;
        let (mut table, open) = Table::new(study, folder);
        reference::compare(loaded, &mut table);
        let may_fail = |case: usize| loaded.file.case[case].may_fail;
        let failed =
            table.rows.iter().filter(|r| !r.failures.is_empty() && !may_fail(r.case)).count();
        let answers = answers(loaded, study.quick, &table);
        let skipped = loaded.file.finding.iter().filter(|f| study.quick && f.skip_quick);
        let skipped_findings = skipped.map(|f| f.text.clone()).collect();
        let (missing_plots, files) = (Vec::new(), Vec::new());
        let mut this =
            Self { table, answers, skipped_findings, open, failed, missing_plots, files };
        let drawings = this.draw(study, folder)?;
        this.write(folder.file("table.csv"), this.table.csv().as_bytes())?;
        this.write(folder.file("table.md"), this.table.markdown().as_bytes())?;
        let names: Vec<&str> = drawings.iter().map(|(name, _)| name.as_str()).collect();
        let shown = pictures::all(loaded, &this.table);
        let text = page::markdown(study, &this, &names, &shown);
        this.write(folder.file("results.md"), text.as_bytes())?;
        for (k, picture) in shown.iter().enumerate() {
            make(&folder.file("pictures"))?;
            this.write(folder.file("pictures").join(format!("{k:02}.png")), &picture.png)?;
        }
        let html = report::html(study, &this, &drawings, &shown);
        this.write(folder.file("report.html"), html.as_bytes())?;
        Ok(this)
    }

    /// The answers that are not as expected; none as long as runs are to be done.
    pub fn unexpected(&self) -> impl Iterator<Item = &Answer> {
        self.answers.iter().filter(|a| self.open == 0 && a.expected == Some(false))
    }

    /// Draws the plots. One without data, because its runs are still to be done, is left out.
    fn draw(
        &mut self,
        study: &Study,
        folder: &Folder,
    ) -> Result<Vec<(String, Drawing)>, StudyError> {
        let plots = folder.file("plots");
        let mut drawings = Vec::new();
        for plot in &study.loaded.file.plot {
            match figures::draw(&study.loaded, &self.table, plot) {
                Ok(drawing) => {
                    make(&plots)?;
                    self.write(plots.join(format!("{}.svg", plot.name)), drawing.svg.as_bytes())?;
                    self.write(plots.join(format!("{}.png", plot.name)), &drawing.png)?;
                    drawings.push((plot.name.clone(), drawing));
                }
                Err(StudyError::Plot(error)) => self.missing_plots.push(error.to_string()),
                Err(other) => return Err(other),
            }
        }
        Ok(drawings)
    }

    fn write(&mut self, path: PathBuf, bytes: &[u8]) -> Result<(), StudyError> {
        atomic_write(&path, |out| out.write_all(bytes))
            .map_err(|e| StudyError::io("write", &path, e))?;
        self.files.push(path);
        Ok(())
    }
}

fn make(folder: &Path) -> Result<(), StudyError> {
    fs::create_dir_all(folder).map_err(|e| StudyError::io("make", folder, e))
}
