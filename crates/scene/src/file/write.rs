//! Writing a scene out again, with every default spelt out.

use super::schema::SceneFile;
use super::toml::document;
use lawine_settings::{Data, Value};

impl SceneFile {
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
            let grains = scene.grains.is_some();
            keys.retain(|(key, value)| match key.as_str() {
                // They have their defaults, as the checks see to, and mean nothing.
                "emitter" => !grains,
                "fill" => !grains || *value != Value::List(Vec::new()),
                "grain" | "block" => grains,
                _ => true,
            });
        }
        value
    }
}
