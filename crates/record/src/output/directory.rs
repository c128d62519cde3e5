//! The directory of a run: ownership and paths of its files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::checkpoint::CheckpointStore;
use super::lock::Lock;
use lawine_render::atomic::{atomic_write_unsynced, remove_stale_temporaries};
use lawine_scene::file::SurfaceFormat;
use lawine_scene::matter::kinds;

const FRAMES: &str = "frames";
const PICTURES: &str = "pictures";
const CHECKPOINT: &str = "checkpoint";
const SCENE: &str = "scene.toml";
const SERIES: &str = "series.csv";
const BODIES: &str = "bodies.csv";
const SUMMARY: &str = "summary.json";
const COLLECTION: &str = "frames.pvd";
const MOVIE: &str = "movie.mp4";
const MOVIE_GIF: &str = "movie.gif";
const REPORT: &str = "report.html";
const MEASURES: &str = "measures.csv";
/// Locked while a program writes into the directory; it stays, and means nothing by itself.
const LOCK: &str = "run.lock";
/// Only runs whose scenes have meshes need it.
const MESHES: &str = "meshes";

/// What a run leaves; any of these in a directory means that it is taken.
const FOLDERS: [&str; 3] = [FRAMES, PICTURES, CHECKPOINT];
const FILES: [&str; 9] =
    [SCENE, SERIES, BODIES, SUMMARY, COLLECTION, MOVIE, MOVIE_GIF, REPORT, MEASURES];

/// Why a directory cannot hold, or does not hold, a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DirectoryError {
    /// A file is in the way.
    #[error("{} is a file; choose a directory with --out DIR", .path.display())]
    IsAFile {
        /// The path.
        path: PathBuf,
    },
    /// An earlier run lies there.
    #[error(
        "{} already contains a run ({found}); choose another directory with --out DIR, or resume \
         that run with --resume {}", .path.display(), .path.display()
    )]
    HoldsARun {
        /// The path.
        path: PathBuf,
        /// A file of that run.
        found: String,
    },
    /// Something else lies there.
    #[error(
        "{} is not empty (it contains {found}) and not the directory of a run; \
         choose a new or an empty directory with --out DIR", .path.display()
    )]
    NotEmpty {
        /// The path.
        path: PathBuf,
        /// One thing in it.
        found: String,
    },
    /// Nothing can be written there.
    #[error("cannot write into {}: {source}; choose another directory with --out DIR",
        .path.display())]
    NotWritable {
        /// The path.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Another program writes there at this moment.
    #[error(
        "{} is in use by another lawine process; wait until it has ended, or choose another \
         directory with --out DIR", .path.display()
    )]
    InUse {
        /// The path.
        path: PathBuf,
    },
    /// It is not the directory of a run.
    #[error("{} is not the directory of a run: {reason}", .path.display())]
    NotARun {
        /// The path.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// The file system failed.
    #[error("cannot {action} {}: {source}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
}

/// The directory of one run.
#[derive(Clone, Debug)]
pub struct RunDirectory {
    root: PathBuf,
    /// Held by whoever writes into it.
    _lock: Option<Arc<Lock>>,
}

/// Directories are the same if their paths are, locked or not.
impl PartialEq for RunDirectory {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
    }
}

impl Eq for RunDirectory {}

impl RunDirectory {
    /// Prepares a new or empty directory for a run and [claims](Self::claim) it.
    ///
    /// # Errors
    /// As [`Self::create`] and [`Self::claim`].
    pub fn create_claimed(path: impl Into<PathBuf>) -> Result<Self, DirectoryError> {
        let claimed = Self::create(path)?.claim()?;
        // Another may have begun, and even ended, a run since it was found empty.
        refuse_used(&claimed.root)?;
        Ok(claimed)
    }

