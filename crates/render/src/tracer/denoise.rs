//! Takes the noise out of a picture from few paths: a filter with holes (Dammertz et al. 2010) that does not mix what
//! differs in colour, normal or distance, nor light that differs by more than its noise (Schied et al. 2017).

use glam::Vec3;

use crate::painter::parallel::for_strips;

/// What the paths of a pixel brought.
#[derive(Clone, Copy)]
pub(super) struct Pixel {
    /// Light, over the colour of the surface.
    pub(super) light: Vec3,
    /// Variance of the brightness of that mean.
    pub(super) variance: f32,
    pub(super) color: Vec3,
    pub(super) normal: Vec3,
    pub(super) depth: f32,
}

/// Rounds, each with steps twice as long.
const ROUNDS: usize = 4;
/// Weights of the neighbours along one axis.
const KERNEL: [f32; 3] = [0.375, 0.25, 0.0625];
/// How many standard deviations light may differ.
const DEVIATIONS: f32 = 2.5;

pub(super) fn brightness(light: Vec3) -> f32 {
    light.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}

/// Smooths light and variance.
pub(super) fn smooth(pixels: &mut [Pixel], width: usize) {
    let height = pixels.len() / width.max(1);
    for round in 0..ROUNDS {
        let old = pixels.to_vec();
        for_strips(pixels, width, |y, row| {
            for (x, pixel) in row.iter_mut().enumerate() {
                filter(&old, (x, y), (width, height), 1 << round, pixel);
            }
        });
    }
}

/// The variance about a pixel, which is itself noisy.
fn variance(pixels: &[Pixel], (x, y): (usize, usize), (width, height): (usize, usize)) -> f32 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for v in y.saturating_sub(1)..(y + 2).min(height) {
        for u in x.saturating_sub(1)..(x + 2).min(width) {
            let weight = if u == x && v == y { 2.0 } else { 1.0 };
            sum += weight * pixels[v * width + u].variance;
            weights += weight;
        }
    }
    sum / weights
}

fn filter(
    pixels: &[Pixel],
    (x, y): (usize, usize),
    (width, height): (usize, usize),
    step: i32,
    out: &mut Pixel,
) {
    let own = pixels[y * width + x];
    let spread = DEVIATIONS * variance(pixels, (x, y), (width, height)).sqrt() + 1e-4;
    let own_brightness = brightness(own.light);
    let (mut light, mut noise, mut weights) = (Vec3::ZERO, 0.0, 0.0);
    for j in -2..=2_i32 {
        for i in -2..=2_i32 {
            let (u, v) = (x as i32 + i * step, y as i32 + j * step);
            if u < 0 || v < 0 || u >= width as i32 || v >= height as i32 {
                continue;
            }
            let other = &pixels[v as usize * width + u as usize];
            let off = (brightness(other.light) - own_brightness).abs() / spread;
            let color = (other.color - own.color).length_squared() * 60.0;
            let turn = (other.normal - own.normal).length_squared() * 12.0;
            let away = if own.depth.is_finite() || other.depth.is_finite() {
                (other.depth - own.depth).abs() * 25.0 / step as f32
            } else {
                0.0
            };
            let weight = KERNEL[i.unsigned_abs() as usize]
                * KERNEL[j.unsigned_abs() as usize]
                * (-(off + color + turn + away)).exp();
            light += weight * other.light;
            noise += weight * weight * other.variance;
            weights += weight;
        }
    }
    // The pixel itself always counts.
    out.light = light / weights;
    out.variance = noise / (weights * weights);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracer::random::Random;

    #[test]
    fn noise_goes_and_edges_stay() {
        let width = 64;
        let pixel = |i: usize| {
            let noise = Random::new(i as u32, 0, 1).pair().0 - 0.5;
            let left = i % width < 32;
            Pixel {
                light: Vec3::splat(if left { 0.3 } else { 0.8 } + 0.2 * noise),
                // An even spread of width 0.2.
                variance: 0.04 / 12.0,
                color: Vec3::ONE,
                normal: if left { Vec3::X } else { Vec3::Y },
                depth: 1.0,
            }
        };
        let mut pixels: Vec<Pixel> = (0..width * width).map(pixel).collect();
        let deviation = |pixels: &[Pixel], columns: std::ops::Range<usize>, mean: f32| {
            let of = pixels.iter().enumerate().filter(|(i, _)| columns.contains(&(i % width)));
            let squares: Vec<f32> = of.map(|(_, p)| (p.light.x - mean).powi(2)).collect();
            (squares.iter().sum::<f32>() / squares.len() as f32).sqrt()
        };
        let before = deviation(&pixels, 0..32, 0.3);
        smooth(&mut pixels, width);
        for (columns, mean) in [(0..32, 0.3), (32..64, 0.8)] {
            let after = deviation(&pixels, columns, mean);
            assert!(after < before / 4.0, "{before} before, {after} after");
        }
    }
}
