//! Writing a scene out again, with every default spelt out.

use super::reference::scene_table;
use super::schema::SceneFile;
use super::toml::document;
use crate::matter::kinds_of;
use lawine_settings::{Data, Default, Setting, Table, Value, join};

impl SceneFile {
    /// Whether a setting belongs to matter of the scene.
    pub fn has(&self, setting: &Setting) -> bool {
        kinds_of(setting).iter().any(|kind| kind.is_in(self))
    }

    /// The scene as TOML, with all defaults explicit. Loading the text gives an equal scene.
    pub fn to_toml(&self) -> String {
        document(&self.to_value()).to_string()
    }

    /// The resolved scene as a value, without the keys of matter that it does not have.
    pub fn to_value(&self) -> Value {
        let mut scene = self.clone();
        scene.resolve();
        let mut value = scene.write().unwrap_or(Value::Table(Vec::new()));
        scene.take_foreign(scene_table(), &mut value, "", &mut Vec::new());
        value
    }

    /// The keys with more than a default that belong to other matter than that of the scene, and their settings.
    pub(super) fn foreign_keys(&self) -> Vec<(String, &'static Setting)> {
        let mut value = self.write().unwrap_or(Value::Table(Vec::new()));
        let mut foreign = Vec::new();
        self.take_foreign(scene_table(), &mut value, "", &mut foreign);
        foreign
    }

    /// Takes defaults of other matter out of a value that a table describes; other values of it stay, and are named.
    fn take_foreign(
        &self,
        table: &'static Table,
        value: &mut Value,
        path: &str,
        foreign: &mut Vec<(String, &'static Setting)>,
    ) {
        let Value::Table(keys) = value else { return };
        keys.retain_mut(|(name, value)| {
            let Some(setting) = table.get(name) else { return true };
            let key = join(path, name);
            if !self.has(setting) {
                let stays = !matches!(setting.default, Default::Is(d) if d() == *value);
                if stays {
                    foreign.push((key, setting));
                }
                return stays;
            }
            match (setting.kind.table(), value) {
                (Some(inner), Value::List(list)) => {
                    for (i, value) in list.iter_mut().enumerate() {
                        self.take_foreign(inner, value, &join(&key, &i.to_string()), foreign);
                    }
                }
                (Some(inner), value) => self.take_foreign(inner, value, &key, foreign),
                _ => {}
            }
            true
        });
    }
}
