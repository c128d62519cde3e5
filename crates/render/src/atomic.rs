//! Atomic files: complete or absent.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::RenderError;

/// Ending of temporary names; they are removed when a killed run is resumed.
const ENDING: &str = ".lawine-tmp";

/// A file that is written under a temporary name beside its goal and renamed by
/// [`AtomicFile::commit`]. Dropping it before that removes what was written.
#[derive(Debug)]
pub(crate) struct AtomicFile {
    goal: PathBuf,
    temporary: PathBuf,
    file: Option<BufWriter<File>>,
}

impl AtomicFile {
    /// Opens the temporary file in the folder of `goal`.
    pub(crate) fn create(goal: &Path) -> Result<Self, RenderError> {
        let name = goal.file_name().ok_or_else(|| RenderError::Io {
            path: goal.to_path_buf(),
            source: io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"),
        })?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}{ENDING}", unique()));
        let temporary = goal.with_file_name(hidden);
        let file = File::create_new(&temporary).map_err(RenderError::io(goal))?;
        Ok(Self { goal: goal.to_path_buf(), temporary, file: Some(BufWriter::new(file)) })
    }

    /// Writes what is still buffered, waits for the disk and gives the file its name.
    pub(crate) fn commit(mut self) -> Result<(), RenderError> {
        let Some(buffered) = self.file.take() else { return Ok(()) };
        let outcome = buffered
            .into_inner()
            .map_err(io::IntoInnerError::into_error)
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&self.temporary, &self.goal));
        if outcome.is_err() {
            // Report the first error; a leftover file is the lesser evil.
            let _ = fs::remove_file(&self.temporary);
        }
        outcome.map_err(RenderError::io(&self.goal))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            // `into_parts` gives up the buffer without a last write.
            drop(file.into_parts());
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// A name that no other file of this or another process has at this time.
fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let process = if cfg!(target_family = "wasm") { 0 } else { std::process::id() };
    format!("{process}-{count}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_file_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let goal = folder.path().join("a.bin");
        let mut file = AtomicFile::create(&goal).unwrap();
        file.write_all(b"half").unwrap();
        let hidden = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().file_name();
        let hidden = hidden.to_string_lossy();
        assert!(hidden.starts_with('.') && hidden.ends_with(".lawine-tmp"), "{hidden}");
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_committed_file_replaces_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let goal = folder.path().join("a.bin");
        fs::write(&goal, b"old").unwrap();
        let mut file = AtomicFile::create(&goal).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read(&goal).unwrap(), b"old");
        file.commit().unwrap();
        assert_eq!(fs::read(&goal).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = AtomicFile::create(Path::new("/no/such/folder/a.png")).unwrap_err();
        assert!(error.to_string().contains("/no/such/folder/a.png"), "{error}");
    }
}
