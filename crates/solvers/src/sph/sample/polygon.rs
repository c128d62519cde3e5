//! Layers along the sides of a convex polygon, and of a stadium.

use std::f64::consts::PI;

use glam::DVec2;

use super::Sample;
use lawine_core::body::Capsule;
use lawine_core::geometry::polygon_area;

/// A piece of a layer's line: straight or a circular arc.
enum Piece {
    Line { from: DVec2, to: DVec2 },
    Arc { center: DVec2, from: DVec2, angle: f64 },
}

impl Piece {
    fn length(&self) -> f64 {
        match self {
            Self::Line { from, to } => from.distance(*to),
            Self::Arc { from, angle, .. } => from.length() * angle,
        }
    }

    /// The point at the fraction `t` of the length.
    fn at(&self, t: f64) -> DVec2 {
        match self {
            Self::Line { from, to } => from.lerp(*to, t),
            Self::Arc { center, from, angle } => {
                *center + DVec2::from_angle(t * angle).rotate(*from)
            }
        }
    }
}

/// About how many samples there will be.
pub(super) fn count(polygon: &[DVec2], hollow: bool, d: f64, layers: usize) -> f64 {
    let thickness = layers as f64 * d;
    let area = if hollow {
        perimeter(polygon) * thickness + PI * thickness * thickness
    } else {
        polygon_area(polygon) - polygon_area(&inset(polygon, thickness))
    };
    area / (d * d)
}

pub(super) fn samples(polygon: &[DVec2], hollow: bool, d: f64, layers: usize) -> Vec<Sample> {
    let mut samples = Vec::new();
    for k in 0..layers {
        let k = k as f64;
        let (near, middle, far) = (k * d, (k + 0.5) * d, (k + 1.0) * d);
        if hollow {
            let area = perimeter(polygon) * d + PI * (far * far - near * near);
            spread(&around(polygon, middle), area, d, &mut samples);
            continue;
        }
        let left = inset(polygon, near);
        let area = polygon_area(&left) - polygon_area(&inset(polygon, far));
        if area <= 1e-3 * d * d {
            break;
        }
        let line = inset(polygon, middle);
        // Where opposite sides of the layer meet, one row in the middle is all there is.
        if line.len() < 3 || 2.0 * polygon_area(&line) < 0.75 * d * 0.5 * perimeter(&line) {
            spread(&[diameter(&left)], area, d, &mut samples);
        } else {
            spread(&around(&line, 0.0), area, d, &mut samples);
        }
    }
    samples
}

/// The layers of a stadium: their area, and half the thickness of what the line goes round; zero where
/// opposite sides meet.
fn stadiums(
    Capsule { half, radius }: Capsule,
    hollow: bool,
    d: f64,
    layers: usize,
) -> impl Iterator<Item = (f64, f64)> {
    let area = move |r: f64| 4.0 * half * r + PI * r * r;
    (0..layers).map_while(move |k| {
        let k = k as f64;
        if hollow {
            let area = area(radius + (k + 1.0) * d) - area(radius + k * d);
            return Some((area, radius + (k + 0.5) * d));
        }
        let outer = radius - k * d;
        let middle = outer - 0.5 * d;
        let area = area(outer) - area((outer - d).max(0.0));
        (outer > 1e-3 * d).then_some((area, if middle < 0.25 * d { 0.0 } else { middle }))
    })
}

/// About how many samples a stadium will have.
pub(super) fn stadium_count(stadium: Capsule, hollow: bool, d: f64, layers: usize) -> f64 {
    stadiums(stadium, hollow, d, layers).map(|(area, _)| area / (d * d)).sum()
}

pub(super) fn stadium_samples(
    stadium: Capsule,
    hollow: bool,
    d: f64,
    layers: usize,
) -> Vec<Sample> {
    let end = DVec2::new(0.0, stadium.half);
    let mut samples = Vec::new();
    for (area, r) in stadiums(stadium, hollow, d, layers) {
        let across = DVec2::new(r, 0.0);
        if r > 0.0 {
            let pieces = [
                Piece::Line { from: across - end, to: across + end },
                Piece::Arc { center: end, from: across, angle: PI },
                Piece::Line { from: end - across, to: -end - across },
                Piece::Arc { center: -end, from: -across, angle: PI },
            ];
            spread(&pieces, area, d, &mut samples);
        } else {
            spread(&[Piece::Line { from: -end, to: end }], area, d, &mut samples);
        }
    }
    samples
}

