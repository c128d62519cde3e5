//! A liquid from its table, `liquid`, the fills and the openings.

use crate::build::{Matter, Site, Sites};
use crate::file::{LoadedScene, SceneError};
use glam::DVec3;
use lawine_core::environment::Environment;
use lawine_core::kernel::Kernel;
use lawine_core::method::Method;
use lawine_solvers::sph::packing::{self, PackError};
use lawine_solvers::sph::settings::{self, PressureKind};
use lawine_solvers::sph::{Config, Liquid, LiquidError};

/// The liquid of a scene, whose stiffness is decided here if an equation of state leaves it open.
pub(super) fn liquid(site: &mut Site<'_>) -> Result<Matter, SceneError> {
    let (loaded, env) = (site.loaded, site.env);
    let cfl = site.scene.time.cfl;
    let particles = site.filled("liquid")?.particles;
    let expected = site.expected("liquid", particles.clone())?;
    let table = site.scene.table_mut::<settings::Liquid>();
    let table = table.ok_or_else(|| loaded.error("liquid", "is missing"))?;
    if table.pressure.method == PressureKind::Eos {
        table.pressure.stiffness.get_or_insert(expected.scale.stiffness(table.rest_density));
    }
    let config = Config::of(table, cfl);
    let mut liquid = Liquid::new(config, env).map_err(|e| liquid_error(loaded, e))?;
    liquid.insert(&particles).map_err(|e| loaded.error("fill", e.to_string()))?;
    liquid.settle(env).map_err(|e| loaded.error("fill", e.to_string()))?;
    let boundary = liquid.boundary().len();
    Ok(Matter { boundary, ..site.matter(Box::new(liquid), expected)? })
}

/// The points of a carved fill, packed next to bodies.
pub(super) fn pack(
    loaded: &LoadedScene,
    env: &Environment,
    sites: &Sites,
    kernel: &Kernel,
    spacing: f64,
) -> Result<Vec<DVec3>, SceneError> {
    let pairs = (0.5 * kernel.support() / spacing).ceil() as u64;
    packing::fit(&sites.with_rim(pairs), |x| sites.contains(x), env, spacing, kernel)
        .map_err(|e| pack_error(loaded, &e))
}

fn pack_error(loaded: &LoadedScene, error: &PackError) -> SceneError {
    let key = match error {
        PackError::Cover(_) => "body",
        PackError::Search(_) => "space.periodic",
    };
    loaded.error(key, error.to_string())
}

fn liquid_error(loaded: &LoadedScene, error: LiquidError) -> SceneError {
    match error {
        LiquidError::Config(e) => loaded.error(&e.key, e.to_string()),
        LiquidError::Search(e) => loaded.error("space.periodic", e.to_string()),
        LiquidError::Boundary(e) => loaded.error("body", e.to_string()),
    }
}
