//! The viewer without a window: its engine and its panels; and with one, where the machine has what
//! that needs.

mod device;
mod engine;
mod harness;
mod mouse;
mod panels;
mod window;

use lawine_record::run::{Progress, ProgressReport};

/// A run that nobody watches.
struct Quiet;

impl Progress for Quiet {
    fn step(&mut self, _report: &ProgressReport) {}
    fn stage(&mut self, _what: &str) {}
    fn warning(&mut self, _what: &str) {}
}
