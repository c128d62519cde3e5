//! Writing a scene out again, with every default spelt out.

use toml_edit::{ArrayOfTables, DocumentMut, Item, Value};

use super::error::{Place, Problem, SceneError};
use super::schema::SceneFile;

impl SceneFile {
    /// The scene as TOML, with all defaults explicit. Loading the text gives an equal scene.
    pub fn to_toml(&self) -> Result<String, SceneError> {
        document(self).map(|document| document.to_string())
    }
}

/// The resolved scene as a document: `[table]` and `[[list]]` at the top, inline below.
pub(super) fn document(scene: &SceneFile) -> Result<DocumentMut, SceneError> {
    let mut scene = scene.clone();
    scene.resolve();
    let mut document = toml_edit::ser::to_document(&scene).map_err(|error| {
        SceneError::Invalid(vec![Problem {
            place: Place::Line(scene.title.clone(), None),
            key: String::new(),
            message: format!("this scene cannot be written as TOML: {error}"),
        }])
    })?;
    if scene.grains.is_some() {
        // They have their defaults, as the checks see to, and mean nothing.
        for key in ["pressure", "boundary", "emitter"] {
            document.remove(key);
        }
        if scene.fill.is_empty() {
            document.remove("fill");
        }
    }
    if scene.grains.is_none() {
        document.remove("grain");
        document.remove("block");
    }
    for (_, item) in document.as_table_mut().iter_mut() {
        *item = expand(std::mem::take(item));
    }
    Ok(document)
}

/// Turns an inline table, or a list of such, into `[table]` or `[[list]]`; leaves the rest.
fn expand(item: Item) -> Item {
    match item {
        Item::Value(Value::InlineTable(table)) => Item::Table(table.into_table()),
        Item::Value(Value::Array(array))
            if !array.is_empty() && array.iter().all(Value::is_inline_table) =>
        {
            let tables = array.into_iter().filter_map(|value| match value {
                Value::InlineTable(table) => Some(table.into_table()),
                _ => None,
            });
            Item::ArrayOfTables(tables.collect::<ArrayOfTables>())
        }
        other => other,
    }
}
