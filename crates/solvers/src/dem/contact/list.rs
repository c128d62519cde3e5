//! The contacts of all grains, in ascending order, from step to step.

use glam::DVec3;
use lawine_core::columns;
use std::io::{self, Read, Write};

use super::friction::{History, Spring};
use super::{Contact, Gap, Load, WALL};
use crate::dem::Neighbors;
use crate::dem::narrow::{Closest, Status};
use crate::dem::overlap::{REMEMBERED, Warm};

/// Whole numbers of a contact in a checkpoint.
const WHOLE: usize = 7 + REMEMBERED;
/// Broken numbers of a contact in a checkpoint.
const BROKEN: usize = 22;

/// A neighbour that the contacts are made from: its pair, its closest features, and the position of
/// the first grain.
pub(in crate::dem) type Near<'a> = ([u32; 2], &'a Neighbors, DVec3);

/// Grains among themselves and with walls, in the order of contacts.
pub(in crate::dem) fn in_order<'a>(
    grains: &'a [Neighbors],
    walls: &'a [Neighbors],
) -> impl Iterator<Item = ([u32; 2], &'a Neighbors)> {
    let mut grains = grains.iter().map(|n| (n.pair, n)).peekable();
    let mut walls = walls.iter().map(|n| ([n.pair[0], n.pair[1] | WALL], n)).peekable();
    std::iter::from_fn(move || match (grains.peek(), walls.peek()) {
        (Some(a), Some(b)) if a.0 < b.0 => grains.next(),
        (_, Some(_)) => walls.next(),
        _ => grains.next(),
    })
}

/// Makes the contacts of this step: those of the last one that are still near, and new ones; wet ones
/// with the gap of their bridge.
pub(in crate::dem) fn merge<'a>(
    near: impl Iterator<Item = Near<'a>>,
    wet: bool,
    old: &[Contact],
    new: &mut Vec<Contact>,
) {
    new.clear();
    let mut old = old.iter().filter(|c| c.alive).peekable();
    for (pair, neighbor, origin) in near {
        while old.next_if(|c| c.pair < pair).is_some() {}
        let known = old.next_if(|c| c.pair == pair).copied();
        let fresh = meets(&neighbor.closest, origin).then(|| Contact::new(pair));
        if let Some(mut contact) = known.or(fresh) {
            // Dry contacts are not looked for once they are found, and need no gap.
            if wet {
                let closest = &neighbor.closest;
                let point = 0.5 * (closest.points[0] + closest.points[1]) - origin;
                contact.gap = Gap { distance: closest.distance, normal: closest.normal, point };
            }
            new.push(contact);
        }
    }
}

/// Whether a pair may overlap. Aligned boxes, whose sides lie in the same planes, have no corner and
/// no edge inside each other, and only seem to touch: the overlap itself decides.
fn meets(closest: &Closest, origin: DVec3) -> bool {
    let size = closest.points[0].distance(origin);
    closest.status == Status::Penetrating || closest.distance <= 1e-12 * size
}

/// Marks the neighbours that a contact holds already; both are in ascending order.
pub(in crate::dem) fn mark(neighbors: &mut [Neighbors], contacts: &[Contact], walls: bool) {
    let of_kind = |c: &&Contact| c.alive && c.wall().is_some() == walls;
    let mut contacts = contacts.iter().filter(of_kind).peekable();
    let key = |c: &Contact| [c.pair[0], c.pair[1] & !WALL];
    for neighbor in neighbors {
        while contacts.next_if(|c| key(c) < neighbor.pair).is_some() {}
        neighbor.touching = contacts.next_if(|c| key(c) == neighbor.pair).is_some();
    }
}

/// The new indices of grains after some were removed.
pub(in crate::dem) struct GrainMap(Vec<Option<u32>>);

impl GrainMap {
    pub(in crate::dem) fn new(keep: &[bool]) -> Self {
        let mut next = 0..;
        let place = |&stays: &bool| if stays { next.next() } else { None };
        Self(keep.iter().map(place).collect())
    }

