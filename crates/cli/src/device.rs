//! `--device` and `lawine devices`: what computes.

use crate::Usage;
use crate::run::cores;
use crate::words::say;
use anyhow::Result;
use clap::{Args, ValueEnum};
use lawine_core::simulation::Simulation;
use lawine_scene::matter::{Kind, kind, kinds};
use std::process::ExitCode;

/// What computes a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Device {
    /// The processor
    #[default]
    Cpu,
    /// A graphics card, or a driver in software that acts as one
    Gpu,
    /// A graphics card if there is one and it can, otherwise the processor
    Auto,
}

impl Device {
    /// Whether a GPU is to compute what can, or cannot, run there.
    pub(crate) fn wants_gpu(self, can: bool) -> bool {
        #[cfg(feature = "gpu")]
        let is_there = crate::gpu::is_there;
        #[cfg(not(feature = "gpu"))]
        let is_there = || false;
        match self {
            Self::Cpu => false,
            Self::Gpu => true,
            Self::Auto => can && is_there(),
        }
    }

    /// Takes a simulation over, with the time of the first frame and the time between frames [s]; gives
    /// the name of what computes it. After an error the simulation is not fit to run.
    pub(crate) fn take(
        self,
        simulation: &mut Simulation,
        #[cfg_attr(not(feature = "gpu"), expect(unused_variables, reason = "for GPUs"))]
        frames: [f64; 2],
    ) -> Result<String> {
        let names: Vec<&str> = simulation.methods.iter().map(|method| method.matter()).collect();
        let can = names.iter().all(|name| kind(name).is_some_and(Kind::runs_on_gpu));
        if !self.wants_gpu(can) {
            return Ok("cpu".to_owned());
        }
        if !can {
            let able: Vec<&str> =
                kinds().iter().filter(|kind| kind.runs_on_gpu()).map(|kind| kind.key()).collect();
            return Err(Usage(format!(
                "--device gpu is for {} alone: the matter of this scene ({}) runs on the CPU only; \
                 leave --device out",
                able.join(" and "),
                names.join(", ")
            ))
            .into());
        }
        #[cfg(feature = "gpu")]
        {
            crate::gpu::take(simulation, frames)
        }
        #[cfg(not(feature = "gpu"))]
        {
            Err(not_built_in("run SCENE --device gpu"))
        }
    }

    /// The argument that asks for it again, after a blank.
    pub(crate) fn argument(self) -> &'static str {
        match self {
            Self::Cpu => "",
            Self::Gpu => " --device gpu",
            Self::Auto => " --device auto",
        }
    }
}

/// How to get a program that can do it.
#[cfg(not(feature = "gpu"))]
pub(crate) fn not_built_in(command: &str) -> anyhow::Error {
    Usage(format!(
        "this program was built without GPUs; with them:\n  \
         cargo run --release --features gpu -- {command}"
    ))
    .into()
}

/// Lists what can compute, with limits, and which methods run there.
#[derive(Args)]
#[command(after_help = "Example:\n  lawine devices")]
pub(crate) struct Devices {}

impl Devices {
    pub(crate) fn run(self) -> Result<ExitCode> {
        say!("cpu  {} threads", cores());
        let all: Vec<String> = kinds().iter().map(|kind| format!("{}: yes", kind.key())).collect();
        say!("     {}", all.join(", "));
        #[cfg(feature = "gpu")]
        crate::gpu::list()?;
        #[cfg(not(feature = "gpu"))]
        say!(
            "gpu  this program was built without GPUs; with them:\n     \
             cargo run --release --features gpu -- devices"
        );
        Ok(ExitCode::SUCCESS)
    }
}
