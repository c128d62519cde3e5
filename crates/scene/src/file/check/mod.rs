//! Consistency: what relates several keys of a scene, or needs its geometry. Kinds and ranges of single
//! values are checked by their descriptions, when they are read.

mod checker;
mod counts;
mod measure;
mod motion;
mod numbers;
mod opening;
mod shape;
mod view;

use super::error::SceneError;
use super::flow::{Flow, LinearFlow};
use super::locations::Locations;
use super::probe::ProbeKind;
use super::reference::MAGNITUDES;
use super::schema::SceneFile;
use super::shape::Shape;
use super::words::{Axis, Lattice};
use crate::matter::{kinds, kinds_of};
pub(crate) use checker::Bounds;
pub use checker::Checker;
use checker::any_of;
pub(crate) use checker::emitter_kind;
pub use counts::{Counts, MAX_BOUNDARY, MAX_PARTICLES, Need, Part};
use lawine_settings::problems;
pub use numbers::farthest;
pub(crate) use shape::{polyhedron as check_polyhedron, turn_axis as check_turn_axis};

/// The largest number of frames of a run.
const MAX_FRAMES: f64 = 1e6;

/// Checks a scene that was made in code, and reports every problem found.
///
/// # Errors
/// All problems of its individual values, or else of their combination.
pub fn check(scene: &SceneFile, locations: &Locations) -> Result<(), SceneError> {
    let problems = problems(scene, MAGNITUDES);
    if !problems.is_empty() {
        return Err(locations.error(problems));
    }
    check_relations(scene, locations)
}

/// Checks the combination of values in a scene; each is within its own range.
pub(super) fn check_relations(scene: &SceneFile, locations: &Locations) -> Result<(), SceneError> {
    let mut checker = Checker::new(scene, locations);
    numbers::check(&mut checker);
    checker.stop_if_bad()?;
    times(&mut checker);
    matter(&mut checker);
    space(&mut checker);
    fills(&mut checker);
    opening::check(&mut checker);
    bodies(&mut checker);
    probes(&mut checker);
    measure::check(&mut checker);
    view::check(&mut checker);
    // Counts of what is not allowed anyway mean nothing.
    checker.stop_if_bad()?;
    counts::check(&mut checker);
    checker.finish()
}

/// Times of the run, its steps and its frames.
fn times(c: &mut Checker<'_>) {
    let scene = c.scene;
    if scene.start.abs() > 0.0 {
        let allowed = format!("above start = {} s", scene.start);
        c.require(scene.end > scene.start, "end", scene.end, &allowed);
    } else {
        c.require(scene.end > 0.0, "end", scene.end, "above 0 s");
    }
    let duration = scene.end - scene.start;
    if let Some(time_step) = scene.time.step {
        let allowed = format!("above 0 s and at most end = {} s", scene.end);
        c.require(time_step <= duration, "time.step", time_step, &allowed);
    }
    let output = &scene.output;
    if duration / output.every > MAX_FRAMES {
        let least = duration / MAX_FRAMES;
        c.refuse("output.every", output.every, format!("{least:e} s or more (a million frames)"));
    }
    if output.every_steps.is_some() && scene.time.step.is_none() {
        let message = "output.every_steps needs a fixed step, time.step";
        c.report("output.every_steps", message.into());
    }
}

/// The matter of the scene.
fn matter(c: &mut Checker<'_>) {
    let scene = c.scene;
    if scene.matters().next().is_none() {
        let keys: Vec<String> = kinds().iter().map(|kind| format!("[{}]", kind.key())).collect();
        let first = kinds().first().map_or("", |kind| kind.key());
        let message = format!("{first} is missing: a scene needs matter, in {}", any_of(&keys));
        c.report(first, message);
        return;
    }
    for (key, setting) in scene.foreign_keys() {
        let kinds = kinds_of(setting);
        let kinds: Vec<String> = kinds.iter().map(|kind| format!("[{}]", kind.key())).collect();
        let allowed = any_of(&kinds);
        c.report(&key, format!("{key} is not allowed here; it requires a scene with {allowed}"));
    }
    scene.matters().for_each(|kind| kind.check(c));
}

