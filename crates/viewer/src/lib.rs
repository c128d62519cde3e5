//! Interactive viewer for liquids, grains and snow, in a window and on a web page.
//!
//! What can be thought without a window lies in plain modules with tests: the clock, the brush,
//! placing, keys, parameters, data. [`engine`] is the simulation's side and [`worker`] runs it;
//! [`paint`] draws the pictures of `lawine-render` on the graphics device; [`app`] is the window.
//!
//! The engine advances the same `Simulation` as a run, by whole steps of its own length; wall time only decides how many
//! (`clock.rs`), so a scene takes the steps it takes in a run. On the desktop the engine has a thread of its own, in a
//! browser a slice of every frame; the sides exchange messages (`messages.rs`) and snapshots.
//!
//! A changed scene is built anew and takes over the state of the old one by `save` and `load`, unless the state rests on what
//! was changed (`fixed_difference`): then the change waits for a restart. No list of live keys is kept anywhere, and a new key
//! of the scene file appears in the panel by itself. What is placed becomes a fill of the scene, and a restart places it
//! again, unless it lies on matter of the start. Files that a browser hands over stay in memory with the loaded scene.
//!
//! Snow may be computed on the device that draws (`compute.rs`). A pass then writes its particles as the spheres that the
//! painter wants, into a buffer that both sides know, and nothing is copied to the host; twice a second the columns are, for
//! plots, values and the range of the colours. Every few seconds all of the state is, to outlive a loss of the device.
//! `?selftest=snow` (`parity.rs`) compares the device with the processor, and `app/headless.rs` draws frames without a window.
//!
//! The painter reads the `Picture` that the painter of files reads. It needs no compute shader and no storage buffer, so
//! WebGL2 is enough.

pub mod app;
pub mod brush;
pub mod clock;
pub mod compute;
pub mod data;
pub mod engine;
pub mod files;
pub mod gallery;
pub mod keys;
pub mod messages;
#[cfg(not(target_arch = "wasm32"))]
pub mod movie;
pub mod paint;
pub mod params;
pub mod parity;
pub mod pick;
pub mod place;
#[cfg(not(target_arch = "wasm32"))]
pub mod replay;
pub mod script;
pub mod session;
pub mod snapshot;
mod step_observer;
mod stir;
#[cfg(not(target_arch = "wasm32"))]
pub mod thumbnails;
pub mod viewpoint;
#[cfg(target_arch = "wasm32")]
pub mod web;
pub mod worker;
