//! Lawine's methods on graphics cards, through `wgpu`: Vulkan, Metal, DX12 and browsers.
//!
//! [`Snow`] is the material point method of [`lawine_solvers::mpm`], built from that solver's state. A
//! step is a short list of passes, one shader each; the templates are in `passes/`. Single precision
//! with positions relative to cells; no atomics on sums, so that two runs give the same bits.
//!
//! Particles are sorted by block and cell in every step, and a workgroup adds a block up in registers and tiles, in a fixed
//! order. Steps are handed in by the batch; speeds and forces on bodies come back a batch later, and at once where a frame
//! is due. Checkpoints are those of the CPU. The shaders pass naga, which makes Vulkan's of them, and the compiler of
//! Chromium, which is stricter.
//!
//! In a browser every call is non-blocking. A turn first polls for what has arrived (`Snow::poll`) and then makes steps as
//! long as there is room for them (`has_room`); `in_flight.rs` finds how many in flight make most of them per second. Who needs
//! the particles calls `fetch`, and orders, plots and saves are held until they are here, one or two frames later.

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
