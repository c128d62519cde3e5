//! Errors of computing on a GPU.

/// Why a GPU cannot be used, or a computation on it failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GpuError {
    /// No graphics card and no driver.
    #[error(
        "no GPU was found (backends tried: {backends}); run on the CPU, or install a Vulkan driver \
         (on Debian, mesa-vulkan-drivers provides a software driver)"
    )]
    NoAdapter {
        /// The backends that were tried.
        backends: String,
    },
    /// The driver failed to open the device.
    #[error("the GPU \"{adapter}\" cannot be opened: {reason}; run on the CPU")]
    NotOpened {
        /// Its name.
        adapter: String,
        /// Message of the driver.
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
    #[error(
        "the GPU does not have enough memory for {what}; use fewer particles, or run on the CPU"
    )]
    OutOfMemory {
        /// What was asked for.
        what: String,
    },
    /// The GPU stopped responding.
    #[error(
        "the GPU was lost ({reason}); resume from the last checkpoint, on the CPU if it persists"
    )]
    Lost {
        /// Message of the driver.
        reason: String,
    },
    /// The particles are on the GPU, and the read must not block.
    #[error("the particles have not been read back from the GPU yet; call `fetch` and poll again")]
    NotReadBack,
    /// The matter needs more blocks or a denser grid than the buffers have room for.
    #[error(
        "there are more than {most} {what}; resume from the last checkpoint, with larger cells or on \
         the CPU"
    )]
    CapacityExceeded {
        /// What exceeded its limit.
        what: &'static str,
        /// The limit.
        most: u32,
    },
    /// A feature that only the CPU supports.
    #[error("{what} is not supported on the GPU; run on the CPU")]
    Unsupported {
        /// What was asked for.
        what: &'static str,
    },
}

/// The error of a GPU that stopped responding, with the reason.
pub(crate) fn lost(reason: impl ToString) -> GpuError {
    GpuError::Lost { reason: reason.to_string() }
}
