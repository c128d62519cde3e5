//! A window, and a page in a browser, to play with liquids, grains and snow, and to measure.
//!
//! What can be thought without a window lies in plain modules with tests: the clock, the brush,
//! placing, keys, parameters, data. [`engine`] is the simulation's side and [`worker`] runs it;
//! [`paint`] draws the pictures of `lawine-render` on the graphics device; [`app`] is the window.

pub mod app;
pub mod brush;
pub mod clock;
pub mod compute;
pub mod data;
pub mod engine;
pub mod files;
pub mod gallery;
pub mod keys;
#[cfg(not(target_arch = "wasm32"))]
pub mod movie;
pub mod orders;
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
mod stir;
#[cfg(not(target_arch = "wasm32"))]
pub mod thumbnails;
pub mod viewpoint;
mod watch;
#[cfg(target_arch = "wasm32")]
pub mod web;
pub mod worker;
