use glam::DVec3;

use super::*;
use crate::geometry::{MassProperties, Random};

#[test]
fn platonic_solids_have_their_faces_and_edges() {
    let expected = [(4, 6, 4), (8, 12, 6), (6, 12, 8), (20, 30, 12), (12, 30, 20)];
    for (body, expected) in Platonic::ALL.into_iter().zip(expected) {
        let p = platonic(body, 0.01).unwrap();
        assert_eq!((p.vertices().len(), p.edge_count(), p.faces().len()), expected);
        let length = p.half_edge(0).length;
        assert!(p.half_edges().iter().all(|h| (h.length - length).abs() < 1e-12 * length));
        let mass = MassProperties::of_mesh(&p.mesh(), 1.0);
        assert!(mass.center.length() < 1e-15);
        let moments = mass.principal_axes().moments;
        assert!((moments.x / moments.z - 1.0).abs() < 1e-12);
    }
}

#[test]
fn prisms_and_blocks() {
    let p = prism(6, 1.0, 2.0).unwrap();
    assert_eq!((p.vertices().len(), p.edge_count(), p.faces().len()), (12, 18, 8));
    let mass = MassProperties::of_mesh(&p.mesh(), 1.0);
    assert!((mass.volume - 3.0 * 3.0_f64.sqrt()).abs() < 1e-12);
    assert_eq!(block(DVec3::new(1.0, 2.0, 3.0)).unwrap().faces().len(), 6);
}

#[test]
fn grains_have_the_asked_number_of_corners_on_the_ellipsoid() {
    let mut random = Random::new(1);
    for vertices in [4, 5, 6, 7, 8, 12, 20, 42, 100, 162, 462] {
        for spread in [Spread::Even, Spread::Random] {
            for (axis_variation, vertex_variation) in [(0.0, 0.0), (0.3, 0.3)] {
                let half_axes = DVec3::new(3e-3, 2e-3, 1e-3);
                let grain = EllipsoidGrain {
                    half_axes,
                    vertices,
                    spread,
                    axis_variation,
                    vertex_variation,
                };
                let (p, axes) = grain.make(&mut random).unwrap();
                assert_eq!(p.vertices().len(), vertices);
                assert!((axes / half_axes - 1.0).abs().max_element() <= axis_variation + 1e-15);
                for v in p.vertices() {
                    assert!(((*v / axes).length() - 1.0).abs() < 1e-12);
                }
            }
        }
    }
}

#[test]
fn same_seed_same_grain() {
    let grain = EllipsoidGrain {
        spread: Spread::Random,
        axis_variation: 0.2,
        ..EllipsoidGrain::new(DVec3::ONE, 20)
    };
    let make = |seed| grain.make(&mut Random::new(seed)).unwrap().0;
    assert_eq!(make(4), make(4));
    assert_ne!(make(4), make(5));
}

#[test]
fn many_corners_converge_to_the_ellipsoid() {
    let axes = DVec3::new(1.0, 2.0, 3.0);
    let volume = 4.0 / 3.0 * std::f64::consts::PI * 6.0;
    let s = axes * axes;
    let moments = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (volume / 5.0);
    let errors = |n| {
        let (p, _) = EllipsoidGrain::new(axes, n).make(&mut Random::new(0)).unwrap();
        let mass = MassProperties::of_mesh(&p.mesh(), 1.0);
        let diagonal =
            DVec3::new(mass.inertia.x_axis.x, mass.inertia.y_axis.y, mass.inertia.z_axis.z);
        (1.0 - mass.volume / volume, (1.0 - diagonal / moments).max_element())
    };
    // The missing volume of an inscribed body with N corners falls as 1/N.
    let (coarse, fine) = (errors(200), errors(800));
    assert!(fine.0 > 0.0 && fine.0 < 0.01 && fine.1 < 0.015);
    assert!((coarse.0 / fine.0 - 4.0).abs() < 0.3, "{coarse:?} {fine:?}");
    assert!((coarse.1 / fine.1 - 4.0).abs() < 0.3);
}

#[test]
fn distributions_have_their_means() {
    let mut random = Random::new(9);
    let mut mean = |distribution| {
        let sizes = Sizes::new(distribution).unwrap();
        (0..40_000).map(|_| sizes.draw(&mut random)).sum::<f64>() / 40_000.0
    };
    assert!((mean(SizeDistribution::Fixed { size: 2.0 }) - 2.0).abs() < 1e-9);
    assert!((mean(SizeDistribution::Uniform { min: 1.0, max: 3.0 }) - 2.0).abs() < 0.02);
    let log_normal = SizeDistribution::LogNormal { median: 1.0, sigma: 0.5 };
    assert!((mean(log_normal) - 0.125_f64.exp()).abs() < 0.02);
    let two = SizeDistribution::TwoComponents { first: 1.0, second: 3.0, fraction: 0.25 };
    assert!((mean(two) - 2.5).abs() < 0.03);
}

#[test]
fn bad_input_is_refused_in_clear_words() {
    let make = |grain: EllipsoidGrain| grain.make(&mut Random::new(0)).unwrap_err().to_string();
    let good = EllipsoidGrain::new(DVec3::ONE, 12);
    let flat = EllipsoidGrain { half_axes: DVec3::new(1.0, 0.0, 1.0), ..good };
    assert_eq!(make(flat), "half axis b is 0 m; it must be positive and finite");
    let few = EllipsoidGrain { vertices: 3, ..good };
    assert_eq!(make(few), "a polyhedron needs at least 4 vertices, got 3");
    let wild = EllipsoidGrain { axis_variation: 1.0, ..good };
    assert!(make(wild).contains("must lie in [0, 1)"));
    let thin = EllipsoidGrain { half_axes: DVec3::new(1.0, 1e-13, 1.0), ..good };
    assert!(make(thin).contains("flat"));
    assert!(prism(2, 1.0, 1.0).is_err() && prism(5, f64::NAN, 1.0).is_err());
    assert!(platonic(Platonic::Cube, -1.0).is_err() && block(DVec3::ZERO).is_err());
    assert!(Sizes::new(SizeDistribution::Uniform { min: 2.0, max: 1.0 }).is_err());
    let fraction = SizeDistribution::TwoComponents { first: 1.0, second: 1.0, fraction: 1.5 };
    assert_eq!(Sizes::new(fraction), Err(ShapeError::Fraction(1.5)));
}
