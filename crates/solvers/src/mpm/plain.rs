//! Both transfers as the papers write them: every node with every particle, without blocks, tiles or stencils. Read
//! it before [`super::passes`] and [`super::to_particles`]; the tests compare both. What the strain does to one
//! particle of snow is written out with F_E, F_P and singular values in `tests/matter_exactness.rs`.

use super::Matter;
use super::config::{Blend, Config, Spline, Transfer};
use super::state::symmetric;
use glam::{DMat3, DVec3};

/// A node: where it is, its velocity, that before the forces, and its mass.
#[derive(Clone, Copy, Debug)]
struct Node {
    x: DVec3,
    v: DVec3,
    v_old: DVec3,
    m: f64,
}

/// The B-spline at u cells from its node, and its derivative (Meyer 18 and 20).
fn spline(kind: Spline, u: f64) -> (f64, f64) {
    let (a, sign) = (u.abs(), u.signum());
    match kind {
        Spline::Quadratic if a < 0.5 => (0.75 - a * a, -2.0 * u),
        Spline::Quadratic if a < 1.5 => (0.5 * (1.5 - a).powi(2), sign * (a - 1.5)),
        Spline::Cubic if a < 1.0 => (0.5 * a.powi(3) - a * a + 2.0 / 3.0, u * (1.5 * a - 2.0)),
        Spline::Cubic if a < 2.0 => ((2.0 - a).powi(3) / 6.0, -0.5 * sign * (2.0 - a).powi(2)),
        _ => (0.0, 0.0),
    }
}

/// w and ∇w of a particle at `x` and a node.
fn weight(config: &Config, planar: bool, x: DVec3, node: DVec3) -> (f64, DVec3) {
    let u = (x - node) / config.cell;
    let [(x, dx), (y, dy)] = [u.x, u.y].map(|u| spline(config.spline, u));
    let (z, dz) = if planar { (1.0, 0.0) } else { spline(config.spline, u.z) };
    (x * y * z, DVec3::new(dx * y * z, x * dy * z, x * y * dz) / config.cell)
}

/// 1/D of APIC (Jiang et al. 2015) [1/m²].
fn inverse_moment(config: &Config) -> f64 {
    let moment = if config.spline == Spline::Quadratic { 4.0 } else { 3.0 };
    moment / config.cell.powi(2)
}

/// m_n = Σ_p w m,  m_n v_n = Σ_p w m (v + C (x_n − x)) + Δt f_n + m_n Δt g, with the elastic force f_n = −Σ_p V τ ∇w
/// (FLIP; Meyer 26) or −Σ_p V τ w (x_n − x)/D (MLS-MPM; Hu et al. 2018, eq. 16). C is zero for FLIP.
fn to_grid(matter: &Matter, x: DVec3, gravity: DVec3, dt: f64) -> Node {
    let (config, p) = (&matter.config, &matter.particles);
    let (mut m, mut momentum, mut impulse) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for (k, point) in p.points.iter().enumerate() {
        let (w, slope) = weight(config, matter.space.is_planar(), p.x[k], x);
        let (arm, mass) = (x - p.x[k], f64::from(point.m));
        let k_tau = -f64::from(point.volume) * symmetric(point.tau);
        m += w * mass;
        momentum += w * mass * p.v[k];
        if config.transfer == Transfer::Apic {
            let c = DMat3::from_cols_array(&p.gradients[k].map(f64::from));
            momentum += w * mass * (c * arm);
            impulse += dt * w * inverse_moment(config) * (k_tau * arm);
        } else {
            impulse += dt * (k_tau * slope);
        }
    }
    Node { x, m, v: (momentum + impulse) / m + dt * gravity, v_old: momentum / m }
}

/// v = Σ_n w v_n and C = Σ_n w v_n (x_n − x)ᵀ/D (APIC), or v = Σ_n w (v_n + α (v − v_n,old)) (FLIP).
fn to_particle(matter: &Matter, k: usize, nodes: &[Node], dt: f64) -> (DVec3, DMat3) {
    let (config, p) = (&matter.config, &matter.particles);
    let (mut v, mut c) = (DVec3::ZERO, DMat3::ZERO);
    for node in nodes {
        let (w, _) = weight(config, matter.space.is_planar(), p.x[k], node.x);
        match config.transfer {
            Transfer::Apic => v += w * node.v,
            Transfer::Flip(blend) => {
                let alpha = match blend {
                    Blend::PerStep(alpha) => alpha,
                    Blend::PerTime(rate) => (-rate * dt).exp(),
                };
                v += w * (node.v + alpha * (p.v[k] - node.v_old));
            }
        }
        let arm = node.x - p.x[k];
        c += w
            * inverse_moment(config)
            * DMat3::from_cols(arm.x * node.v, arm.y * node.v, arm.z * node.v);
    }
    (v * (-config.damping * dt).exp(), c)
}

mod tests {
    use super::super::material::{Elastic, Laws, Material};
    use super::super::{NewMatter, collide, passes};
    use super::*;
    use lawine_core::environment::Environment;
    use lawine_core::geometry::Random;
    use lawine_core::space::{Dimension, Space};

