//! Saved files: in the Documents folder, or as downloads in a browser.

/// Where files go.
#[derive(Clone, Debug, Default)]
pub struct Files {
    #[cfg(not(target_arch = "wasm32"))]
    folder: Option<std::path::PathBuf>,
}

/// A file name of lower-case letters, digits and dashes.
pub fn file_name(title: &str) -> String {
    let dashed: String = title
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let parts: Vec<&str> = dashed.split('-').filter(|part| !part.is_empty()).collect();
    let name = parts.join("-");
    if name.is_empty() { "scene".to_owned() } else { name }
}

#[cfg(not(target_arch = "wasm32"))]
impl Files {
    /// Files go to this folder instead of the user's documents.
    pub fn in_folder(folder: impl Into<std::path::PathBuf>) -> Self {
        Self { folder: Some(folder.into()) }
    }

    /// The folder.
    pub fn folder(&self) -> std::path::PathBuf {
        self.folder.clone().unwrap_or_else(documents)
    }

    /// A name that is free: `lawine-dam-break-001.png` and so on.
    pub fn free_path(&self, stem: &str, ending: &str) -> Result<std::path::PathBuf, String> {
        let folder = self.folder();
        std::fs::create_dir_all(&folder)
            .map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
        let path = |k: u32| folder.join(format!("lawine-{stem}-{k:03}.{ending}"));
        (1..100_000).map(path).find(|p| !p.exists()).ok_or_else(|| {
            format!("all file names lawine-{stem}.{ending} are taken in {}", folder.display())
        })
    }

    /// Saves a file under a free name; returns where it is.
    pub fn save(&self, stem: &str, ending: &str, bytes: &[u8]) -> Result<String, String> {
        let path = self.free_path(stem, ending)?;
        lawine_record::output::atomic_write(&path, |out| out.write_all(bytes))
            .map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        Ok(path.display().to_string())
    }
}

/// The user's Documents folder: from the desktop configuration, or the one of that name in the home folder.
#[cfg(not(target_arch = "wasm32"))]
fn documents() -> std::path::PathBuf {
    use std::path::{Path, PathBuf};
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"));
    let home = home.map_or_else(|| PathBuf::from("."), PathBuf::from);
    let config =
        std::env::var_os("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
    let named = |text: &str, home: &Path| {
        let line = text.lines().find_map(|line| line.strip_prefix("XDG_DOCUMENTS_DIR="))?;
        Some(PathBuf::from(line.trim().trim_matches('"').replace("$HOME", &home.to_string_lossy())))
    };
    let text = std::fs::read_to_string(config.join("user-dirs.dirs")).unwrap_or_default();
    named(&text, &home).unwrap_or_else(|| home.join("Documents"))
}

#[cfg(target_arch = "wasm32")]
impl Files {
    /// Offers a file as a download; returns its name.
    pub fn save(&self, stem: &str, ending: &str, bytes: &[u8]) -> Result<String, String> {
        let name = format!("lawine-{stem}.{ending}");
        crate::web::download(&name, bytes).map_err(|e| format!("cannot offer {name}: {e:?}"))?;
        Ok(format!("download {name}"))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        assert_eq!(file_name("Dam break (Hunkler)"), "dam-break-hunkler");
        assert_eq!(file_name("../Ä"), "scene");
    }

    #[test]
    fn no_file_is_overwritten_and_the_path_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::in_folder(folder.path().join("new"));
        let first = files.save("dam", "csv", b"a").unwrap();
        let second = files.save("dam", "csv", b"b").unwrap();
        assert!(first.ends_with("lawine-dam-001.csv") && second.ends_with("lawine-dam-002.csv"));
        assert_eq!(std::fs::read(first).unwrap(), b"a");
        std::fs::write(folder.path().join("file"), b"").unwrap();
        let blocked = Files::in_folder(folder.path().join("file"));
        assert!(blocked.save("dam", "csv", b"a").unwrap_err().contains("cannot create"));
    }
}
