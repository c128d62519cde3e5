//! The columns of `series.csv`. All values are in SI units.

use crate::probes::Probes;
use lawine_core::body::Body;
use lawine_core::method::{Account, Method, Momentum};
use lawine_core::simulation::{Moment, Simulation};
use lawine_scene::matter::kind;
use lawine_scene::select::MatterFields;
use std::io;

/// A column's name in the file and its unit in plots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Name, without blanks.
    pub name: String,
    /// Unit; empty for pure numbers.
    pub unit: String,
}

impl Heading {
    fn new(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { name: name.into(), unit: unit.into() }
    }

    /// For axes: words with the unit in brackets.
    pub fn label(&self) -> String {
        let words = self.name.replace('_', " ");
        if self.unit.is_empty() { words } else { format!("{words} [{}]", self.unit) }
    }
}

/// More free bodies than this have no columns of their own: `bodies.csv` tells about them at each frame.
pub(super) const MANY_BODIES: usize = 32;

/// Whether a body has columns of its own in the series.
fn has_columns(simulation: &Simulation, body: &Body) -> bool {
    !body.is_free() || !has_many_bodies(simulation)
}

/// Whether there are so many free bodies that a line in the series for each of them would be unreadable.
pub(super) fn has_many_bodies(simulation: &Simulation) -> bool {
    simulation.env.bodies.iter().filter(|body| body.is_free()).count() > MANY_BODIES
}

