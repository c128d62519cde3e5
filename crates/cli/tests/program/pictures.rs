//! Pictures, movie and report of runs that were interrupted or damaged.

use crate::common::{Folder, Run};
use std::fs;

/// Number of frames in a movie: the entries of its table of sample sizes.
fn movie_frames(run: &Run) -> u32 {
    let bytes = fs::read(run.0.movie()).unwrap();
    let at = bytes.windows(4).position(|w| w == b"stsz").unwrap();
    u32::from_be_bytes(bytes[at + 12..at + 16].try_into().unwrap())
}

/// Starts a long run, interrupts it after some pictures and waits for its end.
#[cfg(unix)]
fn interrupted(folder: &Folder, more: &[&str], stop: impl Fn(u32)) -> Run {
    let mut arguments = vec!["run", "tank.toml", "--quiet", "--out", "parts", "--end", "60"];
    arguments.extend(more);
    let mut child = folder.command(&arguments).spawn().unwrap();
    while !folder.path("parts/pictures/picture-000004.png").exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    stop(child.id());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    folder.run("parts")
}

#[cfg(unix)]
fn send(signal: &str, to: &str) {
    let sent = std::process::Command::new("kill").args([signal, "--", to]).status().unwrap();
    assert!(sent.success());
}

/// The pictures of the first part were deleted, and there were no frames to draw them from.
#[cfg(unix)]
#[test]
fn the_movie_of_a_resumed_run_has_all_pictures() {
    let folder = Folder::with_tank("");
    let set = ["--set", "output.pictures=false", "--set", "output.frames=false"];
    let parts = interrupted(&folder, &set, |id| send("-INT", &id.to_string()));
    let kept = parts.0.saved_pictures().unwrap().len();
    assert!(kept >= 5, "{kept}");
    let end = 0.01 * (kept + 2) as f64;
    let call = folder.say(&format!("run --resume parts -q --end {end:.2}")).succeeds();
    assert_eq!(call.err, "");
    assert_eq!(movie_frames(&parts), kept as u32 + 3);
    // Now nobody needs them any more.
    assert!(parts.0.saved_pictures().unwrap().is_empty());
    let call = folder.say(&format!("run --resume parts -q --end {:.2}", end + 0.01)).succeeds();
    assert!(call.err.contains("pictures will be missing from the movie"), "{}", call.err);
}

/// Pictures of two sizes make no movie.
#[test]
fn another_size_of_pictures_draws_the_old_ones_again() {
    let folder = Folder::with_tank("");
    folder.run_tank("out", "--end 0.03");
    let call = folder.say("run --resume out -q --end 0.05 --set view.size=[96,64]").succeeds();
    assert_eq!(call.err, "");
    let run = folder.run("out");
    assert_eq!(movie_frames(&run), 6);
    for frame in 0..6 {
        let bytes = fs::read(run.0.picture(frame)).unwrap();
        assert_eq!(&bytes[16..24], [0, 0, 0, 96, 0, 0, 0, 64], "picture {frame}");
    }

    // Without frames they are left out.
    folder.run_tank("none", "--end 0.03 --set output.frames=false");
    let call = folder.say("run --resume none -q --end 0.05 --set view.size=[96,64]").succeeds();
    assert!(call.err.contains("4 of the first 4 pictures will be missing"), "{}", call.err);
    assert_eq!(movie_frames(&folder.run("none")), 2);
}

/// One picture that could not be read meant no movie and no report, whatever was tried.
#[test]
fn a_damaged_picture_is_drawn_again_or_left_out() {
    let folder = Folder::with_tank("");
    let run = folder.run_tank("out", "");
    let whole = fs::read(run.0.picture(2)).unwrap();
    fs::write(run.0.picture(2), &whole[..whole.len() / 2]).unwrap();
    fs::write(run.0.picture(4), b"not a picture").unwrap();
    let call = folder.say("run --resume out -q").succeeds();
    assert!(
        call.err.contains("picture-000002.png") && call.err.contains("redrawn"),
        "{}",
        call.err
    );
    assert_eq!(movie_frames(&run), 6);
    assert_eq!(folder.say("run --resume out -q").succeeds().err, "");

    fs::write(run.0.picture(2), &whole[..whole.len() / 2]).unwrap();
    fs::remove_file(run.0.particles("liquid", 2)).unwrap();
    let call = folder.say("run --resume out -q").succeeds();
    assert!(
        call.err.contains("picture-000002.png") && call.err.contains("left out"),
        "{}",
        call.err
    );
    assert_eq!(call.err.matches("picture-000002.png").count(), 1, "{}", call.err);
    assert_eq!(movie_frames(&run), 5);
    assert!(run.0.report().is_file());
}

/// `timeout` sends two signals at once, one to the process and one to its group. The second was
/// taken for impatience, and there was no checkpoint.
#[cfg(unix)]
#[test]
fn two_signals_at_once_are_one_wish() {
    let folder = Folder::with_tank("");
    let parts = interrupted(&folder, &[], |id| {
        for _ in 0..3 {
            send("-INT", &id.to_string());
        }
    });
    let summary = parts.summary();
    assert_eq!(summary.status, lawine_record::output::Status::Interrupted);
    let newest = parts.0.checkpoints().list().unwrap()[0].step;
    assert_eq!(newest, summary.steps);
    assert!(parts.0.report().is_file());

    if std::process::Command::new("timeout").arg("--version").output().is_ok() {
        let program = env!("CARGO_BIN_EXE_lawine");
        let status = std::process::Command::new("timeout")
            .args(["-s", "INT", "2", program, "run", "tank.toml", "-q", "--out", "timed"])
            .args(["--end", "60"])
            .current_dir(folder.path(""))
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(124));
        let timed = folder.run("timed");
        assert_eq!(timed.0.checkpoints().list().unwrap()[0].step, timed.summary().steps);
    }
}
