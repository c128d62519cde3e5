//! The viewer without a window: its engine and its panels; and with one, where the machine has what
//! that needs.

mod device;
mod engine;
mod harness;
mod mouse;
mod panels;
mod window;
