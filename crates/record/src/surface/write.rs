//! Surfaces as files: PLY and OBJ for modellers, VTK for ParaView.

use super::{MatterSurface, Surfacer};
use crate::output::atomic_write_named;
use crate::output::vtk::save_matter;
use lawine_core::Field;
use lawine_core::body::Body;
use lawine_scene::file::SurfaceFormat;
use std::io::{self, Write};
use std::path::Path;

impl Surfacer {
    /// Writes a surface at `time` [s] in the format of the scene; nothing if it names none.
    pub fn save(&self, path: &Path, time: f64, surface: &MatterSurface) -> io::Result<()> {
        match self.format() {
            Some(SurfaceFormat::Ply) => atomic_write_named(path, |out| write_ply(out, surface)),
            Some(SurfaceFormat::Obj) => atomic_write_named(path, |out| write_obj(out, surface)),
            Some(SurfaceFormat::Vtk) => {
                save_matter(path, time, surface, &self.field).map_err(io::Error::other)
            }
            None => Ok(()),
        }
    }

    /// Makes and writes the surface of a frame if the scene wants one; returns it for drawing.
    pub fn record(
        &self,
        path: impl Fn(&str) -> std::path::PathBuf,
        time: f64,
        fields: &[Field<'_>],
        bodies: &[Body],
    ) -> io::Result<MatterSurface> {
        let mut surface = self.make(fields).map_err(io::Error::other)?;
        if let Some(format) = self.format() {
            self.save(&path(format.ending()), time, &surface)?;
        }
        surface.close(bodies, self.spacing);
        Ok(surface)
    }
}

/// Binary PLY in single precision, with normals and the value at each corner.
fn write_ply(out: &mut dyn Write, surface: &MatterSurface) -> io::Result<()> {
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\ncomment made by Lawine, lengths in metres\n\
         element vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
         property float nx\nproperty float ny\nproperty float nz\nproperty float value\n\
         element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        surface.vertices.len(),
        surface.triangles.len()
    )?;
    let corners = surface.vertices.iter().zip(&surface.normals).zip(&surface.values);
    for ((v, n), &value) in corners {
        for number in [v.x, v.y, v.z, n.x, n.y, n.z, value] {
            out.write_all(&(number as f32).to_le_bytes())?;
        }
    }
    for triangle in &surface.triangles {
        out.write_all(&[3])?;
        for &corner in triangle {
            out.write_all(&(corner as i32).to_le_bytes())?;
        }
    }
    Ok(())
}

/// OBJ with normals; the format has no place for values.
fn write_obj(out: &mut dyn Write, surface: &MatterSurface) -> io::Result<()> {
    writeln!(out, "# made by Lawine, lengths in metres")?;
    for v in &surface.vertices {
        writeln!(out, "v {} {} {}", v.x as f32, v.y as f32, v.z as f32)?;
    }
    for n in &surface.normals {
        writeln!(out, "vn {:.4} {:.4} {:.4}", n.x, n.y, n.z)?;
    }
    for [a, b, c] in surface.triangles.iter().map(|t| t.map(|k| k + 1)) {
        writeln!(out, "f {a}//{a} {b}//{b} {c}//{c}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use lawine_scene::mesh::parse_mesh;

    #[test]
    fn ply_and_obj_are_read_back() {
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let surface = MatterSurface {
            matter: "liquid",
            normals: vertices.clone(),
            values: vec![0.0, 1.0, 2.0, 3.0],
            velocities: Vec::new(),
            vertices,
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        };
        for (ending, write) in
            [("ply", write_ply as fn(&mut dyn Write, &_) -> _), ("obj", write_obj)]
        {
            let mut bytes = Vec::new();
            write(&mut bytes, &surface).unwrap();
            let mesh = parse_mesh(ending, &bytes).unwrap();
            mesh.check_closed().unwrap();
            assert_eq!(mesh.vertices.len(), 4, "{ending}");
            assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-12, "{ending}: {}", mesh.volume());
        }
    }
}
