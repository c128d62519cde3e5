//! Kernel gradients are evaluated half a step ahead in time, which damps particle noise.
//!
//! Under pressure particles swing between their neighbours, with the frequency √(p/ρ)/d or so. Walls and
//! pressures that keep the energy keep that of the swings too: liquid that starts on a square lattice and
//! falls into hexagons, 0.58 % closer, would swing for ever with what it gained, 4 J of 785 in a tank
//! 0.4 m deep, and a pressure system with 0.2 m/s. A force F(q) taken at the distance q + τ dq/dt, where the
//! pair will be after τ, resists the swing: it ends at the rate τω²/2.
//!
//! The same would be a viscosity for any flow, of about τp/ρ. Therefore distant pairs look back instead of
//! ahead, by the fraction
//!
//!   λ(q) = 1 − q²/q0²,    q0² = (1 + 4/d) ⟨q²⟩,
//!
//! where ⟨q²⟩ is the second moment of the kernel in d dimensions. In a smooth flow near and distant pairs
//! cancel: ∫ (W'/q)' λ q^(d+2) dq = 0. Only what changes from particle to particle is resisted. Disorder moves
//! the balance either way, and must not turn it around: q0² is [`MARGIN`] times larger, and leaves a viscosity of
//! about τp/(8ρ). Forces stay along the line between two particles, so that momentum and angular momentum
//! are conserved.
//!
//! Walls hold still, and the whole pair is moved ahead instead: what flows along a flat wall sees no
//! difference.

use super::lattice;
use super::{Config, PressureMethod, WallPressure};
use lawine_core::kernel::Kernel;

/// How much larger than the balance q0² is.
const MARGIN: f64 = 1.15;

/// 1/q0².
pub(super) fn unsheared(kernel: &Kernel, spacing: f64) -> f64 {
    let balance = 1.0 + 4.0 / f64::from(kernel.dimension());
    1.0 / (MARGIN * balance * lattice::second_moment(kernel, spacing))
}

/// τ [s]: half a step. Without a clamp the pressures of an equation of state may be negative, and looking ahead
/// would drive what it should end. Scenes with mirroring walls have the steps of their thesis.
pub(super) fn time(config: &Config, dt: f64) -> f64 {
    match (config.pressure, config.wall_pressure) {
        (PressureMethod::StateEquation(law), _) if !law.clamp => 0.0,
        (_, WallPressure::Mirror) => 0.0,
        (_, WallPressure::Consistent) => 0.5 * dt,
    }
}
