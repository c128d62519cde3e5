//! A liquid from its tables: `liquid`, `pressure`, `boundary`, the fills and the openings.

use super::scale::Scale;
use super::{Matter, fill, openings};
use crate::file::{
    self, EquationOfState, KernelShape, LoadedScene, NeighborSearch, SceneError, SceneFile,
};
use lawine_core::environment::Environment;
use lawine_core::geometry::Aabb;
use lawine_core::kernel::{Kernel, KernelKind};
use lawine_core::method::Method;
use lawine_core::neighbors::SearchKind;
use lawine_solvers::sph::{
    BoundaryMethod, Config, Equation, Iterations, LinearSolver, Liquid, LiquidError,
    PressureMethod, StateEquation, ViscositySolver, WallPressure,
};

/// The liquid of a scene, whose stiffness is decided here if an equation of state leaves it open.
pub(super) fn liquid(
    loaded: &LoadedScene,
    scene: &mut SceneFile,
    table: &file::Liquid,
    env: &Environment,
) -> Result<Matter, SceneError> {
    let particles = fill::particles(loaded, env)?.particles;
    let openings = openings::openings(loaded, env, &particles)?;
    let expected = openings::expected(particles.clone(), &openings);
    let scale = Scale::of(scene, env, &expected);
    if scene.pressure.method == file::PressureMethod::Eos {
        scene.pressure.stiffness.get_or_insert(scale.stiffness(table.rest_density));
    }
    let mut liquid = Liquid::new(config(scene, table), env).map_err(|e| liquid_error(loaded, e))?;
    liquid.insert(&particles).map_err(|e| loaded.error("fill", e.to_string()))?;
    liquid.settle(env).map_err(|e| loaded.error("fill", e.to_string()))?;
    super::check_time_step(loaded, &liquid, env)?;
    let places = expected.iter().map(|p| p.position);
    let bounds = Aabb::from_points(places).grow(0.5 * table.spacing);
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
pub(super) fn kernel(scene: &SceneFile, liquid: &file::Liquid) -> Kernel {
    let kind = match scene.solver.kernel {
        KernelShape::CubicSpline => KernelKind::CubicSpline,
        KernelShape::WendlandC2 => KernelKind::WendlandC2,
    };
    Kernel::new(kind, liquid.support(), scene.space.dimension)
}

fn config(scene: &SceneFile, liquid: &file::Liquid) -> Config {
    let SceneFile { solver, pressure, boundary, .. } = scene;
    Config {
        spacing: liquid.spacing,
        support: liquid.support(),
        kernel: kernel(scene, liquid).kind(),
        search: match solver.neighbors {
            NeighborSearch::Grid => SearchKind::Grid,
            NeighborSearch::Hash => SearchKind::Hash,
            NeighborSearch::BruteForce => SearchKind::BruteForce,
        },
        rest_density: liquid.rest_density,
        viscosity: liquid.viscosity,
        viscosity_solver: match liquid.viscosity_solver {
            file::ViscositySolver::Explicit => ViscositySolver::Explicit,
            file::ViscositySolver::Implicit => ViscositySolver::Implicit,
        },
        xsph: liquid.xsph,
        surface_tension: liquid.surface_tension,
        wall_viscosity: boundary.viscosity.unwrap_or(liquid.viscosity),
        pressure: pressure_method(pressure),
        wall_pressure: match boundary.pressure {
            file::WallPressure::Mirror => WallPressure::Mirror,
            file::WallPressure::Consistent => WallPressure::Consistent,
        },
        boundary: match boundary.method {
            file::BoundaryMethod::Layers => BoundaryMethod::Layers(boundary.layers as usize),
            file::BoundaryMethod::Volumes => BoundaryMethod::Volumes,
        },
        cfl: solver.cfl,
    }
}

fn pressure_method(pressure: &file::Pressure) -> PressureMethod {
    let iterations = Iterations {
        tolerance: pressure.tolerance,
        min: pressure.min_iterations,
        max: pressure.max_iterations,
        linear_solver: match pressure.linear_solver {
            file::LinearSolver::Jacobi => LinearSolver::Jacobi,
            file::LinearSolver::Accelerated => LinearSolver::Accelerated,
        },
        relaxation: pressure.relaxation,
        target: pressure.target_iterations,
        strict: pressure.unsolved == file::Unsolved::Error,
    };
    match pressure.method {
        file::PressureMethod::Eos => PressureMethod::StateEquation(StateEquation {
            equation: match pressure.equation {
                EquationOfState::Linear => Equation::Linear,
                EquationOfState::Tait => Equation::Tait { exponent: pressure.exponent },
            },
            stiffness: pressure.stiffness.unwrap_or_default(),
            clamp: pressure.clamp,
        }),
        file::PressureMethod::Iisph => PressureMethod::Iisph(iterations),
        file::PressureMethod::Dfsph => PressureMethod::Dfsph(iterations),
    }
}

fn liquid_error(loaded: &LoadedScene, error: LiquidError) -> SceneError {
    match error {
        LiquidError::Config(e) => loaded.error(e.key, e.to_string()),
        LiquidError::Search(e) => loaded.error("space.periodic", e.to_string()),
        LiquidError::Boundary(e) => loaded.error("body", e.to_string()),
    }
}
