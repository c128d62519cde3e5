//! Damping from a coefficient of restitution.
//!
//! A collision is a damped oscillator that ends when the force vanishes, because bodies do not pull:
//! ÿ + 2ζẏ + y = 0 until ÿ = 0 (Schwager & Pöschel 2007). The textbook formula
//! e = exp(−πζ/√(1 − ζ²)) lets it pull until y = 0.

/// The coefficient of restitution of a damping ratio ζ.
#[must_use]
pub fn restitution(zeta: f64) -> f64 {
    (-zeta * contact_time(zeta)).exp()
}

/// How long a collision lasts, times √(K/m).
#[must_use]
pub fn contact_time(zeta: f64) -> f64 {
    let square = 1.0 - zeta * zeta;
    let root = square.abs().sqrt();
    // tan ωt = 2ζω/(2ζ² − 1); beyond critical damping the hyperbolic functions.
    if root < 1e-6 {
        2.0
    } else if square > 0.0 {
        (2.0 * zeta * root).atan2(2.0 * zeta * zeta - 1.0) / root
    } else {
        (2.0 * zeta * root / (2.0 * zeta * zeta - 1.0)).atanh() / root
    }
}

/// The damping ratio ζ of a coefficient of restitution in (0, 1].
#[must_use]
pub fn damping_ratio(e: f64) -> f64 {
    if e >= 1.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1e3);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if restitution(middle) > e {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_oscillator_bounces_as_asked() {
        for e in [1.0, 0.95, 0.8, 0.5, 0.2, 0.1, 0.01] {
            let zeta = damping_ratio(e);
            let (mut y, mut v, h) = (0.0, 1.0_f64, 1e-5);
            let mut time = 0.0;
            loop {
                let a = |y: f64, v: f64| -(y + 2.0 * zeta * v).max(0.0);
                // Heun's method.
                let (a1, v1) = (a(y, v), v);
                let a2 = a(y + h * v1, v + h * a1);
                y += h * (v1 + 0.5 * h * a1);
                v += 0.5 * h * (a1 + a2);
                time += h;
                if v < 0.0 && y + 2.0 * zeta * v <= 0.0 {
                    break;
                }
            }
            assert!((-v - e).abs() < 1e-4, "{e}: {v}");
            assert!((time - contact_time(zeta)).abs() < 1e-3, "{e}: {time}");
        }
        // Little damping: the textbook formula.
        let zeta = damping_ratio(0.99);
        assert!(((-std::f64::consts::PI * zeta).exp() - 0.99).abs() < 1e-4);
    }
}