    /// All transfers are in `f64`; only C is kept in `f32`.
    const TOLERANCE: f64 = 1e-12;
    const TOLERANCE_OF_C: f64 = 1e-6;
    const DT: f64 = 1e-3;
    /// Of a particle [kg]; velocities are about 1 m/s.
    const MASS: f64 = 0.4;
    const DENSITY: f64 = 400.0;

    /// Matter at random places with random motion and stress.
    fn cloud(config: Config, env: &Environment) -> Matter {
        let planar = env.space.is_planar();
        let mut random = Random::new(11);
        let mut vector = |planar: bool| {
            let v = random.direction();
            if planar { v.with_z(0.0) } else { v }
        };
        let mut matter = Matter::new(config, env).unwrap();
        let new: Vec<NewMatter> = (0..60)
            .map(|_| NewMatter {
                position: vector(planar) + vector(planar),
                velocity: vector(planar),
                volume: MASS / DENSITY,
                material: 0,
            })
            .collect();
        matter.add(&new).unwrap();
        let p = &mut matter.particles;
        for (k, point) in p.points.iter_mut().enumerate() {
            let (a, b) = (1e4 * vector(planar).as_vec3(), 1e4 * vector(true).as_vec3());
            let shear = if planar { 0.0 } else { a.x };
            point.tau = [a.x, a.y, a.z, shear, -shear, b.y];
            if let Some(c) = p.gradients.get_mut(k) {
                let (x, y) = (vector(planar), vector(planar));
                let z = if planar { DVec3::ZERO } else { vector(false) };
                *c = DMat3::from_cols(x, y, z).to_cols_array().map(|c| c as f32);
            }
        }
        matter
    }

    #[test]
    fn both_transfers_are_the_plain_sums() {
        let elastic = Laws::Elastic(Elastic { young: 1e5, poisson: 0.3 });
        let material = Material { density: DENSITY, law: elastic };
        for dimension in [Dimension::Planar, Dimension::Full] {
            for spline in [Spline::Quadratic, Spline::Cubic] {
                for transfer in [Transfer::Apic, Transfer::Flip(Blend::PerStep(0.95))] {
                    let gravity = DVec3::new(0.0, -9.81, 0.0);
                    let env = Environment::new(Space::unbounded(dimension), gravity);
                    let config = Config { spline, transfer, ..Config::new(0.3, material) };
                    check(cloud(config, &env), &env);
                }
            }
        }
    }

    fn check(mut matter: Matter, env: &Environment) {
        let case = format!("{:?} {:?}", matter.config.spline, matter.config.transfer);
        matter.sort();
        let (config, h) = (&matter.config, matter.grid.geometry.h);
        let contacts = collide::Contacts { config, env, dt: DT, h };
        collide::find_near(&matter.grid, &contacts, &mut matter.work.near);
        matter.particles_to_grid(DT);
        let fraction = matter.flip_fraction(DT);
        passes::update(&mut matter.grid, env.gravity, DT, fraction);

        let (grid, mut nodes) = (&matter.grid, Vec::new());
        for (block, fast) in grid.node_blocks.iter().zip(grid.nodes.chunks(grid.geometry.block())) {
            for (k, fast) in fast.iter().enumerate().filter(|(_, fast)| fast.w() > 0.0) {
                let x = grid.geometry.position(block.key) + grid.geometry.offset(k);
                let node = to_grid(&matter, x, env.gravity, DT);
                // Nodes that hardly any matter reaches count as little as their mass.
                let mass_error = (fast.w() - node.m).abs();
                let error = (fast.w() * fast.xyz() - node.m * node.v).length();
                let both = mass_error.max(error) / MASS;
                assert!(both < TOLERANCE, "{case}: {fast:?} {node:?}");
                nodes.push(node);
            }
        }
        let n = matter.particles.len();
        let mass: f64 = nodes.iter().map(|node| node.m).sum();
        let all: f64 = matter.particles.points.iter().map(|p| f64::from(p.m)).sum();
        assert!((mass / all - 1.0).abs() < TOLERANCE, "{case}: nodes are missing");

        let plain: Vec<(DVec3, DMat3)> =
            (0..n).map(|k| to_particle(&matter, k, &nodes, DT)).collect();
        let x = matter.particles.x.clone();
        matter.grid_to_particles(env, DT);
        let p = &matter.particles;
        for (k, (v, c)) in plain.into_iter().enumerate() {
            let error = (p.v[k] - v).length() / v.length();
            assert!(error < TOLERANCE, "{case}: {} {v}", p.v[k]);
            assert!((p.x[k] - x[k] - DT * v).length() < TOLERANCE, "{case}: {k}");
            if let Some(fast) = p.gradients.get(k) {
                let fast = DMat3::from_cols_array(&fast.map(f64::from));
                let size = c.to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                assert!(fast.abs_diff_eq(c, TOLERANCE_OF_C * size), "{case}: {fast} {c}");
            }
        }
    }
}