/// Evenly spaced samples along the pieces, one after the other.
fn spread(pieces: &[Piece], area: f64, d: f64, samples: &mut Vec<Sample>) {
    let count = (area / (d * d)).round().max(1.0);
    let length: f64 = pieces.iter().map(Piece::length).sum();
    let step = length / count;
    let mut start = 0.0;
    let mut next = 0.5 * step;
    let mut left = count as usize;
    for (i, piece) in pieces.iter().enumerate() {
        let end = start + piece.length();
        // Rounding must not lose the last sample.
        while left > 0 && (next < end || i + 1 == pieces.len()) {
            let t = if end > start { ((next - start) / (end - start)).min(1.0) } else { 0.5 };
            samples.push(Sample { position: piece.at(t).extend(0.0), volume: area / count });
            next += step;
            left -= 1;
        }
        start = end;
    }
}

fn perimeter(polygon: &[DVec2]) -> f64 {
    sides(polygon).map(|(a, b)| a.distance(b)).sum()
}

/// The sides of a closed polygon.
fn sides(polygon: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> {
    let next = polygon.iter().cycle().skip(1);
    polygon.iter().zip(next).map(|(a, b)| (*a, *b))
}

/// The line at the distance `r` outside a convex polygon: sides, and arcs about the corners.
fn around(polygon: &[DVec2], r: f64) -> Vec<Piece> {
    let n = polygon.len();
    let normal = |i: usize| {
        let (a, b) = (polygon[i % n], polygon[(i + 1) % n]);
        -(b - a).normalize_or_zero().perp()
    };
    let mut pieces = Vec::new();
    for i in 0..n {
        let (a, b) = (polygon[i], polygon[(i + 1) % n]);
        let (here, then) = (r * normal(i), normal(i + 1));
        pieces.push(Piece::Line { from: a + here, to: b + here });
        if r > 0.0 {
            let angle = normal(i).angle_to(then).max(0.0);
            pieces.push(Piece::Arc { center: b, from: here, angle });
        }
    }
    pieces
}

/// The part of a convex polygon at least `depth` away from all its sides; empty when there is none.
fn inset(polygon: &[DVec2], depth: f64) -> Vec<DVec2> {
    let mut kept = polygon.to_vec();
    if depth <= 0.0 {
        return kept;
    }
    for (a, b) in sides(polygon) {
        let inward = (b - a).normalize_or_zero().perp();
        let above = |p: DVec2| inward.dot(p - a) - depth;
        let mut clipped = Vec::with_capacity(kept.len() + 1);
        for (p, q) in sides(&kept) {
            let (hp, hq) = (above(p), above(q));
            if hp >= 0.0 {
                clipped.push(p);
            }
            if (hp >= 0.0) != (hq >= 0.0) {
                clipped.push(p.lerp(q, hp / (hp - hq)));
            }
        }
        kept = clipped;
    }
    kept
}

/// The middle line of a thin convex polygon: along its longest diagonal, through its centroid.
fn diameter(polygon: &[DVec2]) -> Piece {
    let mut longest = (0.0, DVec2::ZERO);
    for (i, &a) in polygon.iter().enumerate() {
        for &b in &polygon[i + 1..] {
            let d2 = a.distance_squared(b);
            if d2 > longest.0 {
                longest = (d2, b - a);
            }
        }
    }
    let (mut area, mut moment) = (0.0, DVec2::ZERO);
    for (a, b) in sides(polygon) {
        let twice = (a - polygon[0]).perp_dot(b - polygon[0]);
        area += twice;
        moment += twice / 3.0 * (a + b + polygon[0]);
    }
    let center = if area > 0.0 { moment / area } else { polygon[0] };
    // The chord through the centroid in that direction.
    let direction = longest.1.normalize_or_zero();
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for (a, b) in sides(polygon) {
        let outward = -(b - a).normalize_or_zero().perp();
        let (speed, room) = (outward.dot(direction), outward.dot(a - center));
        if speed > 1e-9 {
            high = high.min(room / speed);
        } else if speed < -1e-9 {
            low = low.max(room / speed);
        }
    }
    Piece::Line { from: center + low * direction, to: center + high * direction }
}
