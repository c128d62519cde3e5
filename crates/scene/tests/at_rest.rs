//! Liquid at rest with the settings that scenes have by themselves: every pressure method and both
//! kinds of walls show the right pressure and a calm surface.
#![allow(clippy::print_stdout, reason = "the measured numbers are worth reading")]

use lawine_core::FieldValues;
use lawine_core::fit::Line;
use lawine_core::simulation::Simulation;
use lawine_scene::build::build;
use lawine_scene::file::{Source, load};

#[test]
fn resting_liquid_has_the_right_pressure() {
    let mut wrong = Vec::new();
    for method in ["eos", "iisph", "dfsph"] {
        for boundary in ["layers", "volumes"] {
            let set = [
                format!("liquid.pressure.method={method}"),
                format!("liquid.walls.method={boundary}"),
            ];
            let loaded = load(&Source::BuiltIn("resting".into()), &set).unwrap();
            let built = build(&loaded).unwrap();
            let (d, mut run) = (built.scene.finest_spacing(), built.simulation);
            let mut energies = Vec::new();
            for k in 1..=4 {
                run.advance_to(0.5 * f64::from(k), &mut []).unwrap();
                let energy = run.methods[0].energy(&run.env);
                energies.push(energy.kinetic / energy.potential);
            }
            // Pressures differ from step to step by what the tolerance allows: take many.
            let mut points = Vec::new();
            for k in 1..=50 {
                run.advance_to(2.0 + 0.01 * f64::from(k), &mut []).unwrap();
                points.extend(heights_and_pressures(&run, 0.4 - 2.0 * d));
            }
            let slope = Line::through(&points).slope / (-1000.0 * 9.81);
            let last = energies[3];
            println!("{method}, {boundary}: slope {slope:.4} of ρg, kinetic energy {last:.0e}");
            if (slope - 1.0).abs() >= 0.01 || last >= 2e-4 {
                wrong.push(format!("{method}, {boundary}: {slope}, {energies:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Heights and pressures of the particles below `top` [m].
fn heights_and_pressures(run: &Simulation, top: f64) -> Vec<(f64, f64)> {
    let fields = run.methods[0].fields();
    let values = |name: &str| fields.iter().find(|f| f.name == name).unwrap().values;
    let (FieldValues::Vec3(x), FieldValues::F32(p)) = (values("position"), values("pressure"))
    else {
        panic!("positions are vectors, pressures numbers");
    };
    x.iter().zip(p).map(|(x, &p)| (x.y, f64::from(p))).filter(|(y, _)| *y < top).collect()
}