/// Gravity, domain, periodic axes.
fn space(c: &mut Checker<'_>) {
    let space = &c.scene.space;
    c.vector("space.gravity", space.gravity);
    let domain =
        space.domain.as_ref().map(|domain| c.extent("space.domain", domain.min, domain.max));
    for (i, &axis) in space.periodic.iter().enumerate() {
        let key = format!("space.periodic.{i}");
        if axis == Axis::Z && c.is_planar() {
            c.refuse(
                &key,
                format!("\"{axis}\""),
                "\"x\" or \"y\" in a plane (space.dimension = 2)",
            );
        } else if space.periodic[..i].contains(&axis) {
            c.refuse(&key, format!("\"{axis}\""), "each axis only once");
        } else if let Some(domain) = domain {
            let length = domain.size()[axis.index()];
            let least = 3.0 * c.scene.matters().map(|kind| kind.reach(c.scene)).fold(0.0, f64::max);
            if length < least {
                let allowed =
                    format!("{least} m or more (three supports), since {axis} is periodic");
                c.refuse("space.domain", format!("{length} m along {axis}"), allowed);
            }
        } else {
            let problem =
                format!("{key} = \"{axis}\" needs space.domain = {{ min = […], max = […] }}");
            c.report(&key, problem);
        }
    }
}

/// The matter at the start.
fn fills(c: &mut Checker<'_>) {
    let scene = c.scene;
    let domain = c.domain();
    for (i, fill) in scene.fill.iter().enumerate() {
        let key = format!("fill.{i}.shape");
        c.matter(&format!("fill.{i}.of"), fill.of.as_deref(), |_| true);
        c.vector(&format!("fill.{i}.velocity"), fill.velocity);
        if let Some(flow) = &fill.flow {
            check_flow(c, &format!("fill.{i}.flow.{}", flow.word()), flow);
        }
        if fill.lattice == Lattice::Hexagonal && !c.is_planar() {
            let allowed = "\"square\" in space (space.dimension = 3)";
            c.refuse(&format!("fill.{i}.lattice"), "\"hexagonal\"", allowed);
        }
        let Some(bounds) = shape::check(c, &key, &fill.shape.clone().into(), &fill.placement)
        else {
            continue;
        };
        let key = format!("{key}.{}", fill.shape.word());
        if domain.is_some_and(|domain| !domain.contains(bounds)) {
            c.report(&key, format!("{key} extends beyond space.domain; allowed: inside it"));
        }
    }
}

/// Velocities at the start.
fn check_flow(c: &mut Checker<'_>, key: &str, flow: &Flow) {
    match flow {
        Flow::Linear(LinearFlow { gradient, center }) => {
            c.vector(&format!("{key}.center"), *center);
            for (i, row) in gradient.iter().enumerate() {
                c.vector(&format!("{key}.gradient.{i}"), *row);
            }
            let (rows, dimension) = (gradient.len(), c.scene.space.dimension);
            let allowed = format!("{dimension} rows, one for each dimension");
            let fits = rows == dimension as usize;
            c.require(fits, &format!("{key}.gradient"), format!("{rows} rows"), &allowed);
        }
        Flow::TaylorGreen(_) => {}
    }
}

/// Walls and other bodies.
fn bodies(c: &mut Checker<'_>) {
    let scene = c.scene;
    let names: Vec<&str> = scene.body.iter().map(|body| body.name.as_str()).collect();
    c.names("body", &names);
    for (i, body) in scene.body.iter().enumerate() {
        let key = format!("body.{i}.shape");
        let is_plane = matches!(body.shape, Shape::Plane(_));
        if is_plane && body.hollow {
            c.refuse(&format!("body.{i}.hollow"), true, "false for a plane: reverse its normal");
        }
        shape::check(c, &key, &body.shape, &body.placement);
        free(c, i);
        let rubs = scene.matters().any(|kind| kind.rubs_on_bodies());
        if !scene.body.iter().any(|body| body.free) {
            let allowed = "nothing where no body is free: nothing touches it";
            if let Some(friction) = body.friction.filter(|_| !rubs) {
                c.refuse(&format!("body.{i}.friction"), friction, allowed);
            }
            if let Some(restitution) = body.restitution {
                c.refuse(&format!("body.{i}.restitution"), restitution, allowed);
            }
        }
        if let Some(density) = body.density.filter(|_| !body.free) {
            let finite = !body.holds_matter() && !is_plane && !c.is_planar();
            let allowed = "only in 3D, for a finite body that is not hollow";
            c.require(finite, &format!("body.{i}.density"), density, allowed);
        }
        if let Some(until) = body.until {
            c.require(until > scene.start, &format!("body.{i}.until"), until, "above start");
        }
        for (j, motion) in body.motion.iter().enumerate() {
            motion::check(c, &format!("body.{i}.motion.{j}"), motion);
        }
    }
}

