//! Probes: numbers measured after a step, for the columns of `series.csv`.

use crate::file::{LoadedScene, Probe, ProbeKind, SceneError, SceneFile};
use crate::select::Selection;
use glam::DVec3;
use lawine_core::kernel::{Kernel, KernelKind};
use lawine_core::simulation::Simulation;
use lawine_core::{Field, FieldValues};

/// The probes of a scene.
#[derive(Clone, Debug)]
pub struct Probes {
    probes: Vec<Probe>,
    kernel: Kernel,
    spacing: f64,
    up: DVec3,
}

impl Probes {
    /// The probes of `scene`, of which `loaded` knows the lines; `fields` are those of the method.
    pub fn new(
        scene: &SceneFile,
        loaded: &LoadedScene,
        fields: &[Field<'_>],
    ) -> Result<Self, SceneError> {
        for (number, probe) in scene.probe.iter().enumerate() {
            let field = match &probe.kind {
                ProbeKind::Min(f) | ProbeKind::Mean(f) | ProbeKind::Max(f) => &f.field,
                ProbeKind::Pressure(_) | ProbeKind::Height(_) => continue,
            };
            let key = format!("probe.{number}.{}.field", probe.kind.word());
            Selection::new(fields, field).map_err(|e| loaded.error(&key, e))?;
        }
        Ok(Self {
            probes: scene.probe.clone(),
            kernel: Kernel::new(
                KernelKind::CubicSpline,
                scene.liquid.support(),
                scene.space.dimension,
            ),
            spacing: scene.liquid.spacing,
            up: -scene.space.gravity.get().normalize_or_zero(),
        })
    }

    /// Names, as headings.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.probes.iter().map(|p| p.name.as_str())
    }

    /// Units, in the order of the names.
    pub fn units(&self, fields: &[Field<'_>]) -> Vec<String> {
        let unit = |probe: &Probe| match &probe.kind {
            ProbeKind::Min(f) | ProbeKind::Mean(f) | ProbeKind::Max(f) => {
                Selection::new(fields, &f.field).map_or("", |s| s.unit).to_owned()
            }
            ProbeKind::Pressure(_) => "Pa".to_owned(),
            ProbeKind::Height(_) => "m".to_owned(),
        };
        self.probes.iter().map(unit).collect()
    }

    /// Adds the present values to `row`. A probe without any particle to ask gives NaN.
    pub fn measure(&self, simulation: &Simulation, row: &mut Vec<f64>) {
        if self.probes.is_empty() {
            return;
        }
        let fields = simulation.methods[0].fields();
        let space = &simulation.env.space;
        for probe in &self.probes {
            row.push(match &probe.kind {
                ProbeKind::Min(f) => fold(&fields, &f.field, f64::min),
                ProbeKind::Max(f) => fold(&fields, &f.field, f64::max),
                ProbeKind::Mean(f) => mean(&fields, &f.field),
                ProbeKind::Pressure(point) => {
                    let at = point.at.get();
                    self.pressure(&fields, |x| space.difference(at, x).length())
                }
                ProbeKind::Height(point) => {
                    let at = point.at.get();
                    self.height(&fields, |x| space.difference(x, at))
                }
            });
        }
    }

    /// Σ p W/Σ W over the liquid around a point: a mean, so it holds at walls too. Zero where no
    /// liquid is.
    fn pressure(&self, fields: &[Field<'_>], distance: impl Fn(DVec3) -> f64) -> f64 {
        let Some(x) = positions(fields) else { return f64::NAN };
        let Ok(p) = Selection::new(fields, "pressure") else { return f64::NAN };
        let (mut sum, mut weights) = (0.0, 0.0);
        for (i, &x) in x.iter().enumerate() {
            let r = distance(x);
            if r < self.kernel.support() {
                let w = self.kernel.w(r);
                sum += p.get(i) * w;
                weights += w;
            }
        }
        if weights > 0.0 { sum / weights } else { 0.0 }
    }

    /// Height of the connected liquid above a place, within half a support of its vertical.
    fn height(&self, fields: &[Field<'_>], from: impl Fn(DVec3) -> DVec3) -> f64 {
        let Some(x) = positions(fields) else { return f64::NAN };
        let mut heights: Vec<f64> = x
            .iter()
            .map(|&x| from(x))
            .filter(|d| d.reject_from(self.up).length() <= 0.5 * self.kernel.support())
            .map(|d| d.dot(self.up))
            .filter(|&h| h >= -0.5 * self.spacing)
            .collect();
        heights.sort_by(f64::total_cmp);
        // Drops in the air do not count: the column ends at the first gap.
        let mut top = 0.0;
        for h in heights {
            if h - top > self.kernel.support() {
                break;
            }
            top = h + 0.5 * self.spacing;
        }
        top
    }
}

fn positions<'a>(fields: &[Field<'a>]) -> Option<&'a [DVec3]> {
    fields.iter().find_map(|f| match f.values {
        FieldValues::Vec3(x) if f.name == "position" => Some(x),
        _ => None,
    })
}

fn fold(fields: &[Field<'_>], name: &str, pick: fn(f64, f64) -> f64) -> f64 {
    Selection::new(fields, name).ok().and_then(|s| s.iter().reduce(pick)).unwrap_or(f64::NAN)
}

fn mean(fields: &[Field<'_>], name: &str) -> f64 {
    let Ok(selection) = Selection::new(fields, name) else { return f64::NAN };
    let (sum, n) = selection.iter().fold((0.0, 0.0), |(sum, n), x| (sum + x, n + 1.0));
    if n > 0.0 { sum / n } else { f64::NAN }
}
