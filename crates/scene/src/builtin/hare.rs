//! The hare of the snow scenes, modelled again: `scenes/meshes/hare.ply` is what this makes.
//!
//! A hare that sits, as the smooth union of ellipsoids: an implicit surface (Quilez's bound for
//! ellipsoids, polynomial smooth minimum), meshed by surface nets. It is one metre high, faces
//! along x and sits on y = 0.

use crate::mesh::parse_mesh;
use fast_surface_nets::ndshape::{RuntimeShape, Shape};
use fast_surface_nets::{SurfaceNetsBuffer, surface_nets};
use glam::{DQuat, DVec3, EulerRot, Vec3};
use lawine_core::geometry::TriangleMesh;

/// Edge of a cell of the net [m].
const CELL: f64 = 1.0 / 72.0;

/// An ellipsoid with its own blend radius.
struct Part {
    center: DVec3,
    half_axes: DVec3,
    /// Rotation about z, then about y [°].
    tilt: [f64; 2],
    /// Over how much length it melts into the rest [m].
    blend: f64,
}

impl Part {
    /// A lower bound of the distance, exact on the surface.
    fn distance(&self, x: DVec3) -> f64 {
        let [z, y] = self.tilt.map(f64::to_radians);
        let turn = DQuat::from_euler(EulerRot::YXZ, y, 0.0, z);
        let p = turn.inverse() * (x - self.center);
        let k0 = (p / self.half_axes).length();
        let k1 = (p / (self.half_axes * self.half_axes)).length();
        if k1 > 0.0 { k0 * (k0 - 1.0) / k1 } else { -self.half_axes.min_element() }
    }
}

/// Both sides of the body get the part if it does not lie in the middle.
fn parts() -> Vec<Part> {
    let mut parts = Vec::new();
    let mut add = |center: [f64; 3], half_axes: [f64; 3], tilt: [f64; 2], blend: f64| {
        let sides: &[f64] = if center[2] == 0.0 { &[1.0] } else { &[1.0, -1.0] };
        for side in sides {
            let center = DVec3::new(center[0], center[1], side * center[2]);
            let tilt = [tilt[0], side * tilt[1]];
            parts.push(Part { center, half_axes: half_axes.into(), tilt, blend });
        }
    };
    // Trunk: rump, back, chest, neck.
    add([-0.17, 0.21, 0.0], [0.23, 0.20, 0.175], [12.0, 0.0], 0.0);
    add([0.01, 0.28, 0.0], [0.23, 0.165, 0.145], [35.0, 0.0], 0.06);
    add([0.13, 0.30, 0.0], [0.12, 0.17, 0.115], [-8.0, 0.0], 0.06);
    add([0.18, 0.45, 0.0], [0.075, 0.13, 0.075], [-18.0, 0.0], 0.05);
    // Head: skull, snout, cheeks, nose.
    add([0.235, 0.565, 0.0], [0.115, 0.09, 0.08], [-12.0, 0.0], 0.035);
    add([0.325, 0.535, 0.0], [0.075, 0.055, 0.05], [-15.0, 0.0], 0.03);
    add([0.285, 0.53, 0.04], [0.055, 0.045, 0.035], [0.0, 0.0], 0.025);
    add([0.395, 0.535, 0.0], [0.016, 0.014, 0.018], [0.0, 0.0], 0.012);
    // Ears, long and a little apart.
    add([0.145, 0.79, 0.055], [0.037, 0.19, 0.028], [14.0, 0.0], 0.025);
    // Haunches and hind feet.
    add([-0.16, 0.17, 0.135], [0.155, 0.155, 0.075], [0.0, 0.0], 0.03);
    add([-0.03, 0.035, 0.15], [0.15, 0.036, 0.045], [0.0, -6.0], 0.025);
    // Fore legs and paws.
    add([0.165, 0.15, 0.075], [0.047, 0.15, 0.042], [4.0, 0.0], 0.035);
    add([0.205, 0.032, 0.078], [0.075, 0.033, 0.037], [0.0, 0.0], 0.02);
    // Tail.
    add([-0.39, 0.20, 0.0], [0.065, 0.06, 0.055], [0.0, 0.0], 0.02);
    parts
}

/// Smooth union of all parts, cut by the ground.
fn distance(parts: &[Part], x: DVec3) -> f64 {
    let join = |sum: f64, part: &Part| {
        let d = part.distance(x);
        let h = (part.blend - (sum - d).abs()).max(0.0);
        let melt = if part.blend > 0.0 { h * h / (4.0 * part.blend) } else { 0.0 };
        sum.min(d) - melt
    };
    parts.iter().fold(f64::INFINITY, join).max(-x.y)
}

/// The mesh, one metre high.
fn model() -> TriangleMesh {
    let parts = parts();
    let (low, high) = (DVec3::new(-0.52, -0.06, -0.3), DVec3::new(0.48, 1.06, 0.3));
    let size = ((high - low) / CELL).ceil().to_array().map(|n| n as u32);
    let shape = RuntimeShape::<u32, 3>::new(size);
    let place = |index: [u32; 3]| low + CELL * DVec3::from_array(index.map(f64::from));
    let samples: Vec<f32> =
        (0..shape.size()).map(|i| distance(&parts, place(shape.delinearize(i))) as f32).collect();
    let mut net = SurfaceNetsBuffer::default();
    surface_nets(&samples, &shape, [0; 3], size.map(|n| n - 1), &mut net);
    let corner = |p: &[f32; 3]| low + CELL * Vec3::from(*p).as_dvec3();
    let vertices = net.positions.iter().map(corner).collect();
    let mut mesh = TriangleMesh { vertices, triangles: net.indices.as_chunks().0.to_vec() };
    if mesh.volume() < 0.0 {
        mesh = mesh.flipped();
    }
    let bounds = mesh.bounds();
    let scale = 1.0 / (bounds.max.y - bounds.min.y);
    for vertex in &mut mesh.vertices {
        *vertex = scale * (*vertex - DVec3::Y * bounds.min.y);
    }
    mesh
}

#[test]
fn the_hare_is_its_model() {
    let (made, model) = (parse_mesh("ply", super::mesh("hare").unwrap()).unwrap(), model());
    model.check_closed().unwrap();
    assert_eq!(made.triangles, model.triangles);
    for (a, b) in made.vertices.iter().zip(&model.vertices) {
        assert!(a.distance(*b) < 1e-6, "{a} and {b}");
    }
}
