//! Neighbour lists in chunks of particles.

use crate::simd::LANES;
use std::ops::Range;

/// Particles in a chunk: the unit of parallel work and of every deterministic sum.
pub const CHUNK: usize = 512;

/// Neighbours of up to [`CHUNK`] particles that follow each other.
///
/// Each particle's list is padded to whole blocks of eight indices. The padding holds a valid
/// index; [`Self::count`] is the number of real entries.
#[derive(Clone, Debug, Default)]
pub struct ChunkList {
    starts: Vec<u32>,
    counts: Vec<u32>,
    indices: Vec<u32>,
    cursor: usize,
}

impl ChunkList {
    /// Empties the list, keeping its memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.counts.clear();
        self.cursor = 0;
    }

    /// Begins the list of the next particle, with room for `candidates` entries and a block; the
    /// distances grow along.
    #[inline(always)]
    pub(super) fn begin(&mut self, candidates: usize, distances: &mut Vec<f32>) {
        debug_assert!(self.cursor.is_multiple_of(LANES));
        self.starts.push(self.cursor as u32);
        let needed = self.cursor + candidates + LANES;
        grow(&mut self.indices, needed);
        grow(distances, needed);
    }

    /// Where entries and their distances go, and the place of the next one.
    #[inline(always)]
    pub(super) fn space<'a>(
        &'a mut self,
        distances: &'a mut [f32],
    ) -> (&'a mut [u32], &'a mut [f32], usize) {
        (&mut self.indices, distances, self.cursor)
    }

    /// Keeps what was written up to `at`.
    #[inline(always)]
    pub(super) fn advance_to(&mut self, at: usize) {
        self.cursor = at;
    }

    /// Adds one entry.
    pub(super) fn push(&mut self, index: u32, distance: f32, distances: &mut [f32]) {
        self.indices[self.cursor] = index;
        distances[self.cursor] = distance;
        self.cursor += 1;
    }

    /// Ends the list of the current particle: pads it with `padding` at the distance of the
    /// support, where every kernel is zero.
    #[inline(always)]
    pub(super) fn end(&mut self, padding: u32, distances: &mut [f32]) {
        let start = self.starts.last().map_or(0, |&s| s as usize);
        self.counts.push((self.cursor - start) as u32);
        let padded = self.cursor.next_multiple_of(LANES);
        self.indices[self.cursor..padded].fill(padding);
        distances[self.cursor..padded].fill(1.0);
        self.cursor = padded;
    }

    /// Number of particles listed.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// True before any particle was listed.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Number of neighbours of particle `k` of the chunk, itself included.
    #[inline(always)]
    pub fn count(&self, k: usize) -> usize {
        self.counts[k] as usize
    }

    /// Where the blocks of particle `k` lie in the arrays of entries.
    #[inline(always)]
    pub fn span(&self, k: usize) -> Range<usize> {
        let start = self.starts[k] as usize;
        start..start + self.count(k).next_multiple_of(LANES)
    }

    /// Where the blocks of particle `k` lie among all blocks.
    #[inline(always)]
    pub fn block_span(&self, k: usize) -> Range<usize> {
        let span = self.span(k);
        span.start / LANES..span.end / LANES
    }

    /// Number of blocks of all particles.
    pub fn block_count(&self) -> usize {
        self.cursor / LANES
    }

    /// Blocks of neighbours of particle `k`, the last one padded.
    #[inline(always)]
    pub fn blocks(&self, k: usize) -> &[[u32; LANES]] {
        self.indices[self.span(k)].as_chunks().0
    }

    /// The neighbours of particle `k`, without padding.
    pub fn neighbors(&self, k: usize) -> &[u32] {
        let start = self.starts[k] as usize;
        &self.indices[start..start + self.count(k)]
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.starts.capacity() + self.counts.capacity() + self.indices.capacity())
            * size_of::<u32>()
    }
}

/// Grows to `needed` entries and an eighth more, so that a warm list seldom allocates again and
/// never holds twice what it needs.
#[inline(always)]
fn grow<T: Copy + Default>(entries: &mut Vec<T>, needed: usize) {
    #[cold]
    fn reallocate<T: Copy + Default>(entries: &mut Vec<T>, needed: usize) {
        let roomy = needed + needed / 8;
        entries.reserve_exact(roomy - entries.len());
        entries.resize(roomy, T::default());
    }
    if entries.len() < needed {
        reallocate(entries, needed);
    }
}

/// Neighbours of all particles, a [`ChunkList`] for every [`CHUNK`].
#[derive(Clone, Debug, Default)]
pub struct NeighborList {
    /// The chunks, in particle order.
    pub chunks: Vec<ChunkList>,
}

impl NeighborList {
    /// Makes room for the chunks of `particles` particles.
    pub fn resize(&mut self, particles: usize) {
        self.chunks.resize_with(particles.div_ceil(CHUNK), ChunkList::default);
    }

    /// The neighbours of particle `i`.
    pub fn neighbors(&self, i: usize) -> &[u32] {
        self.chunks[i / CHUNK].neighbors(i % CHUNK)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(ChunkList::bytes).sum()
    }
}
