//! Measurements: times in order, frames where they are needed.

use super::super::measure::{FlowFieldMeasure, MeasureKind, Span};
use super::checker::Checker;

/// Checks all measurements.
pub(super) fn check(c: &mut Checker<'_>) {
    let scene = c.scene;
    for (i, measure) in scene.measure.iter().enumerate() {
        let name = measure.name.trim();
        let fine = !name.contains([',', '"']);
        let allowed = "text without commas and quotes";
        c.require(fine, &format!("measure.{i}.name"), format!("{name:?}"), allowed);
        let key = format!("measure.{i}.{}", measure.kind.word());
        if let Span { from: Some(from), to: Some(to) } = measure.kind.span() {
            let allowed = format!("above from = {from} s");
            c.require(to > from, &format!("{key}.span.to"), to, &allowed);
        }
        match &measure.kind {
            MeasureKind::Spectrum(spectrum) => {
                if let Some([low, high]) = spectrum.fit {
                    let value = format!("[{low}, {high}]");
                    c.require(high > low, &format!("{key}.fit"), value, "0 < low < high");
                }
            }
            MeasureKind::Path(_) | MeasureKind::Layers(_) => {}
            MeasureKind::FlowField(FlowFieldMeasure { axes: [a, b], within, .. }) => {
                let value = format!("[\"{a}\", \"{b}\"]");
                c.require(a != b, &format!("{key}.axes"), value, "two different axes");
                if let Some(within) = within {
                    c.extent(&format!("{key}.within"), within.min, within.max);
                }
            }
        }
        let from_frames =
            matches!(measure.kind, MeasureKind::FlowField(_) | MeasureKind::Layers(_));
        c.matter_of_field(&format!("measure.{i}.of"), measure.of.as_deref(), from_frames, &key);
        if from_frames && !scene.output.frames {
            c.report(&key, format!("{key} is measured on frames, and output.frames is false"));
        }
    }
}
