use glam::DVec3;
use lawine_core::geometry::{Aabb, Random};
use lawine_core::space::{Dimension, Space};
use proptest::prelude::*;

use super::*;

fn space(periodic: [bool; 3]) -> Space {
    let domain = Some(Aabb::new(DVec3::splat(-1.0), DVec3::new(9.0, 7.0, 5.0)));
    Space { domain, periodic, ..Space::unbounded(Dimension::Full) }
}

/// Boxes that drift, turn (change their size) and now and then jump.
struct Cloud {
    position: Vec<DVec3>,
    velocity: Vec<DVec3>,
    half: Vec<DVec3>,
    random: Random,
}

impl Cloud {
    fn new(n: usize, seed: u64, on_lattice: bool) -> Self {
        let mut random = Random::new(seed);
        let mut vector = |low: f64, high: f64| {
            DVec3::new(random.range(low, high), random.range(low, high), random.range(low, high))
        };
        let snap = |x: DVec3| if on_lattice { x.round() } else { x };
        let position = (0..n).map(|_| snap(vector(-1.0, 9.0))).collect();
        let velocity = (0..n).map(|_| vector(-0.3, 0.3)).collect();
        let half = (0..n).map(|_| if on_lattice { DVec3::splat(0.5) } else { vector(0.1, 0.7) });
        let half = half.collect();
        Self { position, velocity, half, random }
    }

    fn step(&mut self, jumps: bool, space: &Space) {
        for i in 0..self.position.len() {
            self.position[i] = space.wrap(self.position[i] + self.velocity[i]);
            self.half[i] *= self.random.range(0.97, 1.03);
            if jumps && self.random.unit() < 0.05 {
                self.position[i] += 5.0 * self.random.direction();
                self.half[i] = DVec3::splat(self.random.range(0.1, 4.0));
            }
        }
    }

    fn boxes(&self) -> Vec<Aabb> {
        let around = |(x, h): (&DVec3, &DVec3)| Aabb { min: *x - *h, max: *x + *h };
        self.position.iter().zip(&self.half).map(around).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn all_searches_find_the_same_pairs(
        n in 0_usize..80,
        seed in any::<u64>(),
        periodic in any::<[bool; 3]>(),
        (on_lattice, jumps) in any::<(bool, bool)>(),
        skin in prop::sample::select(vec![0.0, 0.05, 0.5, 2.0]),
    ) {
        let space = space(periodic);
        let mut cloud = Cloud::new(n, seed, on_lattice);
        let mut brute = BroadPhase::new(Search::BruteForce);
        let mut others =
            [Search::SortAndSweep, Search::Grid { skin }].map(BroadPhase::new);
        for step in 0..25 {
            let boxes = cloud.boxes();
            let expected = brute.update(&boxes, &space).to_vec();
            for other in &mut others {
                prop_assert_eq!(other.update(&boxes, &space), &expected[..], "step {}", step);
            }
            cloud.step(jumps, &space);
        }
    }
}

#[test]
fn boxes_meet_across_the_seam_and_touching_counts() {
    let space = space([true, false, false]);
    let around =
        |x: f64, y: f64| Aabb::new(DVec3::new(x - 0.5, y, 0.0), DVec3::new(x + 0.5, y + 1.0, 1.0));
    let boxes = [around(-0.8, 0.0), around(8.9, 0.0), around(8.0, 1.0), around(5.0, 0.0)];
    for search in [Search::SortAndSweep, Search::Grid { skin: 0.1 }, Search::BruteForce] {
        let mut broad = BroadPhase::new(search);
        assert_eq!(broad.update(&boxes, &space), [[0, 1], [1, 2]], "{search:?}");
    }
}

#[test]
fn a_large_box_and_a_wall_without_end_meet_everyone() {
    let mut boxes = Cloud::new(60, 3, false).boxes();
    boxes.push(Aabb::new(DVec3::splat(-5.0), DVec3::splat(20.0)));
    boxes.push(Aabb::EVERYTHING);
    let space = space([false; 3]);
    let mut brute = BroadPhase::new(Search::BruteForce);
    let expected = brute.update(&boxes, &space).to_vec();
    assert!(expected.len() > 2 * 60);
    for search in [Search::SortAndSweep, Search::Grid { skin: 0.1 }] {
        assert_eq!(BroadPhase::new(search).update(&boxes, &space), &expected[..]);
    }
}

#[test]
fn a_box_at_rest_costs_no_exchange() {
    let boxes = Cloud::new(500, 4, false).boxes();
    let space = space([true; 3]);
    let mut sweep = SortAndSweep::default();
    let first = sweep.update(&boxes, &space).to_vec();
    assert_eq!(sweep.update(&boxes, &space), &first[..]);
    assert_eq!(sweep.exchanges(), 0);
}
