//! Sizes of all buffers, within the limits of the GPU.

use crate::device::Gpu;
use crate::error::GpuError;
use crate::shader::Constants;
use lawine_solvers::mpm::{Config, Spline, Transfer};
use wgpu::BufferUsages;

/// Bytes of a particle in the main buffer: ten rows of four numbers, see `common.wgsl`.
const PARTICLE: u64 = 160;
/// Bytes of a row of four numbers.
pub(crate) const ROW: u64 = 16;
/// Copies of the force sums, so that threads do not queue up.
pub(crate) const REPLICAS: u32 = 64;
/// Numbers before the force sums in the buffer of atomics.
pub(crate) const COUNTERS: u32 = 16;
/// Most particles of a cell: their order is found by comparing all pairs.
pub(crate) const MOST_IN_CELL: u32 = 16_384;
/// Most occupied blocks: 21 bits of a key.
const MOST_BLOCKS: u64 = (1 << 21) - 1;

/// How much there is of everything.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    pub(crate) particles: u32,
    /// Particles in each part of the main buffer.
    pub(crate) segment: u32,
    /// Parts of the main buffer.
    pub(crate) segments: u32,
    /// Blocks that may have particles.
    pub(crate) occupied: u32,
    /// Blocks that may have nodes.
    pub(crate) reached: u32,
    /// Places of the hash table.
    pub(crate) table: u32,
    /// Workgroups that share the work on blocks.
    pub(crate) groups: u32,
    /// Workgroups in a row of a dispatch; more of them make rows.
    pub(crate) row: u32,
    /// Whether particles are moved block by block.
    pub(crate) tiled: bool,
    pub(crate) bodies: u32,
    pub(crate) cubic: bool,
    pub(crate) flip: bool,
    pub(crate) planar: bool,
}

impl Layout {
    /// Room for that many particles in `[occupied, reached]` blocks now, with a reserve of blocks.
    pub(crate) fn new(
        gpu: &Gpu,
        config: &Config,
        planar: bool,
        particles: usize,
        blocks: [usize; 2],
        bodies: usize,
    ) -> Result<Self, GpuError> {
        let flip = config.transfer != Transfer::Apic;
        let cubic = config.spline == Spline::Cubic;
        let largest = gpu.largest_binding;
        let too_large = |what, needed: u64, allowed| GpuError::TooLarge {
            what,
            particles,
            needed,
            allowed,
            adapter: gpu.name().to_owned(),
        };
        // The lists have 16 bytes for each particle, as have the names.
        if particles as u64 * 16 > largest {
            return Err(too_large("index lists", particles as u64 * 16, largest));
        }
        let whole = (particles as u64).max(1) * PARTICLE;
        let (segment, segments) = if whole <= largest {
            (particles.max(1) as u64, 1)
        } else {
            // A power of two, so that a division is a shift.
            let segment = 1 << (largest / PARTICLE).ilog2();
            (segment, (particles as u64).div_ceil(segment))
        };
        // The largest pass sees seven other buffers.
        let most = u64::from(gpu.limits.max_storage_buffers_per_shader_stage.saturating_sub(7));
        if segments > most {
            return Err(too_large("particles", whole, most * segment * PARTICLE));
        }
        let mut layout = Self {
            particles: particles.max(1) as u32,
            segment: segment as u32,
            segments: segments as u32,
            occupied: 0,
            reached: 0,
            table: 0,
            // 32 directions of a block, 128 threads of a group, and some reserve.
            groups: (blocks[0] / 2).clamp(8, 1024) as u32,
            row: gpu.row,
            tiled: particles >= gpu.tiled_from,
            bodies: bodies.max(1) as u32,
            cubic,
            flip,
            planar,
        };
        let (tile, node) = (layout.tile_bytes(), layout.node_bytes());
        let [occupied, reached] = blocks.map(|n| n as u64);
        let fits = (largest / tile).min(MOST_BLOCKS);
        if occupied > fits {
            return Err(too_large("tiles of the blocks", occupied * tile, largest));
        }
        layout.occupied = (4 * occupied + 4096).min(fits) as u32;
        // A list of links takes 2 (40 occupied + 9 reached) numbers.
        let links = (largest / 8).saturating_sub(40 * u64::from(layout.occupied)) / 9;
        let fits = (largest / (64 * node)).min(links).min(largest / 32);
        if reached > fits {
            return Err(too_large("nodes of the blocks", reached * 64 * node, largest));
        }
        layout.reached = (4 * reached + 16_384).min(fits) as u32;
        layout.table = (2 * layout.reached).next_power_of_two();
        Ok(layout)
    }

