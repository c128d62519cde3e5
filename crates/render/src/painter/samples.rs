//! Which thing is seen at each sample, and how far away it is.

use glam::{DVec2, Vec3};

use super::parallel::{Bins, for_strips};
use super::solid::{Ball, Face};
use super::view::View;

/// What is seen at one sample.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    /// Along the line of sight [m].
    pub(super) depth: f32,
    /// Balls count from zero, faces from the number of balls.
    pub(super) thing: u32,
}

/// Nothing but background.
pub(super) const NOTHING: u32 = u32::MAX;
/// The soft floor.
pub(super) const FLOOR: u32 = u32::MAX - 1;

/// The plane of the floor in camera space.
pub(super) struct FloorPlane {
    pub(super) center: Vec3,
    pub(super) normal: Vec3,
    pub(super) radius: f32,
}

/// The samples of a picture, row by row.
pub(super) struct Samples {
    pub(super) columns: usize,
    pub(super) rows: usize,
    pub(super) seen: Vec<Sample>,
}

/// Rows of samples in a strip: a strip of a common picture stays in the cache of a core.
const STRIP: usize = 32;

impl Samples {
    /// Finds what is seen.
    pub(super) fn new(
        view: &View,
        (columns, rows): (usize, usize),
        balls: &[Ball],
        faces: &[Face],
        floor: Option<&FloorPlane>,
    ) -> Self {
        let triangles: Vec<Triangle> = faces.iter().map(|face| Triangle::new(face, view)).collect();
        let ball_bins = Bins::new(rows, STRIP, balls.iter().map(|ball| ball.rows));
        let face_bins = Bins::new(rows, STRIP, triangles.iter().map(|t| t.rows));
        let mut seen = vec![Sample { depth: f32::INFINITY, thing: NOTHING }; columns * rows];
        for_strips(&mut seen, columns * STRIP, |index, strip| {
            let mut strip = Strip { columns, first_row: index * STRIP, seen: strip };
            for i in ball_bins.strip(index) {
                strip.draw_ball(view, &balls[i], i as u32);
            }
            for i in face_bins.strip(index) {
                strip.draw_triangle(&triangles[i], (balls.len() + i) as u32);
            }
            if let Some(floor) = floor {
                strip.draw_floor(view, floor);
            }
        });
        Self { columns, rows, seen }
    }
}

/// The length of the line of sight within closed bodies, at each sample, as far as what lies behind them is seen.
pub(super) fn thickness(view: &View, behind: &Samples, faces: &[Face]) -> Vec<f32> {
    let (columns, rows) = (behind.columns, behind.rows);
    let triangles: Vec<Triangle> = faces.iter().map(|face| Triangle::new(face, view)).collect();
    let bins = Bins::new(rows, STRIP, triangles.iter().map(|t| t.rows));
    let mut inside = vec![0.0_f32; columns * rows];
    for_strips(&mut inside, columns * STRIP, |index, strip| {
        let first_row = index * STRIP;
        for i in bins.strip(index) {
            let triangle = &triangles[i];
            let sign = if faces[i].is_front { -1.0 } else { 1.0 };
            let (first, last) = triangle.rows;
            let end = (first_row + strip.len() / columns).min((last + 1).max(0) as usize);
            for row in (first.max(first_row as i32) as usize)..end {
                let start = (row - first_row) * columns;
                for column in triangle.columns_at(row, columns) {
                    let inverse = triangle.inverse_depth.at(column as f64 + 0.5, row as f64 + 0.5);
                    if inverse > 0.0 {
                        let depth = (1.0 / inverse) as f32;
                        let depth = depth.min(behind.seen[row * columns + column].depth);
                        let along = view.ray(column, row).length();
                        strip[start + column] += sign * depth * along;
                    }
                }
            }
        }
    });
    inside
}

/// Some rows of samples.
struct Strip<'a> {
    columns: usize,
    first_row: usize,
    seen: &'a mut [Sample],
}

