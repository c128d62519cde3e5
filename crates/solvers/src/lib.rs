//! The methods of Lawine on the CPU, one folder each.

pub mod dem;
pub mod sph;
