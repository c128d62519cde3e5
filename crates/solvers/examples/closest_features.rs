//! Shows what tracking the closest features of two polyhedra costs: Table 4.4 of Schinner's thesis
//! again. One body turns about x, the other about y, 100,000 steps of 1 ms.
#![allow(clippy::print_stdout, reason = "an example that prints a table")]

use cpu_time::ThreadTime;
use lawine_core::geometry::ShapeError;
use lawine_solvers::dem::bench::{Tracking, body, tracking};

fn main() -> Result<(), ShapeError> {
    let start = ThreadTime::now();
    let clock = || start.elapsed().as_secs_f64();
    println!("corners edges faces |      1      2      3      4      5     6+ | ns/query  gap [m]");
    for corners in [4, 6, 12, 18, 22, 42, 52, 62, 72, 82, 102, 162, 202, 302, 462] {
        let Tracking { parts: [v, e, f], cycles, seconds, gap, not_walked } =
            tracking(&body(corners)?, 100_000, &clock);
        let shares = cycles.map(|count| format!("{count:6}")).join(" ");
        let nanoseconds = 1e9 * seconds;
        println!(
            "{v:7} {e:5} {f:5} | {shares} | {nanoseconds:8.0}  {gap:.3}  {not_walked} not walked"
        );
    }
    Ok(())
}
