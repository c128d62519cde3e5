//! Objects to place: matter with a velocity, and obstacles (Meyer, chapter 6).

use crate::messages::Command;
use glam::{DVec2, DVec3};
use lawine_scene::file::{Extent, Fill, FillMesh, MeshFile, Plane, Shape, Solid, Sphere, Vector};
use std::sync::Arc;

/// What is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A block of matter.
    Block,
    /// A ball of matter.
    Ball,
    /// A mesh filled with matter.
    Mesh,
    /// A box that stands in the way.
    BoxObstacle,
    /// A sphere that stands in the way.
    SphereObstacle,
    /// A plane that stands in the way.
    PlaneObstacle,
}

impl Thing {
    /// All things.
    pub const ALL: [Self; 6] = [
        Self::Block,
        Self::Ball,
        Self::Mesh,
        Self::BoxObstacle,
        Self::SphereObstacle,
        Self::PlaneObstacle,
    ];

    /// A word for buttons.
    pub fn name(self) -> &'static str {
        match self {
            Self::Block => "block of matter",
            Self::Ball => "ball of matter",
            Self::Mesh => "mesh of matter",
            Self::BoxObstacle => "box obstacle",
            Self::SphereObstacle => "sphere obstacle",
            Self::PlaneObstacle => "plane obstacle",
        }
    }

    /// Whether it is matter, which has a velocity.
    pub fn is_matter(self) -> bool {
        matches!(self, Self::Block | Self::Ball | Self::Mesh)
    }
}

/// A thing with its measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Placing {
    /// What is placed.
    pub thing: Thing,
    /// Width, height and depth of blocks and boxes [m].
    pub size: DVec3,
    /// Radius of balls and spheres [m].
    pub radius: f64,
    /// Velocity of matter [m/s].
    pub velocity: DVec3,
    /// Slope of planes [°]: zero is a floor.
    pub slope: f64,
    /// File of the mesh.
    pub file: String,
    /// What is in it, where it was not read from a path.
    pub bytes: Option<Arc<[u8]>>,
    /// Factor from the file's lengths to metres.
    pub scale: f64,
}

impl Placing {
    /// Measures that fit a scene of the given size [m], with room for some particles on the given
    /// lattice [m].
    pub fn fitting(size: DVec3, lattice: f64) -> Self {
        let length = (0.2 * size.x.max(size.y)).max(3.01 * lattice);
        Self {
            thing: Thing::Block,
            size: DVec3::splat(length),
            radius: 0.5 * length,
            velocity: DVec3::ZERO,
            slope: 0.0,
            file: String::new(),
            bytes: None,
            scale: 1.0,
        }
    }

    /// Takes a mesh, to be placed next.
    pub fn take_mesh(&mut self, file: String, bytes: Option<Arc<[u8]>>) {
        (self.thing, self.file, self.bytes) = (Thing::Mesh, file, bytes);
    }

    /// The file that has to be attached before the thing is asked for, if there is one.
    pub fn attachment(&self) -> Option<Command> {
        let bytes = self.bytes.as_ref().filter(|_| self.thing == Thing::Mesh)?;
        Some(Command::Attach(self.file.clone(), Arc::clone(bytes)))
    }

    /// What to ask for, to have the thing at a place [m].
    pub fn order(&self, at: DVec3, planar: bool) -> Result<Command, String> {
        let vector = |v: DVec3| {
            if planar { Vector::planar(v.x, v.y) } else { Vector::full(v.x, v.y, v.z) }
        };
        let name = self.thing.name().split(' ').next().unwrap_or_default();
        let Some(shape) = self.solid(at, &vector)? else {
            let normal = DVec2::from_angle((self.slope + 90.0).to_radians()).extend(0.0);
            let plane = Shape::Plane(Plane { point: vector(at), normal: vector(normal) });
            return Ok(Command::AddBody(name, Box::new(plane)));
        };
        if !self.thing.is_matter() {
            return Ok(Command::AddBody(name, Box::new(shape.into())));
        }
        let velocity = vector(self.velocity);
        Ok(Command::AddFill(Box::new(Fill { velocity, carve: true, ..Fill::new(shape) })))
    }