    /// Keeps all others from writing into the directory, as long as this value or a clone of it
    /// lives. To be called before the checkpoint of a resumed run is read.
    ///
    /// # Errors
    /// [`DirectoryError::InUse`], [`DirectoryError::NotWritable`].
    pub fn claim(self) -> Result<Self, DirectoryError> {
        match Lock::exclusive(&self.root.join(LOCK)) {
            Ok(lock) => Ok(Self { _lock: Some(Arc::new(lock)), ..self }),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                Err(DirectoryError::InUse { path: self.root })
            }
            Err(error) => Err(not_writable(&self.root, error)),
        }
    }

    /// Prepares a new or empty directory for a run.
    ///
    /// Empty `frames/`, `pictures/` and `checkpoint/` count as nothing, so that a run that failed
    /// before its first output does not block the next one.
    ///
    /// # Errors
    /// When the path is a file, is already used, or cannot be written; the message suggests what to do.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, DirectoryError> {
        let root = path.into();
        match fs::metadata(&root) {
            Ok(metadata) if !metadata.is_dir() => {
                return Err(DirectoryError::IsAFile { path: root });
            }
            Ok(_) => refuse_used(&root)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(&root).map_err(|e| not_writable(&root, e))?;
            }
            Err(error) => return Err(not_writable(&root, error)),
        }
        for folder in FOLDERS {
            let folder = root.join(folder);
            fs::create_dir_all(&folder).map_err(|e| not_writable(&folder, e))?;
        }
        check_writable(&root)?;
        Ok(Self { root, _lock: None })
    }

    /// Opens the directory of an existing run, to resume it or to draw it again.
    ///
    /// # Errors
    /// [`DirectoryError::NotARun`].
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, DirectoryError> {
        let root = path.into();
        let not_a_run = |reason: &str| DirectoryError::NotARun {
            path: root.clone(),
            reason: reason.to_owned(),
        };
        match fs::metadata(&root) {
            Err(error) => return Err(not_a_run(&error.to_string())),
            Ok(metadata) if !metadata.is_dir() => return Err(not_a_run("it is a file")),
            Ok(_) => {}
        }
        if !root.join(SCENE).is_file() {
            return Err(not_a_run("it has no scene.toml"));
        }
        Ok(Self { root, _lock: None })
    }

    /// Opens the run that a checkpoint file in `DIR/checkpoint/` belongs to.
    ///
    /// # Errors
    /// [`DirectoryError::NotARun`].
    pub fn of_checkpoint(file: &Path) -> Result<Self, DirectoryError> {
        let folder = file.parent().filter(|folder| folder.ends_with(CHECKPOINT));
        let root = folder.and_then(Path::parent).ok_or_else(|| DirectoryError::NotARun {
            path: file.to_owned(),
            reason: "the checkpoint does not lie in the folder checkpoint/ of a run".to_owned(),
        })?;
        let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        Self::open(root)
    }

    /// Makes the folders that are missing and checks that they can be written: for a run that is
    /// to be resumed.
    ///
    /// # Errors
    /// [`DirectoryError::NotWritable`].
    pub fn prepare_resume(&self) -> Result<(), DirectoryError> {
        for folder in FOLDERS {
            let folder = self.root.join(folder);
            fs::create_dir_all(&folder).map_err(|e| not_writable(&folder, e))?;
        }
        check_writable(&self.root)
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `scene.toml`, the scene with all values filled in.
    pub fn scene(&self) -> PathBuf {
        self.root.join(SCENE)
    }

    /// `series.csv`.
    pub fn series(&self) -> PathBuf {
        self.root.join(SERIES)
    }

    /// `bodies.csv`.
    pub fn bodies_table(&self) -> PathBuf {
        self.root.join(BODIES)
    }

    /// `summary.json`.
    pub fn summary(&self) -> PathBuf {
        self.root.join(SUMMARY)
    }

    /// `frames.pvd`, the file to open in ParaView.
    pub fn collection(&self) -> PathBuf {
        self.root.join(COLLECTION)
    }

    /// `movie.mp4`.
    pub fn movie(&self) -> PathBuf {
        self.root.join(MOVIE)
    }

    /// `movie.gif`.
    pub fn movie_gif(&self) -> PathBuf {
        self.root.join(MOVIE_GIF)
    }

    /// `measures.csv`, the numbers of the figures that the scene asks for.
    pub fn measures(&self) -> PathBuf {
        self.root.join(MEASURES)
    }

    /// `report.html`.
    pub fn report(&self) -> PathBuf {
        self.root.join(REPORT)
    }

    /// The folder `meshes/`, with copies of the meshes that the scene names.
    pub fn meshes(&self) -> PathBuf {
        self.root.join(MESHES)
    }

    /// A copy of a mesh relative to the root, as the scene names it.
    pub fn mesh_name(name: &str) -> String {
        format!("{MESHES}/{name}")
    }

    /// The copy of a mesh.
    pub fn mesh(&self, name: &str) -> PathBuf {
        self.meshes().join(name)
    }

    /// The folder `pictures/`.
    pub fn pictures(&self) -> PathBuf {
        self.root.join(PICTURES)
    }

    /// The folder `frames/`.
    pub fn frames(&self) -> PathBuf {
        self.root.join(FRAMES)
    }

    /// The checkpoints in `checkpoint/`.
    pub fn checkpoints(&self) -> CheckpointStore {
        CheckpointStore::new(self.root.join(CHECKPOINT))
    }

    /// A frame's particles of one matter relative to the root, as the collection names them.
    pub fn particles_name(matter: &str, index: u64) -> String {
        format!("{FRAMES}/{matter}-{index:06}.vtp")
    }

    /// A frame's bodies relative to the root, as the collection names them.
    pub fn bodies_name(index: u64) -> String {
        format!("{FRAMES}/bodies-{index:06}.vtp")
    }

    /// The surfaces of a frame's grains relative to the root, as the collection names them.
    pub fn shapes_name(index: u64) -> String {
        format!("{FRAMES}/shapes-{index:06}.vtp")
    }

    /// The surface of a frame's matter relative to the root, in a file with this ending.
    pub fn surface_name(index: u64, ending: &str) -> String {
        format!("{FRAMES}/surface-{index:06}.{ending}")
    }

    /// The file with the surface of a frame's matter.
    pub fn surface(&self, index: u64, ending: &str) -> PathBuf {
        self.root.join(Self::surface_name(index, ending))
    }

    /// The file with a frame's particles of one matter.
    pub fn particles(&self, matter: &str, index: u64) -> PathBuf {
        self.root.join(Self::particles_name(matter, index))
    }

    /// The file with a frame's bodies.
    pub fn bodies(&self, index: u64) -> PathBuf {
        self.root.join(Self::bodies_name(index))
    }

    /// The file with the surfaces of a frame's grains.
    pub fn shapes(&self, index: u64) -> PathBuf {
        self.root.join(Self::shapes_name(index))
    }

    /// The file with a frame's picture.
    pub fn picture(&self, index: u64) -> PathBuf {
        self.root.join(format!("{PICTURES}/picture-{index:06}.png"))
    }

    /// The frames whose particles are saved, in order.
    ///
    /// # Errors
    /// [`DirectoryError::Io`].
    pub fn saved_frames(&self) -> Result<Vec<u64>, DirectoryError> {
        let mut frames = Vec::new();
        for kind in kinds() {
            frames.extend(indices(&self.frames(), &format!("{}-", kind.key()), ".vtp")?);
        }
        frames.sort_unstable();
        frames.dedup();
        Ok(frames)
    }

    /// The frames that have a picture, in order.
    ///
    /// # Errors
    /// [`DirectoryError::Io`].
    pub fn saved_pictures(&self) -> Result<Vec<u64>, DirectoryError> {
        indices(&self.pictures(), "picture-", ".png")
    }

    /// Removes frames and pictures with an index above `last` (all of them for `None`), and what
    /// a killed program left half written: for a run that is resumed from an earlier state.
    ///
    /// # Errors
    /// [`DirectoryError::Io`].
    pub fn prune_frames_after(&self, last: Option<u64>) -> Result<(), DirectoryError> {
        let later = |index: &u64| last.is_none_or(|last| *index > last);
        let mut doomed = Vec::new();
        for kind in kinds().iter().map(|kind| kind.key()).chain(["shapes", "bodies"]) {
            let found = indices(&self.frames(), &format!("{kind}-"), ".vtp")?;
            doomed.extend(found.into_iter().filter(later).map(|i| self.particles(kind, i)));
        }
        doomed.extend(self.saved_pictures()?.into_iter().filter(later).map(|i| self.picture(i)));
        for ending in SurfaceFormat::ENDINGS {
            let found = indices(&self.frames(), "surface-", &format!(".{ending}"))?;
            doomed.extend(found.into_iter().filter(later).map(|i| self.surface(i, ending)));
        }
        for path in doomed {
            fs::remove_file(&path).map_err(|e| io_error("remove", &path, e))?;
        }
        for folder in ["", FRAMES, PICTURES, CHECKPOINT, MESHES] {
            let folder = self.root.join(folder);
            if !folder.exists() {
                continue;
            }
            remove_stale_temporaries(&folder).map_err(|e| io_error("clean up", &folder, e))?;
        }
        Ok(())
    }
}

