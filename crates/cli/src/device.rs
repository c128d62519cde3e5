//! `--device` and `lawine devices`: the compute device.

use crate::Usage;
use crate::print::outln;
use crate::run::cores;
use anyhow::Result;
use clap::{Args, ValueEnum};
use lawine_core::simulation::Simulation;
use lawine_scene::matter::{Kind, kind, kinds};
use std::process::ExitCode;

/// The device that computes a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Device {
    /// The processor
    #[default]
    Cpu,
    /// A graphics card, or a software driver that emulates one
    Gpu,
    /// A graphics card if one is available and supports the scene, otherwise the processor
    Auto,
}

impl Device {
    /// Whether to compute on a GPU; `can` says whether all matter of the scene runs there.
    pub(crate) fn wants_gpu(self, can: bool) -> bool {
        #[cfg(feature = "gpu")]
        let is_available = crate::gpu::is_available;
        #[cfg(not(feature = "gpu"))]
        let is_available = || false;
        match self {
            Self::Cpu => false,
            Self::Gpu => true,
            Self::Auto => can && is_available(),
        }
    }

    /// Moves a simulation to the device, given the time of the first frame and the time between frames
    /// [s]; returns the name of the device. After an error the simulation must not be run.
    pub(crate) fn take(
        self,
        simulation: &mut Simulation,
        #[cfg_attr(not(feature = "gpu"), expect(unused_variables, reason = "for GPUs"))]
        frames: [f64; 2],
    ) -> Result<String> {
        let names: Vec<&str> = simulation.methods.iter().map(|method| method.matter()).collect();
        let has_kernels = names.iter().all(|name| kind(name).is_some_and(Kind::runs_on_gpu));
        let free = simulation.env.bodies.iter().find(|body| body.is_free());
        if !self.wants_gpu(has_kernels && free.is_none()) {
            return Ok("cpu".to_owned());
        }
        if let Some(body) = free {
            return Err(Usage(format!(
                "--device gpu does not move free bodies so far, and \"{}\" is one; leave --device out to \
                 run on the CPU",
                body.name
            ))
            .into());
        }
        if !has_kernels {
            let able: Vec<&str> =
                kinds().iter().filter(|kind| kind.runs_on_gpu()).map(|kind| kind.key()).collect();
            return Err(Usage(format!(
                "--device gpu supports scenes of {} only, and this scene has {}; leave --device out \
                 to run on the CPU",
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

    /// The command-line argument that selects this device, with a leading blank.
    pub(crate) fn argument(self) -> &'static str {
        match self {
            Self::Cpu => "",
            Self::Gpu => " --device gpu",
            Self::Auto => " --device auto",
        }
    }
}

/// The error of a program that was built without GPU support.
#[cfg(not(feature = "gpu"))]
pub(crate) fn not_built_in(command: &str) -> anyhow::Error {
    Usage(format!(
        "this program was built without GPU support; with it:\n  \
         cargo run --release --features gpu -- {command}"
    ))
    .into()
}

/// List the compute devices, their limits, and which methods they support.
#[derive(Args)]
#[command(after_help = "Example:\n  lawine devices")]
pub(crate) struct Devices {}

impl Devices {
    pub(crate) fn run(self) -> Result<ExitCode> {
        outln!("cpu  {} threads", cores());
        let all: Vec<String> = kinds().iter().map(|kind| format!("{}: yes", kind.key())).collect();
        outln!("     {}", all.join(", "));
        #[cfg(feature = "gpu")]
        crate::gpu::list()?;
        #[cfg(not(feature = "gpu"))]
        outln!(
            "gpu  this program was built without GPU support; with it:\n     \
             cargo run --release --features gpu -- devices"
        );
        Ok(ExitCode::SUCCESS)
    }
}
