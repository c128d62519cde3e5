//! A uniform grid with a skin.

use glam::DVec3;
use lawine_core::geometry::Aabb;
use lawine_core::space::Space;

use super::bounds::Wrapped;

/// Pairs from a uniform grid of boxes grown by a skin. They are found anew only when a box leaves its
/// grown box; in between the candidates are looked through.
#[derive(Clone, Debug)]
pub struct SkinGrid {
    skin: f64,
    grown: Vec<Aabb>,
    wrapped: Vec<Wrapped>,
    candidates: Vec<[u32; 2]>,
    pairs: Vec<[u32; 2]>,
    rebuilds: u64,
    scratch: Scratch,
}

/// Arrays of a grid, kept to save their memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    grown: Vec<Wrapped>,
    extents: Vec<f64>,
    large: Vec<u32>,
    starts: Vec<u32>,
    fill: Vec<u32>,
    order: Vec<u32>,
    found: Vec<u32>,
}

impl SkinGrid {
    /// A grid whose boxes may move by `skin` [m] before it is built anew; zero or less means in every
    /// step.
    #[must_use]
    pub fn new(skin: f64) -> Self {
        let (grown, wrapped) = (Vec::new(), Vec::new());
        let (candidates, pairs) = (Vec::new(), Vec::new());
        let scratch = Scratch::default();
        Self { skin: skin.max(0.0), grown, wrapped, candidates, pairs, rebuilds: 0, scratch }
    }

    /// The pairs of overlapping boxes, in ascending order.
    pub fn update(&mut self, boxes: &[Aabb], space: &Space) -> &[[u32; 2]] {
        self.wrapped.clear();
        self.wrapped.extend(boxes.iter().map(|b| Wrapped::new(b, space)));
        let fits = self.grown.len() == boxes.len()
            && self.grown.iter().zip(boxes).all(|(grown, bounds)| holds(grown, bounds, space));
        if !fits {
            self.grown.clear();
            self.grown.extend(boxes.iter().map(|b| b.grow(self.skin)));
            let mut grown = std::mem::take(&mut self.scratch.grown);
            grown.clear();
            grown.extend(self.grown.iter().map(|b| Wrapped::new(b, space)));
            pairs((&self.grown, &grown), space, &mut self.candidates, &mut self.scratch);
            self.scratch.grown = grown;
            self.rebuilds += 1;
        }
        let overlapping =
            |&[i, j]: &[u32; 2]| self.wrapped[i as usize].overlaps(&self.wrapped[j as usize]);
        self.pairs.clear();
        self.pairs.extend(self.candidates.iter().copied().filter(|pair| overlapping(pair)));
        &self.pairs
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.grown.capacity() * size_of::<Aabb>()
            + self.wrapped.capacity() * size_of::<Wrapped>()
            + (self.candidates.capacity() + self.pairs.capacity()) * size_of::<[u32; 2]>()
    }

    /// How often the grid was built.
    #[must_use]
    pub fn rebuilds(&self) -> u64 {
        self.rebuilds
    }
}

/// Whether an image of the box lies in the grown box.
fn holds(grown: &Aabb, bounds: &Aabb, space: &Space) -> bool {
    (0..3).all(|k| {
        let shift = space
            .period(k)
            .map_or(0.0, |(_, length)| ((bounds.min[k] - grown.min[k]) / length).round() * length);
        // A rounding of the shift must not let a box slip out.
        let slack = 1e-15 * shift.abs();
        grown.min[k] + slack <= bounds.min[k] - shift
            && bounds.max[k] - shift + slack <= grown.max[k]
    })
}

/// The cells of a grid over the boxes' middles.
struct Cells {
    origin: DVec3,
    size: DVec3,
    count: [usize; 3],
    periodic: [bool; 3],
}

impl Cells {
    /// Cells at least as large as the `extent` of the boxes, and not many more than boxes.
    fn new(middles: &Aabb, extent: DVec3, boxes: usize, space: &Space) -> Self {
        let (mut origin, mut reach) = (middles.min, middles.size());
        let mut periodic = [false; 3];
        for k in 0..3 {
            if let Some((min, length)) = space.period(k) {
                (origin[k], reach[k], periodic[k]) = (min, length, true);
            }
        }
        let mut count = [1; 3];
        let mut scale = 1.0;
        loop {
            for k in 0..3 {
                let cells = (reach[k] / (scale * extent[k]).max(f64::MIN_POSITIVE)).floor();
                count[k] = cells.clamp(1.0, 1e6) as usize;
                // Two cells on a circle are neighbours twice.
                if periodic[k] && count[k] < 3 {
                    count[k] = 1;
                }
            }
            if count.iter().product::<usize>() <= 8 * boxes.max(8) {
                break;
            }
            scale *= 1.3;
        }
        let size = DVec3::from_array(std::array::from_fn(|k| {
            (reach[k] / count[k] as f64).max(f64::MIN_POSITIVE)
        }));
        Self { origin, size, count, periodic }
    }