    /// The shape at a place; none for a plane, which has no end.
    fn solid(&self, at: DVec3, vector: &impl Fn(DVec3) -> Vector) -> Result<Option<Solid>, String> {
        let positive = |what: &str, x: f64| {
            let fine = x > 0.0 && x.is_finite();
            if fine { Ok(x) } else { Err(format!("{what} = {x} is not allowed; allowed: above 0")) }
        };
        Ok(Some(match self.thing {
            Thing::Block | Thing::BoxObstacle => {
                for (what, x) in ["width", "height", "depth"].into_iter().zip(self.size.to_array())
                {
                    positive(what, x)?;
                }
                let half = 0.5 * self.size;
                Solid::Box(Extent { min: vector(at - half), max: vector(at + half) })
            }
            Thing::Ball | Thing::SphereObstacle => {
                let radius = positive("radius", self.radius)?;
                Solid::Sphere(Sphere { center: vector(at), radius })
            }
            Thing::Mesh => {
                if self.file.trim().is_empty() {
                    return Err("choose a mesh first: an OBJ, STL or PLY file".to_owned());
                }
                let (file, scale) = (self.file.clone(), positive("scale", self.scale)?);
                let mesh = MeshFile { file, scale, position: vector(at) };
                Solid::Mesh(FillMesh { mesh, holes: None })
            }
            Thing::PlaneObstacle => return Ok(None),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_have_their_place_and_size() {
        let mut placing = Placing::fitting(DVec3::new(2.0, 1.0, 1.0), 0.0);
        placing.velocity = DVec3::new(1.0, 0.0, 0.0);
        let at = DVec3::new(1.0, 2.0, 0.0);
        let Command::AddFill(fill) = placing.order(at, true).unwrap() else { panic!("a fill") };
        let Solid::Box(extent) = fill.shape else { panic!("a box") };
        assert_eq!(extent.min.numbers(), [0.8, 1.8]);
        assert_eq!(fill.velocity.numbers(), [1.0, 0.0]);
        placing.thing = Thing::SphereObstacle;
        let Command::AddBody(name, shape) = placing.order(at, false).unwrap() else {
            panic!("body")
        };
        assert_eq!(name, "sphere");
        let Shape::Sphere(sphere) = *shape else { panic!("a sphere") };
        assert_eq!((sphere.center.count(), sphere.radius), (3, 0.2));
    }

    #[test]
    fn a_plane_is_a_floor_until_it_is_tilted() {
        let mut placing =
            Placing { thing: Thing::PlaneObstacle, ..Placing::fitting(DVec3::ONE, 0.0) };
        for (slope, expected) in [(0.0, [0.0, 1.0]), (90.0, [-1.0, 0.0])] {
            placing.slope = slope;
            let Ok(Command::AddBody(_, shape)) = placing.order(DVec3::ZERO, true) else { panic!() };
            let Shape::Plane(plane) = *shape else { panic!("a plane") };
            let normal = plane.normal.get();
            assert!((normal.x - expected[0]).abs() + (normal.y - expected[1]).abs() < 1e-12);
        }
    }

    #[test]
    fn nonsense_is_refused_with_what_is_allowed() {
        let mut placing = Placing::fitting(DVec3::ONE, 0.0);
        placing.size.y = -1.0;
        let refusal = |placing: &Placing| placing.order(DVec3::ZERO, true).err().unwrap();
        assert!(refusal(&placing).contains("height = -1"), "{}", refusal(&placing));
        placing.thing = Thing::Mesh;
        assert!(refusal(&placing).contains("OBJ"));
        placing.thing = Thing::Ball;
        placing.radius = f64::NAN;
        assert!(refusal(&placing).contains("radius"));
    }
}
