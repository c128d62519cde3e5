//! Atomic writing: a file is complete or absent.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Ending of the temporary files; they also begin with a dot.
const TEMPORARY_ENDING: &str = ".lawine-tmp";

/// Writes `path` by way of a temporary sibling: write, flush, fsync, rename.
///
/// When `write` or the disk fails, the temporary is removed and whatever was at `path` before is
/// untouched. After success the content survives a loss of power.
///
/// # Errors
/// Whatever `write` or the file system reports.
pub fn atomic_write<F>(path: &Path, write: F) -> io::Result<()>
where
    F: FnOnce(&mut dyn Write) -> io::Result<()>,
{
    replace(path, true, write)
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

/// Like [`atomic_write`] without the fsync: survives a killed program, not a loss of power.
///
/// For frames, which are many, large and can be made again.
///
/// # Errors
/// Whatever `write` or the file system reports.
pub fn atomic_write_unsynced<F>(path: &Path, write: F) -> io::Result<()>
where
    F: FnOnce(&mut dyn Write) -> io::Result<()>,
{
    replace(path, false, write)
}

fn replace<F>(path: &Path, sync: bool, write: F) -> io::Result<()>
where
    F: FnOnce(&mut dyn Write) -> io::Result<()>,
{
    let temporary = temporary_sibling(path)?;
    let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let result = fill(file, sync, write).and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        // The first error is the one worth reporting; the old file at `path` is still whole.
        let _ = fs::remove_file(&temporary);
        return result;
    }
    if sync {
        sync_parent(path)?;
    }
    Ok(())
}

fn fill<F>(file: File, sync: bool, write: F) -> io::Result<()>
where
    F: FnOnce(&mut dyn Write) -> io::Result<()>,
{
    let mut buffered = BufWriter::with_capacity(1 << 16, file);
    write(&mut buffered)?;
    let file = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
    if sync {
        file.sync_all()?;
    }
    Ok(())
}

/// `dir/.NAME.PID-COUNT.lawine-tmp`: the same directory, as a rename does not cross file systems,
/// and unique, as two threads or programs may write at once.
fn temporary_sibling(path: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{} does not end in a file name", path.display()),
        )
    })?;
    let mut sibling = OsString::from(".");
    sibling.push(name);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    sibling.push(format!(".{}-{count}{TEMPORARY_ENDING}", std::process::id()));
    Ok(path.with_file_name(sibling))
}

/// A rename is durable once its directory is. Only Unix lets a directory be opened for that.
#[cfg(unix)]
fn sync_parent(path: &Path) -> io::Result<()> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match File::open(parent)?.sync_all() {
        // Some network file systems cannot sync a directory; the file itself is in place.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        other => other,
    }
}

#[cfg(not(unix))]
fn sync_parent(_path: &Path) -> io::Result<()> {
    Ok(())
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
        if name.starts_with('.') && name.ends_with(TEMPORARY_ENDING) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
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
        let error = atomic_write(&path, |w| {
            w.write_all(b"half")?;
            Err(io::Error::new(io::ErrorKind::StorageFull, "disk full"))
        })
        .unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
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
