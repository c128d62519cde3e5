use super::*;
use crate::geometry::Aabb;
use crate::simd::{Level, Work};
use crate::space::Dimension;
use proptest::prelude::*;

const KINDS: [SearchKind; 3] = [SearchKind::Grid, SearchKind::Hash, SearchKind::BruteForce];

struct Collect<'a> {
    targets: &'a PointIndex,
    queries: &'a PointIndex,
}

impl Work for Collect<'_> {
    type Output = Vec<Vec<(u32, u32)>>;

    /// For each query its neighbours with the bits of their distance.
    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Self::Output {
        let n = self.queries.positions().len();
        let mut list = ChunkList::default();
        let mut distances = Vec::new();
        self.targets.collect(s, self.queries, 0..n, &mut list, &mut distances);
        (0..n)
            .map(|i| {
                let d = &distances[list.span(i)];
                list.neighbors(i).iter().zip(d).map(|(&j, d)| (j, d.to_bits())).collect()
            })
            .collect()
    }
}

/// Neighbours as sorted lists of the callers' own indices.
fn neighbors(
    kind: SearchKind,
    level: Level,
    support: f64,
    space: &Space,
    targets: &[DVec3],
    queries: &[DVec3],
) -> Vec<Vec<(u32, u32)>> {
    let index = |points: &[DVec3]| {
        let mut index = PointIndex::new(kind, support, space).unwrap();
        index.update(&mut points.to_vec(), &mut Vec::new()).unwrap();
        let order = index.order();
        let order: Vec<usize> =
            (0..points.len()).map(|k| order.map_or(k, |o| o.source(k))).collect();
        (index, order)
    };
    let (targets, target_order) = index(targets);
    let (queries, query_order) = index(queries);
    let mut result = vec![Vec::new(); query_order.len()];
    let found = level.run(Collect { targets: &targets, queries: &queries });
    for (i, found) in found.into_iter().enumerate() {
        let mut found: Vec<_> =
            found.into_iter().map(|(j, d)| (target_order[j as usize] as u32, d)).collect();
        found.sort_unstable();
        result[query_order[i]] = found;
    }
    result
}

/// The definition, in double precision.
fn by_definition(support: f64, space: &Space, targets: &[DVec3], query: DVec3) -> Vec<u32> {
    (0..targets.len() as u32)
        .filter(|&j| space.difference(query, targets[j as usize]).length() <= support)
        .collect()
}

fn check(support: f64, space: &Space, targets: &[DVec3], queries: &[DVec3]) {
    let reference =
        neighbors(SearchKind::BruteForce, Level::Portable, support, space, targets, queries);
    for kind in KINDS {
        for level in [Level::Portable, Level::detect()] {
            assert_eq!(reference, neighbors(kind, level, support, space, targets, queries));
        }
    }
    for (query, found) in queries.iter().zip(&reference) {
        let found: Vec<u32> = found.iter().map(|&(j, _)| j).collect();
        // Rounding to fixed point may move a pair across the rim by a few units at most.
        let certain = by_definition(support * (1.0 - 3e-7), space, targets, *query);
        let possible = by_definition(support * (1.0 + 3e-7), space, targets, *query);
        assert!(certain.iter().all(|j| found.contains(j)));
        assert!(found.iter().all(|j| possible.contains(j)));
    }
}

fn points(n: usize, planar: bool) -> impl Strategy<Value = Vec<DVec3>> {
    let point = prop_oneof![
        4 => (0.0..1.0, 0.0..1.0, 0.0..1.0),
        // Points on a lattice, where distances equal the support exactly.
        2 => (0..10, 0..10, 0..10)
            .prop_map(|(x, y, z)| (f64::from(x) / 10.0, f64::from(y) / 10.0, f64::from(z) / 10.0)),
        1 => (-3.0..4.0, -3.0..4.0, -3.0..4.0),
    ];
    let z = if planar { 0.0 } else { 1.0 };
    proptest::collection::vec(point.prop_map(move |(x, y, w)| DVec3::new(x, y, w * z)), 0..n)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn all_searches_agree(
        planar in any::<bool>(),
        targets in points(120, false),
        queries in points(40, false),
        support in prop_oneof![Just(0.2), Just(0.1), 0.05..0.9],
    ) {
        let flat = |p: Vec<DVec3>| -> Vec<DVec3> {
            if planar { p.into_iter().map(|x| x.with_z(0.0)).collect() } else { p }
        };
        let dimension = if planar { Dimension::Planar } else { Dimension::Full };
        let (targets, queries) = (flat(targets), flat(queries));
        check(support, &Space::unbounded(dimension), &targets, &queries);
        check(support, &Space::unbounded(dimension), &targets, &targets);
    }

    #[test]
    fn all_searches_agree_on_periodic_axes(
        targets in points(100, false),
        periodic in any::<[bool; 3]>(),
        support in 0.05..0.33,
    ) {
        let space = Space {
            domain: Some(Aabb { min: DVec3::splat(-0.3), max: DVec3::splat(0.75) }),
            periodic,
            ..Space::unbounded(Dimension::Full)
        };
        let targets: Vec<DVec3> = targets.into_iter().map(|x| space.wrap(x)).collect();
        check(support, &space, &targets, &targets);
    }
}

#[test]
fn centre_of_five_by_five_has_thirteen() {
    // Meiers 6.1: spacing h, radius 2 h, the rim included.
    let h = 0.1;
    let grid: Vec<DVec3> =
        (0..25).map(|k| DVec3::new(h * f64::from(k % 5), h * f64::from(k / 5), 0.0)).collect();
    let space = Space::unbounded(Dimension::Planar);
    for kind in KINDS {
        let found = neighbors(kind, Level::detect(), 2.0 * h, &space, &grid, &grid);
        assert_eq!(found[12].len(), 13, "{kind:?}");
    }
}

#[test]
fn sorting_is_stable_and_independent_of_threads() {
    let points: Vec<DVec3> = (0..5000_u32)
        .map(|i| {
            let r =
                |k: u32| f64::from(i.wrapping_mul(2_654_435_761).rotate_left(k) % 1000) / 1000.0;
            DVec3::new(r(0), r(9), r(17))
        })
        .collect();
    let space = Space::unbounded(Dimension::Full);
    let order = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut index = PointIndex::new(SearchKind::Grid, 0.1, &space).unwrap();
            index.update(&mut points.clone(), &mut Vec::new()).unwrap();
            let order = index.order().unwrap();
            (0..order.len()).map(|k| order.source(k)).collect::<Vec<_>>()
        })
    };
    let one = order(1);
    assert_eq!(one, order(2));
    assert_eq!(one, order(5));
    let quantizer = Quantizer::new(0.1, &space).unwrap();
    let key = |i: usize| {
        let [x, y, z] = quantizer.quantize(points[i]).1;
        (z, y, x, i)
    };
    assert!(one.is_sorted_by_key(|&i| key(i)));
}

#[test]
fn spread_out_points_are_refused_by_the_grid_only() {
    let far = vec![DVec3::ZERO, DVec3::new(1e4, 1e4, 1e4)];
    let space = Space::unbounded(Dimension::Full);
    let mut grid = PointIndex::new(SearchKind::Grid, 0.1, &space).unwrap();
    let message = grid.update(&mut far.clone(), &mut Vec::new()).unwrap_err().to_string();
    assert!(message.contains("\"hash\""), "{message}");
    let found = neighbors(SearchKind::Hash, Level::detect(), 0.1, &space, &far, &far);
    assert_eq!(found[1].len(), 1);
}