/// What moves with forces, and what only such bodies have.
fn free(c: &mut Checker<'_>, i: usize) {
    let (scene, body) = (c.scene, &c.scene.body[i]);
    let key = |key: &str| format!("body.{i}.{key}");
    c.vector(&key("velocity"), body.velocity);
    if let Some(spin) = body.spin {
        check_turn_axis(c, &key("spin"), spin.axis);
    }
    let moves = body.velocity.get().length_squared() > 0.0;
    if let Some(axle) = body.axle {
        check_turn_axis(c, &key("axle"), axle.axis);
        if moves {
            let message = format!("{} and {} exclude each other", key("velocity"), key("axle"));
            c.report(&key("velocity"), message);
        }
    }
    if !body.free {
        let only = [
            ("mass", body.mass.is_some()),
            ("velocity", moves),
            ("spin", body.spin.is_some()),
            ("axle", body.axle.is_some()),
            ("release", body.release.is_some()),
        ];
        for (name, given) in only {
            if given {
                let message = format!("{} is for bodies with free = true alone", key(name));
                c.report(&key(name), message);
            }
        }
        return;
    }
    if body.holds_matter() || matches!(body.shape, Shape::Plane(_)) {
        let allowed =
            "false for a plane, a container and a hollow body: a free body has a finite volume";
        c.refuse(&key("free"), true, allowed);
    }
    if !body.motion.is_empty() {
        let message = format!("{} and a scripted motion exclude each other", key("free"));
        c.report(&key("free"), message);
    }
    if body.until.is_some() {
        c.report(&key("until"), format!("{} is not for free bodies", key("until")));
    }
    match (body.density, body.mass) {
        (None, None) => {
            let message = format!("{} needs {} or {}", key("free"), key("density"), key("mass"));
            c.report(&key("free"), message);
        }
        (Some(_), Some(_)) => {
            let message = format!("{} and {} exclude each other", key("density"), key("mass"));
            c.report(&key("mass"), message);
        }
        _ => {}
    }
    for kind in scene.matters().filter(|kind| !kind.carries_bodies()) {
        let allowed =
            format!("false in a scene with [{}], which does not push free bodies", kind.key());
        c.refuse(&key("free"), true, allowed);
    }
}

/// Probes.
fn probes(c: &mut Checker<'_>) {
    let scene = c.scene;
    let names: Vec<&str> = scene.probe.iter().map(|probe| probe.name.as_str()).collect();
    c.names("probe", &names);
    for (i, probe) in scene.probe.iter().enumerate() {
        let key = format!("probe.{i}.{}", probe.kind.word());
        let is_force = matches!(probe.kind, ProbeKind::Force(_));
        c.matter_of_field(&format!("probe.{i}.of"), probe.of.as_deref(), !is_force, &key);
        match &probe.kind {
            ProbeKind::Min(field)
            | ProbeKind::Mean(field)
            | ProbeKind::Max(field)
            | ProbeKind::Deviation(field) => {
                if let Some(within) = field.within {
                    c.region(&format!("{key}.within"), within);
                }
            }
            ProbeKind::Count(within) | ProbeKind::Packing(within) => c.region(&key, *within),
            ProbeKind::Flow(rectangle) => {
                opening::rectangle(c, &key, rectangle);
                c.in_domain(&format!("{key}.center"), rectangle.center);
            }
            ProbeKind::Force(force) => {
                if force.component == Axis::Z && c.is_planar() {
                    let allowed = "\"x\" or \"y\" in a plane (space.dimension = 2)";
                    c.refuse(&format!("{key}.component"), "\"z\"", allowed);
                }
                let names: Vec<&str> = scene.body.iter().map(|body| body.name.as_str()).collect();
                c.known(&format!("{key}.body"), &force.body, &names, "the name of a body");
            }
            ProbeKind::Grain(probe) => {
                let names: Vec<&str> =
                    scene.grain.iter().filter_map(|grain| grain.name.as_deref()).collect();
                c.known(&format!("{key}.name"), &probe.name, &names, "the name of a grain");
            }
            ProbeKind::Slope(slope) => {
                let along = slope.along.index();
                let gravity = scene.space.gravity.get();
                let fine = gravity.length() > 0.0 && gravity[along].abs() < 0.1 * gravity.length();
                let allowed = "an axis across space.gravity, which must not be zero";
                let word = format!("\"{}\"", slope.along);
                c.require(fine, &format!("{key}.along"), word, allowed);
                if let (Some(min), Some(max)) = (slope.min, slope.max) {
                    let allowed = format!("above min = {min} m");
                    c.require(max > min, &format!("{key}.max"), max, &allowed);
                }
            }
            ProbeKind::Pressure(point) => c.place(&format!("{key}.at"), point.at),
            ProbeKind::Height(point) => {
                c.column(&format!("{key}.at"), point.at);
                if scene.space.gravity.get().length_squared() <= 0.0 {
                    let problem =
                        format!("{key} is measured along gravity, and space.gravity is zero");
                    c.report(&key, problem);
                }
            }
        }
    }
}
