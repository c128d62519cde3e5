//! Probes: numbers measured after a step, for the columns of `series.csv`.

use crate::file::{LoadedScene, Probe, ProbeKind, SceneError, SceneFile};
use crate::select::Selection;
use glam::DVec3;
use lawine_core::Field;
use lawine_core::field::positions;
use lawine_core::kernel::{Kernel, KernelKind};
use lawine_core::simulation::Simulation;

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

fn fold(fields: &[Field<'_>], name: &str, pick: fn(f64, f64) -> f64) -> f64 {
    Selection::new(fields, name).ok().and_then(|s| s.iter().reduce(pick)).unwrap_or(f64::NAN)
}

fn mean(fields: &[Field<'_>], name: &str) -> f64 {
    let Ok(selection) = Selection::new(fields, name) else { return f64::NAN };
    let (sum, n) = selection.iter().fold((0.0, 0.0), |(sum, n), x| (sum + x, n + 1.0));
    if n > 0.0 { sum / n } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::build;
    use crate::file::{Source, load};

    /// The values of probes over 2 × 10 particles at a spacing of 0.1 m, before the first step.
    fn measured(probes: &str) -> Result<Vec<f64>, SceneError> {
        let text = format!(
            "title = 'Test'\nend = 1\n[space]\ndimension = 2\ngravity = [0, -10]\n\
             [liquid]\nspacing = 0.1\n\
             [[fill]]\nshape.box = {{ min = [0, 0], max = [0.2, 1] }}\nvelocity = [3, 4]\n\
             [[fill]]\nshape.box = {{ min = [0, 3], max = [0.2, 3.1] }}\n{probes}"
        );
        let loaded = load(&Source::Text { name: "test".into(), text }, &[])?;
        let built = build(&loaded)?;
        let fields = built.simulation.methods[0].fields();
        let probes = Probes::new(&built.scene, &loaded, &fields)?;
        assert_eq!(probes.names().count(), probes.units(&fields).len());
        let mut row = vec![7.0];
        probes.measure(&built.simulation, &mut row);
        Ok(row.split_off(1))
    }

    fn one(probe: &str) -> f64 {
        measured(&format!("[[probe]]\nname = 'p'\n{probe}")).unwrap()[0]
    }

    #[test]
    fn fields_have_a_least_a_mean_and_a_largest_value() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} instead of {b}");
        near(one("max = { field = 'position.y' }"), 3.05);
        near(one("min = { field = 'position.y' }"), 0.05);
        near(one("max = { field = 'speed' }"), 5.0);
        near(one("min = { field = 'velocity.x' }"), 0.0);
        near(one("mean = { field = 'velocity.x' }"), 3.0 * 20.0 / 22.0);
        near(one("mean = { field = 'density' }"), 1000.0);
    }

    #[test]
    fn the_height_ends_where_the_liquid_does() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} instead of {b}");
        // The drop high above is not part of it.
        near(one("height = { at = [0.1, 0.0] }"), 1.0);
        near(one("height = { at = [0.1, 0.4] }"), 0.6);
        near(one("height = { at = [0.1, 3.0] }"), 0.1);
        near(one("height = { at = [5.0, 0.0] }"), 0.0);
        near(one("height = { at = [0.1, 1.5] }"), 0.0);
    }

    #[test]
    fn there_is_no_pressure_where_there_is_no_liquid() {
        assert!(one("pressure = { at = [0.1, 0.5] }").abs() < 1e-12);
        assert!(one("pressure = { at = [9.0, 9.0] }").abs() < 1e-12);
    }

    #[test]
    fn an_unknown_field_is_named_with_its_key() {
        let probes = "[[probe]]\nname = 'a'\nmax = { field = 'speed' }\n\
                      [[probe]]\nname = 'b'\nmean = { field = 'heat' }";
        let message = measured(probes).unwrap_err().to_string();
        assert!(message.contains("probe.1.mean.field: \"heat\" is not a field"), "{message}");
    }
}
