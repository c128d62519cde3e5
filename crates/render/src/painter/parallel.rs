//! Work on strips of a picture, on all cores if the feature `parallel` is on.
//!
//! A strip is written by one thread and reads only what was finished before, so that the result
//! does not depend on the number of threads.

/// Calls `work` with the number and the elements of each run of `length` elements.
#[cfg(feature = "parallel")]
pub(crate) fn for_strips<T: Send>(
    data: &mut [T],
    length: usize,
    work: impl Fn(usize, &mut [T]) + Send + Sync,
) {
    use rayon::prelude::*;
    data.par_chunks_mut(length.max(1)).enumerate().for_each(|(i, strip)| work(i, strip));
}

/// Calls `work` with the number and the elements of each run of `length` elements.
#[cfg(not(feature = "parallel"))]
pub(crate) fn for_strips<T: Send>(
    data: &mut [T],
    length: usize,
    work: impl Fn(usize, &mut [T]) + Send + Sync,
) {
    data.chunks_mut(length.max(1)).enumerate().for_each(|(i, strip)| work(i, strip));
}

/// Sorts things into the strips they touch, each strip in the order of the things.
pub(super) struct Bins {
    strips: Vec<Vec<u32>>,
}

impl Bins {
    /// `rows` gives the first and the last row of each thing; things outside are left out.
    pub(super) fn new(
        row_count: usize,
        strip_rows: usize,
        rows: impl Iterator<Item = (i32, i32)>,
    ) -> Self {
        let mut strips = vec![Vec::new(); row_count.div_ceil(strip_rows)];
        for (i, (first, last)) in (0_u32..).zip(rows) {
            let (first, last) = (first.max(0), last.min(row_count as i32 - 1));
            if first <= last {
                for strip in &mut strips[first as usize / strip_rows..=last as usize / strip_rows] {
                    strip.push(i);
                }
            }
        }
        Self { strips }
    }

    /// The things in a strip.
    pub(super) fn strip(&self, strip: usize) -> impl Iterator<Item = usize> + '_ {
        self.strips[strip].iter().map(|&i| i as usize)
    }
}
