//! Locks on directories: two programs must not write into one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// A lock that lasts as long as this value does, and no longer than the process: what a killed
/// program has locked is free. The file itself stays.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks a file, which is made if it is missing, for this process alone.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] when another has locked it; others when it cannot be opened.
    pub fn exclusive(path: &Path) -> io::Result<Self> {
        Self::with(path, File::try_lock)
    }

    /// Locks a file together with all who ask for it in this way.
    ///
    /// # Errors
    /// As [`Self::exclusive`].
    pub fn shared(path: &Path) -> io::Result<Self> {
        Self::with(path, File::try_lock_shared)
    }

    fn with(path: &Path, lock: impl Fn(&File) -> Result<(), TryLockError>) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        match lock(&file) {
            Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
            // Some network file systems know no locks. That is no reason not to work there.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { _file: file }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_or_all_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let busy = |lock: io::Result<Lock>| lock.unwrap_err().kind() == io::ErrorKind::WouldBlock;
        let alone = Lock::exclusive(&path).unwrap();
        assert!(busy(Lock::exclusive(&path)) && busy(Lock::shared(&path)));
        drop(alone);
        let together = [Lock::shared(&path).unwrap(), Lock::shared(&path).unwrap()];
        assert!(busy(Lock::exclusive(&path)));
        drop(together);
        Lock::exclusive(&path).unwrap();
        assert!(Lock::exclusive(&folder.path().join("no/such/folder")).is_err());
    }
}
