//! Measurements on a run that has ended, from its series and its frames: the figures that a scene
//! asks for, in the report and as numbers in `measures.csv`.
//!
//! Nothing is kept during the run, so a run that was interrupted gives the same figures.

mod flow_field;
mod layers;
mod path;
mod spectrum;

pub use spectrum::{decay, power};

use crate::output::plot::{Arrows, Axis, Curve, Plot};
use crate::output::vtk::ParticleFrame;
use crate::output::{RunDirectory, SavedFrame, Series};
use crate::run::Heading;
use lawine_core::space::Space;
use lawine_scene::file::{
    LayersMeasure, LoadedScene, Measure, MeasureKind, SceneError, SceneFile, Span,
};
use lawine_scene::select::{MatterFields, the_one};
use std::fmt::Write as _;
use std::io;

/// What a run left behind.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// Where its frames are.
    pub directory: &'a RunDirectory,
    /// Its `series.csv`.
    pub series: &'a Series,
    /// The headings of that, with units.
    pub headings: &'a [Heading],
    /// The space it was in.
    pub space: &'a Space,
    /// Its scene.
    pub scene: &'a SceneFile,
}

impl Record<'_> {
    /// A column of the series.
    fn column(&self, name: &str) -> io::Result<&[f64]> {
        let found = self.series.columns.iter().find(|column| column.name == name);
        let missing = || io::Error::other(format!("series.csv has no column {name:?}"));
        found.map(|column| &column.values[..]).ok_or_else(missing)
    }

    fn times(&self) -> &[f64] {
        self.series.columns.first().map_or(&[], |time| &time.values)
    }

    fn unit(&self, name: &str) -> String {
        let heading = self.headings.iter().find(|heading| heading.name == name);
        heading.map_or(String::new(), |heading| heading.unit.clone())
    }
}

/// Refuses columns and fields that there are not.
///
/// # Errors
/// Names the key and the allowed words.
pub fn check(
    loaded: &LoadedScene,
    headings: &[Heading],
    matters: &[MatterFields<'_>],
) -> Result<(), SceneError> {
    for (i, measure) in loaded.scene.measure.iter().enumerate() {
        let key = format!("measure.{i}.{}", measure.kind.word());
        let columns: &[(&str, &String)] = match &measure.kind {
            MeasureKind::Spectrum(asked) => &[("column", &asked.column)],
            MeasureKind::Path(asked) => &[("x", &asked.x), ("y", &asked.y)],
            MeasureKind::FlowField(_) | MeasureKind::Layers(_) => &[],
        };
        for (word, column) in columns {
            if !headings.iter().any(|heading| heading.name == **column) {
                let names: Vec<&str> = headings.iter().map(|h| h.name.as_str()).collect();
                let message =
                    format!("{column:?} is not a column of series.csv: {}", names.join(", "));
                return Err(loaded.error(&format!("{key}.{word}"), message));
            }
        }
        if let Some(field) = field_of(&measure.kind) {
            the_one(matters, measure.of.as_deref(), field).map_err(|e| match &measure.kind {
                MeasureKind::Layers(LayersMeasure { field: Some(_), .. }) => {
                    loaded.error(&format!("{key}.field"), e)
                }
                _ => loaded.error(&format!("measure.{i}.of"), e),
            })?;
        }
    }
    Ok(())
}

/// The field of particles that a measurement needs; none if it looks at columns of the series.
fn field_of(kind: &MeasureKind) -> Option<&str> {
    match kind {
        MeasureKind::Spectrum(_) | MeasureKind::Path(_) => None,
        MeasureKind::FlowField(_) => Some("velocity"),
        MeasureKind::Layers(asked) => Some(asked.field.as_deref().unwrap_or("position")),
    }
}

/// A figure and its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Title of the figure.
    pub title: String,
    /// What was found.
    pub figure: Figure,
}

/// What a measurement shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// Curves over a common axis.
    Curves(Curves),
    /// A field of arrows.
    Arrows(Arrows),
}

/// Curves with their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    axes: [Axis; 2],
    curves: Vec<NumberedCurve>,
}

