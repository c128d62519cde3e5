//! Which places the light reaches.

use glam::{DVec2, Mat3, Vec3};

use super::parallel::{Bins, for_strips};
use super::samples::crossing;
use super::solid::{Ball, Face};

/// The scene as the light sees it: for each texel, the distance of the nearest thing.
pub(super) struct LightMap {
    /// Rows are the axes of the map: across, along, away from the light.
    axes: Mat3,
    /// Corner of the map in light space [m].
    corner: Vec3,
    /// Texels per metre.
    scale: f32,
    /// Distance away from the light [m], infinite where nothing is.
    depth: Vec<f32>,
    /// Part of the light that is held back, smoothed; for the floor, which lies below all things.
    soft: Vec<f32>,
}

/// Texels on a side.
const SIZE: usize = 1024;
/// Free texels at the border, for the smoothing.
const MARGIN: usize = 40;
/// Rows of texels in a strip.
const STRIP: usize = 32;
/// Half width of one pass of smoothing [texels]; there are three.
const SMOOTH: usize = 5;

impl LightMap {
    /// The map of everything that casts shadow, seen along `light` (towards the light, in
    /// camera space). `None` when nothing casts shadow.
    pub(super) fn new(light: Vec3, balls: &[Ball], faces: &[Face]) -> Option<Self> {
        let across = light.any_orthonormal_vector();
        let axes = Mat3::from_cols(across, light.cross(across), -light).transpose();
        let balls: Vec<(Vec3, f32)> = balls.iter().map(|b| (axes * b.center, b.radius)).collect();
        let casting = faces.iter().filter(|face| face.casts_shadow);
        let faces: Vec<[Vec3; 3]> = casting.map(|face| face.corners.map(|p| axes * p)).collect();

        let ball_ends = balls.iter().flat_map(|&(c, r)| [c - r, c + r]);
        let ends = ball_ends.chain(faces.iter().flatten().copied());
        let (low, high) = ends
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        let extent = (high - low).truncate().max_element();
        if !(extent.is_finite() && extent > 0.0) {
            return None;
        }
        let scale = (SIZE - 2 * MARGIN) as f32 / extent;
        let corner = low - MARGIN as f32 / scale;
        let mut map = Self { axes, corner, scale, depth: Vec::new(), soft: Vec::new() };
        map.depth = map.draw(&balls, &faces);
        map.soft = smoothed(map.depth.iter().map(|d| f32::from(u8::from(d.is_finite()))).collect());
        Some(map)
    }

    /// The place of a point of light space on the map [texels].
    fn texel(&self, p: Vec3) -> (f32, f32) {
        ((p.x - self.corner.x) * self.scale, (p.y - self.corner.y) * self.scale)
    }

    fn draw(&self, balls: &[(Vec3, f32)], faces: &[[Vec3; 3]]) -> Vec<f32> {
        let rows = |y: f32, r: f32| ((y - r - 0.5).ceil() as i32, (y + r - 0.5).floor() as i32);
        // A small sphere must not fall between the texels.
        let reach = |radius: f32| (radius * self.scale).max(0.8);
        let ball_rows = balls.iter().map(|&(c, r)| rows(self.texel(c).1, reach(r)));
        let ball_bins = Bins::new(SIZE, STRIP, ball_rows);
        let face_rows = faces.iter().map(|face| {
            let ys = face.map(|p| self.texel(p).1);
            let low = ys[0].min(ys[1]).min(ys[2]);
            let high = ys[0].max(ys[1]).max(ys[2]);
            rows((low + high) / 2.0, (high - low) / 2.0)
        });
        let face_bins = Bins::new(SIZE, STRIP, face_rows);

        let mut depth = vec![f32::INFINITY; SIZE * SIZE];
        for_strips(&mut depth, SIZE * STRIP, |index, strip| {
            let mut strip = Strip { first_row: index * STRIP, depth: strip };
            for (center, radius) in ball_bins.strip(index).map(|i| balls[i]) {
                strip.draw_ball(self.texel(center), center.z, radius, reach(radius));
            }
            for face in face_bins.strip(index).map(|i| &faces[i]) {
                strip.draw_face(face.map(|p| (self.texel(p), p.z)));
            }
        });
        depth
    }

    /// The part of the light that reaches a point of a face. The point is lifted off the face by a
    /// few texels: a face that the light grazes would else shade itself in stripes.
    pub(super) fn light_on_face(&self, point: Vec3, normal: Vec3) -> f32 {
        self.light_at(point + normal * (3.0 / self.scale), 0.0)
    }

    /// The part of the light that reaches a point in camera space, seen by things of about the
    /// size `grain` [m], which must not shade themselves.
    pub(super) fn light_at(&self, point: Vec3, grain: f32) -> f32 {
        let p = self.axes * point;
        let (x, y) = self.texel(p);
        let (x, y) = (x - 2.0, y - 2.0);
        if !(x >= 0.0 && y >= 0.0 && x < (SIZE - 4) as f32 && y < (SIZE - 4) as f32) {
            return 1.0;
        }
        let depth = p.z - 2.5 / self.scale - 0.35 * grain;
        let (column, row) = (x as usize, y as usize);
        let (fx, fy) = (x - column as f32, y - row as f32);
        // A box three texels wide that slides smoothly over the texels.
        let weights = |f: f32| [1.0 - f, 1.0, 1.0, f];
        let across = weights(fx);
        let mut lit = 0.0;
        for (j, along) in weights(fy).into_iter().enumerate() {
            let texels = &self.depth[(row + j) * SIZE + column..][..4];
            let in_row: f32 =
                texels.iter().zip(across).map(|(&d, w)| if d >= depth { w } else { 0.0 }).sum();
            lit += in_row * along;
        }
        lit / 9.0
    }

