//! Opens files given by the user: regular files up to a stated size only.
//!
//! A pipe would block, a device or a file without end would eat all memory.

use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::Path;

/// The largest scene or study file [B].
pub const LARGEST_TEXT: u64 = 16 << 20;

/// The largest mesh file [B]: some ten million triangles of a binary STL file.
pub const LARGEST_MESH: u64 = 512 << 20;

/// Opens a regular file of at most `limit` bytes.
///
/// # Errors
/// When it cannot be opened, is no regular file, or is larger. The message does not name the file.
pub fn open(path: &Path, limit: u64) -> io::Result<File> {
    // Before it is opened, since opening a pipe blocks until it has a writer.
    let found = fs::metadata(path)?;
    if !found.is_file() {
        let message = format!("it is {}; allowed: a regular file", kind(found.file_type()));
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    if size > limit {
        return Err(too_large(size, limit));
    }
    Ok(file)
}

/// Reads a regular file of at most `limit` bytes as text.
///
/// # Errors
/// As [`open`], and when it is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    let mut text = String::new();
    // Some files say that they are empty and are not, such as those of the kernel.
    open(path, limit)?.take(limit + 1).read_to_string(&mut text)?;
    if text.len() as u64 > limit {
        return Err(too_large(text.len() as u64, limit));
    }
    Ok(text)
}

/// The name of a file without its ending, as a name for directories; `instead` where that would be a
/// way up, as for a file called `...toml`, or nothing at all.
pub fn stem(path: &Path, instead: &str) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    if stem.trim_matches('.').is_empty() { instead.to_owned() } else { stem.into_owned() }
}

fn too_large(size: u64, limit: u64) -> io::Error {
    let message = format!("it has {size} bytes; allowed: at most {limit} ({} MiB)", limit >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// What something that is no regular file is.
fn kind(file_type: FileType) -> &'static str {
    if file_type.is_dir() {
        return "a directory";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if file_type.is_fifo() {
            return "a pipe";
        }
        if file_type.is_char_device() || file_type.is_block_device() {
            return "a device";
        }
        if file_type.is_socket() {
            return "a socket";
        }
    }
    "not a regular file"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;

    #[test]
    fn only_regular_files_of_a_stated_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        fs::write(&path, "text").unwrap();
        assert_eq!(read_text(&path, 4).unwrap(), "text");
        let message = read_text(&path, 3).unwrap_err().to_string();
        assert_eq!(message, "it has 4 bytes; allowed: at most 3 (0 MiB)");
        let message = open(folder.path(), 100).unwrap_err().to_string();
        assert_eq!(message, "it is a directory; allowed: a regular file");
        assert!(open(&folder.path().join("none"), 100).is_err());
        // A file with a hole in it, which takes no room on the disk.
        OpenOptions::new().write(true).open(&path).unwrap().set_len(LARGEST_MESH + 1).unwrap();
        let message = open(&path, LARGEST_MESH).unwrap_err().to_string();
        assert!(message.ends_with("allowed: at most 536870912 (512 MiB)"), "{message}");
    }

    #[test]
    fn names_never_lead_up() {
        for (path, name) in [
            ("dam.toml", "dam"),
            ("a/b.c.toml", "b.c"),
            ("...toml", "scene"),
            ("..toml", "scene"),
            ("a/....toml", "scene"),
            ("..", "scene"),
            ("", "scene"),
            (".hidden.toml", ".hidden"),
        ] {
            assert_eq!(stem(Path::new(path), "scene"), name, "{path}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_and_pipes_are_refused_at_once() {
        for (path, what) in [("/dev/zero", "a device"), ("/dev/null", "a device")] {
            let message = read_text(Path::new(path), 100).unwrap_err().to_string();
            assert_eq!(message, format!("it is {what}; allowed: a regular file"));
        }
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if made.is_ok_and(|status| status.success()) {
            let message = read_text(&pipe, 100).unwrap_err().to_string();
            assert_eq!(message, "it is a pipe; allowed: a regular file");
        }
    }
}
