//! Overrides of single keys, `KEY=VALUE`, as the command line gives them.

use toml_edit::{DocumentMut, InlineTable, Item, Value};

use super::error::{Place, Problem, SceneError};
use super::reference::scene_table;
use lawine_settings::{Kind, join};

/// The most parts a key path may have; the deepest of ours has seven.
const DEEPEST: usize = 16;

/// An override: a key path and a value.
#[derive(Clone, Debug)]
pub struct Override {
    given: String,
    path: Vec<String>,
    value: Value,
}

impl Override {
    /// Whether it sets this key, or a part of it.
    pub(super) fn is_of(&self, key: &str) -> bool {
        self.path.len() >= key.split('.').count()
            && key.split('.').zip(&self.path).all(|(asked, own)| asked == own)
    }

    /// Reads `KEY=VALUE`. The key is a path with dots; entries of a list are given by their index, from 0.
    /// The value is TOML, or else plain text: `time.cfl=0.3`, `fill.0.velocity=[1, 0]`,
    /// `liquid.pressure.equation=tait`.
    pub fn parse(text: &str) -> Result<Self, SceneError> {
        let usage =
            |reason: &str| SceneError::Usage { text: text.into(), reason: reason.to_string() };
        let (key, value) = text.split_once('=').ok_or_else(|| usage("it has no `=`"))?;
        let (key, value) = (key.trim(), value.trim());
        let path: Vec<String> = key.split('.').map(|part| part.trim().to_string()).collect();
        if path.iter().any(String::is_empty) {
            return Err(usage("the key has an empty part"));
        }
        if path.len() > DEEPEST {
            return Err(usage("the key has too many parts"));
        }
        if value.is_empty() {
            return Err(usage("it has no value"));
        }
        let plain = || Value::from(value);
        let setting = scene_table().find(path.iter().map(String::as_str));
        let is_text = setting.is_some_and(|setting| matches!(setting.kind, Kind::Text));
        let parsed = value.parse::<Value>().unwrap_or_else(|_| plain());
        let value = if is_text && !parsed.is_str() { plain() } else { parsed };
        Ok(Self { given: format!("--set {text}"), path, value })
    }

    /// Reads several.
    pub fn parse_all(texts: &[String]) -> Result<Vec<Self>, SceneError> {
        texts.iter().map(|text| Self::parse(text)).collect()
    }

    /// The same, given by another argument than `--set`, which messages then name: `--field sped`.
    #[must_use]
    pub fn given_as(mut self, argument: impl Into<String>) -> Self {
        self.given = argument.into();
        self
    }

    /// The argument that gave it.
    pub fn given(&self) -> &str {
        &self.given
    }

    /// The path of the key, with dots.
    pub fn key(&self) -> String {
        self.path.join(".")
    }

    /// Puts the value into a document. Tables on the way are made where they are missing, entries
    /// of lists are not.
    pub(super) fn apply(&self, document: &mut DocumentMut) -> Result<(), SceneError> {
        let mut item = document.as_item_mut();
        let mut so_far = String::new();
        for (depth, part) in self.path.iter().enumerate() {
            let last = depth + 1 == self.path.len();
            let parent = if so_far.is_empty() { "the scene".to_string() } else { so_far.clone() };
            so_far = join(&so_far, part);
            let is_list = item.is_array() || item.is_array_of_tables();
            if is_list {
                item = self.list_entry(item, part, &parent)?;
                if last {
                    return self.replace_entry(item);
                }
            } else if let Some(table) = item.as_table_like_mut() {
                if last {
                    table.insert(part, Item::Value(self.value.clone()));
                    return Ok(());
                }
                item = table
                    .entry(part)
                    .or_insert_with(|| Item::Value(Value::InlineTable(InlineTable::new())));
            } else {
                return Err(self.problem(format!("{parent} is a value and has no keys")));
            }
        }
        Ok(())
    }

    /// An entry of a list by its index.
    fn list_entry<'a>(
        &self,
        list: &'a mut Item,
        part: &str,
        parent: &str,
    ) -> Result<&'a mut Item, SceneError> {
        let count = (0..).take_while(|&i| list.get(i).is_some()).count();
        let allowed = match count {
            0 => "it is empty".to_string(),
            1 => "allowed: 0".to_string(),
            _ => format!("allowed: 0 to {}", count - 1),
        };
        let number = part.parse::<usize>().ok();
        match number.and_then(|number| list.get_mut(number)) {
            Some(entry) => Ok(entry),
            None => {
                Err(self.problem(format!("{parent} is a list with no entry {part}; {allowed}")))
            }
        }
    }

    /// Replaces an entry of a list as a whole.
    fn replace_entry(&self, entry: &mut Item) -> Result<(), SceneError> {
        *entry = match (&*entry, self.value.clone()) {
            (Item::Table(_), Value::InlineTable(table)) => Item::Table(table.into_table()),
            (Item::Table(_), _) => {
                let message =
                    format!("{} = {} is not allowed; allowed: a table", self.key(), self.value);
                return Err(self.problem(message));
            }
            (_, value) => Item::Value(value),
        };
        Ok(())
    }

    /// A problem with this override.
    fn problem(&self, message: String) -> SceneError {
        SceneError::Invalid(vec![Problem {
            place: Place::Override(self.given.clone()),
            key: self.key(),
            message,
        }])
    }
}
