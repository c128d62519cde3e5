//! Any bytes are a table of numbers or an error; all columns are equally long.
#![no_main]

use lawine_record::output::Series;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    for comments in [false, true] {
        match Series::parse(Path::new("series.csv"), bytes, comments) {
            Ok(series) => {
                assert!(series.columns.iter().all(|column| column.values.len() == series.rows()));
                for column in &series.columns {
                    assert!(series.column(&column.name).is_some());
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});
