//! Fields by name: a column, a component of a vector, or the speed.

use lawine_core::{Field, FieldValues};

/// What a name such as `density`, `speed` or `velocity.x` stands for.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    values: FieldValues<'a>,
    component: Option<usize>,
    /// Unit, such as `m/s`.
    pub unit: &'a str,
}

impl<'a> Selection<'a> {
    /// Looks `name` up among `fields`; the error lists what there is.
    pub fn new(fields: &[Field<'a>], name: &str) -> Result<Self, String> {
        let (field, component) = match name.rsplit_once('.') {
            _ if name == "speed" => ("velocity", None),
            Some((field, "x")) => (field, Some(0)),
            Some((field, "y")) => (field, Some(1)),
            Some((field, "z")) => (field, Some(2)),
            Some((field, "w")) => (field, Some(3)),
            _ => (name, None),
        };
        let found = fields.iter().find(|f| f.name == field);
        match found {
            Some(f) if component.is_none_or(|k| k < components(&f.values)) => {
                Ok(Self { values: f.values, component, unit: f.unit })
            }
            _ => Err(format!("\"{name}\" is not a field; there are: {}", names(fields))),
        }
    }

    /// Value of particle `i`: the scalar, the component, the length of the vector, or the angle of
    /// the orientation.
    pub fn get(&self, i: usize) -> f64 {
        match (self.values, self.component) {
            (FieldValues::Vec3(v), Some(k)) => v[i][k],
            (FieldValues::Quat(q), Some(k)) => q[i].to_array()[k],
            (values, _) => values.magnitude(i),
        }
    }

    /// All values.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.values.len()).map(|i| self.get(i))
    }
}

/// How many components can be told apart by `.x`, `.y` and so on.
fn components(values: &FieldValues<'_>) -> usize {
    match values {
        FieldValues::Vec3(_) => 3,
        FieldValues::Quat(_) => 4,
        _ => 0,
    }
}

/// Everything that can be selected, for messages.
fn names(fields: &[Field<'_>]) -> String {
    let mut names = vec!["speed".to_owned()];
    for field in fields {
        names.push(field.name.to_owned());
        let parts = ["x", "y", "z", "w"].iter().take(components(&field.values));
        names.extend(parts.map(|k| format!("{}.{k}", field.name)));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn selects_scalars_components_and_lengths() {
        let v = [DVec3::new(3.0, 4.0, 0.0)];
        let fields = [
            Field { name: "velocity", unit: "m/s", values: FieldValues::Vec3(&v) },
            Field { name: "density", unit: "kg/m³", values: FieldValues::F32(&[7.0]) },
        ];
        let get = |name| Selection::new(&fields, name).map(|s| s.get(0));
        assert_eq!(get("speed"), Ok(5.0));
        assert_eq!(get("velocity"), Ok(5.0));
        assert_eq!(get("velocity.y"), Ok(4.0));
        assert_eq!(get("density"), Ok(7.0));
        assert!(get("density.x").is_err());
        assert!(get("sped").unwrap_err().contains("speed, velocity, velocity.x"));
    }
}