    /// The part of the light that reaches a point of the floor, with soft edges.
    pub(super) fn light_on_floor(&self, point: Vec3) -> f32 {
        let (x, y) = self.texel(self.axes * point);
        let (x, y) = (x - 0.5, y - 0.5);
        if !(x >= 0.0 && y >= 0.0 && x < (SIZE - 1) as f32 && y < (SIZE - 1) as f32) {
            return 1.0;
        }
        let (column, row) = (x as usize, y as usize);
        let (fx, fy) = (x - column as f32, y - row as f32);
        let at = |dx: usize, dy: usize| self.soft[(row + dy) * SIZE + column + dx];
        let upper = at(0, 0) * (1.0 - fx) + at(1, 0) * fx;
        let lower = at(0, 1) * (1.0 - fx) + at(1, 1) * fx;
        1.0 - (upper * (1.0 - fy) + lower * fy)
    }
}

/// Some rows of texels.
struct Strip<'a> {
    first_row: usize,
    depth: &'a mut [f32],
}

impl Strip<'_> {
    fn draw_ball(&mut self, (x, y): (f32, f32), z: f32, radius: f32, reach: f32) {
        let columns = (x - reach - 0.5).ceil().max(0.0) as usize
            ..((x + reach + 0.5).floor().max(0.0) as usize).min(SIZE);
        for (j, row) in self.depth.chunks_exact_mut(SIZE).enumerate() {
            let dy = (self.first_row + j) as f32 + 0.5 - y;
            if dy.abs() > reach {
                continue;
            }
            for column in columns.clone() {
                let dx = column as f32 + 0.5 - x;
                let inside = 1.0 - (dx * dx + dy * dy) / (reach * reach);
                if inside >= 0.0 {
                    let depth = z - radius * inside.sqrt();
                    if depth < row[column] {
                        row[column] = depth;
                    }
                }
            }
        }
    }

    fn draw_face(&mut self, corners: [((f32, f32), f32); 3]) {
        let flat = corners.map(|((x, y), _)| DVec2::new(f64::from(x), f64::from(y)));
        let z = corners.map(|(_, z)| f64::from(z));
        let (p, q) = (flat[1] - flat[0], flat[2] - flat[0]);
        let area = p.perp_dot(q);
        for (j, row) in self.depth.chunks_exact_mut(SIZE).enumerate() {
            let y = (self.first_row + j) as f64 + 0.5;
            let (low, high) = crossing(&flat, y);
            let first = (low - 0.5).ceil().max(0.0) as usize;
            let end = (((high - 0.5).floor() + 1.0).max(0.0) as usize).min(SIZE);
            for (column, nearest) in row.iter_mut().enumerate().take(end).skip(first) {
                let at = DVec2::new(column as f64 + 0.5, y) - flat[0];
                let (u, v) = (at.perp_dot(q) / area, p.perp_dot(at) / area);
                let depth = (z[0] + u * (z[1] - z[0]) + v * (z[2] - z[0])) as f32;
                if depth < *nearest {
                    *nearest = depth;
                }
            }
        }
    }
}

/// Three running means across and along, which together are close to a bell.
fn smoothed(mut map: Vec<f32>) -> Vec<f32> {
    for _ in 0..2 {
        for_strips(&mut map, SIZE, |_, row| {
            for _ in 0..3 {
                running_mean(row);
            }
        });
        map = transposed(&map);
    }
    map
}

fn running_mean(row: &mut [f32]) {
    let old: [f32; SIZE] = std::array::from_fn(|i| row[i]);
    let mut sum: f32 = 0.0;
    for i in 0..SIZE + SMOOTH {
        sum += old.get(i).copied().unwrap_or(0.0);
        if i > 2 * SMOOTH {
            sum -= old[i - 2 * SMOOTH - 1];
        }
        if i >= SMOOTH {
            row[i - SMOOTH] = sum.max(0.0) / (2 * SMOOTH + 1) as f32;
        }
    }
}

fn transposed(map: &[f32]) -> Vec<f32> {
    let mut turned = vec![0.0; SIZE * SIZE];
    for_strips(&mut turned, SIZE * 16, |strip, rows| {
        for block in 0..SIZE / 16 {
            for i in 0..16 {
                for j in 0..16 {
                    let (row, column) = (strip * 16 + i, block * 16 + j);
                    rows[i * SIZE + column] = map[column * SIZE + row];
                }
            }
        }
    });
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_shades_what_lies_behind_it() {
        let ball = Ball {
            center: Vec3::new(0.0, 0.0, 5.0),
            radius: 1.0,
            color: Vec3::ONE,
            columns: (0, 0),
            rows: (0, 0),
        };
        let light = Vec3::new(0.0, -0.8, 0.6);
        let map = LightMap::new(light, &[ball], &[]).unwrap();
        let behind = Vec3::new(0.0, 0.0, 5.0) - 3.0 * light;
        assert!(map.light_at(behind, 0.0) < 0.01);
        assert!(map.light_on_floor(behind) < 0.01);
        let before = Vec3::new(0.0, 0.0, 5.0) + 3.0 * light;
        assert!(map.light_at(before, 0.0) > 0.99);
        let aside = behind + Vec3::new(2.0, 0.0, 0.0);
        assert!(map.light_at(aside, 0.0) > 0.99 && map.light_on_floor(aside) > 0.99);
        assert!(LightMap::new(light, &[], &[]).is_none());
    }
}
