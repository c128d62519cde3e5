//! The power spectrum of a column (Welch 1967).

use super::Record;
use crate::plot::{Axis, Curve, LineStyle, Plot};
use lawine_core::fit::Line;
use lawine_scene::file::SpectrumMeasure;
use std::f64::consts::{PI, TAU};
use std::io;

/// Stretches of half length, half over each other, whose spectra are averaged.
const STRETCHES: usize = 7;
/// Means over the frequency in each decade.
const PER_DECADE: f64 = 10.0;

/// Power over frequency, averaged in equal intervals of its logarithm, and the line of its decay.
pub(super) fn spectrum(asked: &SpectrumMeasure, record: &Record<'_>) -> io::Result<Plot> {
    let values = record.column(&asked.column)?;
    let span = asked.span.unwrap_or_default();
    let rows = record.times().iter().copied().zip(values.iter().copied());
    let rows: Vec<(f64, f64)> = rows.filter(|(t, y)| span.contains(*t) && y.is_finite()).collect();
    let (f, power) = power(&rows);
    let fitted = within(&f, &power, asked.fit.unwrap_or([0.0, f64::INFINITY]));
    let points = f.into_iter().zip(power).map(|(f, p)| [f, p]).collect();
    let mut curves = vec![Curve { style: LineStyle::Points, ..Curve::line(&asked.column, points) }];
    if fitted.len() > 2 {
        let Line { slope, height } = Line::through(&fitted);
        let ends = [fitted[0].0, fitted[fitted.len() - 1].0];
        let label = format!("f^{slope:.2}").replace('-', "−");
        let points = ends.map(|x| [x.exp(), (height + slope * x).exp()]).to_vec();
        curves.push(Curve::line(label, points));
    }
    let unit = record.unit(&asked.column);
    let unit = match unit.as_str() {
        "" => "s".to_owned(),
        unit if unit.chars().all(char::is_alphabetic) => format!("{unit}² s"),
        unit => format!("({unit})² s"),
    };
    let x = Axis { log: true, ..Axis::new("frequency", "1/s") };
    let y = Axis { log: true, ..Axis::new("power", unit) };
    Ok(Plot { title: String::new(), x, y, curves })
}

/// The power spectrum of rows (t, y): frequencies [1/s] and powers, averaged in equal intervals of the
/// frequency's logarithm; empty where there are too few rows.
pub fn power(rows: &[(f64, f64)]) -> (Vec<f64>, Vec<f64>) {
    averaged(&density(rows))
}

/// The exponent of the decay of the power spectrum of rows (t, y) between two frequencies [1/s]; NaN
/// where there are too few rows.
pub fn decay(rows: &[(f64, f64)], fit: [f64; 2]) -> f64 {
    let (f, power) = power(rows);
    let fitted = within(&f, &power, fit);
    if fitted.len() > 2 { Line::through(&fitted).slope } else { f64::NAN }
}

/// Logarithms of what lies between two frequencies.
fn within(f: &[f64], power: &[f64], [low, high]: [f64; 2]) -> Vec<(f64, f64)> {
    let points = f.iter().zip(power);
    let inside = points.filter(|(f, p)| (low..=high).contains(*f) && **p > 0.0);
    inside.map(|(f, p)| (f.ln(), p.ln())).collect()
}

/// Frequencies and power densities of rows (t, y) in ascending order, which need not be evenly spread.
pub(super) fn density(rows: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Vec::new() };
    let whole = rows.len().max(2).next_power_of_two() / 2;
    let (length, step) = (whole / 4, (last.0 - first.0) / whole as f64);
    if length < 4 || step <= 0.0 {
        return Vec::new();
    }
    let even = evenly(rows, first.0, step, whole);
    let mut sum = vec![0.0; length / 2];
    let window: Vec<f64> =
        (0..length).map(|k| (PI * (k as f64 + 0.5) / length as f64).sin().powi(2)).collect();
    let weight: f64 = window.iter().map(|w| w * w).sum();
    for stretch in 0..STRETCHES {
        let part = &even[stretch * length / 2..][..length];
        let mean = part.iter().sum::<f64>() / length as f64;
        let mut wave: Vec<[f64; 2]> =
            part.iter().zip(&window).map(|(y, w)| [(y - mean) * w, 0.0]).collect();
        transform(&mut wave);
        for (sum, [re, im]) in sum.iter_mut().zip(&wave) {
            *sum += 2.0 * step * (re * re + im * im) / (weight * STRETCHES as f64);
        }
    }
    let spacing = 1.0 / (length as f64 * step);
    sum.into_iter().enumerate().skip(1).map(|(k, p)| (k as f64 * spacing, p)).collect()
}

/// Values at equal steps, on the straight lines between rows.
fn evenly(rows: &[(f64, f64)], start: f64, step: f64, count: usize) -> Vec<f64> {
    let mut next = 1;
    let at = |k: usize| {
        let t = start + step * k as f64;
        while next + 1 < rows.len() && rows[next].0 < t {
            next += 1;
        }
        let ((a, y), (b, z)) = (rows[next - 1], rows[next]);
        if b > a { y + (z - y) * (t - a) / (b - a) } else { z }
    };
    (0..count).map(at).collect()
}

/// Fourier's sum of a power of two of complex numbers, in place (Cooley & Tukey 1965).
fn transform(wave: &mut [[f64; 2]]) {
    let n = wave.len();
    if n < 2 {
        return;
    }
    let bits = n.trailing_zeros();
    for i in 0..n {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if i < j {
            wave.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        for start in (0..n).step_by(2 * half) {
            for k in 0..half {
                let (sin, cos) = (-TAU * k as f64 / (2 * half) as f64).sin_cos();
                let ([a, b], [c, d]) = (wave[start + k], wave[start + k + half]);
                let turned = [c * cos - d * sin, c * sin + d * cos];
                wave[start + k] = [a + turned[0], b + turned[1]];
                wave[start + k + half] = [a - turned[0], b - turned[1]];
            }
        }
        half *= 2;
    }
}

/// Means over equal intervals of the logarithm of the frequency.
fn averaged(density: &[(f64, f64)]) -> (Vec<f64>, Vec<f64>) {
    let group = |f: f64| (PER_DECADE * f.log10()).floor();
    let means = density.chunk_by(|a, b| group(a.0) <= group(b.0) && group(a.0) >= group(b.0));
    means
        .map(|part| {
            let n = part.len() as f64;
            let sum = part.iter().fold((0.0, 0.0), |(f, p), part| (f + part.0, p + part.1));
            (sum.0 / n, sum.1 / n)
        })
        .unzip()
}
