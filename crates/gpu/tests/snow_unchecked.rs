//! The tests of snow with shaders that do not check their bounds: what ships on every GPU but those in software.
//! The twenty seconds at rest are left out: they take as long as all the others, and no other shader.
#![expect(clippy::print_stdout, reason = "tests show what they measure")]

#[path = "snow/common.rs"]
mod common;
#[path = "snow/conservation.rs"]
mod conservation;
#[path = "snow/driver.rs"]
mod driver;
#[path = "snow/non_blocking.rs"]
mod non_blocking;
#[path = "snow/parity.rs"]
mod parity;
#[path = "snow/places.rs"]
mod places;

use lawine_gpu::Gpu;

/// Whether shaders check their bounds.
const CHECKED: bool = false;
