//! Small scenes, and a way to call the program.

use lawine_record::output::{RunDirectory, Series, Summary};
use lawine_scene::matter::kinds;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// 300 particles that fall over in a tank of 0.8 × 0.6 m: about 200 steps for 0.05 s.
pub(crate) const TANK: &str = r#"
title = "Small tank"
end = 0.05

[space]
dimension = 2
gravity = [0.0, -9.81]

[liquid]
spacing = 0.02
viscosity = 1e-3

[[fill]]
shape.box = { min = [0.0, 0.0], max = [0.3, 0.4] }

[[body]]
name = "tank"
shape.container = { min = [0.0, 0.0], max = [0.8, 0.6] }

[[probe]]
name = "front"
max = { field = "position.x" }

[output]
every = 0.01

[view]
size = [160, 96]
"#;

/// What a call of the program gave.
pub(crate) struct Call {
    /// Exit status; none if a signal ended it.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Call {
    /// Asserts success.
    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        assert_eq!(self.code, Some(0), "{}\n{}", self.out, self.err);
        self
    }

    /// Asserts failure with a code, and that the message has all the words.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        for word in words {
            assert!(self.err.contains(word), "no {word:?} in:\n{}", self.err);
        }
        assert!(self.err.starts_with("error: "), "{}", self.err);
        assert!(self.err.matches("(os error").count() < 2, "said twice: {}", self.err);
        assert_eq!(self.err.matches("error:").count(), 1, "not one message:\n{}", self.err);
        self
    }
}

/// A folder of its own for a test; the program is called inside it.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with `scene.toml`, the [`TANK`] with more keys at its end.
    pub(crate) fn with_tank(more: &str) -> Self {
        let folder = Self::new();
        folder.write("tank.toml", &format!("{TANK}\n{more}"));
        folder
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// The program with arguments, to be started.
    pub(crate) fn command(&self, arguments: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lawine"));
        command.current_dir(self.0.path()).args(arguments).stdin(Stdio::null());
        // Mesa's Vulkan complains on the error stream when it is not set.
        command.env("XDG_RUNTIME_DIR", self.0.path());
        command
    }

    /// Calls the program and waits. It must not panic, whatever it is asked to do.
    #[track_caller]
    pub(crate) fn lawine(&self, arguments: &[impl AsRef<OsStr>]) -> Call {
        call(&mut self.command(arguments))
    }

    /// Calls the program with words separated by blanks.
    #[track_caller]
    pub(crate) fn say(&self, words: &str) -> Call {
        self.lawine(&words.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs `tank.toml` quietly into a directory.
    #[track_caller]
    pub(crate) fn run_tank(&self, out: &str, more: &str) -> Run {
        self.say(&format!("run tank.toml --quiet --out {out} {more}")).succeeds();
        self.run(out)
    }

    /// What lies in a directory.
    pub(crate) fn run(&self, directory: impl AsRef<Path>) -> Run {
        Run(RunDirectory::open(self.path(directory)).unwrap())
    }
}

/// Calls a command and waits.
#[track_caller]
pub(crate) fn call(command: &mut Command) -> Call {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let call =
        Call { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) };
    assert_calm(&call.err);
    call
}

/// Asserts that nothing panicked.
#[track_caller]
pub(crate) fn assert_calm(err: &str) {
    for word in ["panicked", "RUST_BACKTRACE", "overflow"] {
        assert!(!err.contains(word), "{err}");
    }
}

/// The files of a run.
pub(crate) struct Run(pub(crate) RunDirectory);

impl Run {
    pub(crate) fn summary(&self) -> Summary {
        Summary::read(&self.0.summary()).unwrap()
    }

    pub(crate) fn series(&self) -> Series {
        Series::read(&self.0.series()).unwrap()
    }

    /// The last value of a column.
    pub(crate) fn last(&self, column: &str) -> f64 {
        *self.series().column(column).unwrap().last().unwrap()
    }

    /// Checkpoint files, newest first.
    pub(crate) fn checkpoints(&self) -> Vec<PathBuf> {
        self.0.checkpoints().list().unwrap().into_iter().map(|stored| stored.path).collect()
    }

    /// Asserts that two runs are the same but for the time they took.
    #[track_caller]
    pub(crate) fn assert_same(&self, other: &Self) {
        let (a, b) = (self.summary(), other.summary());
        assert_eq!(a.state_hash, b.state_hash);
        assert_eq!(a.steps, b.steps);
        assert_eq!(a.simulated_time.to_bits(), b.simulated_time.to_bits());
        let bits = |error: Option<f64>| error.map(f64::to_bits);
        assert_eq!(bits(a.mean_density_error), bits(b.mean_density_error));
        assert_eq!(a.dt_min.to_bits(), b.dt_min.to_bits());
        let text = |path| fs::read_to_string(path).unwrap();
        assert_eq!(text(self.0.series()), text(other.0.series()));
        assert_eq!(text(self.0.collection()), text(other.0.collection()));
        assert_eq!(self.0.saved_frames().unwrap(), other.0.saved_frames().unwrap());
        assert_eq!(self.0.saved_pictures().unwrap(), other.0.saved_pictures().unwrap());
        for frame in self.0.saved_frames().unwrap() {
            let bytes = |run: &Self| {
                let paths = kinds().iter().map(|kind| run.0.particles(kind.key(), frame));
                paths.map(|path| fs::read(path).ok()).collect::<Vec<_>>()
            };
            assert!(bytes(self) == bytes(other), "frame {frame} differs");
        }
        for frame in self.0.saved_pictures().unwrap() {
            let bytes = |run: &Self| fs::read(run.0.picture(frame)).unwrap();
            assert!(bytes(self) == bytes(other), "picture {frame} differs");
        }
    }
}
