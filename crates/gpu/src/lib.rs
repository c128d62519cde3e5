//! Lawine's methods on graphics cards, through `wgpu`: Vulkan, Metal, DX12 and browsers.
//!
//! [`Snow`] is the material point method of [`lawine_solvers::mpm`], built from that solver's state. A
//! step is a short list of passes, one shader each; the templates are in `passes/`. Single precision
//! with positions relative to cells; no atomics on sums, so that two runs give the same bits.

#[cfg(not(target_arch = "wasm32"))]
mod bandwidth;
#[cfg(not(target_arch = "wasm32"))]
pub mod bench;
mod bodies;
mod buffers;
mod change;
mod clock;
mod copy;
mod device;
mod engine;
mod error;
mod in_flight;
mod layout;
mod non_blocking;
#[cfg(not(target_arch = "wasm32"))]
mod open;
mod pass;
mod passes;
mod readback;
mod shader;
pub mod show;
mod snow;
mod status;
#[cfg(test)]
mod tests;
mod transfer;
mod unchecked;

pub use device::Gpu;
pub use error::GpuError;
#[cfg(not(target_arch = "wasm32"))]
pub use open::{Description, devices};
pub use snow::{Snow, SnowError, take_over};
