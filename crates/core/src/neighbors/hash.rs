//! Spatial hashing: Meiers 5; Teschner et al. 2003. For domains without bounds.
//!
//! A table from cells to lists of points, with insert, remove and update. Each list is kept in
//! ascending order, so that the result does not depend on the history of the table.

use super::fixed::Cell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Points by cell.
#[derive(Clone, Debug, Default)]
pub struct SpatialHash {
    cells: HashMap<Cell, Vec<u32>, BuildHasherDefault<CellHasher>>,
    /// The cell that each point was last put into.
    places: Vec<Cell>,
    empty_cells: usize,
}

impl SpatialHash {
    /// Puts point `i` into `cell`.
    pub fn insert(&mut self, i: u32, cell: Cell) {
        let list = self.cells.entry(cell).or_insert_with(|| {
            self.empty_cells += 1;
            Vec::with_capacity(16)
        });
        if list.is_empty() {
            self.empty_cells -= 1;
        }
        if let Err(at) = list.binary_search(&i) {
            list.insert(at, i);
        }
    }

    /// Removes point `i` from `cell`; returns whether it was there.
    pub fn remove(&mut self, i: u32, cell: Cell) -> bool {
        let Some(list) = self.cells.get_mut(&cell) else { return false };
        let Ok(at) = list.binary_search(&i) else { return false };
        list.remove(at);
        if list.is_empty() {
            self.empty_cells += 1;
        }
        true
    }

    /// Moves every point whose cell has changed (Meiers 5.2). Points that are new are inserted,
    /// and points beyond the end of `cells` are removed.
    pub fn update(&mut self, cells: &[Cell]) {
        let mut places = std::mem::take(&mut self.places);
        for (i, &place) in places.iter().enumerate().skip(cells.len()) {
            self.remove(i as u32, place);
        }
        places.truncate(cells.len());
        for (i, (place, &cell)) in places.iter_mut().zip(cells).enumerate() {
            if *place != cell {
                self.remove(i as u32, *place);
                self.insert(i as u32, cell);
                *place = cell;
            }
        }
        for (i, &cell) in cells.iter().enumerate().skip(places.len()) {
            self.insert(i as u32, cell);
            places.push(cell);
        }
        self.places = places;
        // Cells keep their memory while points come and go, but not for ever.
        if self.empty_cells > 1024 + self.cells.len() / 2 {
            self.cells.retain(|_, list| !list.is_empty());
            self.empty_cells = 0;
        }
    }

    /// The points in `cell`, in ascending order.
    pub fn points(&self, cell: Cell) -> &[u32] {
        self.cells.get(&cell).map_or(&[], Vec::as_slice)
    }

    /// Bytes held, without the table's own bookkeeping.
    pub fn bytes(&self) -> usize {
        // The sum over a hash map is the same in any order.
        let lists: usize = self.cells.values().map(|l| l.capacity() * size_of::<u32>()).sum();
        let slots = self.cells.capacity() * size_of::<(Cell, Vec<u32>)>();
        lists + slots + self.places.capacity() * size_of::<Cell>()
    }
}

/// A multiplicative hash of the three coordinates. Cells come from positions, not from an
/// attacker, and the table is never iterated in its own order.
#[derive(Clone, Copy, Debug, Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(4) {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u32(u32::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.0 = (self.0.rotate_left(23) ^ u64::from(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserts_removes_and_updates() {
        let mut hash = SpatialHash::default();
        hash.insert(7, [0, 0, 0]);
        hash.insert(3, [0, 0, 0]);
        hash.insert(3, [0, 0, 0]);
        assert_eq!(hash.points([0, 0, 0]), [3, 7]);
        assert!(hash.remove(7, [0, 0, 0]) && !hash.remove(7, [0, 0, 0]));
        assert_eq!(hash.points([0, 0, 0]), [3]);
        assert!(hash.points([1 << 30, -5, 0]).is_empty());

        let mut hash = SpatialHash::default();
        hash.update(&[[0, 0, 0], [1, 0, 0], [0, 0, 0]]);
        assert_eq!(hash.points([0, 0, 0]), [0, 2]);
        hash.update(&[[1, 0, 0], [1, 0, 0]]);
        assert_eq!(hash.points([1, 0, 0]), [0, 1]);
        assert!(hash.points([0, 0, 0]).is_empty());
    }

    #[test]
    fn forgets_cells_that_stay_empty() {
        let mut hash = SpatialHash::default();
        for step in 0..100_000 {
            hash.update(&[[step, -step, 0]]);
        }
        assert!(hash.cells.len() < 5_000);
        assert_eq!(hash.points([99_999, -99_999, 0]), [0]);
    }
}
