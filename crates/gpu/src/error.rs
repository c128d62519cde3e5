//! What can go wrong on a GPU.

/// Why a GPU cannot be used, or cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GpuError {
    /// No graphics card and no driver.
    #[error(
        "no GPU was found (backends tried: {backends}); run on the CPU, or install a Vulkan driver \
         (Debian: mesa-vulkan-drivers has one in software)"
    )]
    NoAdapter {
        /// The backends that were tried.
        backends: String,
    },
    /// The driver refuses to work.
    #[error("the GPU \"{adapter}\" cannot be opened: {reason}; run on the CPU")]
    NotOpened {
        /// Its name.
        adapter: String,
        /// What the driver said.
        reason: String,
    },
    /// A buffer is larger than the GPU allows.
    #[error(
        "{what} for {particles} particles need {needed} bytes, but the GPU \"{adapter}\" allows \
         {allowed}; use fewer particles, or run on the CPU"
    )]
    TooLarge {
        /// Which buffer.
        what: &'static str,
        /// For how many particles.
        particles: usize,
        /// Its size [bytes].
        needed: u64,
        /// The largest size [bytes].
        allowed: u64,
        /// Name of the GPU.
        adapter: String,
    },
    /// The GPU has too little memory.
    #[error("the GPU has not enough memory for {what}; use fewer particles, or run on the CPU")]
    OutOfMemory {
        /// What was asked for.
        what: String,
    },
    /// The GPU stopped to answer.
    #[error(
        "the GPU was lost ({reason}); go on from the last checkpoint, on the CPU if it persists"
    )]
    Lost {
        /// What the driver said.
        reason: String,
    },
    /// Particles are asked for that are on the GPU, where nobody may wait for them.
    #[error("the particles are still on the GPU; ask for them, and look again later")]
    Away,
    /// Matter has spread or piled up more than there is room for.
    #[error(
        "there are more than {most} {what}; go on from the last checkpoint, with larger cells or on \
         the CPU"
    )]
    Crowded {
        /// Of what there is too much.
        what: &'static str,
        /// How much is allowed.
        most: u32,
    },
    /// Something that only the CPU can do.
    #[error("{what} is not there on the GPU; run on the CPU")]
    Unsupported {
        /// What was asked for.
        what: &'static str,
    },
}

/// The GPU stopped to answer, for this reason.
pub(crate) fn lost(reason: impl ToString) -> GpuError {
    GpuError::Lost { reason: reason.to_string() }
}
