//! Writing a scene out again, with every default spelt out.

use super::schema::SceneFile;
use super::toml::document;
use lawine_settings::{Data, Setting, Settings, Value};

impl SceneFile {
    /// Whether a setting belongs to matter of the scene.
    pub fn has(&self, setting: &Setting) -> bool {
        self.matters().any(|kind| setting.is_of(kind.key()))
    }

    /// The scene as TOML, with all defaults explicit. Loading the text gives an equal scene.
    pub fn to_toml(&self) -> String {
        document(&self.to_value()).to_string()
    }

    /// The resolved scene as a value, without the tables of another kind of matter.
    pub fn to_value(&self) -> Value {
        let mut scene = self.clone();
        scene.resolve();
        let mut value = scene.write().unwrap_or(Value::Table(Vec::new()));
        if let Value::Table(keys) = &mut value {
            // Lists that belong to other matter are empty, as the checks see to, and mean nothing.
            keys.retain(|(key, value)| {
                let of = Self::TABLE.get(key).is_some_and(|known| self.has(known));
                of || *value != Value::List(Vec::new())
            });
        }
        value
    }
}
