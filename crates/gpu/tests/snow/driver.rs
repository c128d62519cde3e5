//! The GPU that tests run on.

use crate::Gpu;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Once;

static DRIVER: Once = Once::new();
static NOTE: Once = Once::new();

/// Any GPU there is, or Mesa's software Vulkan, which is installed where it is missing and may be.
/// Without one the tests are skipped, and say so; with `LAWINE_NEED_GPU` they fail.
pub(crate) fn gpu() -> Option<Gpu> {
    let opened = Gpu::open().or_else(|_| {
        DRIVER.call_once(|| {
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/need");
            // The first word is no command: the loader may be there without a driver.
            let driver = ["Vulkan driver", "libvulkan1", "mesa-vulkan-drivers"];
            let done = Command::new(script).args(driver).output();
            let told = done.map_or_else(|e| e.to_string().into_bytes(), |done| done.stdout);
            print!("{}", String::from_utf8_lossy(&told));
        });
        Gpu::open()
    });
    let gpu = opened.inspect_err(|error| {
        let needed = std::env::var_os("LAWINE_NEED_GPU").is_some();
        assert!(!needed, "the tests of the GPU could not run: {error}");
        println!("skipped: {error}");
    });
    let gpu = gpu.ok()?;
    NOTE.call_once(|| {
        note(&format!("GPU tests of {} ran on {}", env!("CARGO_CRATE_NAME"), gpu.name()));
    });
    Some(gpu)
}

/// Adds a line to the file that CI shows at its end.
fn note(line: &str) {
    let Some(path) = std::env::var_os("LAWINE_NOTES") else { return };
    let file = OpenOptions::new().create(true).append(true).open(&path);
    let written = file.and_then(|mut file| writeln!(file, "{line}"));
    written.unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
}
