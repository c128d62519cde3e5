//! Consistency: what relates several keys of a scene, or needs its geometry. Kinds and ranges of single
//! values are checked by their descriptions, when they are read.

mod checker;
mod contact;
mod counts;
mod grains;
mod measure;
mod motion;
mod numbers;
mod opening;
mod shape;
mod snow;
mod view;

use super::error::SceneError;
use super::flow::{Flow, LinearFlow};
use super::locations::Locations;
use super::probe::ProbeKind;
use super::reference::MAGNITUDES;
use super::schema::SceneFile;
use super::shape::Shape;
use super::words::{Axis, Lattice};
use checker::Checker;
pub use counts::{Counts, MAX_BOUNDARY, MAX_PARTICLES};
use lawine_settings::problems;
use lawine_solvers::sph::ViscositySolver;
use lawine_solvers::sph::settings::Liquid;
pub use numbers::farthest;

/// The largest number of frames of a run.
const MAX_FRAMES: f64 = 1e6;

/// The largest support in a plane and in space, in spacings: 113 and 268 neighbours.
const MAX_SUPPORT: [f64; 2] = [6.0, 4.0];

/// Checks a scene that was made in code, and reports every problem found.
///
/// # Errors
/// Everything that is wrong with its single values, or else with what they say together.
pub fn check(scene: &SceneFile, locations: &Locations) -> Result<(), SceneError> {
    let problems = problems(scene, MAGNITUDES);
    if !problems.is_empty() {
        return Err(locations.error(problems));
    }
    check_relations(scene, locations)
}

/// Checks what the values of a scene say together; each is in its own range.
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
    match (&scene.liquid, &scene.grains, &scene.snow) {
        (Some(liquid), None, None) => check_liquid(c, liquid),
        (None, Some(_), None) => grains::check(c),
        (None, None, Some(snow)) => snow::check(c, snow),
        (None, None, None) => {
            let message =
                "liquid is missing: a scene needs matter, in [liquid], [grains] or [snow]";
            c.report("liquid", message.into());
        }
        (liquid, _, snow) => {
            let second = if snow.is_some() { "snow" } else { "grains" };
            let first = if liquid.is_some() { "liquid" } else { "grains" };
            let mut message = format!(
                "{second} is not allowed here: a scene has one kind of matter, and this one has a \
                 [{first}]"
            );
            if snow.is_some() && liquid.is_some() {
                message += "; a liquid beside snow is a [[snow.material]]";
            }
            c.report(second, message);
        }
    }
    if scene.grains.is_none() {
        let given = [
            ("grain", !scene.grain.is_empty()),
            ("block", !scene.block.is_empty()),
            ("pour", !scene.pour.is_empty()),
        ];
        for (key, given) in given {
            if given {
                let message =
                    format!("{key} is not allowed here; it belongs to scenes with [grains]");
                c.report(key, message);
            }
        }
    }
    if scene.snow.is_none() {
        for (i, fill) in scene.fill.iter().enumerate() {
            if let Some(name) = &fill.material {
                let allowed = "nothing in scenes without [snow]";
                c.refuse(&format!("fill.{i}.material"), format!("{name:?}"), allowed);
            }
        }
    }
}