    fn cell(&self, x: DVec3) -> [usize; 3] {
        std::array::from_fn(|k| {
            let at = ((x[k] - self.origin[k]) / self.size[k]).floor();
            at.clamp(0.0, (self.count[k] - 1) as f64) as usize
        })
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.count[0] * (y + self.count[1] * z)
    }

    /// The cells beside `c` along axis k, itself included, each once.
    fn beside(&self, k: usize, c: usize) -> impl Iterator<Item = usize> {
        let (n, periodic) = (self.count[k], self.periodic[k]);
        (-1..=1_isize).filter_map(move |step| {
            let at = c.checked_add_signed(step);
            match at {
                Some(at) if at < n => Some(at),
                _ if periodic && n >= 3 => Some(if step < 0 { n - 1 } else { 0 }),
                _ => None,
            }
        })
    }
}

/// The pairs of overlapping boxes, in ascending order, by a grid with cells as large as the boxes.
/// Boxes of more than four times the median size are compared with all.
pub(super) fn pairs(
    (boxes, wrapped): (&[Aabb], &[Wrapped]),
    space: &Space,
    out: &mut Vec<[u32; 2]>,
    scratch: &mut Scratch,
) {
    out.clear();
    let extents = &mut scratch.extents;
    extents.clear();
    extents.extend(boxes.iter().map(|b| b.size().max_element()));
    let middle = extents.len() / 2;
    if extents.is_empty() {
        return;
    }
    let limit = 4.0 * *extents.select_nth_unstable_by(middle, f64::total_cmp).1;
    let is_large = |b: &Aabb| b.size().max_element() > limit || !b.is_finite();
    let mut extent = DVec3::ZERO;
    let mut middles = Aabb::EMPTY;
    for bounds in boxes.iter().filter(|b| !is_large(b)) {
        extent = extent.max(bounds.size());
        middles = middles.with_point(space.wrap(bounds.center()));
    }
    if middles.is_empty() {
        middles = Aabb { min: DVec3::ZERO, max: DVec3::ZERO };
    }
    // A little larger, so that rounding of the middles does not matter.
    let cells = Cells::new(&middles, extent * (1.0 + 1e-9), boxes.len(), space);
    scratch.large.clear();
    scratch.large.extend((0..boxes.len()).filter(|&i| is_large(&boxes[i])).map(|i| i as u32));
    sort_into(&cells, boxes, space, is_large, scratch);
    let Scratch { large, starts, order, found, .. } = scratch;
    for (i, bounds) in boxes.iter().enumerate() {
        found.clear();
        let mut offer = |j: u32| {
            if j as usize > i && wrapped[i].overlaps(&wrapped[j as usize]) {
                found.push(j);
            }
        };
        if is_large(bounds) {
            (i as u32 + 1..boxes.len() as u32).for_each(&mut offer);
        } else {
            large.iter().copied().for_each(&mut offer);
            let [cx, cy, cz] = cells.cell(space.wrap(bounds.center()));
            for z in cells.beside(2, cz) {
                for y in cells.beside(1, cy) {
                    for x in cells.beside(0, cx) {
                        let at = cells.index([x, y, z]);
                        order[starts[at] as usize..starts[at + 1] as usize]
                            .iter()
                            .copied()
                            .for_each(&mut offer);
                    }
                }
            }
        }
        found.sort_unstable();
        out.extend(found.iter().map(|&j| [i as u32, j]));
    }
}

/// Counting sort of the boxes that are not large: where each cell starts, and the boxes in order, in
/// the scratch.
fn sort_into(
    cells: &Cells,
    boxes: &[Aabb],
    space: &Space,
    is_large: impl Fn(&Aabb) -> bool,
    scratch: &mut Scratch,
) {
    let cell_of = |b: &Aabb| cells.index(cells.cell(space.wrap(b.center())));
    let Scratch { starts, fill, order, .. } = scratch;
    starts.clear();
    starts.resize(cells.count.iter().product::<usize>() + 1, 0);
    for bounds in boxes.iter().filter(|b| !is_large(b)) {
        starts[cell_of(bounds) + 1] += 1;
    }
    for c in 1..starts.len() {
        starts[c] += starts[c - 1];
    }
    fill.clone_from(starts);
    order.clear();
    order.resize(*starts.last().unwrap_or(&0) as usize, 0);
    for (i, bounds) in boxes.iter().enumerate().filter(|(_, b)| !is_large(b)) {
        let slot = &mut fill[cell_of(bounds)];
        order[*slot as usize] = i as u32;
        *slot += 1;
    }
}
