//! Liquid makes room for small grains that are in it at the start.

use glam::DVec3;
use lawine_core::FieldValues;
use lawine_core::environment::Environment;
use lawine_core::immersed::Meeting;
use lawine_core::method::Method;
use std::collections::{HashMap, HashSet};
use std::f64::consts::PI;

/// Leaves out as much of each liquid as the grains displace that lie in it: for every volume of a particle the one
/// that is nearest to the grain.
///
/// Gives a warning where grains are too large to be small.
pub(super) fn make_room(
    env: &mut Environment,
    methods: &mut [Box<dyn Method>],
    reach: f64,
) -> Option<String> {
    env.immersed.resize_with(methods.len(), Default::default);
    for (index, method) in methods.iter_mut().enumerate() {
        env.immersed[index].clear();
        method.immerse(index, env);
    }
    let grains = std::mem::take(&mut env.immersed);
    let grains = grains.iter().filter(|immersed| immersed.meeting == Meeting::Drag);
    let grains: Vec<(DVec3, f64)> =
        grains.flat_map(|i| i.x.iter().copied().zip(i.volume.iter().copied())).collect();
    let largest = grains.iter().map(|(_, volume)| (6.0 / PI * volume).cbrt()).fold(0.0, f64::max);
    let mut warning = None;
    for method in methods.iter_mut().filter(|method| method.takes_grains_along()) {
        let Some(FieldValues::Vec3(x)) = method.field("position").map(|field| field.values) else {
            continue;
        };
        let volume = method.particle_radius().powi(3) * 8.0;
        let spacing = 2.0 * method.particle_radius();
        if largest > spacing {
            warning = Some(format!(
                "the largest grain, {largest:.3e} m wide, is larger than the spacing of the liquid, {spacing:.3e} m: it \
                 sees its own wake, and the liquid flows through it; buoyancy and drag are rough"
            ));
        }
        let gone = displaced(x, &grains, volume, reach, env);
        let key = |x: DVec3| x.to_array().map(f64::to_bits);
        let gone: HashSet<[u64; 3]> = gone.into_iter().map(|j| key(x[j])).collect();
        method.remove(&|x| gone.contains(&key(x)));
    }
    warning
}

/// The particles that grains displace.
fn displaced(
    x: &[DVec3],
    grains: &[(DVec3, f64)],
    volume: f64,
    reach: f64,
    env: &Environment,
) -> Vec<usize> {
    let cell = |x: DVec3| (x / reach).floor().as_i64vec3().to_array();
    let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    for (j, &x) in x.iter().enumerate() {
        cells.entry(cell(x)).or_default().push(j);
    }
    let (mut is_gone, mut gone, mut owed) = (vec![false; x.len()], Vec::new(), 0.0);
    for &(at, own) in grains {
        let [i, j, k] = cell(at);
        let around =
            (-1..=1).flat_map(|a| (-1..=1).flat_map(move |b| (-1..=1).map(move |c| [a, b, c])));
        let near: Vec<(usize, f64)> = around
            .filter_map(|[a, b, c]| cells.get(&[i + a, j + b, k + c]))
            .flatten()
            .map(|&j| (j, env.space.difference(x[j], at).length()))
            .filter(|(_, distance)| *distance <= reach)
            .collect();
        if near.is_empty() {
            continue;
        }
        owed += own;
        while owed > 0.5 * volume {
            let free = near.iter().filter(|(j, _)| !is_gone[*j]);
            let Some(&(j, _)) = free.min_by(|a, b| a.1.total_cmp(&b.1)) else { break };
            is_gone[j] = true;
            gone.push(j);
            owed -= volume;
        }
    }
    gone
}
