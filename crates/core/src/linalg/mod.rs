//! Decompositions of 3×3 matrices: symmetric eigenvalues, singular values, rotation times stretch.

mod eigen;
mod eigen_lanes;
mod svd;

pub use eigen::symmetric_eigen;
pub use eigen_lanes::{EigenLanes, symmetric_eigen_lanes};
pub use svd::{Svd, polar, svd};
