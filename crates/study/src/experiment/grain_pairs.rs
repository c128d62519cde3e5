//! Time of a step of free grains over their number: motion, boxes and pairs.

use super::{Default, Experiment, Measured, Number, Parameter, Settings, thread_time};
use lawine_solvers::dem::bench::finding;
use lawine_solvers::dem::broad::Search;

pub(super) struct GrainPairs;

impl Experiment for GrainPairs {
    fn name(&self) -> &'static str {
        "grain-pairs"
    }

    fn about(&self) -> &'static str {
        "a drifting cloud of grains of 20 corners: time of a step for boxes and pairs"
    }

    fn parameters(&self) -> &'static [Parameter] {
        const SEARCHES: &[&str] = &["sort-and-sweep", "grid"];
        &[
            Parameter { name: "search", default: Default::Word(SEARCHES), help: "how" },
            Parameter {
                name: "side",
                default: Default::Number(10.0),
                help: "grains along an edge",
            },
            Parameter { name: "steps", default: Default::Number(20.0), help: "steps" },
        ]
    }

    fn numbers(&self) -> &'static [Number] {
        &[
            Number { name: "grains", help: "how many there are" },
            Number { name: "boxes", help: "time of a step for motion and boxes [s]" },
            Number { name: "pairs", help: "time of a step for the pairs [s]" },
            Number { name: "seconds", help: "both [s]" },
            Number { name: "found", help: "pairs whose boxes overlap" },
        ]
    }

    fn run(&self, settings: &Settings) -> Result<Measured, String> {
        let search = match settings.word("search") {
            "grid" => Search::Grid { skin: 1e-4 },
            _ => Search::SortAndSweep,
        };
        let (side, steps) = (settings.count("side").max(1), settings.count("steps").max(1));
        let found = finding(side, search, steps, &thread_time).map_err(|e| e.to_string())?;
        let (boxes, pairs) = (found.boxes, found.pairs);
        let numbers = vec![found.grains as f64, boxes, pairs, boxes + pairs, found.found as f64];
        Ok(Measured { numbers, rows: Vec::new() })
    }
}
