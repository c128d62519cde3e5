//! Times of the passes, from GPU timestamps.

use crate::device::Gpu;
use std::cell::{Cell, RefCell};
use wgpu::{Buffer, BufferUsages, CommandEncoder, ComputePassTimestampWrites, QuerySet};

/// Passes that are timed between two readings, at most.
const MOST: u32 = 256;

/// A stopwatch for passes.
#[derive(Debug)]
pub(crate) struct Clock {
    queries: QuerySet,
    resolved: Buffer,
    staging: Buffer,
    /// Seconds of a tick.
    period: f64,
    used: Cell<u32>,
    names: RefCell<Vec<&'static str>>,
    /// Seconds so far, by name of the pass.
    seconds: Vec<(&'static str, f64)>,
}

impl Clock {
    pub(crate) fn new(gpu: &Gpu) -> Option<Self> {
        if !gpu.has_timestamps() {
            return None;
        }
        let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("clock"),
            ty: wgpu::QueryType::Timestamp,
            count: 2 * MOST,
        });
        let size = u64::from(2 * MOST) * 8;
        let resolve = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let read = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        Some(Self {
            queries,
            resolved: gpu.buffer("ticks", size, resolve),
            staging: gpu.buffer("ticks", size, read),
            period: f64::from(gpu.queue.get_timestamp_period()) * 1e-9,
            used: Cell::new(0),
            names: RefCell::new(Vec::new()),
            seconds: Vec::new(),
        })
    }

    /// Where the next pass notes its times.
    pub(crate) fn next(&self, name: &'static str) -> Option<ComputePassTimestampWrites<'_>> {
        let k = self.used.get();
        if k == MOST {
            return None;
        }
        self.used.set(k + 1);
        self.names.borrow_mut().push(name);
        Some(ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * k),
            end_of_pass_write_index: Some(2 * k + 1),
        })
    }

    pub(crate) fn resolve(&self, encoder: &mut CommandEncoder) {
        let used = 2 * self.used.get();
        if used > 0 {
            encoder.resolve_query_set(&self.queries, 0..used, &self.resolved, 0);
            let size = u64::from(used) * 8;
            encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.staging, 0, size);
        }
    }

    /// Waits and adds the times up.
    pub(crate) fn collect(&mut self, gpu: &Gpu) {
        let size = u64::from(2 * self.used.get()) * 8;
        let names = self.names.take();
        self.used.set(0);
        if size == 0 {
            return;
        }
        let (period, seconds) = (self.period, &mut self.seconds);
        let mapped = gpu.map(&self.staging, size, &mut |bytes| {
            let ticks: &[u64] = bytemuck::cast_slice(bytes);
            for (name, pair) in names.iter().zip(ticks.chunks_exact(2)) {
                let time = pair[1].saturating_sub(pair[0]) as f64 * period;
                match seconds.iter_mut().find(|s| s.0 == *name) {
                    Some(sum) => sum.1 += time,
                    None => seconds.push((name, time)),
                }
            }
        });
        // Times are a courtesy; a lost device shows at the next step.
        let _ = mapped;
    }

    /// Seconds in each pass so far.
    pub(crate) fn seconds(&self) -> &[(&'static str, f64)] {
        &self.seconds
    }
}
