//! Matter: what must hold to the last bits.
#![allow(clippy::print_stdout, reason = "tests show what they measured")]

mod common;
mod matter;
mod svd;

use common::with_threads;
use glam::{DMat3, DVec3};
use lawine_core::body::{Body, Pose, Shape};
use lawine_core::environment::Environment;
use lawine_core::method::Method;
use lawine_core::simd::Level;
use lawine_core::space::Dimension;
use lawine_solvers::mpm::{
    Blend, Config, ConfigError, Elastic, Implicit, Integrator, Laws, Liquid, Material, Matter,
    NewMatter, Sand, Snow, Spline, Transfer,
};
use matter::{block, bytes, elastic, matter, snow, space};
use svd::{polar, svd};

/// All ways to transfer.
fn configs(cell: f64, material: Material) -> Vec<Config> {
    let base = Config::new(cell, material);
    let mut all = Vec::new();
    for spline in [Spline::Quadratic, Spline::Cubic] {
        for transfer in [Transfer::Apic, Transfer::Flip(Blend::PerStep(0.95))] {
            all.push(Config { spline, transfer, ..base.clone() });
        }
    }
    all.push(Config { integrator: Integrator::SemiImplicit(Implicit::default()), ..base.clone() });
    all
}

/// Two blocks that collide, with all materials.
fn collision(config: &Config, dimension: Dimension) -> (Matter, Environment) {
    let mut env = space(dimension);
    env.gravity = DVec3::new(0.0, -9.81, 0.0);
    let depth = if dimension == Dimension::Planar { f64::INFINITY } else { 0.5 };
    let shape = Shape::Container { half: DVec3::new(0.5, 0.5, depth), open: [[false; 2]; 3] };
    let z = if dimension == Dimension::Planar { 0.0 } else { 0.5 };
    let rotation = glam::DQuat::IDENTITY;
    let pose = Pose { position: DVec3::new(0.5, 0.5, z), rotation };
    env.bodies.push(Body::new("box", shape, pose));
    let depth = if dimension == Dimension::Planar { 1 } else { 8 };
    let z = if dimension == Dimension::Planar { 0.0 } else { 0.3 };
    let d = 0.5 * config.cell;
    let mut new = block(DVec3::new(0.1, 0.02, z), [12, 16, depth], d, |_| DVec3::X * 3.0);
    new.extend(block(DVec3::new(0.5, 0.02, z), [12, 16, depth], d, |_| DVec3::X * -2.0));
    for (k, p) in new.iter_mut().enumerate() {
        p.material = (k / 5 % config.materials.len()) as u32;
    }
    (matter(config.clone(), &env, &new), env)
}

fn run(config: &Config, dimension: Dimension, steps: usize) -> (Matter, Environment) {
    let (mut matter, mut env) = collision(config, dimension);
    for _ in 0..steps {
        let dt = matter.dt_limit(&env).dt;
        env.clear_forces();
        matter.step(&mut env, dt).unwrap();
    }
    (matter, env)
}

fn all_materials() -> Vec<Material> {
    let stiff = Elastic { young: 1e5, poisson: 0.3 };
    let sand = Sand { elastic: stiff, friction_angle: 0.6 };
    vec![
        snow(),
        elastic(300.0, 1e5, 0.3),
        Material { density: 1500.0, law: Laws::Sand(sand) },
        Material { density: 1000.0, law: Laws::Liquid(Liquid { bulk_modulus: 1e5 }) },
    ]
}

#[test]
fn any_number_of_threads_and_any_instructions_give_the_same_bits() {
    for dimension in [Dimension::Planar, Dimension::Full] {
        for mut config in configs(0.04, snow()) {
            config.materials = all_materials();
            let one = with_threads(1, || bytes(&run(&config, dimension, 30).0));
            let three = with_threads(3, || bytes(&run(&config, dimension, 30).0));
            assert!(one == three, "{dimension:?} {config:?}");
            let (mut portable, mut env) = collision(&config, dimension);
            portable.set_level(Level::Portable);
            for _ in 0..30 {
                let dt = portable.dt_limit(&env).dt;
                portable.step(&mut env, dt).unwrap();
            }
            assert!(one == bytes(&portable), "{dimension:?} {config:?}");
        }
    }
}

