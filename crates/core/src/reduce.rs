//! Sums and extremes over particles that do not depend on the number of threads.

use crate::neighbors::CHUNK;
use rayon::prelude::*;
use std::ops::Range;

/// Combines the results of `part` over fixed chunks of `0..n`, always in the same order.
pub fn fold<T: Send>(
    n: usize,
    start: T,
    part: impl Fn(Range<usize>) -> T + Sync,
    mut combine: impl FnMut(T, T) -> T,
) -> T {
    let parts: Vec<T> = (0..n.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| part(chunk * CHUNK..((chunk + 1) * CHUNK).min(n)))
        .collect();
    let mut total = start;
    for part in parts {
        total = combine(total, part);
    }
    total
}

/// Σ `value(i)` for i in `0..n`.
pub fn sum(n: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    fold(n, 0.0, |range| range.map(&value).sum::<f64>(), |a, b| a + b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_depend_on_threads() {
        let value = |i: usize| 1.0 / (1.0 + i as f64);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| sum(100_003, value)).to_bits()
        };
        assert_eq!(with(1), with(2));
        assert_eq!(with(1), with(7));
        assert!((sum(3, |i| i as f64) - 3.0).abs() < 1e-15);
        assert!(sum(0, |_| 1.0).abs() < 1e-15);
    }
}
