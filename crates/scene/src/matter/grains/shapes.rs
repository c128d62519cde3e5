//! The shapes of grains, each made once and shared.

use super::settings::{self, Assortment, Convex, GrainShape, Sizes};
use crate::build::check_reach;
use crate::file::{LoadedScene, SceneError, farthest};
use crate::grain_surface::GrainSurface;
use crate::mesh::convex_parts;
use glam::DVec3;
use lawine_core::geometry::{
    Aabb, EllipsoidGrain, Polyhedron, Random, Shape, ShapeError, SizeDistribution, TriangleMesh,
    block, platonic, prism,
};
use std::sync::Arc;

/// The smallest grain is so far across [m].
const SMALLEST: f64 = 1e-9;

/// All shapes so far, with the density of each [kg/m³].
pub(super) struct Shapes<'a> {
    loaded: &'a LoadedScene,
    density: f64,
    pub(super) list: Vec<Arc<Shape>>,
    pub(super) grain_surfaces: Vec<GrainSurface>,
    pub(super) densities: Vec<f64>,
    /// The material of each, by name.
    pub(super) materials: Vec<Option<String>>,
    /// Descriptions without chance, and the shapes made from them.
    known: Vec<(GrainShape, Sort, u32)>,
}

/// What the grains of a shape are made of.
#[derive(Clone, Debug, PartialEq)]
struct Sort {
    /// [kg/m³]
    density: f64,
    material: Option<String>,
}

/// The shapes that the grains of a block are drawn from: one list for all, or one for each of two
/// components.
pub(super) struct Moulds {
    lists: Vec<Vec<u32>>,
    /// Fraction of the first list.
    fraction: f64,
}

impl Moulds {
    /// All shapes.
    pub(super) fn shapes(&self) -> impl Iterator<Item = u32> + '_ {
        self.lists.iter().flatten().copied()
    }

    /// The shape of the next grain.
    pub(super) fn draw(&self, random: &mut Random) -> u32 {
        let second = self.lists.len() > 1 && random.unit() >= self.fraction;
        let list = &self.lists[usize::from(second)];
        list[random.below(list.len())]
    }
}

impl<'a> Shapes<'a> {
    /// None yet; the default density of grains [kg/m³].
    pub(super) fn new(loaded: &'a LoadedScene, density: f64) -> Self {
        Self {
            loaded,
            density,
            list: Vec::new(),
            grain_surfaces: Vec::new(),
            densities: Vec::new(),
            materials: Vec::new(),
            known: Vec::new(),
        }
    }

    /// How far a shape is across [m]: in any direction, or along the axes of its numbers.
    pub(super) fn across(&self, shape: u32, turned: bool) -> f64 {
        let shape = &self.list[shape as usize];
        if turned {
            return 2.0 * shape.radius;
        }
        let corners = shape.polyhedron.vertices().iter().map(|v| shape.rotation * *v);
        // The centre of mass stands in the middle of the place.
        let bounds = Aabb::from_points(corners);
        2.0 * bounds.max.max(-bounds.min).max_element()
    }

    fn sort(&self, density: Option<f64>, material: &Option<String>) -> Sort {
        Sort { density: density.unwrap_or(self.density), material: material.clone() }
    }

    /// The index of a shape, which grains of the same description, density and material share.
    pub(super) fn shared(
        &mut self,
        grain: &settings::Grain,
        key: &str,
        random: &mut Random,
    ) -> Result<u32, SceneError> {
        let sort = self.sort(grain.density, &grain.material);
        let same =
            |(shape, other, _): &&(GrainShape, Sort, u32)| *other == sort && *shape == grain.shape;
        if let Some(&(_, _, index)) = self.known.iter().find(same) {
            return Ok(index);
        }
        let index = self.make(&grain.shape, (&sort, 1.0), key, random)?;
        if !grain.shape.is_random() {
            self.known.push((grain.shape.clone(), sort, index));
        }
        Ok(index)
    }

    /// The shapes of grains that may differ from each other.
    pub(super) fn moulds(
        &mut self,
        of: &Assortment,
        key: &str,
        random: &mut Random,
    ) -> Result<Moulds, SceneError> {
        let key = format!("{key}.shape");
        let sort = self.sort(of.density, &of.material);
        let forms = if of.shape.is_random() { of.variety } else { 1 };
        let (sizes, fraction): (Vec<Sizing>, f64) = match of.sizes {
            None => (vec![Sizing::Fixed(1.0)], 1.0),
            Some(Sizes::Fixed(fixed)) => (vec![Sizing::Fixed(fixed.size)], 1.0),
            Some(Sizes::TwoComponents(two)) => {
                (vec![Sizing::Fixed(two.first), Sizing::Fixed(two.second)], two.fraction)
            }
            Some(Sizes::Uniform(u)) => {
                let any = SizeDistribution::Uniform { min: u.min, max: u.max };
                (vec![Sizing::Drawn(any)], 1.0)
            }
            Some(Sizes::LogNormal(n)) => {
                let any = SizeDistribution::LogNormal { median: n.median, sigma: n.sigma };
                (vec![Sizing::Drawn(any)], 1.0)
            }
        };
        let mut lists = Vec::new();
        for sizing in sizes {
            let count = if let Sizing::Drawn(_) = sizing { of.variety } else { forms };
            let mut list = Vec::new();
            for _ in 0..count {
                let size = match sizing {
                    Sizing::Fixed(size) => size,
                    Sizing::Drawn(distribution) => lawine_core::geometry::Sizes::new(distribution)
                        .map_err(|e| self.loaded.error(&key, e.to_string()))?
                        .draw(random),
                };
                list.push(self.make(&of.shape, (&sort, size), &key, random)?);
            }
            lists.push(list);
        }
        Ok(Moulds { lists, fraction })
    }

