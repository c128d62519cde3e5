//! Sort-and-sweep on three axes, kept from step to step (Schinner 4.1.1, 4.1.2; Baraff 1993).

use lawine_core::geometry::Aabb;
use lawine_core::space::Space;
use std::cmp::Ordering;

use super::bounds::Wrapped;
use super::grid;

/// An end of an interval: its place, and the box with the lowest bit set for the upper end.
#[derive(Clone, Copy, Debug)]
struct End {
    at: f64,
    tag: u32,
}

impl End {
    fn owner(self) -> usize {
        (self.tag >> 1) as usize
    }

    fn is_upper(self) -> bool {
        self.tag & 1 == 1
    }

    /// The order of the lists: at the same place intervals begin before others end, so that
    /// touching is overlapping.
    fn after(self, other: Self) -> bool {
        self.at > other.at || (self.at >= other.at && self.tag & 1 > other.tag & 1)
    }
}

/// Three sorted lists of interval ends, and the pairs that overlap on all axes.
///
/// From step to step the lists are nearly sorted, and insertion sort takes O(n + c) for c exchanges.
/// The overlap of two boxes can change only if the beginning of one and the end of the other change
/// places on some axis, so only such pairs are looked at. Instead of the thesis' n × n matrix the
/// pairs are a sorted list, into which the changes of the step are merged.
#[derive(Clone, Debug, Default)]
pub struct SortAndSweep {
    now: Vec<Wrapped>,
    before: Vec<Wrapped>,
    lists: [Vec<End>; 3],
    pairs: Vec<[u32; 2]>,
    spare: Vec<[u32; 2]>,
    added: Vec<[u32; 2]>,
    removed: Vec<[u32; 2]>,
    rotated: Vec<End>,
    exchanges: u64,
    scratch: grid::Scratch,
}

impl SortAndSweep {
    /// The pairs of overlapping boxes, in ascending order.
    pub fn update(&mut self, boxes: &[Aabb], space: &Space) -> &[[u32; 2]] {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        self.now.extend(boxes.iter().map(|b| Wrapped::new(b, space)));
        self.exchanges = 0;
        if self.before.len() != self.now.len() || self.jumped(space) {
            self.rebuild(boxes, space);
            return &self.pairs;
        }
        self.added.clear();
        self.removed.clear();
        for k in 0..3 {
            self.sort_axis(k, space);
        }
        self.merge();
        &self.pairs
    }

    /// Exchanges in the lists in the last step, c in O(n + c).
    #[must_use]
    pub fn exchanges(&self) -> u64 {
        self.exchanges
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        let ends = self.lists.iter().map(Vec::capacity).sum::<usize>() + self.rotated.capacity();
        let pairs = [&self.pairs, &self.spare, &self.added, &self.removed];
        (self.now.capacity() + self.before.capacity()) * size_of::<Wrapped>()
            + ends * size_of::<End>()
            + pairs.iter().map(|p| p.capacity()).sum::<usize>() * size_of::<[u32; 2]>()
    }

    /// Whether a box moved or grew so much along a periodic axis that the way of its ends is ambiguous.
    fn jumped(&self, space: &Space) -> bool {
        (0..3).filter_map(|k| space.period(k).map(|(_, length)| (k, length))).any(|(k, length)| {
            self.now.iter().zip(&self.before).any(|(now, before)| {
                let far = |a: f64, b: f64| {
                    let d = (a - b).abs();
                    a.is_finite() != b.is_finite() || d.min((length - d).abs()) > 0.2 * length
                };
                let extent = |b: &Wrapped| (b.end[k] - b.begin[k]).rem_euclid(length);
                far(now.begin[k], before.begin[k])
                    || far(now.end[k], before.end[k])
                    || (extent(now) - extent(before)).abs() > 0.2 * length
            })
        })
    }

    /// Sorts from scratch and takes the pairs of a grid.
    fn rebuild(&mut self, boxes: &[Aabb], space: &Space) {
        for k in 0..3 {
            let list = &mut self.lists[k];
            list.clear();
            for (i, bounds) in self.now.iter().enumerate() {
                list.push(End { at: bounds.begin[k], tag: 2 * i as u32 });
                list.push(End { at: bounds.end[k], tag: 2 * i as u32 + 1 });
            }
            list.sort_by(|a, b| a.at.total_cmp(&b.at).then((a.tag & 1).cmp(&(b.tag & 1))));
        }
        grid::pairs((boxes, &self.now), space, &mut self.pairs, &mut self.scratch);
    }

