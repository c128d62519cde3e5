//! A liquid from its table, `liquid`, the fills and the openings.

use super::scale::Scale;
use super::{Matter, Site, fill, openings};
use crate::file::{LoadedScene, SceneError, SceneFile};
use lawine_core::geometry::Aabb;
use lawine_core::kernel::Kernel;
use lawine_core::method::Method;
use lawine_core::opening::Openings;
use lawine_solvers::sph::settings::{self, PressureKind};
use lawine_solvers::sph::{Config, Liquid, LiquidError};

/// The liquid of a scene, whose stiffness is decided here if an equation of state leaves it open.
pub(crate) fn liquid(site: &mut Site<'_>) -> Result<Matter, SceneError> {
    let (loaded, env) = (site.loaded, site.env);
    let mut table =
        loaded.scene.liquid.clone().ok_or_else(|| loaded.error("liquid", "is missing"))?;
    let particles = fill::particles(loaded, env, "liquid")?.particles;
    let emitters = openings::emitters(loaded, env, "liquid", &particles)?;
    let expected = openings::expected(particles.clone(), &emitters);
    let scale = Scale::of(env, &expected, table.spacing);
    if table.pressure.method == PressureKind::Eos {
        table.pressure.stiffness.get_or_insert(scale.stiffness(table.rest_density));
    }
    let config = Config::of(&table, site.scene.time.cfl);
    let bounds = Aabb::from_points(expected.iter().map(|p| p.position)).grow(0.5 * table.spacing);
    site.scene.liquid = Some(table);
    let mut liquid = Liquid::new(config, env).map_err(|e| liquid_error(loaded, e))?;
    liquid.insert(&particles).map_err(|e| loaded.error("fill", e.to_string()))?;
    liquid.settle(env).map_err(|e| loaded.error("fill", e.to_string()))?;
    super::check_time_step(loaded, &liquid, env)?;
    let boundary = liquid.boundary().len();
    let openings = Openings { emitters, ..Openings::default() };
    let (method, looks, warnings) = (Box::new(liquid), Vec::new(), Vec::new());
    Ok(Matter { method, openings, boundary, bounds, scale, looks, warnings })
}

/// The kernel of a scene's liquid.
pub(super) fn kernel(scene: &SceneFile, liquid: &settings::Liquid) -> Kernel {
    Kernel::new(liquid.kernel, liquid.support(), scene.space.dimension)
}

fn liquid_error(loaded: &LoadedScene, error: LiquidError) -> SceneError {
    match error {
        LiquidError::Config(e) => loaded.error(&e.key, e.to_string()),
        LiquidError::Search(e) => loaded.error("space.periodic", e.to_string()),
        LiquidError::Boundary(e) => loaded.error("body", e.to_string()),
    }
}
