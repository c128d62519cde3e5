//! Number or mean of particles per layer.

use super::{Curves, NumberedCurve, span_words};
use crate::output::plot::Axis;
use crate::output::vtk::ParticleFrame;
use lawine_scene::file::{Axis as Direction, LayersMeasure};
use lawine_scene::select::{Selection, without_matter};
use std::collections::BTreeMap;
use std::io;

/// Sums over frames.
pub(super) struct Layers<'a> {
    asked: &'a LayersMeasure,
    frames: f64,
    unit: String,
    /// Particles and sum of the field, by the number of the layer.
    sums: BTreeMap<i64, [f64; 2]>,
}

impl<'a> Layers<'a> {
    pub(super) fn new(asked: &'a LayersMeasure) -> Self {
        Self { asked, frames: 0.0, unit: String::new(), sums: BTreeMap::new() }
    }

    /// Adds a frame.
    pub(super) fn add(&mut self, frame: &ParticleFrame) -> io::Result<()> {
        let fields = frame.fields();
        let field = self.asked.field.as_deref();
        let field = field.map(|name| Selection::new(&fields, without_matter(name)));
        let field = field.transpose().map_err(|e| io::Error::other(e.to_string()))?;
        self.unit = field.as_ref().map_or(String::new(), |field| field.unit.to_owned());
        self.frames += 1.0;
        for (i, x) in frame.positions().iter().enumerate() {
            let layer = (x[self.asked.along.index()] / self.asked.thickness).floor() as i64;
            let [count, sum] = self.sums.entry(layer).or_default();
            *count += 1.0;
            *sum += field.as_ref().map_or(0.0, |field| field.get(i));
        }
        Ok(())
    }

    /// The number of particles in a layer, mean over the frames, or the mean of the field; heights
    /// are those of the layers' middles, upwards where the axis is.
    pub(super) fn curves(self) -> Curves {
        let LayersMeasure { along, thickness, field, span } = self.asked;
        let heights = self.sums.keys().map(|layer| (*layer as f64 + 0.5) * thickness).collect();
        let value = |[count, sum]: &[f64; 2]| match field {
            Some(_) => sum / count,
            None => count / self.frames,
        };
        let values = self.sums.values().map(value).collect();
        let height = Axis::new(along.to_string(), "m");
        let amount = match field {
            Some(field) => Axis::new(format!("mean {field}"), self.unit),
            None => Axis::new("particles in a layer", ""),
        };
        // Heights go up in the figure, too.
        let vertical = *along != Direction::X;
        let (axes, x, y) = if vertical {
            ([amount, height], values, heights)
        } else {
            ([height, amount], heights, values)
        };
        let label = span_words(*span);
        Curves { axes, curves: vec![NumberedCurve { label, marks: false, x, y }] }
    }
}
