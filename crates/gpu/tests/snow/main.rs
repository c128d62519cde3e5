//! Snow on the GPU against snow on the CPU. Runs on any GPU, in CI on Mesa's software Vulkan; where there
//! is none, the tests say so and pass, or fail with `LAWINE_NEED_GPU`. Shaders check their bounds here;
//! `snow_unchecked.rs` runs the same tests without the checks.
#![expect(clippy::print_stdout, reason = "tests show what they measure")]

mod common;
mod conservation;
mod driver;
mod non_blocking;
mod parity;
mod places;
mod rest;

use lawine_gpu::Gpu;

/// Whether shaders check their bounds.
const CHECKED: bool = true;
