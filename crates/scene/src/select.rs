//! Fields by name: a column, a component of a vector or tensor, or the speed.

use crate::matter::{self, Kind};
use lawine_core::method::Method;
use lawine_core::simulation::Simulation;
use lawine_core::{Field, FieldValues};

/// The fields of one matter.
#[derive(Clone, Debug)]
pub struct MatterFields<'a> {
    /// The matter.
    pub kind: &'static dyn Kind,
    /// Its columns.
    pub fields: Vec<Field<'a>>,
}

impl<'a> MatterFields<'a> {
    /// Those of every matter of a simulation.
    pub fn of(simulation: &'a Simulation) -> Vec<Self> {
        let known = |method: &'a dyn Method| {
            Some(Self { kind: matter::kind(method.matter())?, fields: method.fields() })
        };
        simulation.methods.iter().filter_map(|method| known(&**method)).collect()
    }

    /// What a name stands for here; none if it is the name of another matter's field.
    fn select(&self, name: &str) -> Result<Option<Selection<'a>>, String> {
        match name.split_once('.') {
            Some((of, field)) if matter::kind(of).is_some() => {
                let own = of == self.kind.key();
                own.then(|| Selection::new(&self.fields, field)).transpose()
            }
            _ => Selection::new(&self.fields, name).map(Some),
        }
    }
}

/// The name that stands for no field: matter looks like what it is.
pub const MATTER: &str = "matter";

/// What a name such as `speed` or `liquid.pressure` stands for in each matter; the error lists what there is.
pub fn select<'a>(
    matters: &[MatterFields<'a>],
    name: &str,
) -> Result<Vec<Option<Selection<'a>>>, String> {
    if name == MATTER {
        return Ok(vec![None; matters.len()]);
    }
    let found: Vec<Result<_, String>> = matters.iter().map(|m| m.select(name)).collect();
    if found.iter().any(|found| matches!(found, Ok(Some(_)))) {
        return Ok(found.into_iter().map(|found| found.ok().flatten()).collect());
    }
    let errors: Vec<String> = found.into_iter().filter_map(Result::err).collect();
    if matters.len() < 2
        && let [error] = &errors[..]
    {
        return Err(error.clone());
    }
    let each = matters.iter().map(|m| format!("{}: {}", m.kind.key(), names(&m.fields)));
    let each: Vec<String> = each.collect();
    Err(format!("\"{name}\" is not a field; fields of {}", each.join("; of ")))
}

/// The index of the matter: the one that `of` names, or the only one that has the field. The
/// name may begin with the matter.
pub fn the_one(
    matters: &[MatterFields<'_>],
    of: Option<&str>,
    name: &str,
) -> Result<usize, String> {
    let found = select(matters, name)?;
    let of_it = |i: &usize| of.is_none_or(|of| matters[*i].kind.key() == of);
    let fitting: Vec<usize> =
        (0..found.len()).filter(|&i| found[i].is_some()).filter(of_it).collect();
    match fitting[..] {
        [one] => Ok(one),
        [] => Err(format!("\"{name}\" is not a field of {}", of.unwrap_or_default())),
        _ => {
            let keys: Vec<&str> = fitting.iter().map(|&i| matters[i].kind.key()).collect();
            Err(format!(
                "\"{name}\" is ambiguous: {} have it; set the key `of`, or write {}.{name}",
                keys.join(" and "),
                keys[0]
            ))
        }
    }
}

/// The name of a field without the matter before it.
pub fn without_matter(name: &str) -> &str {
    match name.split_once('.') {
        Some((of, field)) if matter::kind(of).is_some() => field,
        _ => name,
    }
}

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
        found.ok_or_else(|| format!("\"{name}\" is not a field; allowed: {}", names(fields)))
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

/// The components that can be selected, as in `velocity.x` and `stress.yy`.
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
