//! The methods of Lawine on the CPU, one folder each.

pub mod dem;
pub mod mpm;
pub mod sph;

mod rigid;
