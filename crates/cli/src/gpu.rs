//! Snow on graphics cards.

use crate::print::outln;
use anyhow::Result;
use lawine_core::simulation::Simulation;
use lawine_gpu::{Gpu, Snow, devices, take_over};
use lawine_scene::matter::{Kind, kinds};

/// Whether there is a hardware GPU that can run snow.
pub(crate) fn is_available() -> bool {
    devices().iter().any(|d| d.kind != "software" && d.obstacle.is_none())
}

/// Moves the snow of a simulation to a GPU; returns its name.
pub(crate) fn take(simulation: &mut Simulation, [start, every]: [f64; 2]) -> Result<String> {
    let gpu = Gpu::open()?;
    take_over(&gpu, simulation)?;
    let now = simulation.time();
    if let Some(snow) = Snow::among_mut(&mut simulation.methods) {
        snow.read_back_every(now, start, every);
    }
    Ok(format!("gpu: {}", gpu.name()))
}

/// A line for each GPU, with its limits and the methods it supports.
pub(crate) fn list() -> Result<()> {
    let all = devices();
    if all.is_empty() {
        outln!("gpu  none found; on Debian, mesa-vulkan-drivers provides a software driver");
    }
    let mebibytes = |bytes: u64| bytes >> 20;
    for device in all {
        outln!("gpu  {} ({}, {}, {})", device.name, device.kind, device.backend, device.driver);
        outln!(
            "     buffers of up to {} MiB, {} MiB per binding, {} storage buffers per shader",
            mebibytes(device.largest_buffer),
            mebibytes(device.largest_binding),
            device.bindings
        );
        let can = device.obstacle.map_or_else(|| "yes".to_owned(), |why| format!("no, {why}"));
        let of = |kind: &&dyn Kind| {
            let runs = if kind.runs_on_gpu() { &can } else { "on the CPU only" };
            format!("{}: {runs}", kind.key())
        };
        outln!("     {}", kinds().iter().map(of).collect::<Vec<_>>().join(", "));
    }
    Ok(())
}
