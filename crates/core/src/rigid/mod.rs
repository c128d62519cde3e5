//! Motion of rigid bodies: unit quaternions, Gear's method and a symplectic splitting.

mod gear;
mod gear_body;
mod kinematics;
mod symplectic;

pub use gear::{Dependence, GEAR_VALUES, Gear, GearError, gear_coefficients};
pub use gear_body::GearBody;
pub use kinematics::{
    angular_acceleration, quaternion_from_matrix, quaternion_rate, quaternion_second_rate,
    rotate_tensor,
};
pub use symplectic::{Inertia, RigidState};

#[cfg(test)]
mod top;
