use super::*;
use crate::geometry::{Aabb, Random};

fn check(p: &Polyhedron) {
    assert_eq!(p.vertices().len() + p.faces().len(), p.edge_count() + 2);
    for (i, h) in p.half_edges().iter().enumerate() {
        let i = i as u32;
        assert_eq!(p.half_edge(h.next).origin, p.head(i));
        assert_eq!(p.half_edge(h.next).face, h.face);
        assert_eq!(p.half_edge(h.around).origin, h.origin);
        assert_ne!(p.half_edge(i ^ 1).face, h.face);
        assert!((h.tail + h.length * h.u).distance(p.vertex(p.head(i))) < 1e-12 * p.radius());
        assert!(p.half_edge(i ^ 1).u == -h.u);
    }
    let rims: usize = (0..p.faces().len() as u32).map(|f| p.rim(f).count()).sum();
    let fans: usize = (0..p.vertices().len() as u32).map(|v| p.fan(v).count()).sum();
    assert_eq!((rims, fans), (p.half_edges().len(), p.half_edges().len()));
    p.mesh().check_closed().unwrap();
    for v in p.vertices() {
        assert!(p.outermost_face(*v).0 < 1e-9 * p.radius());
    }
}

#[test]
fn cube_has_square_faces_and_three_edges_at_a_corner() {
    let cube = Polyhedron::new(&Aabb::new(DVec3::ZERO, DVec3::ONE).corners()).unwrap();
    check(&cube);
    assert_eq!((cube.vertices().len(), cube.edge_count(), cube.faces().len()), (8, 12, 6));
    assert!((0..6).all(|f| cube.rim(f).count() == 4) && (0..8).all(|v| cube.fan(v).count() == 3));
}

#[test]
fn points_inside_and_on_faces_are_dropped() {
    let mut points = Vec::new();
    for i in 0..64 {
        points.push(DVec3::new(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16)));
    }
    let cube = Polyhedron::new(&points).unwrap();
    check(&cube);
    assert_eq!((cube.vertices().len(), cube.faces().len()), (8, 6));
}

#[test]
fn random_hulls_are_consistent_and_climbing_finds_the_summit() {
    let mut random = Random::new(3);
    for n in [4, 5, 6, 12, 42, 162, 462] {
        let points: Vec<DVec3> = (0..n).map(|_| random.direction()).collect();
        let p = Polyhedron::new(&points).unwrap();
        check(&p);
        assert_eq!(p.vertices().len(), n);
        for _ in 0..100 {
            let d = random.direction();
            let top = p.climb(d, random.below(n) as u32);
            assert!((d.dot(p.vertex(top)) - p.support(d)).abs() < 1e-15);
        }
    }
}

#[test]
fn flat_and_small_sets_are_refused() {
    let square = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
    assert_eq!(Polyhedron::new(&square), Err(HullError::Flat { dimensions: 3 }));
    let few = Polyhedron::new(&square[..3]);
    assert_eq!(few, Err(HullError::TooFewPoints { count: 3, needed: 4 }));
}
