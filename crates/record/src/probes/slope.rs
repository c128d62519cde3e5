//! The slope of a surface: of a pile, or of the filling of a drum.

use glam::DVec3;
use lawine_scene::file::SlopeProbe;

/// Stretches into which the surface is divided.
const STRETCHES: usize = 16;
/// The foot and the crest, as fractions of the height, do not count: there the surface is curved.
const MARGIN: f64 = 0.15;

/// The angle between the surface and the horizontal along an axis [°], positive when it rises with
/// the coordinate: a straight line through the highest particle of each stretch between foot and
/// crest. Not a number with fewer than three of them.
pub(super) fn slope(probe: &SlopeProbe, positions: &[DVec3], up: DVec3) -> f64 {
    let along = |x: &DVec3| x[probe.along.index()];
    let least = positions.iter().map(along).fold(f64::INFINITY, f64::min);
    let most = positions.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    let (min, max) = (probe.min.unwrap_or(least), probe.max.unwrap_or(most));
    let mut tops = [f64::NEG_INFINITY; STRETCHES];
    for x in positions {
        let stretch = ((along(x) - min) / (max - min) * STRETCHES as f64).floor();
        if (0.0..STRETCHES as f64).contains(&stretch) {
            let top = &mut tops[stretch as usize];
            *top = top.max(up.dot(*x));
        }
    }
    let filled = || (0..).zip(tops).filter(|(_, top)| top.is_finite());
    let low = filled().map(|(_, top)| top).fold(f64::INFINITY, f64::min);
    let high = filled().map(|(_, top)| top).fold(f64::NEG_INFINITY, f64::max);
    let margin = MARGIN * (high - low);
    let on_slope = |&(_, top): &(i32, f64)| top >= low + margin && top <= high - margin;
    let width = (max - min) / STRETCHES as f64;
    let points = || filled().filter(on_slope).map(|(k, top)| (f64::from(k) * width, top));
    let count = points().count() as f64;
    if count < 3.0 {
        return f64::NAN;
    }
    let (x, y) = points().fold((0.0, 0.0), |(x, y), p| (x + p.0 / count, y + p.1 / count));
    let moment = |f: fn(f64, f64) -> f64| points().map(|p| f(p.0 - x, p.1 - y)).sum::<f64>();
    moment(|x, y| x * y).atan2(moment(|x, _| x * x)).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_scene::file::Axis;

    #[test]
    fn the_slope_of_a_wedge_is_its_angle() {
        let mut wedge = Vec::new();
        for k in 0..200 {
            let x = f64::from(k) * 0.005;
            let surface = 0.6 * (0.5 - x).max(0.0);
            wedge.extend([0.0, 0.5, 1.0].map(|fraction| DVec3::new(x, fraction * surface, 0.0)));
        }
        let probe = SlopeProbe { along: Axis::X, min: None, max: None };
        let angle = slope(&probe, &wedge, DVec3::Y);
        assert!((angle + 0.6_f64.atan().to_degrees()).abs() < 0.5, "{angle}°");
        assert!(slope(&probe, &wedge[..1], DVec3::Y).is_nan());
    }
}
