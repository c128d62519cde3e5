//! Where snow is: meshes, faces on nodes, periods, edges of the domain, short steps, many workgroups.

use crate::common::{Both, CELL, block, compare, dry, floor, gpu, matter, space};
use glam::{DQuat, DVec3};
use lawine_core::body::Body;
use lawine_core::environment::Environment;
use lawine_core::geometry::{Aabb, TriangleMesh};
use lawine_core::method::{Method, StepError};
use lawine_core::space::{Dimension, Leaving, Space};
use lawine_gpu::Snow;
use lawine_solvers::mpm::{Config, SnowKind};

/// A box as a mesh.
fn mesh(low: DVec3, high: DVec3) -> TriangleMesh {
    let corner = |k: usize| {
        let pick = |axis: usize| if k >> axis & 1 == 1 { high[axis] } else { low[axis] };
        DVec3::new(pick(0), pick(1), pick(2))
    };
    let sides =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    TriangleMesh {
        vertices: (0..8).map(corner).collect(),
        triangles: sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
    }
}

/// Distances to a mesh are sampled on the GPU; a flat face and an edge, straight and turned.
#[test]
fn meshes_are_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut env = space(Dimension::Full);
    let new = block(9, Dimension::Full, 1);
    for (low, angle) in [(-0.3, 0.0), (0.031, 0.0), (0.031, 0.3)] {
        let (low, high) = (DVec3::new(low, -0.2, -0.35), DVec3::new(0.4, 0.001, 0.3));
        let table = Body::mesh("table", mesh(low, high)).unwrap();
        env.bodies = vec![table.rotated(DQuat::from_rotation_z(angle))];
        let worst = compare(&gpu, &dry(), &env, &new, 100);
        assert!(worst < 1e-3, "{worst}");
    }
}

/// A box whose edges go through nodes, with snow in its corner: two faces are equally near there, and
/// the first gives the normal on both.
#[test]
fn edges_on_nodes_are_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut env = space(Dimension::Full);
    let (low, high) = (DVec3::splat(-3.0 * CELL), DVec3::splat(7.0 * CELL));
    let open = [[false; 2], [false, true], [false; 2]];
    env.bodies.push(Body::container("box", low, high, open).unwrap());
    let (low, high) = (DVec3::new(2.0, -3.0, -1.0) * CELL, DVec3::new(5.0, 0.0, 1.0) * CELL);
    env.bodies.push(Body::cuboid("step", low, high).unwrap());
    let mut new = block(9, Dimension::Full, 1);
    new.iter_mut().for_each(|p| p.velocity += DVec3::new(-1.0, -2.0, -1.0));
    let worst = compare(&gpu, &dry(), &env, &new, 40);
    assert!(worst < 1e-3, "{worst}");
}

fn domain(low: DVec3, high: DVec3, periodic: [bool; 3], leaving: Leaving) -> Environment {
    let domain = Some(Aabb { min: low, max: high });
    let space = Space { dimension: Dimension::Full, domain, periodic, leaving };
    Environment::new(space, DVec3::new(0.0, -9.81, 0.0))
}

/// Snow flies out at one side and in at the other, with both splines.
#[test]
fn periods_are_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let (low, high) = (DVec3::new(0.0, -1.0, -0.16), DVec3::new(0.16, 1.0, 0.16));
    let mut env = domain(low, high, [true, false, true], Leaving::Error);
    env.bodies.push(Body::plane("floor", DVec3::ZERO, DVec3::Y).unwrap());
    let mut new = block(9, Dimension::Full, 1);
    for p in &mut new {
        p.velocity.x += 8.0;
        p.position = env.space.wrap(p.position + 0.08 * DVec3::X);
    }
    for config in [dry(), Config::thesis(CELL, SnowKind::Dry.material())] {
        let worst = compare(&gpu, &config, &env, &new, 40);
        assert!(worst < 1e-3, "{worst}");
    }
}

#[test]
fn snow_that_leaves_the_domain_is_removed_or_an_error() {
    let Some(gpu) = gpu() else { return };
    let new = block(7, Dimension::Full, 1);
    for leaving in [Leaving::Remove, Leaving::Error] {
        let (low, high) = (DVec3::new(-1.0, -0.01, -1.0), DVec3::ONE);
        let mut env = domain(low, high, [false; 3], leaving);
        let mut snow = Snow::new(&gpu, matter(&dry(), &env, &new), &env).unwrap();
        let (mut removed, mut stopped) = (0, None);
        for _ in 0..400 {
            let dt = snow.dt_limit(&env).dt;
            match snow.step(&mut env, dt) {
                Ok(report) => removed += report.removed,
                Err(error) => {
                    stopped = Some(error);
                    break;
                }
            }
        }
        match leaving {
            Leaving::Remove => {
                assert!(stopped.is_none(), "{stopped:?}");
                assert!(removed > 0 && removed + snow.particle_count() == new.len(), "{removed}");
            }
            Leaving::Error => {
                assert!(matches!(stopped, Some(StepError::LeftDomain { .. })), "{stopped:?}");
            }
        }
    }
}

/// The thesis' single precision could not do this.
#[test]
fn steps_of_a_hundred_thousandth_of_a_second_are_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let both = Both::after(&gpu, &dry(), &floor(), &block(7, Dimension::Full, 1), 300, 1e-5);
    let worst = both.furthest();
    println!("300 steps of 1e-5 s: positions within {worst:.1e} cells");
    assert!(worst < 1e-3, "{worst}");
    assert!((both.cpu.volume() / both.gpu.volume() - 1.0).abs() < 1e-5);
}

/// 65,535 workgroups are the most along an axis; here a row has three.
#[test]
fn rows_of_workgroups_change_nothing() {
    let Some(gpu) = gpu() else { return };
    let new = block(11, Dimension::Full, 1);
    let worst = compare(&gpu.with_rows_of(3), &dry(), &floor(), &new, 8);
    assert!(worst < 1e-3, "{worst}");
}
