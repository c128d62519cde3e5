//! Welding of equal vertices, and the checks that make a mesh a closed surface.

use std::collections::HashMap;

use super::{MeshProblem, TriangleMesh};

impl TriangleMesh {
    /// Merges vertices at the very same place, and drops triangles that name a vertex twice. STL
    /// files repeat each vertex for every triangle, OBJ and PLY files along seams of textures.
    ///
    /// A triangle with an index out of range is kept, for the check to find.
    pub fn weld(&mut self) {
        let mut seen = HashMap::with_capacity(self.vertices.len());
        let mut kept = Vec::new();
        let mut new_index = Vec::with_capacity(self.vertices.len());
        for &vertex in &self.vertices {
            // Adding zero turns -0 into +0, which is the same place.
            let bits = (vertex + glam::DVec3::ZERO).to_array().map(f64::to_bits);
            let index = *seen.entry(bits).or_insert_with(|| {
                kept.push(vertex);
                kept.len() - 1
            });
            new_index.push(index as u32);
        }
        if self.triangles.iter().flatten().any(|&i| i as usize >= new_index.len()) {
            return;
        }
        self.vertices = kept;
        for triangle in &mut self.triangles {
            *triangle = triangle.map(|i| new_index[i as usize]);
        }
        self.triangles.retain(|&[a, b, c]| a != b && b != c && c != a);
    }

    /// Checks that the mesh is a closed surface that faces outwards.
    pub fn check(&self) -> Result<(), MeshProblem> {
        self.check_data()?;
        self.check_edges()?;
        let volume = self.signed_volume();
        if volume < 0.0 { Err(MeshProblem::InsideOut(volume)) } else { Ok(()) }
    }

    /// Checks numbers and indices only.
    pub fn check_data(&self) -> Result<(), MeshProblem> {
        let count = self.vertices.len();
        if u32::try_from(count).is_err() {
            return Err(MeshProblem::TooLarge(count));
        }
        if self.triangles.is_empty() {
            return Err(MeshProblem::Empty);
        }
        if let Some(i) = self.vertices.iter().position(|vertex| !vertex.is_finite()) {
            return Err(MeshProblem::NotFinite(i));
        }
        for (triangle, indices) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = indices.iter().find(|&&i| i as usize >= count) {
                return Err(MeshProblem::BadIndex { triangle, vertex: vertex.into(), count });
            }
        }
        Ok(())
    }

    /// Checks that every edge belongs to two triangles, which run along it in opposite ways.
    fn check_edges(&self) -> Result<(), MeshProblem> {
        // For each edge, how many triangles run along it up (from the smaller index) and down.
        let mut edges: HashMap<(u32, u32), (u32, u32)> = HashMap::new();
        for &[a, b, c] in &self.triangles {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let (up, down) = edges.entry((from.min(to), from.max(to))).or_default();
                *(if from < to { up } else { down }) += 1;
            }
        }
        let count = |wrong: fn(u32, u32) -> bool| {
            edges.values().filter(|&&(up, down)| wrong(up, down)).count()
        };
        let open = count(|up, down| up + down == 1);
        let branched = count(|up, down| up + down > 2);
        let inconsistent = count(|up, down| up + down == 2 && up != down);
        match (open, branched, inconsistent) {
            (0, 0, 0) => Ok(()),
            (0, 0, edges) => Err(MeshProblem::Inconsistent(edges)),
            (0, edges, _) => Err(MeshProblem::Branched(edges)),
            (edges, ..) => Err(MeshProblem::Open(edges)),
        }
    }
}
