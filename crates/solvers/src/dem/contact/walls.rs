//! Bodies as sets of convex walls.

use glam::{DQuat, DVec3};
use lawine_core::body::{Body, Shape};
use lawine_core::geometry::{
    Aabb, EllipsoidGrain, HalfSpace, Polyhedron, Random, TriangleMesh, block,
};
use lawine_core::space::Space;

use crate::dem::GrainsError;
use crate::dem::narrow::Pose;
use crate::dem::overlap::Planes;

/// Corners of the polyhedron that stands for a ball.
const BALL_CORNERS: usize = 162;
/// Sides of the polyhedron that stands for a cylinder or a cone. It lies inside the true surface, or
/// outside for a hollow body, by at most 1 − cos(π/64) of the radius, 0.12 %.
const ROUND_SIDES: u32 = 64;
/// The same for a capsule, whose corners lie on it: by at most 0.9 % of the radius.
const CAPSULE_SIDES: u32 = 24;
/// A part of a mesh that fills this fraction of its hull counts as convex.
const CONVEX: f64 = 1.0 - 1e-6;

/// A convex part of a body, in the body's frame.
#[derive(Clone, Debug)]
pub(in crate::dem) struct Wall {
    /// The body's place in the environment.
    pub(in crate::dem) body: usize,
    pub(in crate::dem) planes: Planes,
    pub(in crate::dem) kind: WallKind,
    /// Its index in the material table.
    pub(in crate::dem) material: usize,
}

#[derive(Clone, Debug)]
pub(in crate::dem) enum WallKind {
    HalfSpace(HalfSpace),
    Solid(Box<Polyhedron>),
}

/// Where a wall is during a step, and how it moves.
#[derive(Clone, Copy, Debug)]
pub(in crate::dem) struct Placed {
    pub(in crate::dem) pose: Pose,
    pub(in crate::dem) velocity: DVec3,
    pub(in crate::dem) omega: DVec3,
    pub(in crate::dem) extent: Extent,
}

/// Which grains can touch a wall.
#[derive(Clone, Copy, Debug)]
pub(in crate::dem) enum Extent {
    /// None: the body has vanished.
    Gone,
    /// Those at a plane in space.
    HalfSpace(HalfSpace),
    /// Those at a box in space.
    Solid(Aabb),
}

/// The walls of all bodies that are not free.
///
/// # Errors
/// When a body is no union of convex parts that grains can touch.
pub(super) fn walls(bodies: &[Body], material: &[usize]) -> Result<Vec<Wall>, GrainsError> {
    let mut all = Vec::new();
    for (index, body) in bodies.iter().enumerate().filter(|(_, body)| !body.is_free()) {
        let material = material.get(index).copied().unwrap_or(0);
        for kind in kinds(body)? {
            let planes = match &kind {
                WallKind::HalfSpace(plane) => Planes::half_space(*plane),
                WallKind::Solid(polyhedron) => Planes::of(polyhedron),
            };
            all.push(Wall { body: index, planes, kind, material });
        }
    }
    Ok(all)
}

