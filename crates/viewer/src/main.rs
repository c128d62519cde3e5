//! The program `lawine-viewer`: a window.

#[cfg(not(target_arch = "wasm32"))]
mod native;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> anyhow::Result<()> {
    native::main()
}

/// The page starts through the library.
#[cfg(target_arch = "wasm32")]
fn main() {}
