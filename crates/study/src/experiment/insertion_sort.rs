//! Insertion sort of random, falling and almost sorted lists (Schinner, Figures B.2 and B.3).

use super::{Experiment, Measured, Parameter, Settings, thread_time};
use lawine_core::geometry::Random;

const ORDERS: &[&str] = &["random", "falling", "almost"];

pub(super) const INSERTION_SORT: Experiment = Experiment {
    name: "insertion-sort",
    about: "insertion sort of a list: comparisons, exchanges and time",
    parameters: &[
        Parameter::word(
            "order",
            ORDERS,
            "of the list; almost: every value displaced by up to two positions",
        ),
        Parameter::number("length", 1000.0, "of the list"),
    ],
    numbers: &[
        ("seconds", "to sort [s]"),
        ("comparisons", "of two values"),
        ("exchanges", "of two values; a shift by one position counts as half of one"),
    ],
    columns: &[],
    run,
};

fn run(settings: &Settings) -> Result<Measured, String> {
    let n = settings.count("length");
    let mut random = Random::new(1);
    let list: Vec<f64> = (0..n)
        .map(|i| match settings.word("order") {
            "falling" => (n - i) as f64,
            "almost" => i as f64 + 4.0 * random.unit() - 2.0,
            _ => random.unit(),
        })
        .collect();
    let (mut comparisons, mut moves) = (0, 0);
    sort(&mut list.clone(), |moved, of| {
        comparisons += of;
        moves += moved;
    });
    // Short lists are sorted often enough for the clock.
    let repeats = (200_000 / n.max(1)).clamp(1, 2000);
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let copies = vec![list.clone(); repeats];
        let start = thread_time();
        for mut copy in copies {
            sort(&mut copy, |_, _| {});
            std::hint::black_box(&copy);
        }
        best = best.min((thread_time() - start) / repeats as f64);
    }
    let numbers = vec![best, comparisons as f64, 0.5 * moves as f64];
    Ok(Measured { numbers, rows: Vec::new() })
}

/// Sorts a list and tells for each value by how many places it moved and how many comparisons that
/// took.
fn sort(list: &mut [f64], mut tell: impl FnMut(usize, usize)) {
    for i in 1..list.len() {
        let value = list[i];
        let mut k = i;
        while k > 0 && list[k - 1] > value {
            list[k] = list[k - 1];
            k -= 1;
        }
        list[k] = value;
        tell(i - k, i - k + usize::from(k > 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_book() {
        // N(N − 1)/2 moves for a falling list, none for a sorted one.
        for (mut list, expected) in [(vec![3.0, 2.0, 1.0], 3), (vec![1.0, 2.0, 3.0], 0)] {
            let mut moves = 0;
            sort(&mut list, |moved, _| moves += moved);
            assert_eq!((list, moves), (vec![1.0, 2.0, 3.0], expected));
        }
    }
}