/// The convex parts of a body.
fn kinds(body: &Body) -> Result<Vec<WallKind>, GrainsError> {
    let bad = |why: String| GrainsError::Body { name: body.name.clone(), why };
    let solids = match &body.shape {
        Shape::Plane => vec![None],
        Shape::Container { half, open } => {
            let mut sides = Vec::new();
            for axis in 0..3 {
                for (side, sign) in [(0, 1.0), (1, -1.0)] {
                    if !open[axis][side] && half[axis].is_finite() {
                        let normal = DVec3::AXES[axis] * sign;
                        let plane = HalfSpace { normal, offset: -half[axis] };
                        sides.push(WallKind::HalfSpace(plane));
                    }
                }
            }
            return Ok(sides);
        }
        Shape::Cuboid { half } => {
            vec![Some(block(2.0 * *half).map_err(|e| bad(e.to_string()))?)]
        }
        Shape::Sphere { radius } => {
            let ball = EllipsoidGrain::new(DVec3::splat(*radius), BALL_CORNERS);
            vec![Some(ball.make(&mut Random::new(0)).map_err(|e| bad(e.to_string()))?.0)]
        }
        Shape::Frustum(frustum) => {
            let corners = frustum.corners(ROUND_SIDES, body.hollow);
            vec![Some(Polyhedron::new(&corners).map_err(|e| bad(e.to_string()))?)]
        }
        Shape::Capsule(capsule) => {
            let corners = capsule.corners(CAPSULE_SIDES);
            vec![Some(Polyhedron::new(&corners).map_err(|e| bad(e.to_string()))?)]
        }
        Shape::Polyhedron(hull) => {
            vec![Some(Polyhedron::new(hull.vertices()).map_err(|e| bad(e.to_string()))?)]
        }
        Shape::Mesh(mesh) => {
            let mut parts = Vec::new();
            for part in components(mesh.mesh()) {
                let hull = Polyhedron::new(&part.vertices).map_err(|e| bad(e.to_string()))?;
                let fraction = part.volume() / hull.mesh().volume();
                if fraction < CONVEX {
                    return Err(bad(format!(
                        "a connected part of its mesh is not convex (it fills {:.1} % of its hull); \
                         build it from separate convex parts",
                        100.0 * fraction
                    )));
                }
                parts.push(Some(hull));
            }
            parts
        }
    };
    if body.hollow && solids.len() != 1 {
        return Err(bad("a hollow body must be convex".to_string()));
    }
    let outside = |plane: HalfSpace| {
        WallKind::HalfSpace(HalfSpace { normal: -plane.normal, offset: -plane.offset })
    };
    let ground = HalfSpace { normal: DVec3::Y, offset: 0.0 };
    let mut all = Vec::new();
    for solid in solids {
        match (solid, body.hollow) {
            (None, false) => all.push(WallKind::HalfSpace(ground)),
            (None, true) => all.push(outside(ground)),
            (Some(polyhedron), false) => all.push(WallKind::Solid(Box::new(polyhedron))),
            // The outside of a convex body is the union of the half spaces beyond its faces.
            (Some(polyhedron), true) => {
                all.extend(polyhedron.faces().iter().map(|f| outside(f.plane)));
            }
        }
    }
    Ok(all)
}

/// The convex parts of a body that is neither hollow nor without end.
pub(in crate::dem) fn convex_parts(body: &Body) -> Result<Vec<Polyhedron>, GrainsError> {
    let parts = kinds(body)?.into_iter().filter_map(|kind| match kind {
        WallKind::Solid(polyhedron) => Some(*polyhedron),
        WallKind::HalfSpace(_) => None,
    });
    Ok(parts.collect())
}

