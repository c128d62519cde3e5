//! The numbers of a liquid: its properties, pressure and boundary.

use super::super::schema::Liquid;
use super::super::words::ViscositySolver;
use super::checker::Checker;

/// The largest support in a plane and in space, in spacings: 113 and 268 neighbours.
const MAX_SUPPORT: [f64; 2] = [6.0, 4.0];

/// The largest exponent of the Tait equation; water has 7.
const MAX_EXPONENT: f64 = 100.0;

/// Checks the tables `liquid`, `pressure` and `boundary`.
pub(super) fn check(c: &mut Checker<'_>, liquid: &Liquid) {
    let scene = c.scene;
    c.positive("liquid.spacing", liquid.spacing, "m");
    let most = MAX_SUPPORT[usize::from(!c.is_planar())];
    let relative = liquid.relative_support.unwrap_or(2.0);
    if relative > 1.0 && relative <= most {
        let (support, spacing) = (liquid.support(), liquid.spacing);
        let allowed = format!("above liquid.spacing = {spacing} m and at most {most} times it");
        let fine = support > spacing && support <= most * spacing * (1.0 + 1e-12);
        c.require(fine, "liquid.support", support, &allowed);
    } else {
        c.refuse("liquid.relative_support", relative, format!("above 1 and at most {most}"));
    }
    c.positive("liquid.rest_density", liquid.rest_density, "kg/m³");
    c.require(liquid.viscosity >= 0.0, "liquid.viscosity", liquid.viscosity, "0 m²/s or more");
    if liquid.viscosity_solver == ViscositySolver::Implicit && liquid.viscosity <= 0.0 {
        let allowed = "above 0 m²/s with liquid.viscosity_solver = \"implicit\"";
        c.refuse("liquid.viscosity", liquid.viscosity, allowed);
    }
    c.require((0.0..=1.0).contains(&liquid.xsph), "liquid.xsph", liquid.xsph, "0 to 1");
    let tension = liquid.surface_tension;
    c.require(tension >= 0.0, "liquid.surface_tension", tension, "0 N/m or more");
    if let Some(viscosity) = scene.boundary.viscosity {
        c.require(viscosity >= 0.0, "boundary.viscosity", viscosity, "0 m²/s or more");
    }

    if let Some(stiffness) = scene.pressure.stiffness {
        c.positive("pressure.stiffness", stiffness, "Pa");
    }
    let exponent = scene.pressure.exponent;
    let allowed = format!("1 to {MAX_EXPONENT}");
    let fine = (1.0..=MAX_EXPONENT).contains(&exponent);
    c.require(fine, "pressure.exponent", exponent, &allowed);
    let pressure = &scene.pressure;
    let (tolerance, relaxation) = (pressure.tolerance, pressure.relaxation);
    let fine = tolerance > 0.0 && tolerance < 1.0;
    c.require(fine, "pressure.tolerance", tolerance, "above 0 and below 1");
    let fine = relaxation > 0.0 && relaxation <= 1.0;
    c.require(fine, "pressure.relaxation", relaxation, "above 0 and at most 1");
    let (fewest, most) = (pressure.min_iterations, pressure.max_iterations);
    c.require(most > 0, "pressure.max_iterations", most, "1 or more");
    let allowed = format!("1 to pressure.max_iterations = {most}");
    let fine = most == 0 || (1..=most).contains(&fewest);
    c.require(fine, "pressure.min_iterations", fewest, &allowed);
    if let Some(target) = pressure.target_iterations {
        let allowed = format!("pressure.min_iterations = {fewest} or more");
        c.require(target >= fewest, "pressure.target_iterations", target, &allowed);
    }
    let layers = scene.boundary.layers;
    c.require((1..=5).contains(&layers), "boundary.layers", layers, "1 to 5");
    if let Some(max) = liquid.max_particles {
        c.require(max > 0, "liquid.max_particles", max, "1 or more");
    }
}
