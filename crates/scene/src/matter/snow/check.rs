//! Snow: materials that exist, and keys that need each other.

use crate::file::Checker;
use lawine_solvers::mpm::Snow as SnowMaterial;
use lawine_solvers::mpm::settings::{
    IntegratorKind, Law, Snow, SnowElasticity, SnowLaw, TransferKind,
};

/// Checks the table `snow`, the materials, and that the fills are made of them.
pub(super) fn check(c: &mut Checker<'_>, snow: &Snow) {
    let scene = c.scene;
    if let (Some(fraction), TransferKind::Apic) = (snow.flip_fraction, snow.transfer) {
        c.refuse("snow.flip_fraction", fraction, "only with snow.transfer = \"flip\"");
    }
    if snow.integrator == IntegratorKind::SemiImplicit && scene.body.iter().any(|body| body.free) {
        let allowed = "\"explicit\" in a scene with free bodies";
        c.refuse("snow.integrator", "\"semi-implicit\"", allowed);
    }
    if snow.material.is_empty() {
        let message =
            "snow.material is missing: a scene with [snow] needs at least one [[snow.material]]";
        c.report("snow.material", message.into());
    }
    let names: Vec<&str> = snow.material.iter().map(|m| m.name.as_str()).collect();
    c.names("snow.material", &names);
    let what = "the name of a material";
    for (i, material) in snow.material.iter().enumerate() {
        if let Law::Snow(law) = &material.law {
            let key = format!("snow.material.{i}.snow");
            snow_law(c, &key, law);
            if let Some(name) = &law.bonds {
                c.known(&format!("{key}.bonds"), name, &names, what);
            }
        }
    }
    for (i, fill) in scene.fill.iter().enumerate() {
        if !scene.is_of(fill, "snow") {
            if let Some(name) = &fill.material {
                let allowed = "only in a fill of snow";
                c.refuse(&format!("fill.{i}.material"), format!("{name:?}"), allowed);
            }
            continue;
        }
        let key = format!("fill.{i}.material");
        match &fill.material {
            Some(name) => c.known(&key, name, &names, what),
            None if names.len() > 1 => {
                c.report(&key, format!("{key} is missing; allowed: {}", names.join(", ")));
            }
            _ => {}
        }
    }
}

fn snow_law(c: &mut Checker<'_>, key: &str, snow: &SnowLaw) {
    let by_density = snow.elasticity() == SnowElasticity::Density;
    let density = format!("{key}.density");
    match (snow.density, snow.class) {
        (Some(value), Some(class)) => {
            let (low, high) = class.densities();
            let allowed = format!("{low} to {high} kg/m³ with class = \"{class}\"");
            c.require((low..=high).contains(&value), &density, value, &allowed);
        }
        (Some(value), None) if by_density => {
            let (low, high) = SnowMaterial::DENSITIES;
            let allowed = format!("{low} to {high} kg/m³ with elasticity = \"density\"");
            c.require((low..=high).contains(&value), &density, value, &allowed);
        }
        (None, None) if by_density => {
            let message = format!("{density} is missing: elasticity = \"density\" requires it");
            c.report(&density, message);
        }
        _ => {}
    }
    if snow.lumps.is_some() != snow.bonds.is_some() {
        let (given, missing) =
            if snow.lumps.is_some() { ("lumps", "bonds") } else { ("bonds", "lumps") };
        c.report(
            &format!("{key}.{missing}"),
            format!("{key}.{missing} is missing: {key}.{given} requires it"),
        );
    }
}
