//! Probes: numbers measured after a step, for the columns of `series.csv`.

mod slope;

use glam::DVec3;
use lawine_core::field::positions;
use lawine_core::kernel::{Kernel, KernelKind};
use lawine_core::simulation::Simulation;
use lawine_core::{Field, FieldValues};
use lawine_scene::file::{
    Extent, FieldProbe, ForceProbe, GrainProbe, LoadedScene, Probe, ProbeKind, Rectangle,
    SceneError, SceneFile,
};
use lawine_scene::matter::Kind;
use lawine_scene::select::{
    MatterFields, Selection, column_and_component, the_one, without_matter,
};
use slope::slope;

/// The probes of a scene.
#[derive(Clone, Debug)]
pub struct Probes {
    probes: Vec<Probe>,
    /// The matter of each, as the index of its method.
    matters: Vec<usize>,
    /// The columns of each matter that they read. Others may be costly to make.
    columns: Vec<Vec<&'static str>>,
    /// Names of the single grains, which have the first identifiers.
    grains: Vec<Option<String>>,
    /// Kernel and distance between particles [m] of each matter.
    scales: Vec<(Kernel, f64)>,
    up: DVec3,
    planar: bool,
}

impl Probes {
    /// The probes of `scene`, of which `loaded` knows the lines.
    pub fn new(
        scene: &SceneFile,
        loaded: &LoadedScene,
        matters: &[MatterFields<'_>],
    ) -> Result<Self, SceneError> {
        let mut looks_at = Vec::new();
        let mut columns: Vec<Vec<&'static str>> = vec![Vec::new(); matters.len()];
        for (i, probe) in scene.probe.iter().enumerate() {
            let name = needed(&probe.kind);
            let key = match probe.kind.field() {
                Some(_) => format!("probe.{i}.{}.field", probe.kind.word()),
                None => format!("probe.{i}.{}", probe.kind.word()),
            };
            let bad = |e: String| loaded.error(&key, e);
            let of = probe.of.as_deref();
            let one = match &probe.kind {
                // That of all matter together.
                ProbeKind::Force(_) => 0,
                // Only grains are turned.
                ProbeKind::Grain(_) => {
                    let grains = the_one(matters, of, "orientation").map_err(bad)?;
                    the_one(matters, Some(matters[grains].kind.key()), name).map_err(bad)?
                }
                _ => the_one(matters, of, name).map_err(bad)?,
            };
            looks_at.push(one);
            let (column, _) = column_and_component(without_matter(name));
            let read = |field: &&Field<'_>| {
                matches!(field.name, "position" | "velocity" | "id" | "volume")
                    || field.name == column
            };
            let read: Vec<_> = matters[one].fields.iter().filter(read).map(|f| f.name).collect();
            let new = read.into_iter().filter(|name| !columns[one].contains(name));
            let new: Vec<_> = new.collect();
            columns[one].extend(new);
        }
        let scale = |kind: &dyn Kind| {
            let reach = kind.smoothing(scene);
            let kernel = Kernel::new(KernelKind::CubicSpline, reach, scene.space.dimension);
            (kernel, kind.spacing(scene))
        };
        Ok(Self {
            probes: scene.probe.clone(),
            matters: looks_at,
            columns,
            grains: scene.grain.iter().map(|grain| grain.name.clone()).collect(),
            scales: matters.iter().map(|matter| scale(matter.kind)).collect(),
            up: -scene.space.gravity.get().normalize_or_zero(),
            planar: scene.space.dimension == 2,
        })
    }