    /// Renames the grains of contacts and neighbours; those of removed grains are dropped.
    pub(in crate::dem) fn rename(
        &self,
        contacts: &mut Vec<Contact>,
        grains: &mut Vec<Neighbors>,
        walls: &mut Vec<Neighbors>,
    ) {
        let first = |pair: &mut [u32; 2]| self.move_to(&mut pair[0]);
        let both = |pair: &mut [u32; 2]| {
            let [i, j] = pair;
            self.move_to(i) && self.move_to(j)
        };
        let of_wall = |pair: &[u32; 2]| pair[1] & WALL != 0;
        contacts
            .retain_mut(|c| if of_wall(&c.pair) { first(&mut c.pair) } else { both(&mut c.pair) });
        grains.retain_mut(|n| both(&mut n.pair));
        walls.retain_mut(|n| first(&mut n.pair));
    }

    fn move_to(&self, i: &mut u32) -> bool {
        self.0.get(*i as usize).copied().flatten().is_some_and(|place| {
            *i = place;
            true
        })
    }
}

/// Writes what the contacts remember.
pub(in crate::dem) fn save(contacts: &[Contact], out: &mut dyn Write) -> io::Result<()> {
    let alive = || contacts.iter().filter(|c| c.alive);
    let mut whole = Vec::new();
    let mut broken = Vec::new();
    for c in alive() {
        whole.extend(c.pair);
        let History { slide, twist, roll, .. } = &c.history;
        let flags = [slide.slips, twist.slips, roll.slips, c.bridged];
        whole.push(flags.iter().rev().fold(0, |all, flag| 2 * all + u32::from(*flag)));
        whole.push(u32::from(c.warm.count));
        whole.extend(c.warm.faces.map(u32::from));
        whole.extend(c.warm.axis.map(f32::to_bits));
        broken.extend(c.history.normal.to_array());
        for spring in [slide, twist, roll] {
            broken.extend(spring.stretch.to_array());
            broken.push(spring.stiffness);
        }
        broken.push(c.gap.distance);
        broken.extend(c.gap.normal.to_array());
        broken.extend(c.gap.point.to_array());
    }
    columns::write(out, "contacts", &whole)?;
    columns::write(out, "contact_numbers", &broken)?;
    let elastic: Vec<f64> = alive().map(|c| c.load.elastic).collect();
    columns::write(out, "contact_energy", &elastic)
}

/// Reads what [`save`] wrote, for a number of grains and walls.
pub(in crate::dem) fn load(
    from: &mut dyn Read,
    grains: usize,
    walls: usize,
) -> io::Result<Vec<Contact>> {
    let bad = || io::Error::new(io::ErrorKind::InvalidData, "the saved contacts are invalid");
    let whole = columns::read::<u32>(from, "contacts")?;
    let broken = columns::read::<f64>(from, "contact_numbers")?;
    let elastic = columns::read::<f64>(from, "contact_energy")?;
    let count = elastic.len();
    let finite = broken.iter().chain(&elastic).all(|x| !x.is_nan());
    if whole.len() != WHOLE * count || broken.len() != BROKEN * count || !finite {
        return Err(bad());
    }
    let mut contacts = Vec::with_capacity(count);
    for ((w, x), elastic) in whole.chunks_exact(WHOLE).zip(broken.chunks_exact(BROKEN)).zip(elastic)
    {
        let pair = [w[0], w[1]];
        let known = if pair[1] & WALL == 0 {
            (pair[1] as usize) < grains
        } else {
            ((pair[1] & !WALL) as usize) < walls
        };
        let ascending = contacts.last().is_none_or(|c: &Contact| c.pair < pair);
        if pair[0] as usize >= grains || !known || !ascending {
            return Err(bad());
        }
        let spring = |k: usize| Spring {
            stretch: DVec3::from_slice(&x[3 + 4 * k..]),
            stiffness: x[6 + 4 * k],
            slips: w[2] >> k & 1 == 1,
        };
        let history = History {
            normal: DVec3::from_slice(x),
            slide: spring(0),
            twist: spring(1),
            roll: spring(2),
        };
        let warm = Warm {
            faces: std::array::from_fn(|k| w[4 + k] as u16),
            count: w[3] as u16,
            axis: std::array::from_fn(|k| f32::from_bits(w[4 + REMEMBERED + k])),
        };
        let gap = Gap {
            distance: x[15],
            normal: DVec3::from_slice(&x[16..]),
            point: DVec3::from_slice(&x[19..]),
        };
        let load = Load { elastic, ..Load::default() };
        contacts.push(Contact {
            history,
            warm,
            bridged: w[2] >> 3 & 1 == 1,
            gap,
            load,
            ..Contact::new(pair)
        });
    }
    Ok(contacts)
}
