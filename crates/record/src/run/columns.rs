//! The columns of `series.csv`. All values are in SI units.

use crate::probes::Probes;
use lawine_core::method::{Account, Method, Momentum};
use lawine_core::simulation::{Moment, Simulation};
use lawine_scene::matter::kind;
use lawine_scene::select::MatterFields;

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

/// The headings of a run's series: those of every run, then energies and step limit of each matter where there are several,
/// probes, forces on bodies, and what each matter keeps account of.
pub fn headings(
    probes: &Probes,
    simulation: &Simulation,
    matters: &[MatterFields<'_>],
) -> Vec<Heading> {
    let planar = simulation.env.space.is_planar();
    // Planar energies and forces count per metre of depth.
    let per_depth = if planar { "/m" } else { "" };
    let (joule, newton) = (format!("J{per_depth}"), format!("N{per_depth}"));
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
            named(simulation, &**method, "step_limit", "s"),
        ]);
    }
    let units = probes.units(matters);
    headings.extend(probes.names().zip(units).map(|(name, unit)| Heading::new(name, unit)));
    let torque = if planar { "N".to_owned() } else { "N·m".to_owned() };
    for body in &simulation.env.bodies {
        let (forces, torques): (&[&str], &[&str]) =
            if planar { (&["x", "y"], &["z"]) } else { (&["x", "y", "z"], &["x", "y", "z"]) };
        let name = |what: &str, k: &&str| format!("{}.{what}.{k}", body.name);
        headings.extend(forces.iter().map(|k| Heading::new(name("force", k), &newton)));
        headings.extend(torques.iter().map(|k| Heading::new(name("torque", k), &torque)));
        if body.is_free() {
            let mut add = |what: &str, axes: &[&str], unit: &str| {
                headings.extend(axes.iter().map(|k| Heading::new(name(what, k), unit)));
            };
            add("position", forces, "m");
            add("rotation", &["x", "y", "z", "w"], "");
            add("velocity", forces, "m/s");
            add("angular_velocity", torques, "1/s");
        }
    }
    for method in &simulation.methods {
        let accounts = accounts(simulation, &**method).into_iter();
        headings.extend(
            accounts.map(|Account { name, unit, .. }| named(simulation, &**method, name, unit)),
        );
    }
    headings
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
        // Its own longest step: who divides the shared one, and who rules it.
        row.push(method.dt_limit(&simulation.env).dt.min(simulation.control.max));
    }
    probes.measure(simulation, row);
    for body in &simulation.env.bodies {
        let (f, t) = (body.force, body.torque);
        if simulation.env.space.is_planar() {
            row.extend([f.x, f.y, t.z]);
        } else {
            row.extend([f.x, f.y, f.z, t.x, t.y, t.z]);
        }
        if body.is_free() {
            let axes = if simulation.env.space.is_planar() { 2 } else { 3 };
            row.extend(&body.pose.position.to_array()[..axes]);
            row.extend(body.pose.rotation.to_array());
            row.extend(&body.velocity.to_array()[..axes]);
            row.extend(&body.angular_velocity.to_array()[if axes == 2 { 2 } else { 0 }..]);
        }
    }
    for method in &simulation.methods {
        row.extend(accounts(simulation, &**method).iter().map(|account| account.value));
    }
}
