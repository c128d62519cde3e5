//! Atomic files: complete or absent.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Ending of the temporary files; they also begin with a dot.
const ENDING: &str = ".lawine-tmp";

/// A file that is written under a temporary name beside its goal and renamed by [`AtomicFile::commit`].
/// Dropping it before that removes what was written, and whatever was at the goal is untouched.
#[derive(Debug)]
pub struct AtomicFile {
    goal: PathBuf,
    temporary: PathBuf,
    /// None once it has its name.
    file: Option<BufWriter<File>>,
}

impl AtomicFile {
    /// Opens `dir/.NAME.PROCESS-COUNT.lawine-tmp`: in the folder of `goal`, as a rename does not cross file
    /// systems, and unique, as two threads or programs may write at once.
    ///
    /// # Errors
    /// When `goal` does not end in the name of a file, or what the file system reports.
    pub fn create(goal: &Path) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let unnamed = || io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file");
        let mut hidden = OsString::from(".");
        hidden.push(goal.file_name().ok_or_else(unnamed)?);
        let process = if cfg!(target_family = "wasm") { 0 } else { std::process::id() };
        hidden.push(format!(".{process}-{}{ENDING}", COUNT.fetch_add(1, Relaxed)));
        let temporary = goal.with_file_name(hidden);
        let file = BufWriter::with_capacity(1 << 16, File::create_new(&temporary)?);
        Ok(Self { goal: goal.to_path_buf(), temporary, file: Some(file) })
    }

    /// Writes what is still buffered, waits for the disk and gives the file its name. After that the content
    /// survives a loss of power.
    ///
    /// # Errors
    /// Whatever the file system reports.
    pub fn commit(self) -> io::Result<()> {
        self.rename(true)
    }

    fn rename(mut self, sync: bool) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            file.flush()?;
            if sync {
                file.get_ref().sync_all()?;
            }
        }
        fs::rename(&self.temporary, &self.goal)?;
        self.file = None;
        if sync { sync_parent(&self.goal) } else { Ok(()) }
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
            // `into_parts` gives up the buffer without a last write. The first error is reported; a
            // leftover file is the lesser evil.
            drop(file.into_parts());
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Writes the file `path` completely or not at all.
///
/// # Errors
/// Whatever `write` or the file system reports.
pub fn atomic_write<F>(path: &Path, write: F) -> io::Result<()>
where
    F: FnOnce(&mut dyn Write) -> io::Result<()>,
{
    let mut file = AtomicFile::create(path)?;
    write(&mut file)?;
    file.commit()
}

/// Like [`atomic_write`], with an error that names the file.
///
/// # Errors
/// Whatever `write` or the file system reports, after the path.
pub fn atomic_write_named<F>(path: &Path, write: F) -> io::Result<()>
where
    F: FnOnce(&mut dyn Write) -> io::Result<()>,
{
    atomic_write(path, write)
        .map_err(|e| io::Error::new(e.kind(), format!("cannot write {}: {e}", path.display())))
}

/// Like [`atomic_write`] without waiting for the disk: survives a killed program, not a loss of power.
///
/// For frames, which are many, large and can be made again.
///
/// # Errors
/// Whatever `write` or the file system reports.
pub fn atomic_write_unsynced<F>(path: &Path, write: F) -> io::Result<()>
where
    F: FnOnce(&mut dyn Write) -> io::Result<()>,
{
    let mut file = AtomicFile::create(path)?;
    write(&mut file)?;
    file.rename(false)
}

/// A rename is durable once its directory is. Only Unix lets a directory be opened for that.
fn sync_parent(path: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match File::open(parent.unwrap_or(Path::new(".")))?.sync_all() {
        // Some network file systems cannot sync a directory; the file itself is in place.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        other => other,
    }
}

/// Removes temporaries that a killed program left in `directory`. Only for a directory in which
/// no other process is writing, that is, before a run is resumed.
///
/// # Errors
/// When the directory cannot be listed or a file in it cannot be removed.
pub fn remove_stale_temporaries(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') && name.ends_with(ENDING) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn replaces_the_old_content() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        atomic_write(&path, |w| w.write_all(b"one")).unwrap();
        atomic_write_unsynced(&path, |w| w.write_all(b"two")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(dir.path()), ["a.txt"]);
    }

    #[test]
    fn a_failure_keeps_the_old_content_and_leaves_no_temporary() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        atomic_write(&path, |w| w.write_all(b"one")).unwrap();
        let error = atomic_write_named(&path, |w| {
            w.write_all(b"half")?;
            let hidden = names(dir.path()).into_iter().find(|name| name != "a.txt").unwrap();
            assert!(hidden.starts_with(".a.txt.") && hidden.ends_with(ENDING), "{hidden}");
            Err(io::Error::new(io::ErrorKind::StorageFull, "disk full"))
        })
        .unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(error.to_string().contains("a.txt: disk full"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(names(dir.path()), ["a.txt"]);
    }

    #[test]
    fn a_path_without_a_file_name_is_an_error() {
        assert!(atomic_write(Path::new("/"), |_| Ok(())).is_err());
        assert!(atomic_write(Path::new(".."), |_| Ok(())).is_err());
    }

    #[test]
    fn stale_temporaries_go_and_other_dot_files_stay() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".a.txt.1-0.lawine-tmp"), "x").unwrap();
        fs::write(dir.path().join(".hidden"), "x").unwrap();
        remove_stale_temporaries(dir.path()).unwrap();
        assert_eq!(names(dir.path()), [".hidden"]);
    }
}
