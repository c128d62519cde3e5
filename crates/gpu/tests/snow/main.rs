//! Snow on the GPU against snow on the CPU. Runs on any GPU, in CI on Mesa's software Vulkan; where there
//! is none, the tests say so and pass.
#![expect(clippy::print_stdout, reason = "tests show what they measure")]

mod common;
mod driver;
mod parity;
mod places;
mod rest;
mod turns;

use lawine_gpu::Gpu;