    /// Brings the list of axis k up to date.
    fn sort_axis(&mut self, k: usize, space: &Space) {
        let mut list = std::mem::take(&mut self.lists[k]);
        let place = |bounds: &[Wrapped], end: End| {
            let bounds = &bounds[end.owner()];
            if end.is_upper() { bounds.end[k] } else { bounds.begin[k] }
        };
        let Some((_, length)) = space.period(k) else {
            for end in &mut list {
                end.at = place(&self.now, *end);
            }
            self.insertion_sort(&mut list);
            self.lists[k] = list;
            return;
        };
        // Ends that cross the seam first go on beyond it, past those that they overtake.
        let mut crossed = false;
        for end in &mut list {
            let at = place(&self.now, *end);
            let turn = ((end.at - at) / length).round();
            let turn = if turn.is_finite() { turn } else { 0.0 };
            crossed |= turn.abs() > 0.0;
            end.at = at + turn * length;
        }
        self.insertion_sort(&mut list);
        if crossed {
            self.meet_at_seam(&list, |bounds, end| place(bounds, end));
            let mut rotated = std::mem::take(&mut self.rotated);
            rotate(&list, &mut rotated, |end| place(&self.now, end));
            std::mem::swap(&mut list, &mut rotated);
            self.rotated = rotated;
            self.insertion_sort(&mut list);
        }
        self.lists[k] = list;
    }

    /// Ends that cross the seam in opposite directions change places without meeting in the list.
    fn meet_at_seam(&mut self, list: &[End], place: impl Fn(&[Wrapped], End) -> f64) {
        let full = list.iter().rev().take_while(|end| !end.at.is_finite()).count();
        let list = &list[full..list.len() - full];
        let upward = list.iter().rev().take_while(|end| end.at > place(&self.now, **end)).count();
        let downward = list.iter().take_while(|end| end.at < place(&self.now, **end)).count();
        for up in &list[list.len() - upward..] {
            for down in &list[..downward] {
                if (up.tag ^ down.tag) & 1 == 1 {
                    self.compare(up.owner(), down.owner());
                }
            }
        }
    }

    /// Insertion sort (Appendix B); pairs whose beginning and end change places are looked at.
    fn insertion_sort(&mut self, list: &mut [End]) {
        for i in 1..list.len() {
            let end = list[i];
            let mut j = i;
            while j > 0 && list[j - 1].after(end) {
                let other = list[j - 1];
                list[j] = other;
                j -= 1;
                if (end.tag ^ other.tag) & 1 == 1 {
                    self.compare(end.owner(), other.owner());
                }
            }
            list[j] = end;
            self.exchanges += (i - j) as u64;
        }
    }

    /// Notes a change of a pair's overlap.
    fn compare(&mut self, i: usize, j: usize) {
        if i == j {
            return;
        }
        let was = self.before[i].overlaps(&self.before[j]);
        let is = self.now[i].overlaps(&self.now[j]);
        if was != is {
            let pair = [i.min(j) as u32, i.max(j) as u32];
            let changes = if is { &mut self.added } else { &mut self.removed };
            changes.push(pair);
        }
    }

    /// Merges the changes into the sorted pairs.
    fn merge(&mut self) {
        if self.added.is_empty() && self.removed.is_empty() {
            return;
        }
        for changes in [&mut self.added, &mut self.removed] {
            changes.sort_unstable();
            changes.dedup();
        }
        self.spare.clear();
        let mut added = self.added.iter().copied().peekable();
        let mut removed = self.removed.iter().copied().peekable();
        for &pair in &self.pairs {
            while let Some(new) = added.next_if(|new| *new < pair) {
                self.spare.push(new);
            }
            if removed.next_if_eq(&pair).is_none() {
                self.spare.push(pair);
            }
        }
        self.spare.extend(added);
        std::mem::swap(&mut self.pairs, &mut self.spare);
    }
}

/// Takes the ends beyond the seam to the other end of the list: on the circle nothing moves.
fn rotate(list: &[End], rotated: &mut Vec<End>, place: impl Fn(End) -> f64) {
    rotated.clear();
    let wrapped = |end: &End| End { at: place(*end), tag: end.tag };
    let beyond = |end: &End| end.at.total_cmp(&place(*end));
    for side in [Ordering::Greater, Ordering::Equal, Ordering::Less] {
        rotated.extend(list.iter().filter(|end| beyond(end) == side).map(wrapped));
    }
}
