//! Lists the thumbnails of the gallery.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("thumbnails");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<_> =
        fs::read_dir(&folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "png"));
    files.sort();
    let mut list = "&[\n".to_owned();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        // Writing to a string cannot fail.
        let _ = writeln!(list, "    ({name:?}, include_bytes!({:?})),", file.display().to_string());
    }
    list.push(']');
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("thumbnails.rs"), list)
}
