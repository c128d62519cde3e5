//! The GPU that tests run on.

use crate::Gpu;
use std::path::Path;
use std::process::Command;
use std::sync::Once;

static DRIVER: Once = Once::new();

/// Any GPU there is, or Mesa's software Vulkan, which is installed where it is missing and may be.
/// Without one the tests are skipped, and say so.
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
    opened.map_err(|error| println!("skipped: {error}")).ok()
}
