//! Shows what keeping the pairs of a drifting cloud of grains costs, for 1,000 to 100,000 grains.
#![allow(clippy::print_stdout, reason = "an example that prints a table")]

use cpu_time::ThreadTime;
use lawine_core::geometry::ShapeError;
use lawine_solvers::dem::bench::{Finding, finding};
use lawine_solvers::dem::broad::Search;

fn main() -> Result<(), ShapeError> {
    let start = ThreadTime::now();
    let clock = || start.elapsed().as_secs_f64();
    let searches =
        [("sort-and-sweep", Search::SortAndSweep), ("grid", Search::Grid { skin: 1e-4 })];
    println!("  grains  search           boxes [ms]  pairs [ms]  pairs   exponent");
    for (name, search) in searches {
        let mut last: Option<Finding> = None;
        for side in [10, 22, 46] {
            let row = finding(side, search, 50, &clock)?;
            let Finding { grains, boxes, pairs, found } = row;
            let exponent = last.map_or(String::new(), |last| {
                let growth = grains as f64 / last.grains as f64;
                let exponent = ((boxes + pairs) / (last.boxes + last.pairs)).ln() / growth.ln();
                format!("{exponent:.2}")
            });
            let (boxes, pairs) = (1e3 * boxes, 1e3 * pairs);
            println!("{grains:8}  {name:15}  {boxes:10.3}  {pairs:10.3}  {found:6}  {exponent}");
            last = Some(row);
        }
    }
    Ok(())
}
