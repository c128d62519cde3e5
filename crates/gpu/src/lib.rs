//! Lawine's methods on graphics cards, through `wgpu`: Vulkan, Metal, DX12 and browsers.
//!
//! [`Snow`] is the material point method of [`lawine_solvers::mpm`], built from that solver's state. A
//! step is a short list of passes, one shader each; the templates lie in `passes/`. Single precision
//! with positions relative to cells; no atomics on sums, so that two runs give the same bits.

mod bandwidth;
pub mod bench;
mod bodies;
mod buffers;
mod clock;
mod device;
mod engine;
mod error;
mod layout;
mod looks;
mod pass;
mod passes;
mod shader;
pub mod show;
mod snow;
#[cfg(test)]
mod tests;
mod transfer;
mod trusted;

pub use device::{Description, Gpu, devices};
pub use error::GpuError;
pub use snow::{Snow, SnowError, take_over};