impl Strip<'_> {
    /// The part of a span of rows that lies in this strip.
    fn rows(&self, (first, last): (i32, i32)) -> std::ops::Range<usize> {
        let end = self.first_row + self.seen.len() / self.columns;
        let first = first.max(self.first_row as i32) as usize;
        first..end.min((last + 1).max(0) as usize)
    }

    /// Meets each line of sight with the sphere. The equation is written about the point where
    /// the line passes the plane of the centre: in single precision the usual one, about the
    /// eye, loses small spheres.
    fn draw_ball(&mut self, view: &View, ball: &Ball, thing: u32) {
        let center = ball.center;
        let first = ball.columns.0.max(0) as usize;
        let end = ((ball.columns.1 + 1).max(0) as usize).min(self.columns);
        let radius2 = ball.radius * ball.radius;
        let nearest = center.z - ball.radius;
        for row in self.rows(ball.rows) {
            let start = (row - self.first_row) * self.columns;
            let Some(samples) = self.seen[start..start + self.columns].get_mut(first..end) else {
                continue;
            };
            let ray_y = view.ray(first, row).y;
            let off_y = ray_y * center.z - center.y;
            for (column, sample) in (first..).zip(samples) {
                let ray_x = view.ray(column, row).x;
                let off_x = ray_x * center.z - center.x;
                let a = ray_x * ray_x + ray_y * ray_y + 1.0;
                let b = off_x * ray_x + off_y * ray_y;
                let c = off_x * off_x + off_y * off_y - radius2;
                let root2 = b * b - a * c;
                // The front of the sphere is never nearer than this: most hidden spheres end here.
                if root2 < 0.0 || nearest >= sample.depth {
                    continue;
                }
                let depth = center.z - (b + root2.sqrt()) / a;
                if depth < sample.depth {
                    *sample = Sample { depth, thing };
                }
            }
        }
    }

    fn draw_triangle(&mut self, triangle: &Triangle, thing: u32) {
        for row in self.rows(triangle.rows) {
            let start = (row - self.first_row) * self.columns;
            for column in triangle.columns_at(row, self.columns) {
                let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
                let inverse = triangle.inverse_depth.at(x, y);
                let depth = (1.0 / inverse) as f32;
                let sample = &mut self.seen[start + column];
                if inverse > 0.0 && depth < sample.depth {
                    *sample = Sample { depth, thing };
                }
            }
        }
    }

    fn draw_floor(&mut self, view: &View, floor: &FloorPlane) {
        let height = floor.normal.dot(floor.center);
        for (i, sample) in self.seen.iter_mut().enumerate() {
            if sample.thing != NOTHING {
                continue;
            }
            let ray = view.ray(i % self.columns, self.first_row + i / self.columns);
            let depth = height / floor.normal.dot(ray);
            if depth > view.near && (ray * depth - floor.center).length() < floor.radius {
                *sample = Sample { depth, thing: FLOOR };
            }
        }
    }
}

/// A function a x + b y + c of a place in the picture.
struct Linear {
    a: f64,
    b: f64,
    c: f64,
}

impl Linear {
    fn at(&self, x: f64, y: f64) -> f64 {
        self.a * x + self.b * y + self.c
    }

    /// The function with given values at the corners of a triangle.
    fn through(corners: [DVec2; 3], values: [f64; 3]) -> Self {
        let (p, q) = (corners[1] - corners[0], corners[2] - corners[0]);
        let (u, v) = (values[1] - values[0], values[2] - values[0]);
        let area = p.perp_dot(q);
        let a = (u * q.y - v * p.y) / area;
        let b = (v * p.x - u * q.x) / area;
        Self { a, b, c: values[0] - a * corners[0].x - b * corners[0].y }
    }
}

/// A triangle in the picture.
pub(super) struct Triangle {
    corners: [DVec2; 3],
    /// The inverse of the depth is linear in the picture.
    inverse_depth: Linear,
    rows: (i32, i32),
}

impl Triangle {
    fn new(face: &Face, view: &View) -> Self {
        let inverse = face.corners.map(|p| 1.0 / f64::from(p.z));
        Self::flat(face.corners.map(|p| view.project(p)), inverse)
    }

    /// A triangle from its corners in the picture.
    fn flat(corners: [DVec2; 3], values: [f64; 3]) -> Self {
        let low = corners.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        let high = corners.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
        let rows = ((low - 0.5).ceil() as i32, (high - 0.5).floor() as i32);
        Self { corners, inverse_depth: Linear::through(corners, values), rows }
    }

    fn columns_at(&self, row: usize, columns: usize) -> std::ops::Range<usize> {
        let (low, high) = crossing(&self.corners, row as f64 + 0.5);
        let first = (low - 0.5 - SLACK).ceil().max(0.0) as usize;
        let end = ((high - 0.5 + SLACK).floor() + 1.0).max(0.0) as usize;
        first..end.min(columns)
    }
}

/// Neighbouring triangles may overlap by this much [samples], so that there is no gap.
const SLACK: f64 = 1e-6;

/// Where a horizontal line enters and leaves a triangle; nothing as an inverted range.
pub(super) fn crossing(corners: &[DVec2; 3], y: f64) -> (f64, f64) {
    let mut range = (f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..3 {
        let (a, b) = (corners[i], corners[(i + 1) % 3]);
        if a.y.min(b.y) <= y && y <= a.y.max(b.y) {
            let fraction = if a.y < b.y || b.y < a.y { (y - a.y) / (b.y - a.y) } else { 0.0 };
            let x = a.x + (b.x - a.x) * fraction;
            let other = if a.y < b.y || b.y < a.y { x } else { b.x };
            range = (range.0.min(x).min(other), range.1.max(x).max(other));
        }
    }
    range
}
