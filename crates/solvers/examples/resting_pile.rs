//! Shows what a step of a pile at rest costs: `cargo run --release --example resting_pile`.
#![allow(clippy::print_stdout, reason = "an example that prints")]

use cpu_time::ThreadTime;
use lawine_solvers::dem::bench::{Pile, PileError};

fn main() -> Result<(), PileError> {
    let start = ThreadTime::now();
    let clock = || start.elapsed().as_secs_f64();
    // Everything on this thread, whose time the clock shows.
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
    assert!(one.is_ok(), "{one:?}");
    println!("corners  grains  contacts   pairs  ms/step  µs/contact  bytes/grain");
    let print = |corners: usize, pile: &mut Pile, steps| -> Result<(), PileError> {
        let mut best = pile.resting(steps, &clock)?;
        for _ in 0..2 {
            let again = pile.resting(steps, &clock)?;
            best.step = best.step.min(again.step);
            best.contact = best.contact.min(again.contact);
        }
        println!(
            "{corners:7} {:7} {:9} {:7} {:8.3} {:11.3} {:12.0}",
            best.grains,
            best.contacts,
            best.pairs,
            1e3 * best.step,
            1e6 * best.contact,
            best.bytes
        );
        Ok(())
    };
    let tile = Pile::settled(20, 6)?;
    println!("settled after {:.1} s", clock());
    for times in [2, 7, 21] {
        print(20, &mut tile.repeated(times)?, 40_000 / (216 * times * times) + 2)?;
    }
    for corners in [8, 162, 462] {
        print(corners, &mut Pile::settled(corners, 3)?, 100)?;
    }
    Ok(())
}