    /// Makes a shape of a sort, all lengths times a size.
    fn make(
        &mut self,
        shape: &GrainShape,
        (sort, size): (&Sort, f64),
        key: &str,
        random: &mut Random,
    ) -> Result<u32, SceneError> {
        let key = format!("{key}.{}", shape.word());
        if let Some(diameter) = shape.diameter().map(|d| size * d)
            && !(SMALLEST..=farthest(&self.loaded.scene)).contains(&diameter)
        {
            let message = format!(
                "makes a grain {diameter:e} m across; allowed: {SMALLEST:e} to {:e} m",
                farthest(&self.loaded.scene)
            );
            return Err(self.loaded.error(&key, message));
        }
        let solid = |made: Result<Polyhedron, ShapeError>| Ok(Shape::from_polyhedron(&made?)?);
        let made = match shape {
            GrainShape::Mesh(mesh) => {
                let surface = self.surface(mesh, size, &key)?;
                let made = match mesh.convex {
                    Convex::Hull => Shape::of_mesh(&surface).map(|(shape, _)| shape),
                    Convex::Parts => {
                        Shape::of_parts(&surface, &convex_parts(&surface, mesh.max_parts))
                    }
                };
                let made = made.map_err(|e| {
                    self.loaded.error(&format!("{key}.file"), format!("{:?}: {e}", mesh.file))
                })?;
                let surface = match mesh.convex {
                    Convex::Hull => GrainSurface::of_shape(&made),
                    Convex::Parts => GrainSurface::of_mesh(&surface, &made),
                };
                return Ok(self.push(made, surface, sort));
            }
            GrainShape::Ellipsoid(e) => ellipsoid(e, size, random),
            GrainShape::Platonic(p) => solid(platonic(p.solid, size * p.radius)),
            GrainShape::Box(cuboid) => solid(block(size * cuboid.size.get())),
            GrainShape::Prism(p) => {
                solid(prism(p.sides as usize, size * p.radius, size * p.height))
            }
            GrainShape::Polyhedron(p) => {
                let points: Vec<DVec3> = p.vertices.iter().map(|v| size * v.get()).collect();
                solid(Polyhedron::new(&points).map_err(ShapeError::from))
            }
        };
        let made = made.map_err(|e| self.loaded.error(&key, e.to_string()))?;
        let surface = GrainSurface::of_shape(&made);
        Ok(self.push(made, surface, sort))
    }

    fn push(&mut self, shape: Shape, surface: GrainSurface, sort: &Sort) -> u32 {
        self.list.push(Arc::new(shape));
        self.grain_surfaces.push(surface);
        self.densities.push(sort.density);
        self.materials.push(sort.material.clone());
        self.list.len() as u32 - 1
    }

    /// The surface in a file, in metres.
    fn surface(
        &self,
        mesh: &settings::GrainMesh,
        size: f64,
        key: &str,
    ) -> Result<TriangleMesh, SceneError> {
        let mut surface = self
            .loaded
            .mesh(&mesh.file)
            .map_err(|e| self.loaded.error(&format!("{key}.file"), e.to_string()))?;
        for vertex in &mut surface.vertices {
            *vertex *= mesh.scale * size;
        }
        check_reach(self.loaded, &surface, key)?;
        Ok(surface)
    }
}

/// Where the size of a grain comes from.
#[derive(Clone, Copy)]
enum Sizing {
    Fixed(f64),
    Drawn(SizeDistribution),
}

/// Corners on an ellipsoid.
fn ellipsoid(e: &settings::Ellipsoid, size: f64, random: &mut Random) -> Result<Shape, ShapeError> {
    let grain = EllipsoidGrain {
        half_axes: size * e.half_axes.get(),
        vertices: e.vertices as usize,
        spread: e.spread,
        axis_variation: e.axis_variation,
        vertex_variation: e.vertex_variation,
    };
    let (polyhedron, half_axes) = grain.make(random)?;
    Ok(Shape::from_polyhedron(&polyhedron)?.with_ellipsoid(half_axes))
}