    fn width(&self) -> u32 {
        if self.cubic { 4 } else { 3 }
    }

    fn tile_bytes(&self) -> u64 {
        let edge = u64::from(self.width()) + 3;
        edge.pow(3) * ROW * if self.flip { 2 } else { 1 }
    }

    fn node_bytes(&self) -> u64 {
        if self.flip { 2 * ROW } else { ROW }
    }

    /// The names that the shaders use.
    pub(crate) fn constants(&self, has_bodies: bool) -> Constants {
        let mut constants = Constants::default();
        let flip = u32::from(self.flip);
        for (name, value) in [
            ("W", self.width()),
            ("DEPTH", if self.planar { 1 } else { self.width() }),
            ("CUBIC", u32::from(self.cubic)),
            ("FLIP", flip),
            ("PLANAR", u32::from(self.planar)),
            ("INVERSE_MOMENT", if self.cubic { 3 } else { 4 }),
            ("TILE_PARTS", 1 + flip),
            ("NODE_PARTS", 1 + flip),
            ("N", self.particles),
            ("SEGMENT", self.segment),
            ("SEGMENTS", self.segments),
            ("CAP_P", self.occupied),
            ("CAP_G", self.reached),
            ("TABLE", self.table),
            ("ROW", self.row),
            ("TILED", u32::from(self.tiled)),
            ("BODIES", self.bodies),
            ("HAS_BODIES", u32::from(has_bodies)),
            ("REPLICAS", REPLICAS),
            ("MOST", MOST_IN_CELL),
        ] {
            constants.set(name, value);
        }
        constants
    }

    /// Place of the sides' masks among the atomics.
    pub(crate) fn masks(&self) -> u32 {
        COUNTERS + self.force_numbers()
    }

    /// Numbers of the force sums.
    pub(crate) fn force_numbers(&self) -> u32 {
        REPLICAS * self.bodies * 12
    }

    /// Place of the hash table among the atomics.
    pub(crate) fn table_at(&self) -> u32 {
        self.masks() + 2 * self.occupied
    }

    /// Bytes of the buffers that grow with blocks, not with particles.
    pub(crate) fn block_bytes(&self) -> u64 {
        let sizes = [self.tiles(), self.nodes(), self.links(), self.coords(), self.cells()];
        sizes.iter().sum::<u64>() + self.atomics()
    }

    /// Bytes of the buffers that grow with particles.
    pub(crate) fn particle_bytes(&self) -> u64 {
        u64::from(self.segments) * self.part() + self.identity() + self.lists()
    }

    pub(crate) fn part(&self) -> u64 {
        u64::from(self.segment) * PARTICLE
    }

    pub(crate) fn identity(&self) -> u64 {
        u64::from(self.particles) * 16
    }

    pub(crate) fn lists(&self) -> u64 {
        u64::from(self.particles) * 16
    }

    pub(crate) fn cells(&self) -> u64 {
        u64::from(self.occupied) * 512
    }

    pub(crate) fn tiles(&self) -> u64 {
        u64::from(self.occupied) * self.tile_bytes()
    }

    pub(crate) fn nodes(&self) -> u64 {
        u64::from(self.reached) * 64 * self.node_bytes()
    }

    pub(crate) fn links(&self) -> u64 {
        8 * (40 * u64::from(self.occupied) + 9 * u64::from(self.reached))
    }

    pub(crate) fn coords(&self) -> u64 {
        2 * u64::from(self.reached) * ROW
    }

    pub(crate) fn atomics(&self) -> u64 {
        4 * (u64::from(self.table_at()) + 2 * u64::from(self.table) + 2 * u64::from(self.occupied))
    }
}

/// Usage of every buffer that a shader sees.
pub(crate) const STORAGE: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);