/// The liquid, its pressure and its walls.
fn check_liquid(c: &mut Checker<'_>, liquid: &Liquid) {
    let most = MAX_SUPPORT[usize::from(!c.is_planar())];
    let relative = liquid.relative_support.unwrap_or(2.0);
    if relative <= most {
        let (support, spacing) = (liquid.support(), liquid.spacing);
        let allowed = format!("above liquid.spacing = {spacing} m and at most {most} times it");
        let fine = support > spacing && support <= most * spacing * (1.0 + 1e-12);
        c.require(fine, "liquid.support", support, &allowed);
    } else {
        c.refuse("liquid.relative_support", relative, format!("above 1 and at most {most}"));
    }
    if liquid.viscosity_solver == ViscositySolver::Implicit && liquid.viscosity <= 0.0 {
        let allowed = "above 0 m²/s with liquid.viscosity_solver = \"implicit\"";
        c.refuse("liquid.viscosity", liquid.viscosity, allowed);
    }
    let pressure = &liquid.pressure;
    let (fewest, most) = (pressure.min_iterations, pressure.max_iterations);
    let allowed = format!("1 to liquid.pressure.max_iterations = {most}");
    c.require(fewest <= most, "liquid.pressure.min_iterations", fewest, &allowed);
    if let Some(target) = pressure.target_iterations {
        let allowed = format!("liquid.pressure.min_iterations = {fewest} or more");
        c.require(target >= fewest, "liquid.pressure.target_iterations", target, &allowed);
    }
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
            let least = 3.0 * c.scene.smoothing();
            if c.scene.grains.is_none() && length < least {
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

/// The liquid at the start.
fn fills(c: &mut Checker<'_>) {
    let scene = c.scene;
    if scene.grains.is_none() && scene.fill.is_empty() && scene.emitter.is_empty() {
        let message = "fill is missing: a scene needs liquid, in at least one [[fill]], or an \
                       [[emitter]]";
        c.report("fill", message.into());
    }
    let domain = c.domain();
    for (i, fill) in scene.fill.iter().enumerate() {
        let key = format!("fill.{i}.shape");
        c.vector(&format!("fill.{i}.velocity"), fill.velocity);
        if let Some(flow) = &fill.flow {
            check_flow(c, &format!("fill.{i}.flow.{}", flow.word()), flow);
        }
        if fill.lattice == Lattice::Hexagonal && !c.is_planar() {
            let allowed = "\"square\" in space (space.dimension = 3)";
            c.refuse(&format!("fill.{i}.lattice"), "\"hexagonal\"", allowed);
        }
        let Some(bounds) = shape::check(c, &key, &fill.shape.clone().into(), &fill.placement())
        else {
            continue;
        };
        let key = format!("{key}.{}", fill.shape.word());
        if domain.is_some_and(|domain| !domain.contains(bounds)) {
            c.report(&key, format!("{key} reaches out of space.domain; allowed: inside it"));
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
            c.refuse(&format!("body.{i}.hollow"), true, "false for a plane: turn its normal round");
        }
        shape::check(c, &key, &body.shape, &body.placement());
        if let Some(density) = body.density {
            let finite = !body.holds_matter() && !is_plane && !c.is_planar();
            let allowed = "nothing but in space, for a body that is neither hollow nor without end";
            c.require(finite, &format!("body.{i}.density"), density, allowed);
        }
        if let Some(until) = body.until {
            let allowed = "above start, and only in scenes with [grains]";
            let fine = scene.grains.is_some() && until > scene.start;
            c.require(fine, &format!("body.{i}.until"), until, allowed);
        }
        if let (Some(name), None) = (&body.material, &scene.grains) {
            let allowed = "nothing in scenes without [grains]";
            c.refuse(&format!("body.{i}.material"), format!("{name:?}"), allowed);
        }
        for (j, motion) in body.motion.iter().enumerate() {
            motion::check(c, &format!("body.{i}.motion.{j}"), motion);
        }
    }
}

/// Probes.
fn probes(c: &mut Checker<'_>) {
    let scene = c.scene;
    let names: Vec<&str> = scene.probe.iter().map(|probe| probe.name.as_str()).collect();
    c.names("probe", &names);
    for (i, probe) in scene.probe.iter().enumerate() {
        let key = format!("probe.{i}.{}", probe.kind.word());
        match &probe.kind {
            ProbeKind::Min(field)
            | ProbeKind::Mean(field)
            | ProbeKind::Max(field)
            | ProbeKind::Deviation(field) => {
                if let Some(within) = field.within {
                    c.region(&format!("{key}.within"), within);
                }
            }
            ProbeKind::Count(within) => c.region(&key, *within),
            ProbeKind::Packing(within) => {
                c.region(&key, *within);
                if scene.grains.is_none() {
                    c.report(&key, format!("{key} is not allowed here; only grains fill a box"));
                }
            }
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
