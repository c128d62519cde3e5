//! Grains: convex polyhedra by the discrete element method.
//!
//! Schinner 1995; Lin and Canny 1991; Mirtich 1998; Baraff 1993.

pub mod broad;
pub mod narrow;
