//! Openings between bodies that no grain gets through.

use lawine_core::environment::Environment;
use lawine_core::geometry::Polyhedron;

use super::Grains;
use super::contact::WallKind;
use super::narrow::{Scratch, Status, closest};

/// A gap between two bodies that is narrower than every grain.
#[derive(Clone, Debug, PartialEq)]
pub struct NarrowGap {
    /// The names of the bodies.
    pub bodies: [String; 2],
    /// Shortest distance between them [m].
    pub width: f64,
    /// Smallest width of any grain [m].
    pub grain: f64,
}

impl std::fmt::Display for NarrowGap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b] = &self.bodies;
        write!(
            f,
            "the opening between \"{a}\" and \"{b}\" is {:.4e} m wide, less than the narrowest grain, \
             {:.4e} m: no grain can pass",
            self.width, self.grain
        )
    }
}

/// The least distance of a face from the corner opposite to it [m].
fn width(body: &Polyhedron) -> f64 {
    let across = |n: glam::DVec3| body.support(n) + body.support(-n);
    body.faces().iter().map(|f| across(f.plane.normal)).fold(f64::INFINITY, f64::min)
}

impl Grains {
    /// The gaps between solid bodies that are too narrow for any grain, such as the mouth of a hopper.
    /// Bodies that touch have none, and planes and containers are not looked at.
    pub fn narrow_gaps(&self, env: &Environment) -> Vec<NarrowGap> {
        let Some(rules) = &self.rules else { return Vec::new() };
        let grain = self.shapes.iter().map(|s| width(&s.polyhedron)).fold(f64::INFINITY, f64::min);
        let solids: Vec<_> = rules
            .walls
            .iter()
            .filter_map(|wall| match &wall.kind {
                WallKind::Solid(solid) => {
                    Some((wall.body, solid, wall.placed(&env.bodies[wall.body], 0.0).pose))
                }
                WallKind::HalfSpace(_) => None,
            })
            .collect();
        let mut gaps = Vec::new();
        for (k, (i, p, pose)) in solids.iter().enumerate() {
            for (j, q, other) in solids[k + 1..].iter().filter(|(j, ..)| j != i) {
                let found = closest((p, pose), (q, other), &mut None, &mut Scratch::default());
                let touch = 1e-6 * grain;
                if found.status == Status::Separated && (touch..grain).contains(&found.distance) {
                    let bodies = [*i, *j].map(|body| env.bodies[body].name.clone());
                    gaps.push(NarrowGap { bodies, width: found.distance, grain });
                }
            }
        }
        gaps
    }
}