    /// Names, as headings.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.probes.iter().map(|p| p.name.as_str())
    }

    /// Units, in the order of the names.
    pub fn units(&self, matters: &[MatterFields<'_>]) -> Vec<String> {
        let of = |fields: &[Field<'_>], name: &str| {
            Selection::new(fields, without_matter(name)).map_or("", |s| s.unit).to_owned()
        };
        let unit = |(probe, &matter): (&Probe, &usize)| match &probe.kind {
            ProbeKind::Min(f)
            | ProbeKind::Mean(f)
            | ProbeKind::Max(f)
            | ProbeKind::Deviation(f) => of(&matters[matter].fields, &f.field),
            ProbeKind::Grain(g) => of(&matters[matter].fields, &g.field),
            ProbeKind::Pressure(_) => "Pa".to_owned(),
            ProbeKind::Height(_) => "m".to_owned(),
            ProbeKind::Slope(_) => "°".to_owned(),
            ProbeKind::Count(_) | ProbeKind::Packing(_) => String::new(),
            // In a plane per metre of depth.
            ProbeKind::Flow(_) => if self.planar { "m²/s" } else { "m³/s" }.to_owned(),
            ProbeKind::Force(_) => if self.planar { "N/m" } else { "N" }.to_owned(),
        };
        self.probes.iter().zip(&self.matters).map(unit).collect()
    }

    /// Adds the present values to `row`. A probe without any particle to ask gives NaN.
    pub fn measure(&self, simulation: &Simulation, row: &mut Vec<f64>) {
        if self.probes.is_empty() {
            return;
        }
        let methods = simulation.methods.iter().zip(&self.columns);
        let columns: Vec<Vec<Field<'_>>> = methods
            .map(|(method, names)| names.iter().filter_map(|name| method.field(name)).collect())
            .collect();
        let space = &simulation.env.space;
        for (probe, &matter) in self.probes.iter().zip(&self.matters) {
            let (fields, scale) = (&columns[matter], self.scales[matter]);
            row.push(match &probe.kind {
                ProbeKind::Min(f) => values(fields, f).reduce(f64::min).unwrap_or(f64::NAN),
                ProbeKind::Max(f) => values(fields, f).reduce(f64::max).unwrap_or(f64::NAN),
                ProbeKind::Mean(f) => mean(values(fields, f)),
                ProbeKind::Deviation(f) => {
                    let middle = mean(values(fields, f));
                    mean(values(fields, f).map(|x| (x - middle).powi(2))).sqrt()
                }
                ProbeKind::Count(extent) => {
                    let inside = |x: &&DVec3| contains(extent, **x);
                    positions(fields).map_or(f64::NAN, |x| x.iter().filter(inside).count() as f64)
                }
                ProbeKind::Packing(extent) => {
                    let within = Some(*extent);
                    let filled = FieldProbe { field: "volume".to_owned(), within };
                    let size = extent.max.get() - extent.min.get();
                    values(fields, &filled).sum::<f64>() / size.element_product()
                }
                ProbeKind::Pressure(point) => {
                    let at = point.at.get();
                    pressure(fields, &scale.0, |x| space.difference(at, x).length())
                }
                ProbeKind::Height(point) => {
                    let at = point.at.get();
                    self.height(fields, &scale, |x| space.difference(x, at))
                }
                ProbeKind::Flow(rectangle) => {
                    let center = rectangle.center.get();
                    self.flow(fields, scale.1, rectangle, |x| space.difference(x, center))
                }
                ProbeKind::Force(force) => force_on(simulation, force),
                ProbeKind::Grain(grain) => self.of_grain(fields, grain),
                ProbeKind::Slope(probe) => {
                    positions(fields).map_or(f64::NAN, |x| slope(probe, x, self.up))
                }
            });
        }
    }

    /// The value of a field for one grain; none any more if it has left.
    fn of_grain(&self, fields: &[Field<'_>], probe: &GrainProbe) -> f64 {
        let id = self.grains.iter().position(|name| name.as_deref() == Some(&probe.name));
        let ids = fields.iter().find_map(|f| match f.values {
            FieldValues::U32(ids) if f.name == "id" => Some(ids),
            _ => None,
        });
        let place = id.zip(ids).and_then(|(id, ids)| ids.iter().position(|&i| i as usize == id));
        let field = Selection::new(fields, without_matter(&probe.field)).ok();
        place.zip(field).map_or(f64::NAN, |(i, field)| field.get(i))
    }

    /// Volume flow through a rectangle: Σ V v·n w over the particles before and behind it, where w
    /// is a hat function of their distance s to its plane, two spacings to either side. The hats of
    /// layers one spacing apart add up to one, so a lattice in uniform motion gives the exact flow
    /// wherever its layers are. Unlike a count of crossings, it has no memory: it does not depend on
    /// how often it is measured, or on whether the run was interrupted.
    fn flow(
        &self,
        fields: &[Field<'_>],
        spacing: f64,
        rectangle: &Rectangle,
        from: impl Fn(DVec3) -> DVec3,
    ) -> f64 {
        let Some(x) = positions(fields) else { return f64::NAN };
        let velocity = fields.iter().find_map(|f| match f.values {
            FieldValues::Vec3(v) if f.name == "velocity" => Some(v),
            _ => None,
        });
        let Some(v) = velocity else { return f64::NAN };
        let n = rectangle.direction.get().normalize_or_zero();
        let up = rectangle.up.map_or(DVec3::Z, |up| up.get());
        let up = up.reject_from_normalized(n).normalize_or_zero();
        let (side, reach) = (n.cross(up), 2.0 * spacing);
        let half_width = 0.5 * rectangle.width;
        let half_height = 0.5 * rectangle.height.unwrap_or(f64::INFINITY);
        let mut sum = 0.0;
        for (&x, v) in x.iter().zip(v) {
            let d = from(x);
            let s = d.dot(n).abs();
            if s < reach && d.dot(side).abs() <= half_width && d.dot(up).abs() <= half_height {
                sum += v.dot(n) * (1.0 - s / reach) / reach;
            }
        }
        sum * spacing.powi(if self.planar { 2 } else { 3 })
    }

    /// Height of the connected liquid above a place, within half a support of its vertical.
    fn height(
        &self,
        fields: &[Field<'_>],
        (kernel, spacing): &(Kernel, f64),
        from: impl Fn(DVec3) -> DVec3,
    ) -> f64 {
        let Some(x) = positions(fields) else { return f64::NAN };
        let mut heights: Vec<f64> = x
            .iter()
            .map(|&x| from(x))
            .filter(|d| d.reject_from(self.up).length() <= 0.5 * kernel.support())
            .map(|d| d.dot(self.up))
            .filter(|&h| h >= -0.5 * spacing)
            .collect();
        heights.sort_by(f64::total_cmp);
        // Drops in the air do not count: the column ends at the first gap.
        let mut top = 0.0;
        for h in heights {
            if h - top > kernel.support() {
                break;
            }
            top = h + 0.5 * spacing;
        }
        top
    }
}

/// Σ p W/Σ W over the liquid around a point: a mean, so it holds at walls too. Zero where no
/// liquid is.
fn pressure(fields: &[Field<'_>], kernel: &Kernel, distance: impl Fn(DVec3) -> f64) -> f64 {
    let Some(x) = positions(fields) else { return f64::NAN };
    let Ok(p) = Selection::new(fields, "pressure") else { return f64::NAN };
    let (mut sum, mut weights) = (0.0, 0.0);
    for (i, &x) in x.iter().enumerate() {
        let r = distance(x);
        if r < kernel.support() {
            let w = kernel.w(r);
            sum += p.get(i) * w;
            weights += w;
        }
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

/// The field that a probe needs, which determines its matter.
fn needed(kind: &ProbeKind) -> &str {
    match kind {
        ProbeKind::Pressure(_) => "pressure",
        ProbeKind::Packing(_) => "orientation",
        kind => kind.field().unwrap_or("position"),
    }
}

/// A component of the force on a body in the last step.
fn force_on(simulation: &Simulation, force: &ForceProbe) -> f64 {
    let body = simulation.env.bodies.iter().find(|body| body.name == force.body);
    body.map_or(f64::NAN, |body| body.force[force.component.index()])
}

/// The values of a field, of the particles that count.
fn values<'a>(fields: &'a [Field<'a>], probe: &'a FieldProbe) -> impl Iterator<Item = f64> + 'a {
    let selection = Selection::new(fields, without_matter(&probe.field)).ok();
    let places = probe.within.as_ref().and_then(|extent| Some((extent, positions(fields)?)));
    selection.into_iter().flat_map(move |selection| {
        let inside = move |i: usize| places.is_none_or(|(extent, x)| contains(extent, x[i]));
        (0..selection.iter().count()).filter(move |i| inside(*i)).map(move |i| selection.get(i))
    })
}

fn contains(extent: &Extent, x: DVec3) -> bool {
    x.cmpge(extent.min.get()).all() && x.cmple(extent.max.get()).all()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), x| (sum + x, n + 1.0));
    if n > 0.0 { sum / n } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_scene::build::{Built, build};
    use lawine_scene::file::{Source, load};

    /// 2 × 10 particles at a spacing of 0.1 m before the first step, a drop above, and probes.
    fn prepared(more: &str) -> Result<(Built, Probes), SceneError> {
        let text = format!(
            "title = 'Test'\nend = 1\n[space]\ndimension = 2\ngravity = [0, -10]\n\
             [liquid]\nspacing = 0.1\n\
             [[fill]]\nshape.box = {{ min = [0, 0], max = [0.2, 1] }}\nvelocity = [3, 4]\n\
             [[fill]]\nshape.box = {{ min = [0, 3], max = [0.2, 3.1] }}\n{more}"
        );
        let loaded = load(&Source::Text { name: "test".into(), text }, &[])?;
        let built = build(&loaded)?;
        let matters = MatterFields::of(&built.simulation);
        let probes = Probes::new(&built.scene, &loaded, &matters)?;
        assert_eq!(probes.names().count(), probes.units(&matters).len());
        drop(matters);
        Ok((built, probes))
    }

    /// The values of probes at the start.
    fn measured(probes: &str) -> Result<Vec<f64>, SceneError> {
        let (built, probes) = prepared(probes)?;
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
        near(one("deviation = { field = 'position.x' }"), 0.05);
        let low = "{ min = [0, 0], max = [0.1, 0.3] }";
        near(one(&format!("max = {{ field = 'position.y', within = {low} }}")), 0.25);
        near(one(&format!("count = {low}")), 3.0);
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
    fn flow_is_velocity_times_area_wherever_the_plane_is() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} instead of {b}");
        for y in [0.4, 0.43, 0.45, 0.51] {
            let flow = |center: &str, direction: &str, width: f64| {
                one(&format!(
                    "flow = {{ center = {center}, direction = {direction}, width = {width} }}"
                ))
            };
            // The liquid is 0.2 m wide and moves with (3, 4) m/s.
            near(flow(&format!("[0.1, {y}]"), "[0, 2]", 0.3), 4.0 * 0.2);
            near(flow(&format!("[0.1, {y}]"), "[0, -1]", 0.3), -4.0 * 0.2);
            near(flow(&format!("[0.05, {y}]"), "[0, 1]", 0.09), 4.0 * 0.1);
            near(flow(&format!("[7.0, {y}]"), "[0, 1]", 0.3), 0.0);
        }
    }

    #[test]
    fn the_force_on_a_body_is_that_of_the_last_step() {
        let tank = "[[body]]\nname = 'tank'\n\
                    shape.container = { min = [0, 0], max = [0.2, 4], open = ['+y'] }\n";
        let force = |k| format!("force = {{ body = 'tank', component = '{k}' }}");
        let probes = format!(
            "{tank}[[probe]]\nname = 'a'\n{}\n[[probe]]\nname = 'b'\n{}",
            force("x"),
            force("y")
        );
        assert!(measured(&probes).unwrap().iter().all(|f| f.abs() < 1e-12), "none before a step");
        let (mut built, probes) = prepared(&probes).unwrap();
        built.simulation.advance_to(0.01, &mut []).unwrap();
        let mut row = Vec::new();
        probes.measure(&built.simulation, &mut row);
        let force = built.simulation.env.bodies[0].force;
        assert!(row[1] < 0.0 && row[0].to_bits() == force.x.to_bits(), "{row:?} {force}");
        assert_eq!(row[1].to_bits(), force.y.to_bits());
    }

    #[test]
    fn an_unknown_field_is_named_with_its_key() {
        let probes = "[[probe]]\nname = 'a'\nmax = { field = 'speed' }\n\
                      [[probe]]\nname = 'b'\nmean = { field = 'heat' }";
        let message = measured(probes).unwrap_err().to_string();
        assert!(message.contains("probe.1.mean.field: \"heat\" is not a field"), "{message}");
    }
}
