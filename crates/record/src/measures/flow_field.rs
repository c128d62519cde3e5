//! Mean velocity of particles per cell.

use crate::output::plot::{Arrows, Axis};
use crate::output::vtk::ParticleFrame;
use glam::DVec3;
use lawine_core::FieldValues;
use lawine_core::space::Space;
use lawine_scene::file::FlowFieldMeasure;
use std::collections::BTreeMap;
use std::io;

/// Cells with fewer particles than this fraction of the fullest have no arrow.
const SPARSE: f64 = 0.05;

/// Sums over pairs of frames that follow each other.
///
/// Velocities are ways from frame to frame over the time between them. The velocities at the frames
/// themselves would show the shaking of a floor at those moments; ways add up to the way of a particle
/// over the whole run, whatever happens in between.
pub(super) struct FlowField<'a> {
    asked: &'a FlowFieldMeasure,
    space: &'a Space,
    last: Option<(f64, BTreeMap<u32, DVec3>)>,
    /// Ways and number of them, by cell.
    sums: BTreeMap<[i64; 2], ([f64; 2], f64)>,
}

impl<'a> FlowField<'a> {
    pub(super) fn new(asked: &'a FlowFieldMeasure, space: &'a Space) -> Self {
        Self { asked, space, last: None, sums: BTreeMap::new() }
    }

    /// Adds a frame.
    pub(super) fn add(&mut self, frame: &ParticleFrame) -> io::Result<()> {
        let Some(FieldValues::U32(ids)) = frame.field("id") else {
            return Err(io::Error::other("frames have no field \"id\" to measure the flow with"));
        };
        let places = ids.iter().copied().zip(frame.positions().iter().copied()).collect();
        if let Some((time, before)) = self.last.replace((frame.time, places)) {
            self.add_ways(&before, frame, ids, frame.time - time);
        }
        Ok(())
    }

    fn add_ways(
        &mut self,
        before: &BTreeMap<u32, DVec3>,
        frame: &ParticleFrame,
        ids: &[u32],
        dt: f64,
    ) {
        let FlowFieldMeasure { axes, cell, within, .. } = self.asked;
        for (id, &now) in ids.iter().zip(frame.positions()) {
            let Some(&then) = before.get(id) else { continue };
            let way = self.space.difference(now, then);
            let middle = self.space.wrap(then + 0.5 * way);
            let inside = within
                .is_none_or(|e| middle.cmpge(e.min.get()).all() && middle.cmple(e.max.get()).all());
            // What an outlet brought back to the top did not flow there.
            if !inside || way.length() > 20.0 * cell || dt <= 0.0 {
                continue;
            }
            let place = axes.map(|axis| (middle[axis.index()] / cell).floor() as i64);
            let (sum, count) = self.sums.entry(place).or_default();
            for (sum, axis) in sum.iter_mut().zip(axes) {
                *sum += way[axis.index()] / dt;
            }
            *count += 1.0;
        }
    }

    /// The arrows, in the middles of the cells.
    pub(super) fn arrows(self, title: &str) -> Arrows {
        let FlowFieldMeasure { axes, cell, .. } = self.asked;
        let fullest = self.sums.values().map(|(_, count)| *count).fold(0.0, f64::max);
        let full = self.sums.iter().filter(|(_, (_, count))| *count > SPARSE * fullest);
        let arrows = full.map(|(place, (sum, count))| {
            let [x, y] = place.map(|k| (k as f64 + 0.5) * cell);
            [x, y, sum[0] / count, sum[1] / count]
        });
        Arrows {
            title: title.to_owned(),
            axes: axes.map(|axis| Axis::new(axis.to_string(), "m")),
            unit: "m/s".to_owned(),
            cell: *cell,
            arrows: arrows.collect(),
        }
    }
}
