//! The numbers of a liquid: its properties, pressure and boundary.

use super::super::schema::Liquid;
use super::super::words::ViscositySolver;
use super::checker::Checker;

/// Checks the tables `liquid`, `pressure` and `boundary`.
pub(super) fn check(c: &mut Checker<'_>, liquid: &Liquid) {
    let scene = c.scene;
    c.positive("liquid.spacing", liquid.spacing, "m");
    if let Some(relative) = liquid.relative_support {
        c.require(relative > 1.0, "liquid.relative_support", relative, "above 1");
    }
    let allowed = format!("above liquid.spacing = {} m", liquid.spacing);
    c.require(liquid.support() > liquid.spacing, "liquid.support", liquid.support(), &allowed);
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
    c.require(exponent >= 1.0, "pressure.exponent", exponent, "1 or more");
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