#[test]
fn a_run_that_is_saved_and_loaded_is_the_same_run() {
    for mut config in configs(0.04, snow()) {
        config.materials = all_materials();
        let (straight, _) = run(&config, Dimension::Full, 80);
        let (half, _) = run(&config, Dimension::Full, 40);
        let (mut resumed, mut env) = collision(&config, Dimension::Full);
        resumed.load(&mut &bytes(&half)[..]).unwrap();
        assert!(bytes(&resumed) == bytes(&half));
        for _ in 0..40 {
            let dt = resumed.dt_limit(&env).dt;
            resumed.step(&mut env, dt).unwrap();
        }
        assert!(bytes(&resumed) == bytes(&straight), "{config:?}");
        let saved = bytes(&half);
        assert!(resumed.load(&mut &saved[..saved.len() - 1]).is_err());
    }
}

#[test]
fn the_plane_stays_a_plane() {
    for config in configs(0.04, snow()) {
        let (matter, _) = run(&config, Dimension::Planar, 100);
        let p = matter.particles();
        assert!(p.x.iter().chain(&p.v).all(|v| v.z.to_bits() == 0));
    }
}

#[test]
fn mass_and_momentum_are_constant() {
    for config in configs(0.05, snow()) {
        let mut env = space(Dimension::Full);
        let swirl = |x: DVec3| DVec3::new(2.0, -1.0, 0.5) + DVec3::new(x.y, x.z, -3.0 * x.x);
        let new = block(DVec3::splat(-0.2), [16, 16, 16], 0.025, swirl);
        let mut matter = matter(config.clone(), &env, &new);
        let (mass, momentum, spin) = matter.totals();
        for _ in 0..200 {
            let dt = matter.dt_limit(&env).dt;
            matter.step(&mut env, dt).unwrap();
        }
        let (mass_now, momentum_now, spin_now) = matter.totals();
        let error = (momentum_now - momentum).length() / momentum.length();
        let turned = (spin_now - spin).length() / spin.length();
        println!(
            "{:?} {:?}: momentum {error:.1e}, spin {turned:.1e}",
            config.spline, config.transfer
        );
        assert!((mass_now - mass).abs() <= 1e-13 * mass);
        assert!(error < 1e-13, "{config:?}: {error}");
        if config.transfer == Transfer::Apic && config.integrator == Integrator::Explicit {
            assert!(turned < 1e-5, "{config:?}: {turned}");
        }
    }
}

/// The same motion by F_E, F_P and singular values (Meyer 21, 22, 30, 32), in double precision.
#[test]
fn left_stretch_and_singular_values_agree() {
    let cell = 0.1;
    let env = space(Dimension::Full);
    let Laws::Snow(law) = snow().law else { panic!("not snow") };
    let new = NewMatter {
        position: DVec3::splat(0.05),
        velocity: DVec3::ZERO,
        volume: 1e-6,
        material: 0,
    };
    let mut grain = matter(Config::new(cell, snow()), &env, &[new]);
    let dt = 1e-3;
    let (mut f_e, mut j_p) = (DMat3::IDENTITY, 1.0);
    let mut random = lawine_core::geometry::Random::new(3);
    for step in 0..400 {
        // One particle alone keeps its velocity gradient but for its stress: give it another.
        let l = DMat3::from_cols(random.direction(), random.direction(), random.direction())
            * if step < 200 { 2.0 } else { 6.0 };
        grain.particles_mut().gradients[0] = l.to_cols_array().map(|x| x as f32);
        grain.particles_mut().points[0].tau = [0.0; 6];
        grain.particles_mut().v[0] = DVec3::ZERO;
        let mut env = env.clone();
        grain.step(&mut env, dt).unwrap();
        let c = grain.particles().gradients[0].map(f64::from);
        let trial = (DMat3::IDENTITY + dt * DMat3::from_cols_array(&c)) * f_e;
        let found = svd(trial);
        let low = 1.0 - law.critical_compression;
        let sigma = found.sigma.map(|s| s.clamp(low, 1.0 + law.critical_stretch));
        f_e = found.u * DMat3::from_diagonal(sigma) * found.v.transpose();
        j_p *= found.sigma.element_product() / sigma.element_product();
        let tau = kirchhoff(&law, f_e, j_p);
        let p = grain.particles();
        let j = f_e.determinant() * j_p;
        let difference = p.stress(0) * j - tau;
        let size = law.elastic.young * 0.01;
        let worst = difference.to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(worst < 1e-4 * size, "step {step}: {worst}");
        assert!((p.plastic_volume[0] - j_p).abs() < 1e-5 * j_p);
        let stretch = p.elastic_stretch(0);
        assert!((stretch * stretch).abs_diff_eq(f_e * f_e.transpose(), 1e-5));
    }
    assert!((j_p - 1.0).abs() > 1e-3);
}

