//! Bodies that float, sink and are swept away: rows 38 to 44.

use super::common::{Measured, holds, reference, run, run_file};
use lawine_core::fit::Line;

/// The distance of a column from the reference: the root of its mean square over the times of the reference.
fn deviation(case: &str, file: &str, measured: &Measured, column: &str) -> f64 {
    let points = reference(case, file, column);
    let mut sum = 0.0;
    for &(time, expected) in &points {
        let found = measured.at(column, time);
        println!("{case}, t = {time} s: {column} {found:.4}, measured {expected:.4}");
        sum += (found - expected).powi(2);
    }
    (sum / points.len() as f64).sqrt()
}

/// Extremes of a column in turn, a maximum first, with their times: each is the largest or smallest value until the
/// column has come back from it by `least`.
fn extremes(measured: &Measured, column: &str, least: f64) -> Vec<(f64, f64)> {
    let mut found = Vec::new();
    let mut sign = 1.0;
    let mut best = (0.0, f64::NEG_INFINITY);
    for (t, _, x) in measured.column(column) {
        if sign * x > best.1 {
            best = (t, sign * x);
        } else if sign * x < best.1 - least {
            found.push((best.0, sign * best.1));
            sign = -sign;
            best = (t, sign * x);
        }
    }
    found
}

/// Row 39: the first maximum, the period and where the block comes to rest.
fn rising_block(name: &str, measured: &Measured, rest: f64) {
    let column = "block.position.y";
    deviation("rising-block", "reference.csv", measured, column);
    let found = extremes(measured, column, 0.002);
    println!("{name}: extremes {found:.4?}");
    let ((top, first), (bottom, _)) = (found[0], found[1]);
    let mut all = holds(&format!("{name}, first maximum [mm]"), 1e3 * first, 51.2, 2.0);
    let period = 2.0 * (bottom - top);
    all &= holds(&format!("{name}, period [s]"), period, 0.365, 0.05 * 0.365);
    if measured.end() > 2.0 {
        let mean = measured.mean(column, 1.5..2.5);
        all &= holds(&format!("{name}, rest [mm]"), 1e3 * mean, rest, 1.0);
    }
    assert!(all, "{name}: see above");
}

#[test]
#[ignore = "minutes"]
fn a_block_rises_from_the_floor() {
    rising_block("rising block", &run("rising-block", &[]), 43.2);
}

#[test]
#[ignore = "minutes"]
fn a_block_rises_from_the_floor_in_space() {
    let measured = run_file("rising-block", "space.toml", &[]);
    rising_block("rising block in space", &measured, 44.2);
}

/// Row 40.
#[test]
#[ignore = "minutes"]
fn a_cube_sinks() {
    let measured = run("sinking-cube", &[]);
    let rms = deviation("sinking-cube", "reference.csv", &measured, "cube.position.y");
    assert!(holds("sinking cube, RMS [mm]", 1e3 * rms, 0.0, 5.0));
}

/// RMS of a dam break onto cubes, in mm: along the tank, and of the height of the top cube if it has one.
fn dam_onto_cubes(name: &str, file: &str, x: &str, column: &str, height: Option<&str>) {
    let case = "dam-cube";
    let measured = run_file(case, file, &[]);
    let along = deviation(case, x, &measured, &format!("{column}.position.x"));
    let mut all = holds(&format!("{name}, RMS along the tank [mm]"), 1e3 * along, 0.0, 60.0);
    if let Some(height) = height {
        let rms = deviation(case, height, &measured, &format!("{column}.position.y"));
        all &= holds(&format!("{name}, RMS of the height [mm]"), 1e3 * rms, 0.0, 30.0);
    }
    assert!(all, "{name}: see above");
}

/// Row 41.
#[test]
#[ignore = "minutes"]
fn a_dam_breaks_onto_a_cube() {
    dam_onto_cubes("dam onto a cube", "scene.toml", "reference.csv", "cube", None);
}

/// Row 42.
#[test]
#[ignore = "minutes"]
fn a_dam_breaks_onto_three_cubes() {
    let (x, height) = ("reference_three_x.csv", Some("reference_three.csv"));
    dam_onto_cubes("dam onto three cubes", "three.toml", x, "top", height);
}

/// Row 43.
#[test]
#[ignore = "minutes"]
fn a_dam_breaks_onto_six_cubes() {
    let (x, height) = ("reference_six_x.csv", Some("reference_six.csv"));
    dam_onto_cubes("dam onto six cubes", "six.toml", x, "top", height);
}

/// Row 38: the period, and the extremes over the drop.
#[test]
#[ignore = "minutes"]
fn a_sphere_heaves() {
    let measured = run("heaving-sphere", &[]);
    let (rest, drop) = (15.051, 1.0);
    let found = extremes(&measured, "sphere.position.y", 0.05 * drop);
    println!("extremes {found:.3?}");
    // The first maximum is where it is held.
    let (first, third) = (found[1].0, found[3].0);
    let period = (third - first) * (9.81_f64 / 5.0).sqrt();
    let mut all = holds("heaving sphere, period over √(R/g)", period, 6.156, 0.03 * 6.156);
    for (k, expected) in [-0.870, 0.643, -0.477, 0.352].into_iter().enumerate() {
        let value = (found[k + 1].1 - rest) / drop;
        all &= holds(
            &format!("heaving sphere, extreme {} over the drop", k + 1),
            value,
            expected,
            0.05,
        );
    }
    assert!(all, "see above");
}

/// Row 44: the slope of the force over time from the middle of the run on, and the largest pressure.
#[test]
#[ignore = "minutes"]
fn a_wedge_enters_water() {
    let measured = run("wedge-entry", &[]);
    let force = measured.column("wedge.force.y").filter(|(t, _, _)| *t > 0.03);
    let points: Vec<(f64, f64)> = force.map(|(t, _, f)| (t, f / 1000.0)).collect();
    let slope = Line::through(&points).slope;
    let mut all = holds("wedge, F/(ρV³t)", slope, 14.14, 0.1 * 14.14);
    let pressure = measured.mean("pressure", 0.03..0.06) / 500.0;
    all &= holds("wedge, largest pressure over ρV²/2", pressure, 6.93, 0.1 * 6.93);
    assert!(all, "see above");
}