/// The connected parts of a mesh.
fn components(mesh: &TriangleMesh) -> Vec<TriangleMesh> {
    let mesh = mesh.welded();
    let mut root: Vec<u32> = (0..mesh.vertices.len() as u32).collect();
    fn find(root: &mut [u32], mut v: u32) -> u32 {
        while root[v as usize] != v {
            root[v as usize] = root[root[v as usize] as usize];
            v = root[v as usize];
        }
        v
    }
    for &[a, b, c] in &mesh.triangles {
        for other in [b, c] {
            let (p, q) = (find(&mut root, a), find(&mut root, other));
            root[p.max(q) as usize] = p.min(q);
        }
    }
    let mut parts: Vec<(u32, TriangleMesh)> = Vec::new();
    for &triangle in &mesh.triangles {
        let name = find(&mut root, triangle[0]);
        let at = parts.iter().position(|(n, _)| *n == name).unwrap_or_else(|| {
            parts.push((name, TriangleMesh { vertices: Vec::new(), triangles: Vec::new() }));
            parts.len() - 1
        });
        let part = &mut parts[at].1;
        let first = part.vertices.len() as u32;
        part.vertices.extend(triangle.map(|v| mesh.vertices[v as usize]));
        part.triangles.push([first, first + 1, first + 2]);
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

impl Placed {
    /// The pose of the image of a solid next to `x`: the one whose middle is nearest, so that along a periodic axis a
    /// solid is at most a period long, or the same all along.
    pub(in crate::dem) fn pose_near(&self, x: DVec3, space: &Space) -> Pose {
        let mut pose = self.pose;
        if let Extent::Solid(bounds) = &self.extent {
            let middle = bounds.center();
            pose.position += (x - middle) - space.difference(x, middle);
        }
        pose
    }
}

impl Wall {
    /// Where the wall is `dt` [s] from now, if the motion of the body continues.
    pub(in crate::dem) fn placed(&self, body: &Body, dt: f64) -> Placed {
        let position = body.pose.position + body.velocity * dt;
        let turn = DQuat::from_scaled_axis(body.angular_velocity * dt);
        let pose = Pose::new(position, (turn * body.pose.rotation).normalize());
        let extent = match &self.kind {
            _ if body.is_gone() => Extent::Gone,
            WallKind::HalfSpace(plane) => {
                let normal = pose.rotation * plane.normal;
                let offset = plane.offset + normal.dot(pose.position);
                Extent::HalfSpace(HalfSpace { normal, offset })
            }
            WallKind::Solid(_) => {
                Extent::Solid(self.planes.bounds_in(&pose.rotation, pose.position))
            }
        };
        let (velocity, omega) = (body.velocity, body.angular_velocity);
        Placed { pose, velocity, omega, extent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_fall_into_convex_walls() {
        let at = DVec3::ZERO;
        let count = |body: &Body| walls(std::slice::from_ref(body), &[]).map(|w| w.len());
        assert_eq!(count(&Body::plane("floor", at, DVec3::Y).unwrap()), Ok(1));
        let open = [[false; 2], [false, true], [false; 2]];
        assert_eq!(count(&Body::container("box", at, DVec3::ONE, open).unwrap()), Ok(5));
        let cuboid = Body::cuboid("block", at, DVec3::ONE).unwrap();
        assert_eq!(count(&cuboid), Ok(1));
        assert_eq!(count(&cuboid.into_hollow()), Ok(6));
        assert_eq!(count(&Body::sphere("ball", at, 1.0).unwrap()), Ok(1));
        let drum = Body::cone("drum", at, DVec3::Y, [0.5, 0.5]).unwrap();
        assert_eq!(count(&drum), Ok(1));
        assert_eq!(count(&drum.into_hollow()), Ok(66));
        let tip = Body::cone("tip", at, DVec3::Y, [0.5, 0.0]).unwrap();
        assert_eq!(count(&tip.into_hollow()), Ok(65));
        assert_eq!(count(&Body::capsule("pill", at, DVec3::Y, 0.5).unwrap()), Ok(1));
        // Two cubes in one mesh are two walls; a notch is refused.
        let cube = block(DVec3::ONE).unwrap().mesh();
        let mut two = cube.clone();
        let first = two.vertices.len() as u32;
        two.vertices.extend(cube.vertices.iter().map(|v| *v + 3.0 * DVec3::X));
        two.triangles.extend(cube.triangles.iter().map(|t| t.map(|v| v + first)));
        assert_eq!(count(&Body::mesh("two", two).unwrap()), Ok(2));
        let mut notched = cube;
        let [a, b, c] = notched.triangles[0];
        let middle = notched.corners(0).iter().sum::<DVec3>() / 3.0;
        let apex = notched.vertices.len() as u32;
        notched.vertices.push(0.2 * middle);
        notched.triangles.splice(0..1, [[a, b, apex], [b, c, apex], [c, a, apex]]);
        let error = count(&Body::mesh("notch", notched).unwrap()).unwrap_err().to_string();
        assert!(error.contains("notch") && error.contains("not convex"), "{error}");
    }
}
