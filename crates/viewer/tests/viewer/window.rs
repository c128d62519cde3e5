//! The viewer as its users meet it: a window under a virtual display, and the page in a browser.
//! `scripts/test-viewer` brings what is missing where it may, and says what it skips.

use lawine_render::Image;
use std::path::Path;
use std::process::Command;

/// Runs a part of the script; `None` when it was skipped.
fn run(part: &str, out: &Path) -> Option<()> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/test-viewer");
    let done = Command::new(script)
        .args([part, env!("CARGO_BIN_EXE_lawine-viewer")])
        .arg(out)
        .output()
        .expect("the script runs");
    let text = String::from_utf8_lossy(&done.stdout);
    let errors = String::from_utf8_lossy(&done.stderr);
    // What was skipped, and why.
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes()).expect("a place to write");
    assert!(done.status.success(), "{errors}{text}");
    (!text.contains("skipped:")).then_some(())
}

/// Blue pixels in a part of the picture.
fn liquid(image: &Image, columns: std::ops::Range<u32>, rows: std::ops::Range<u32>) -> usize {
    let is_blue = |[r, _, b]: [u8; 3]| i32::from(b) - i32::from(r) > 60;
    let pixels = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
    pixels.filter(|&(x, y)| is_blue(image.pixel(x, y))).count()
}

#[test]
fn a_window_runs_places_liquid_by_a_click_and_takes_pictures_and_a_movie() {
    let out = tempfile::tempdir().unwrap();
    if run("window", out.path()).is_none() {
        return;
    }
    let picture = |number: u32| {
        let name = format!("lawine-resting-{number:03}.png");
        Image::read_png(out.path().join(name)).expect("the picture of F12")
    };
    let (before, after) = (picture(1), picture(2));
    // The view lies right of the panel and above the plots.
    let count = |image: &Image| liquid(image, 350..image.width() - 100, 60..image.height() * 2 / 3);
    let (before, after) = (count(&before), count(&after));
    assert!(before > 500, "{before} pixels of liquid");
    assert!(after > before + 100, "{before} pixels of liquid before the click, {after} after");
    let movie = if cfg!(feature = "video") { "mp4" } else { "gif" };
    let movie = out.path().join(format!("lawine-resting-001.{movie}"));
    assert!(movie.metadata().expect("the movie of M").len() > 1000);
}

#[test]
fn the_page_runs_in_a_browser() {
    let out = tempfile::tempdir().unwrap();
    if run("page", out.path()).is_none() {
        return;
    }
    // Snow that was drawn from the memory of the graphics device, and the same without it.
    let [snow, none] = ["page-snow.png", "page-no-snow.png"]
        .map(|name| Image::read_png(out.path().join(name)).expect("the picture of F12"));
    let pixels = (80..320).flat_map(|y| (390..800).map(move |x| (x, y)));
    let is_other = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).any(|(a, b)| a.abs_diff(b) > 16);
    let seen = pixels.filter(|&(x, y)| is_other(snow.pixel(x, y), none.pixel(x, y))).count();
    assert!(seen > 3000, "{seen} pixels of snow");
}
