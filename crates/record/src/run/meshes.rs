//! Copies of a scene's meshes in the directory of its run, so that the directory can be moved.

use crate::output::{RunDirectory, atomic_write};
use lawine_scene::builtin;
use lawine_scene::file::SceneFile;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Copies the meshes of a scene into `meshes/` and lets the scene name the copies, relative to the
/// directory. Those that lie there already stay as they are.
pub(super) fn copy_meshes(scene: &mut SceneFile, directory: &RunDirectory) -> io::Result<()> {
    let mut names: BTreeMap<PathBuf, String> = BTreeMap::new();
    for (key, file) in scene.mesh_files_mut() {
        if builtin::mesh_name(file).is_some() {
            continue;
        }
        let source = PathBuf::from(&*file);
        let name = match names.get(&source) {
            Some(name) => name.clone(),
            None => copy(&source, directory).map_err(|e| {
                let source = source.display();
                io::Error::new(e.kind(), format!("cannot keep the mesh {source} ({key}): {e}"))
            })?,
        };
        *file = RunDirectory::mesh_name(&name);
        names.insert(source, name);
    }
    Ok(())
}

/// Copies a file into `meshes/` under a free name, unless it lies there; returns its name.
fn copy(source: &Path, directory: &RunDirectory) -> io::Result<String> {
    let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = fs::read(source)?;
    fs::create_dir_all(directory.meshes())?;
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    let (mut free, mut number) = (name.clone(), 1);
    loop {
        let target = directory.mesh(&free);
        match fs::read(&target) {
            Ok(found) if found == bytes => return Ok(free),
            Ok(_) => {
                number += 1;
                free = format!("{stem}-{number}.{ending}");
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return atomic_write(&target, |out| out.write_all(&bytes)).map(|()| free);
            }
            Err(error) => return Err(error),
        }
    }
}
