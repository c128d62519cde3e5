//! Rigid bodies and materials as rows of numbers, see `bodies.wgsl` and `material.wgsl`.

use glam::{DMat3, DQuat, DVec3, IVec3, UVec3};
use lawine_core::body::{Body, Capsule, Frustum, Shape};
use lawine_core::environment::Environment;
use lawine_solvers::mpm::{BodyContact, Config, Elastic, Laws, Material};
use rayon::prelude::*;

/// Four numbers.
pub(crate) type Row = [f32; 4];

/// Samples of the signed distance of one mesh, at most.
const MOST_SAMPLES: f64 = 4e6;

/// Rows of the materials.
pub(crate) fn material_rows(materials: &[Material]) -> Vec<Row> {
    let bits = f32::from_bits;
    let lame = |elastic: &Elastic| {
        let (mu, lambda) = elastic.lame();
        [mu as f32, lambda as f32]
    };
    materials
        .iter()
        .flat_map(|material| match material.law {
            Laws::Snow(snow) => {
                let [mu, lambda] = lame(&snow.elastic);
                let most = snow.hardening_limit.ln() as f32;
                let [xi, low] = [snow.hardening as f32, snow.critical_compression as f32];
                [[bits(0), mu, lambda, 0.0], [xi, low, snow.critical_stretch as f32, most]]
            }
            Laws::Elastic(elastic) => {
                let [mu, lambda] = lame(&elastic);
                [[bits(1), mu, lambda, 0.0], [0.0; 4]]
            }
            Laws::Sand(sand) => {
                let [mu, lambda] = lame(&sand.elastic);
                // Klár 2016: α = √(2/3) · 2 sin φ / (3 − sin φ), times (3λ + 2μ) / 2μ of eq. 27.
                let sin = sand.friction_angle.sin() as f32;
                let slope = (2.0_f32 / 3.0).sqrt() * 2.0 * sin / (3.0 - sin);
                let cone = (3.0 * lambda + 2.0 * mu) / (2.0 * mu) * slope;
                [[bits(2), mu, lambda, 0.0], [cone, 0.0, 0.0, 0.0]]
            }
            Laws::Liquid(liquid) => [[bits(3), 0.0, 0.0, liquid.bulk_modulus as f32], [0.0; 4]],
        })
        .collect()
}

/// The parts of shapes that never change: planes of polyhedra, samples of meshes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solids {
    pub(crate) rows: Vec<Row>,
    parts: Vec<Part>,
}

/// The part of one body.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// First row and number of rows.
    range: [u32; 2],
    /// From the body's axes to those of its samples.
    turn: DQuat,
}

impl Solids {
    pub(crate) fn new(bodies: &[Body], cell: f64, origin: DVec3) -> Self {
        let mut solids = Self::default();
        for body in bodies {
            let first = solids.rows.len() as u32;
            let mut turn = DQuat::IDENTITY;
            match &body.shape {
                Shape::Polyhedron(polyhedron) => {
                    let row = |plane: &lawine_core::geometry::HalfSpace| {
                        plane.normal.as_vec3().extend(plane.offset as f32).to_array()
                    };
                    solids.rows.extend(polyhedron.planes().iter().map(row));
                }
                Shape::Mesh(_) => {
                    turn = body.pose.rotation;
                    solids.sample(body, cell, origin);
                }
                _ => {}
            }
            let range = [first, solids.rows.len() as u32 - first];
            solids.parts.push(Part { range, turn });
        }
        solids
    }

    /// Number of bodies.
    pub(crate) fn bodies(&self) -> usize {
        self.parts.len()
    }

