//! Fields by name: a column, a component of a vector or tensor, or the speed.

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
        let (field, part) = column_and_component(name);
        let found = fields.iter().find(|f| f.name == field).and_then(|f| {
            let component = match part {
                Some(part) => Some(components(&f.values).iter().position(|&k| k == part)?),
                None => None,
            };
            Some(Self { values: f.values, component, unit: f.unit })
        });
        found.ok_or_else(|| format!("\"{name}\" is not a field; there are: {}", names(fields)))
    }

    /// Value of particle `i`: the scalar, the component, or the size of the vector, orientation or
    /// tensor.
    pub fn get(&self, i: usize) -> f64 {
        match (self.values, self.component) {
            (FieldValues::Vec3(v), Some(k)) => v[i][k],
            (FieldValues::Quat(q), Some(k)) => q[i].to_array()[k],
            (FieldValues::Symmetric(t), Some(k)) => f64::from(t[i][k]),
            (values, _) => values.magnitude(i),
        }
    }

    /// All values.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.values.len()).map(|i| self.get(i))
    }
}

/// The column that a name such as `velocity.x` is about, and the component.
pub fn column_and_component(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('.') {
        _ if name == "speed" => ("velocity", None),
        Some((column, component)) => (column, Some(component)),
        None => (name, None),
    }
}

/// The components that can be told apart, as in `velocity.x` and `stress.yy`.
fn components(values: &FieldValues<'_>) -> &'static [&'static str] {
    match values {
        FieldValues::Vec3(_) => &["x", "y", "z"],
        FieldValues::Quat(_) => &["x", "y", "z", "w"],
        FieldValues::Symmetric(_) => &["xx", "yy", "zz", "xy", "yz", "xz"],
        FieldValues::U32(_) | FieldValues::F32(_) | FieldValues::F64(_) => &[],
    }
}

/// Everything that can be selected, for messages.
fn names(fields: &[Field<'_>]) -> String {
    let mut names = vec!["speed".to_owned()];
    for field in fields {
        names.push(field.name.to_owned());
        names.extend(components(&field.values).iter().map(|k| format!("{}.{k}", field.name)));
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
        let stress = [[1.0, 2.0, 2.0, 4.0, 0.0, 0.0]];
        let fields = [
            Field { name: "velocity", unit: "m/s", values: FieldValues::Vec3(&v) },
            Field { name: "density", unit: "kg/m³", values: FieldValues::F32(&[7.0]) },
            Field { name: "stress", unit: "Pa", values: FieldValues::Symmetric(&stress) },
        ];
        let get = |name| Selection::new(&fields, name).map(|s| s.get(0));
        assert_eq!(get("speed"), Ok(5.0));
        assert_eq!(get("velocity"), Ok(5.0));
        assert_eq!(get("velocity.y"), Ok(4.0));
        assert_eq!(get("density"), Ok(7.0));
        assert_eq!(get("stress.xy"), Ok(4.0));
        assert_eq!(get("stress"), Ok(41.0_f64.sqrt()));
        assert!(get("density.x").is_err());
        assert!(get("sped").unwrap_err().contains("speed, velocity, velocity.x"));
    }
}