/// The headings of a run's series: those of every run, then the energies of each matter where there are several,
/// probes, forces on bodies, and what each matter keeps account of.
pub fn headings(
    probes: &Probes,
    simulation: &Simulation,
    matters: &[MatterFields<'_>],
) -> Vec<Heading> {
    let planar = simulation.env.space.is_planar();
    // Planar energies and forces count per metre of depth.
    let per_depth = if planar { "/m" } else { "" };
    let joule = format!("J{per_depth}");
    let mut headings = vec![
        Heading::new("time", "s"),
        Heading::new("dt", "s"),
        Heading::new("kinetic_energy", &joule),
        Heading::new("potential_energy", &joule),
        Heading::new("mean_density_error", ""),
        Heading::new("max_density_error", ""),
        Heading::new("iterations", ""),
        Heading::new("max_speed", "m/s"),
        Heading::new("particles", ""),
    ];
    for method in several(simulation) {
        headings.extend([
            named(simulation, &**method, "kinetic_energy", &joule),
            named(simulation, &**method, "potential_energy", &joule),
            named(simulation, &**method, "particles", ""),
        ]);
    }
    let units = probes.units(matters);
    headings.extend(probes.names().zip(units).map(|(name, unit)| Heading::new(name, unit)));
    for body in simulation.env.bodies.iter().filter(|body| has_columns(simulation, body)) {
        let columns = body_columns(planar, body.is_free());
        headings.extend(
            columns.map(|(what, unit)| Heading::new(format!("{}.{what}", body.name), unit)),
        );
    }
    for method in &simulation.methods {
        let accounts = accounts(simulation, &**method).into_iter();
        headings.extend(
            accounts.map(|Account { name, unit, .. }| named(simulation, &**method, name, unit)),
        );
    }
    headings
}

/// What is told about a body, with units: force and torque, and the motion of a free one.
fn body_columns(
    planar: bool,
    is_free: bool,
) -> impl Iterator<Item = (String, &'static str)> + use<> {
    let (along, about): (&[&str], &[&str]) =
        if planar { (&["x", "y"], &["z"]) } else { (&["x", "y", "z"], &["x", "y", "z"]) };
    let (force, torque) = if planar { ("N/m", "N") } else { ("N", "N·m") };
    let all = [
        ("force", along, force),
        ("torque", about, torque),
        ("position", along, "m"),
        ("rotation", &["x", "y", "z", "w"], ""),
        ("velocity", along, "m/s"),
        ("angular_velocity", about, "1/s"),
    ];
    all.into_iter().take(if is_free { 6 } else { 2 }).flat_map(|(what, axes, unit)| {
        axes.iter().map(move |axis| (format!("{what}.{axis}"), unit))
    })
}

/// The values of [`body_columns`].
fn body_values(body: &Body, planar: bool, row: &mut Vec<f64>) {
    let along = if planar { 0..2 } else { 0..3 };
    let about = if planar { 2..3 } else { 0..3 };
    row.extend(&body.force.to_array()[along.clone()]);
    row.extend(&body.torque.to_array()[about.clone()]);
    if body.is_free() {
        row.extend(&body.pose.position.to_array()[along.clone()]);
        row.extend(body.pose.rotation.to_array());
        row.extend(&body.velocity.to_array()[along]);
        row.extend(&body.angular_velocity.to_array()[about]);
    }
}

/// The columns of `bodies.csv`: a row for each free body of each frame, with its number among all bodies.
pub(super) fn body_table(simulation: &Simulation) -> Vec<String> {
    let columns = body_columns(simulation.env.space.is_planar(), true).map(|(what, _)| what);
    ["time", "body"].map(str::to_owned).into_iter().chain(columns).collect()
}

/// The rows of a frame in `bodies.csv`.
pub(super) fn body_rows(
    simulation: &Simulation,
    mut write: impl FnMut(&[f64]) -> io::Result<()>,
) -> io::Result<()> {
    let mut row = Vec::new();
    for (number, body) in simulation.env.bodies.iter().enumerate() {
        if body.is_free() {
            row.clear();
            row.extend([simulation.time(), number as f64]);
            body_values(body, simulation.env.space.is_planar(), &mut row);
            write(&row)?;
        }
    }
    Ok(())
}

/// The heading of something about one matter: it has its name where there are several.
fn named(simulation: &Simulation, method: &dyn Method, what: &str, unit: &str) -> Heading {
    Heading::new(simulation.of_matter(method, what), unit)
}

/// The methods if there are several, otherwise none.
fn several(simulation: &Simulation) -> &[Box<dyn Method>] {
    if simulation.methods.len() > 1 { &simulation.methods } else { &[] }
}

/// What a method keeps account of: momentum and angular momentum where it knows them, its own accounts, and how
/// many of its grains were poured and drained, where they are.
fn accounts(simulation: &Simulation, method: &dyn Method) -> Vec<Account> {
    let mut accounts = Vec::new();
    if let Some(Momentum { linear, angular }) = method.momentum() {
        let (l, a, unit) = (linear, angular, ["kg m/s", "kg m²/s"]);
        let parts = [
            ("momentum.x", unit[0], l.x),
            ("momentum.y", unit[0], l.y),
            ("momentum.z", unit[0], l.z),
            ("angular_momentum.x", unit[1], a.x),
            ("angular_momentum.y", unit[1], a.y),
            ("angular_momentum.z", unit[1], a.z),
        ];
        accounts.extend(parts.map(|(name, unit, value)| Account { name, unit, value }));
    }
    accounts.extend(method.accounts(&simulation.env));
    let (key, openings) = (method.matter(), &simulation.openings);
    if kind(key).is_some_and(|kind| !kind.is_continuous()) {
        let counts = [("poured", openings.poured(key)), ("drained", openings.drained(key))];
        let counts = counts.into_iter().filter_map(|(name, count)| Some((name, count? as f64)));
        accounts.extend(counts.map(|(name, value)| Account { name, unit: "", value }));
    }
    accounts
}

/// The values of a moment, in the order of [`headings`].
pub fn row(now: &Moment<'_>, probes: &Probes, row: &mut Vec<f64>) {
    let simulation = now.simulation;
    let (mut kinetic, mut potential) = (0.0, 0.0);
    for method in &simulation.methods {
        let energy = method.energy(&simulation.env);
        kinetic += energy.kinetic;
        potential += energy.potential;
    }
    row.clear();
    row.extend([
        simulation.time(),
        now.dt,
        kinetic,
        potential,
        now.report.mean_density_error,
        now.report.max_density_error,
        f64::from(now.report.iterations),
        now.report.max_speed,
        simulation.particle_count() as f64,
    ]);
    for method in several(simulation) {
        let energy = method.energy(&simulation.env);
        row.extend([energy.kinetic, energy.potential, method.particle_count() as f64]);
    }
    probes.measure(simulation, row);
    let planar = simulation.env.space.is_planar();
    for body in simulation.env.bodies.iter().filter(|body| has_columns(simulation, body)) {
        body_values(body, planar, row);
    }
    for method in &simulation.methods {
        row.extend(accounts(simulation, &**method).iter().map(|account| account.value));
    }
}
