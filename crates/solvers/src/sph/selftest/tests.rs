use super::*;

#[test]
fn everything_passes() {
    let checks = run();
    assert_eq!(checks.len(), 15);
    for check in checks {
        assert!(check.passed, "{}: {}", check.name, check.detail);
    }
}

/// The cubic spline with one thing wrong.
struct Wrong {
    w: fn(&Kernel, f64) -> f64,
    gradient: fn(&Kernel, DVec3) -> DVec3,
}

const RIGHT: Wrong = Wrong { w: Kernel::w, gradient: Kernel::gradient };

impl Wrong {
    fn kernel() -> Kernel {
        Kernel::new(KernelKind::CubicSpline, 2.0 * H, 2)
    }
}

impl KernelUnderTest for Wrong {
    fn label(&self) -> String {
        "wrong".into()
    }
    fn kind(&self) -> KernelKind {
        KernelKind::CubicSpline
    }
    fn rounding(&self) -> f64 {
        1e-15
    }
    fn w(&self, r: f64) -> f64 {
        (self.w)(&Self::kernel(), r)
    }
    fn gradient(&self, x_ij: DVec3) -> DVec3 {
        (self.gradient)(&Self::kernel(), x_ij)
    }
}

/// Positions in [`KERNEL_CHECKS`] of the checks that a kernel fails.
fn failures(kernel: &Wrong) -> Vec<usize> {
    let right = Wrong::kernel();
    // Beside a right kernel, so that the wrong one must also be found among several.
    let checks = check_kernels(&Grids::new().unwrap(), &[&right, kernel]);
    let failed = checks.iter().enumerate().filter(|(_, check)| !check.passed);
    failed.inspect(|(_, check)| assert!(check.detail.contains("wrong"))).map(|(k, _)| k).collect()
}

#[test]
fn a_right_kernel_fails_nothing() {
    assert_eq!(failures(&RIGHT), [0; 0]);
}

#[test]
fn wrong_kernels_are_found() {
    let doubled = Wrong { w: |k, r| 2.0 * k.w(r), ..RIGHT };
    assert_eq!(failures(&doubled), [0, 1, 2, 9]);
    let wide = Wrong { w: |k, r| k.w(0.99 * r), ..RIGHT };
    assert_eq!(failures(&wide), [0, 2, 3, 9]);
    let blunt = Wrong { w: |k, r| if r > 0.0 { k.w(r) } else { 0.0 }, ..RIGHT };
    assert_eq!(failures(&blunt), [0, 1]);
    let not_a_number = Wrong { w: |_, _| f64::NAN, ..RIGHT };
    assert_eq!(failures(&not_a_number), [0, 1, 2, 3, 9]);
}

#[test]
fn wrong_gradients_are_found() {
    // The sign as printed in the thesis.
    let uphill = Wrong { gradient: |k, x| -k.gradient(x), ..RIGHT };
    assert_eq!(failures(&uphill), [7, 9, 10]);
    let even = Wrong { gradient: |k, x| k.gradient(x).abs(), ..RIGHT };
    assert_eq!(failures(&even), [5, 7, 8, 9, 10]);
    let wide = Wrong { gradient: |k, x| k.gradient(0.9 * x), ..RIGHT };
    assert_eq!(failures(&wide), [6, 9, 10]);
    let turned = Wrong { gradient: |k, x| k.gradient(x.with_x(-x.x)), ..RIGHT };
    assert_eq!(failures(&turned), [7, 9, 10]);
    let jump = |k: &Kernel, x: DVec3| if x.length() > 0.0 { k.gradient(x) } else { DVec3::X };
    let jump = Wrong { gradient: jump, ..RIGHT };
    assert_eq!(failures(&jump), [4, 5, 8, 9]);
    let not_a_number = Wrong { gradient: |_, _| DVec3::NAN, ..RIGHT };
    assert_eq!(failures(&not_a_number), [4, 5, 6, 7, 8, 9, 10]);
}

#[test]
fn a_missing_sample_fails() {
    assert!(worst([]).error() > 1.0);
}
