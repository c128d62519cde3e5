//! Marching cubes around particles, by `splashsurf_lib`; its types stay in this file.

use super::{MatterSurface, normals};
use glam::DVec3;
use lawine_scene::file::Surface;
use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::sph_interpolation::SphInterpolator;
use splashsurf_lib::{Parameters, SurfaceReconstruction, reconstruct_surface};

/// The two halves of a round of smoothing: towards the mean of the neighbours, and a little further
/// back, so that nothing shrinks (Taubin 1995).
const ROUND: [f64; 2] = [0.5, -0.53];

/// The surface around particles at `x` with velocities `v` and `values`, which are carried over to its corners.
pub(super) fn around(
    x: &[DVec3],
    v: &[DVec3],
    values: &[f64],
    settings: &Surface,
    spacing: f64,
) -> Result<MatterSurface, String> {
    let points: Vec<Vector3<f64>> = x.iter().map(|p| Vector3::new(p.x, p.y, p.z)).collect();
    let support = settings.support * spacing;
    let mut parameters = Parameters::new(0.5 * spacing, support, settings.cell * spacing);
    parameters.iso_surface_threshold = settings.threshold;
    // Threads would add up densities in any order: the same particles have the same surface.
    parameters.enable_multi_threading = false;
    let made: SurfaceReconstruction<i64, f64> = reconstruct_surface(&points, &parameters)
        .map_err(|e| format!("the surface cannot be made: {e}"))?;
    let densities = made.particle_densities.unwrap_or_default();
    let mass = parameters.rest_density * spacing.powi(3);
    let interpolator = SphInterpolator::new(&points, &densities, mass, support);
    let values = interpolator.interpolate_scalar_quantity(values, &made.mesh.vertices, true);
    let moving: Vec<Vector3<f64>> = v.iter().map(|v| Vector3::new(v.x, v.y, v.z)).collect();
    let velocities = if v.is_empty() {
        Vec::new()
    } else {
        interpolator.interpolate_vector_quantity(&moving, &made.mesh.vertices, true)
    };
    let velocities = velocities.iter().map(|v| DVec3::new(v.x, v.y, v.z)).collect();
    let mut vertices: Vec<DVec3> =
        made.mesh.vertices.iter().map(|v| DVec3::new(v.x, v.y, v.z)).collect();
    let triangles: Vec<[u32; 3]> =
        made.mesh.triangles.iter().map(|t| t.map(|k| k as u32)).collect();
    for _ in 0..settings.smoothing {
        ROUND.iter().for_each(|&fraction| move_to_neighbors(&mut vertices, &triangles, fraction));
    }
    let normals = normals(&vertices, &triangles);
    Ok(MatterSurface { matter: "", vertices, normals, values, velocities, triangles })
}

/// Moves each corner by a fraction of the distance to the mean of its neighbours.
fn move_to_neighbors(vertices: &mut [DVec3], triangles: &[[u32; 3]], fraction: f64) {
    let mut sums = vec![(DVec3::ZERO, 0.0); vertices.len()];
    // In a closed mesh each edge is seen once in each direction.
    for t in triangles {
        for k in 0..3 {
            let (from, to) = (t[k] as usize, t[(k + 1) % 3] as usize);
            sums[from].0 += vertices[to];
            sums[from].1 += 1.0;
        }
    }
    for (v, (sum, count)) in vertices.iter_mut().zip(sums) {
        if count > 0.0 {
            *v += fraction * (sum / count - *v);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_core::geometry::TriangleMesh;

    /// Particles that fill a ball.
    fn ball(radius: f64, spacing: f64) -> Vec<DVec3> {
        let n = (radius / spacing).ceil() as i32;
        let steps = || -n..=n;
        let points = steps().flat_map(|i| {
            steps().flat_map(move |j| steps().map(move |k| DVec3::from([i, j, k].map(f64::from))))
        });
        points.map(|p| p * spacing).filter(|p| p.length() < radius).collect()
    }

    #[test]
    fn a_ball_of_particles_has_a_round_closed_surface_with_its_values() {
        let (radius, spacing) = (0.5, 0.05);
        let x = ball(radius, spacing);
        let values: Vec<f64> = x.iter().map(|p| 3.0 + p.y).collect();
        let surface = around(&x, &[], &values, &Surface::default(), spacing).unwrap();
        let mesh = TriangleMesh {
            vertices: surface.vertices.clone(),
            triangles: surface.triangles.clone(),
        };
        mesh.check_closed().unwrap();
        let volume = x.len() as f64 * spacing.powi(3);
        assert!((mesh.volume() / volume - 1.0).abs() < 0.15, "{} of {volume}", mesh.volume());
        for ((v, n), value) in surface.vertices.iter().zip(&surface.normals).zip(&surface.values) {
            assert!((v.length() / radius - 1.0).abs() < 0.1, "{v}");
            // The ball has the steps of its lattice.
            assert!(n.dot(v.normalize()) > 0.8, "{n} at {v}");
            assert!((value - 3.0 - v.y).abs() < spacing, "{value} at {v}");
        }
    }

    #[test]
    fn the_same_particles_have_the_same_surface() {
        let x = ball(0.3, 0.05);
        let values = vec![1.0; x.len()];
        let make = || around(&x, &[], &values, &Surface::default(), 0.05).unwrap();
        assert!(make() == make());
    }
}
