//! Number or mean of particles per layer.

use super::span_words;
use crate::output::vtk::ParticleFrame;
use crate::plot::{Axis, Curve, Plot};
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
    pub(super) fn curves(self) -> Plot {
        let LayersMeasure { along, thickness, field, span } = self.asked;
        let heights = self.sums.keys().map(|layer| (*layer as f64 + 0.5) * thickness);
        let value = |[count, sum]: &[f64; 2]| match field {
            Some(_) => sum / count,
            None => count / self.frames,
        };
        let points = heights.zip(self.sums.values().map(value)).map(|(h, v)| [h, v]);
        let height = Axis::new(along.to_string(), "m");
        let amount = match field {
            Some(field) => Axis::new(format!("mean {field}"), self.unit),
            None => Axis::new("particles in a layer", ""),
        };
        // Heights go up in the figure, too.
        let (x, y, points) = if *along == Direction::X {
            (height, amount, points.collect())
        } else {
            (amount, height, points.map(|[h, v]| [v, h]).collect())
        };
        Plot { title: String::new(), x, y, curves: vec![Curve::line(span_words(*span), points)] }
    }
}