/// A curve that owns its numbers.
#[derive(Clone, Debug, PartialEq)]
struct NumberedCurve {
    label: String,
    marks: bool,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Finding {
    /// The figure as an SVG element.
    pub fn svg(&self) -> String {
        match &self.figure {
            Figure::Arrows(arrows) => arrows.svg(),
            Figure::Curves(Curves { axes: [x, y], curves }) => {
                let curves = curves.iter().map(|c| Curve {
                    label: c.label.clone(),
                    x: &c.x,
                    y: &c.y,
                    marks: c.marks,
                });
                let (x, y, curves) = (x.clone(), y.clone(), curves.collect());
                Plot { title: self.title.clone(), x, y, curves }.svg()
            }
        }
    }

    /// Lines of `measures.csv`.
    fn lines(&self, out: &mut String) {
        let title = &self.title;
        match &self.figure {
            Figure::Arrows(arrows) => {
                for [x, y, u, v] in &arrows.arrows {
                    let _ = writeln!(out, "{title},,{x:?},{y:?},{u:?},{v:?}");
                }
            }
            Figure::Curves(Curves { curves, .. }) => {
                for NumberedCurve { label, x, y, .. } in curves {
                    for (x, y) in x.iter().zip(y) {
                        let _ = writeln!(out, "{title},{label},{x:?},{y:?},,");
                    }
                }
            }
        }
    }
}

/// All numbers as a table: a line for a point of a curve, or for an arrow (u, v) at (x, y).
pub fn table(findings: &[Finding]) -> String {
    let mut out = "measure,curve,x,y,u,v\n".to_owned();
    for finding in findings {
        finding.lines(&mut out);
    }
    out
}

/// Everything that a scene asks for, from the files of its run.
///
/// # Errors
/// When a file cannot be read, or a column or field does not exist.
pub fn measure(measures: &[Measure], record: &Record<'_>) -> io::Result<Vec<Finding>> {
    let mut findings: Vec<Finding> = Vec::new();
    for measure in measures {
        let figure = one(measure, record)?;
        let title = measure.name.trim().to_owned();
        let same = findings.iter_mut().find(|finding| finding.title == title);
        match (same.map(|finding| &mut finding.figure), figure) {
            (Some(Figure::Curves(known)), Figure::Curves(more)) => known.curves.extend(more.curves),
            (_, figure) => findings.push(Finding { title, figure }),
        }
    }
    Ok(findings)
}

fn one(measure: &Measure, record: &Record<'_>) -> io::Result<Figure> {
    match &measure.kind {
        MeasureKind::Spectrum(asked) => spectrum::spectrum(asked, record).map(Figure::Curves),
        MeasureKind::Path(asked) => path::path(asked, record).map(Figure::Curves),
        MeasureKind::FlowField(asked) => {
            let title = measure.name.trim();
            let mut flow = flow_field::FlowField::new(asked, record.space);
            each_frame(measure, record, |frame| flow.add(frame))?;
            Ok(Figure::Arrows(flow.arrows(title)))
        }
        MeasureKind::Layers(asked) => {
            let mut layers = layers::Layers::new(asked);
            each_frame(measure, record, |frame| layers.add(frame))?;
            Ok(Figure::Curves(layers.curves()))
        }
    }
}

/// Reads the frames that a measurement is about, one after the other.
fn each_frame(
    measure: &Measure,
    record: &Record<'_>,
    mut visit: impl FnMut(&ParticleFrame) -> io::Result<()>,
) -> io::Result<()> {
    let Record { directory, scene, .. } = record;
    let (span, field) = (measure.kind.span(), field_of(&measure.kind).unwrap_or("position"));
    for index in directory.saved_frames().map_err(io::Error::other)? {
        let frame = SavedFrame::read(directory, scene, index)?;
        let matters = frame.fields();
        let one = the_one(&matters, measure.of.as_deref(), field).map_err(io::Error::other)?;
        if let Some(particles) = frame.of(matters[one].kind.key())
            && span.contains(frame.time)
        {
            visit(particles)?;
        }
    }
    Ok(())
}

/// A span in words, for legends.
fn span_words(span: Option<Span>) -> String {
    match span.unwrap_or_default() {
        Span { from: Some(from), to: Some(to) } => format!("{from} to {to} s"),
        Span { from: Some(from), to: None } => format!("from {from} s"),
        Span { from: None, to: Some(to) } => format!("up to {to} s"),
        Span { from: None, to: None } => "whole run".to_owned(),
    }
}

#[cfg(test)]
mod tests;
