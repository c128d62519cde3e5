//! A liquid from its table, `liquid`, the fills and the openings.

use super::scale::Scale;
use super::{Matter, fill, openings};
use crate::file::{LoadedScene, SceneError, SceneFile};
use lawine_core::environment::Environment;
use lawine_core::geometry::Aabb;
use lawine_core::kernel::Kernel;
use lawine_core::method::Method;
use lawine_solvers::sph::settings::{self, PressureKind};
use lawine_solvers::sph::{Config, Liquid, LiquidError};

/// The liquid of a scene, whose stiffness is decided here if an equation of state leaves it open.
pub(super) fn liquid(
    loaded: &LoadedScene,
    scene: &mut SceneFile,
    table: &settings::Liquid,
    env: &Environment,
) -> Result<Matter, SceneError> {
    let particles = fill::particles(loaded, env)?.particles;
    let openings = openings::openings(loaded, env, &particles)?;
    let expected = openings::expected(particles.clone(), &openings);
    let scale = Scale::of(scene, env, &expected);
    let mut table = table.clone();
    if table.pressure.method == PressureKind::Eos {
        table.pressure.stiffness.get_or_insert(scale.stiffness(table.rest_density));
    }
    let config = Config::of(&table, scene.time.cfl);
    let bounds = Aabb::from_points(expected.iter().map(|p| p.position)).grow(0.5 * table.spacing);
    scene.liquid = Some(table);
    let mut liquid = Liquid::new(config, env).map_err(|e| liquid_error(loaded, e))?;
    liquid.insert(&particles).map_err(|e| loaded.error("fill", e.to_string()))?;
    liquid.settle(env).map_err(|e| loaded.error("fill", e.to_string()))?;
    super::check_time_step(loaded, &liquid, env)?;
    Ok(Matter {
        boundary: liquid.boundary().len(),
        method: Box::new(liquid),
        openings,
        bounds,
        scale,
        looks: Vec::new(),
        warnings: Vec::new(),
    })
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
