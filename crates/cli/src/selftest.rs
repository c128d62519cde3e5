//! `lawine selftest`.

use crate::print::outln;
use anyhow::Result;
use clap::Args;
use lawine_solvers::sph::selftest;
use std::io::IsTerminal;
use std::process::ExitCode;

/// Test neighbour search, kernel and gradient on ideal grids (Meiers 6.1).
#[derive(Args)]
#[command(after_help = "Example:\n  lawine selftest")]
pub(crate) struct Arguments {}

impl Arguments {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let color = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let checks = selftest::run();
        let failed = checks.iter().filter(|c| !c.passed).count();
        for check in &checks {
            let (word, code) = if check.passed { ("ok    ", "32") } else { ("FAILED", "31") };
            if color {
                outln!("\x1b[{code}m{word}\x1b[0m {}: {}", check.name, check.detail);
            } else {
                outln!("{word} {}: {}", check.name, check.detail);
            }
        }
        outln!("{} of {} tests passed", checks.len() - failed, checks.len());
        Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