    /// Normals and distances half a cell apart, or further for a large mesh. As the body stands now,
    /// nodes of the grid are samples: there a body at rest is as exact as on the CPU.
    fn sample(&mut self, body: &Body, cell: f64, origin: DVec3) {
        let around = body.bounds().grow(2.0 * cell);
        let size = around.max - around.min;
        let mut spacing = 0.5 * cell;
        while (size / spacing + 2.0).element_product() > MOST_SAMPLES {
            spacing *= 2.0;
        }
        let nodes = ((around.min - origin) / cell).floor();
        let corner = origin + nodes * cell;
        let counts = ((around.max - corner) / spacing).ceil().as_uvec3() + 1;
        let [x, y, z] = counts.to_array().map(f32::from_bits);
        let relative = corner - body.pose.position;
        self.rows.push(relative.as_vec3().extend(spacing as f32).to_array());
        self.rows.push([x, y, z, 0.0]);
        let first = self.rows.len();
        self.rows.resize(first + counts.element_product() as usize, [0.0; 4]);
        let pose = body.pose;
        self.rows[first..].par_iter_mut().enumerate().for_each(|(i, row)| {
            let i = i as u32;
            let at = UVec3::new(i % counts.x, i / counts.x % counts.y, i / counts.x / counts.y);
            let found = body.shape.signed_distance(pose.to_local(corner + at.as_dvec3() * spacing));
            let normal = pose.rotation * found.normal;
            *row = normal.as_vec3().extend(found.distance as f32).to_array();
        });
    }

    /// Nine rows for each body, as they are now.
    pub(crate) fn poses(&self, env: &Environment, config: &Config, origin: DVec3) -> Vec<Row> {
        let rows = |(k, body): (usize, &Body)| {
            let contact = config.contacts.get(k).copied().unwrap_or(config.contact);
            let part = self.parts.get(k).copied().unwrap_or_default();
            body_rows(body, contact, part, config.cell, origin)
        };
        env.bodies.iter().enumerate().flat_map(rows).collect()
    }
}

fn body_rows(body: &Body, contact: BodyContact, part: Part, cell: f64, origin: DVec3) -> [Row; 9] {
    let (kind, half, radius, open) = match &body.shape {
        _ if body.is_gone() => (8, DVec3::ZERO, 0.0, 0),
        Shape::Plane => (0, DVec3::ZERO, 0.0, 0),
        Shape::Cuboid { half } => (1, *half, 0.0, 0),
        Shape::Container { half, open } => {
            let sides = open.iter().flatten().enumerate();
            (2, *half, 0.0, sides.fold(0, |bits, (k, &open)| bits | u32::from(open) << k))
        }
        Shape::Sphere { radius } => (3, DVec3::ZERO, *radius, 0),
        Shape::Polyhedron(_) => (4, DVec3::ZERO, 0.0, 0),
        Shape::Mesh(_) => (5, DVec3::ZERO, 0.0, 0),
        // Where it begins and ends, and its radius there.
        Shape::Frustum(Frustum { y, radii }) => (6, DVec3::new(y[0], y[1], radii[0]), radii[1], 0),
        Shape::Capsule(Capsule { half, radius }) => (7, DVec3::new(0.0, *half, 0.0), *radius, 0),
    };
    let turned = body.is_hollow() && !body.is_gone();
    let flags = u32::from(turned) | u32::from(contact.sticking) << 1 | open << 8;
    // Single precision is relative to the node next to the body.
    let scaled = (body.pose.position - origin) / cell;
    let node = scaled.round().clamp(DVec3::splat(-1e9), DVec3::splat(1e9));
    let offset = (scaled - node) * cell;
    let reference: IVec3 = node.as_ivec3();
    let to_body = DMat3::from_quat(part.turn * body.pose.rotation.inverse());
    let turn = |k: usize| to_body.row(k).as_vec3().extend(finite(half[k])).to_array();
    let bits = f32::from_bits;
    let integer = |x: i32| bits(x as u32);
    [
        [bits(kind), bits(flags), bits(part.range[0]), bits(part.range[1])],
        [integer(reference.x), integer(reference.y), integer(reference.z), contact.friction as f32],
        offset.as_vec3().extend(radius as f32).to_array(),
        turn(0),
        turn(1),
        turn(2),
        body.velocity.as_vec3().extend(0.0).to_array(),
        body.angular_velocity.as_vec3().extend(0.0).to_array(),
        [0.0; 4],
    ]
}

/// Shaders need not know infinity.
fn finite(x: f64) -> f32 {
    x.clamp(-1e30, 1e30) as f32
}
