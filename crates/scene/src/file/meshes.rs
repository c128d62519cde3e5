//! The mesh files that a scene names.

use super::schema::SceneFile;
use super::shape::{Shape, Solid};
use crate::matter::grains::settings::GrainShape;

impl SceneFile {
    /// Every mesh file that the scene names, with the key that names it. Meshes that come with the
    /// program are among them.
    pub fn mesh_files_mut(&mut self) -> impl Iterator<Item = (String, &mut String)> {
        let fills = keyed("fill", self.fill.iter_mut().map(|fill| &mut fill.shape));
        let fills = fills.filter_map(|(key, shape)| match shape {
            Solid::Mesh(filled) => Some((key, &mut filled.mesh.file)),
            _ => None,
        });
        let bodies = keyed("body", self.body.iter_mut().map(|body| &mut body.shape));
        let bodies = bodies.filter_map(|(key, shape)| match shape {
            Shape::Mesh(mesh) => Some((key, &mut mesh.file)),
            _ => None,
        });
        let grains = self.grain.iter_mut().map(|grain| &mut grain.shape);
        let blocks = self.block.iter_mut().map(|block| &mut block.grains.shape);
        let pours = self.pour.iter_mut().map(|pour| &mut pour.grains.shape);
        let grains =
            keyed("grain", grains).chain(keyed("block", blocks)).chain(keyed("pour", pours));
        fills.chain(bodies).chain(grains.filter_map(|(key, shape)| match shape {
            GrainShape::Mesh(mesh) => Some((key, &mut mesh.file)),
            _ => None,
        }))
    }
}

/// The shapes of a list with the keys of their files, were they meshes.
fn keyed<T>(
    list: &'static str,
    shapes: impl Iterator<Item = T>,
) -> impl Iterator<Item = (String, T)> {
    shapes.enumerate().map(move |(i, shape)| (format!("{list}.{i}.shape.mesh.file"), shape))
}