/// τ = [2μ (F − R) Fᵀ + λ J (J − 1)] e^{ξ(1 − J_P)} (Meyer 27, 30, 32).
fn kirchhoff(law: &Snow, f: DMat3, j_p: f64) -> DMat3 {
    let (mu, lambda) = law.elastic.lame();
    let (r, _) = polar(f);
    let j = f.determinant();
    let factor = (law.hardening * (1.0 - j_p)).exp().min(law.hardening_limit);
    ((f - r) * f.transpose() * (2.0 * mu) + DMat3::IDENTITY * (lambda * j * (j - 1.0))) * factor
}

#[test]
fn bad_input_is_refused_with_names_and_ranges() {
    let env = space(Dimension::Planar);
    let message = |config: Config| Matter::new(config, &env).err().unwrap().to_string();
    let bad = |change: &dyn Fn(&mut Config)| {
        let mut config = Config::new(0.1, snow());
        change(&mut config);
        message(config)
    };
    let text = bad(&|c| c.materials[0] = elastic(400.0, 1e5, 0.5));
    assert_eq!(text, "poisson = 0.5 is not allowed; allowed: a finite number, 0 to below 0.5");
    let text = bad(&|c| c.materials[0].density = -1.0);
    assert_eq!(text, "density = -1 is not allowed; allowed: a finite number, above 0 kg/m³");
    assert!(bad(&|c| c.cell = f64::NAN).contains("cell = NaN"));
    assert!(bad(&|c| c.materials.clear()).contains("material"));
    assert!(
        bad(&|c| c.transfer = Transfer::Flip(Blend::PerStep(1.5))).contains("flip_fraction = 1.5")
    );
    let mut matter = Matter::new(Config::new(0.1, snow()), &env).unwrap();
    let fine =
        NewMatter { position: DVec3::ZERO, velocity: DVec3::ZERO, volume: 1e-3, material: 0 };
    let mut refused = |new: NewMatter| matter.add(&[new]).unwrap_err();
    assert!(matches!(
        refused(NewMatter { material: 1, ..fine }),
        ConfigError::UnknownMaterial { .. }
    ));
    assert!(matches!(refused(NewMatter { volume: 0.0, ..fine }), ConfigError::Value { .. }));
    assert!(matches!(refused(NewMatter { position: DVec3::Z, ..fine }), ConfigError::Edit(_)));
    let far = NewMatter { position: DVec3::X * 1e9, ..fine };
    assert!(matches!(refused(far), ConfigError::OutsideDomain(_)));
    matter.add(&[fine]).unwrap();
    let mut env = env.clone();
    env.bodies.push(Body::sphere("ball", DVec3::ZERO, 1.0).unwrap());
    assert!(matches!(matter.check_bodies(&env), Err(ConfigError::Buried { .. })));
}
