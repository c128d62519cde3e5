//! Numbers that look random and are the same whenever a pixel is painted.

/// The numbers of one path. Each pair of them is spread evenly over the paths of its pixel: the unit square has as many
/// cells as there are paths, and each path falls into another one.
pub(super) struct Random {
    pixel: u32,
    path: u32,
    paths: u32,
    /// Cells across.
    columns: u32,
    rows: u32,
    /// Pairs that have been taken.
    taken: u32,
}

/// An integer whose bits all depend on all bits of `x` (constants by Wellons 2018).
fn mixed(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// The integer as a number from 0 up to, but without, 1.
fn unit(x: u32) -> f32 {
    (x >> 8) as f32 / (1 << 24) as f32
}

/// Where `index` comes in one of many orders of `count` things.
fn shuffled(mut index: u32, count: u32, order: u32) -> u32 {
    let mask = count.next_power_of_two() - 1;
    let shift = (mask.count_ones() / 2).max(1);
    loop {
        // Each line maps the numbers up to the mask one to one.
        index = index.wrapping_add(order) & mask;
        index = index.wrapping_mul((order >> 8) | 1) & mask;
        index ^= index >> shift;
        index = index.wrapping_mul((order >> 16) | 1) & mask;
        index ^= index >> shift;
        if index < count {
            return index;
        }
    }
}

impl Random {
    /// Those of one of several paths of a pixel.
    pub(super) fn new(pixel: u32, path: u32, paths: u32) -> Self {
        let columns = (paths as f32).sqrt() as u32;
        let columns = columns.max(1);
        let rows = paths.div_ceil(columns);
        Self { pixel: mixed(pixel ^ 0x9e37_79b9), path, paths, columns, rows, taken: 0 }
    }

    /// Two numbers from 0 to 1, without 1.
    pub(super) fn pair(&mut self) -> (f32, f32) {
        self.taken += 1;
        let order = mixed(self.pixel ^ self.taken.wrapping_mul(0x85eb_ca6b));
        let cells = self.columns * self.rows;
        debug_assert!(self.path < self.paths && self.paths <= cells);
        let cell = shuffled(self.path, cells, order);
        let x = mixed(order ^ self.path.wrapping_mul(0xc2b2_ae35));
        let y = mixed(x ^ 0x27d4_eb2f);
        let across = ((cell % self.columns) as f32 + unit(x)) / self.columns as f32;
        let along = ((cell / self.columns) as f32 + unit(y)) / self.rows as f32;
        // Rounding may lead to one.
        (across.min(0.999_999_9), along.min(0.999_999_9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_order_has_each_thing_once() {
        for count in [1, 2, 3, 12, 64, 81] {
            for order in (0..200).map(mixed) {
                let mut seen: Vec<u32> = (0..count).map(|i| shuffled(i, count, order)).collect();
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..count), "{count}");
            }
        }
    }

    #[test]
    fn pairs_are_even_within_a_pixel_and_over_pixels() {
        for pixel in 0..50 {
            let mut cells = [0; 16];
            for path in 0..16 {
                let mut random = Random::new(pixel, path, 16);
                random.pair();
                let (x, y) = random.pair();
                cells[(4.0 * x) as usize + 4 * (4.0 * y) as usize] += 1;
            }
            assert_eq!(cells, [1; 16]);
        }
        let mut sum = [0.0_f64; 3];
        let count = 20_000;
        for pixel in 0..count {
            let (x, y) = Random::new(pixel, 0, 1).pair();
            let (x, y) = (f64::from(x) - 0.5, f64::from(y) - 0.5);
            sum = [sum[0] + x, sum[1] + y, sum[2] + x * y];
        }
        // The mean of so many numbers strays by 0.002, that of products by 0.0006.
        let mean = sum.map(|s| s / f64::from(count));
        assert!(
            mean[0].abs() < 0.008 && mean[1].abs() < 0.008 && mean[2].abs() < 0.0024,
            "{mean:?}"
        );
    }
}