fn not_writable(path: &Path, source: io::Error) -> DirectoryError {
    DirectoryError::NotWritable { path: path.to_owned(), source }
}

fn io_error(action: &'static str, path: &Path, source: io::Error) -> DirectoryError {
    DirectoryError::Io { action, path: path.to_owned(), source }
}

/// Permissions are not sufficient (quotas, read-only mounts): write a test file.
fn check_writable(root: &Path) -> Result<(), DirectoryError> {
    for folder in ["", FRAMES, PICTURES, CHECKPOINT] {
        let folder = root.join(folder);
        let probe = folder.join("writable.probe");
        atomic_write_unsynced(&probe, |out| out.write_all(b"probe"))
            .and_then(|()| fs::remove_file(&probe))
            .map_err(|e| not_writable(&folder, e))?;
    }
    Ok(())
}

fn refuse_used(root: &Path) -> Result<(), DirectoryError> {
    let mut foreign = None;
    let list = |path: &Path| fs::read_dir(path).map_err(|e| not_writable(path, e));
    for entry in list(root)? {
        let entry = entry.map_err(|e| not_writable(root, e))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == LOCK {
            continue;
        }
        if (FOLDERS.contains(&name.as_str()) || name == MESHES) && entry.path().is_dir() {
            if list(&entry.path())?.next().is_none() {
                continue;
            }
        } else if !FILES.contains(&name.as_str()) {
            foreign = Some(name);
            continue;
        }
        return Err(DirectoryError::HoldsARun { path: root.to_owned(), found: name });
    }
    match foreign {
        Some(found) => Err(DirectoryError::NotEmpty { path: root.to_owned(), found }),
        None => Ok(()),
    }
}

/// The numbers in the names `PREFIX000123SUFFIX` in a folder; none when there is no such folder.
fn indices(folder: &Path, prefix: &str, suffix: &str) -> Result<Vec<u64>, DirectoryError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(|e| io_error("list", folder, e))?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let name = entry.map_err(|e| io_error("list", folder, e))?.file_name();
        let digits = name.to_str().and_then(|n| n.strip_prefix(prefix)?.strip_suffix(suffix));
        // Only names as this program writes them, so that each index gives its path back.
        let index = digits.and_then(|d| d.parse::<u64>().ok().filter(|i| format!("{i:06}") == d));
        found.extend(index);
    }
    found.sort_unstable();
    Ok(found)
}

#[cfg(test)]
mod tests;
