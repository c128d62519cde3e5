//! The columns of `series.csv`. All values are in SI units.

use crate::probes::Probes;
use lawine_core::method::Momentum;
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

/// The headings of a run's series: those of every run, then those of each matter where there are several, then
/// probes, then forces on bodies.
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
    if simulation.methods.len() > 1 {
        for method in &simulation.methods {
            let name = |what: &str| format!("{}.{what}", method.matter());
            headings.push(Heading::new(name("kinetic_energy"), &joule));
            headings.push(Heading::new(name("potential_energy"), &joule));
            headings.push(Heading::new(name("particles"), ""));
        }
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
    headings
}

/// The headings of momentum and angular momentum, for methods that know them: last of all.
pub(super) fn momentum_headings() -> impl Iterator<Item = Heading> {
    let vector = |what: &'static str, unit: &'static str| {
        ["x", "y", "z"].map(|k| Heading::new(format!("{what}.{k}"), unit))
    };
    let linear = vector("momentum", "kg m/s");
    linear.into_iter().chain(vector("angular_momentum", "kg m²/s"))
}

/// The headings of what methods keep account of, and of grains that came in and went out: after everything
/// else.
pub(super) fn account_headings(simulation: &Simulation) -> Vec<Heading> {
    let accounts = simulation.methods.iter().flat_map(|m| m.accounts(&simulation.env));
    let accounts = accounts.map(|account| Heading::new(account.name, account.unit));
    let passed = passed(simulation);
    let passed = passed.map(|(matter, what, _)| Heading::new(format!("{matter}_{what}"), ""));
    accounts.chain(passed).collect()
}

/// How many grains were poured and drained, of matter that consists of them and where they are.
fn passed(simulation: &Simulation) -> impl Iterator<Item = (&'static str, &'static str, u64)> {
    let matters = simulation.methods.iter().map(|method| method.matter());
    let of_grains = matters.filter(|key| kind(key).is_some_and(|kind| !kind.is_continuous()));
    of_grains.flat_map(|key| {
        let (poured, drained) = (simulation.openings.poured(key), simulation.openings.drained(key));
        let counts = [("poured", poured), ("drained", drained)].into_iter();
        counts.filter_map(move |(what, count)| Some((key, what, count?)))
    })
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
    if simulation.methods.len() > 1 {
        for method in &simulation.methods {
            let energy = method.energy(&simulation.env);
            row.extend([energy.kinetic, energy.potential, method.particle_count() as f64]);
        }
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
    let momenta = simulation.methods.iter().filter_map(|method| method.momentum());
    if let Some(sum) = momenta
        .reduce(|a, b| Momentum { linear: a.linear + b.linear, angular: a.angular + b.angular })
    {
        row.extend(sum.linear.to_array());
        row.extend(sum.angular.to_array());
    }
    let accounts = simulation.methods.iter().flat_map(|method| method.accounts(&simulation.env));
    row.extend(accounts.map(|account| account.value));
    row.extend(passed(simulation).map(|(_, _, count)| count as f64));
}
