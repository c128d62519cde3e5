//! Surfaces of liquid and snow: triangles around the particles, for pictures and other programs.

#[cfg_attr(not(feature = "surfaces"), path = "without.rs")]
mod reconstruct;
mod write;

use glam::DVec3;
use lawine_core::body::{Body, Distance};
use lawine_core::field::{self, Field, FieldValues};
use lawine_scene::file::{self, Quality, SceneFile};
use lawine_scene::matter::Kind;
use lawine_scene::select::{MATTER, MatterFields, select};

/// The surface of matter at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatterSurface {
    /// The key of the matter that it goes around.
    pub matter: &'static str,
    /// Corners [m].
    pub vertices: Vec<DVec3>,
    /// Normals at the corners, pointing outwards.
    pub normals: Vec<DVec3>,
    /// The field that colours pictures, at the corners.
    pub values: Vec<f64>,
    /// Velocities at the corners [m/s]; empty where they are not known.
    pub velocities: Vec<DVec3>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Makes the surfaces of a scene.
#[derive(Clone, Debug)]
pub struct Surfacer {
    /// The matter that it goes around.
    kind: &'static dyn Kind,
    settings: file::Surface,
    /// Distance between particles at rest [m].
    spacing: f64,
    /// The field that is carried over to the corners.
    field: String,
}

impl Surfacer {
    /// The one that a scene in space asks for, if it does.
    pub fn new(scene: &SceneFile) -> Option<Self> {
        let settings = scene.surface.clone().filter(|_| scene.space.dimension == 3)?;
        let of = |kind: &str| settings.of.as_deref().is_none_or(|of| of == kind);
        let kind = scene.matters().find(|kind| kind.is_continuous() && of(kind.key()))?;
        Some(Self::of(scene, kind, settings))
    }

    /// Those that pictures of a scene in space show: the one that it asks for, that of liquid which looks like liquid,
    /// and those of all matter without gaps where light is traced.
    pub fn drawn(scene: &SceneFile) -> Vec<Self> {
        let view = &scene.view;
        let all = view.quality == Quality::Final;
        let by_itself = cfg!(feature = "surfaces") && scene.space.dimension == 3;
        let wants = |kind: &&dyn Kind| {
            let flows = view.field == MATTER && kind.carries_bodies();
            by_itself && kind.is_continuous() && (all || flows)
        };
        let asked = Self::new(scene);
        let more = scene
            .matters()
            .filter(wants)
            .filter(|kind| asked.as_ref().is_none_or(|asked| asked.kind.key() != kind.key()));
        let settings = scene.surface.clone().unwrap_or_default();
        let mut made: Vec<Self> =
            more.map(|kind| Self::of(scene, kind, settings.clone())).collect();
        made.extend(asked);
        made.retain(Self::draws);
        made
    }

    fn of(scene: &SceneFile, kind: &'static dyn Kind, settings: file::Surface) -> Self {
        Self { kind, settings, spacing: kind.spacing(scene), field: scene.view.field.clone() }
    }

    /// The key of the matter that it goes around.
    pub fn matter(&self) -> &'static str {
        self.kind.key()
    }

    /// The surface to draw around the particles that have these fields: up to the bodies that they touch.
    pub fn make_for_picture(
        &self,
        fields: &[Field<'_>],
        bodies: &[Body],
    ) -> Result<MatterSurface, String> {
        let mut surface = self.make(fields)?;
        surface.close(bodies, self.spacing);
        Ok(surface)
    }

    /// The surface around the particles that have these fields; with zeros if the field of the view is that of another
    /// matter.
    pub fn make(&self, fields: &[Field<'_>]) -> Result<MatterSurface, String> {
        let own = [MatterFields { kind: self.kind, fields: fields.to_vec() }];
        let selection = select(&own, &self.field).ok().and_then(|found| found[0]);
        let x = field::positions(fields).unwrap_or_default();
        if x.is_empty() {
            return Ok(MatterSurface { matter: self.matter(), ..MatterSurface::default() });
        }
        let values = match selection {
            Some(selection) => selection.iter().collect(),
            None => vec![0.0; x.len()],
        };
        let v = fields.iter().find(|field| field.name == "velocity").map(|field| field.values);
        let v = if let Some(FieldValues::Vec3(v)) = v { v } else { &[] };
        let mut surface = reconstruct::around(x, v, &values, &self.settings, self.spacing)?;
        surface.matter = self.matter();
        Ok(surface)
    }

    /// Whether pictures show the surface.
    pub fn draws(&self) -> bool {
        self.settings.draw
    }

    /// The format in which surfaces are saved, if they are.
    pub fn format(&self) -> Option<file::SurfaceFormat> {
        self.settings.save
    }
}

/// How far surfaces are drawn into the bodies that they touch, and how far from a body they begin and end to be drawn to
/// it, in spacings. Particles at a wall are half a spacing away from it.
const INTO: f64 = 0.1;
const NEAR: [f64; 2] = [0.8, 1.4];

impl MatterSurface {
    /// Closes the gaps that particles leave at bodies: what is near to one is moved to just behind its surface.
    fn close(&mut self, bodies: &[Body], spacing: f64) {
        let reach = NEAR[1] * spacing;
        for body in bodies.iter().filter(|body| !body.is_gone()) {
            let bounds = body.bounds().grow(reach);
            let holds = body.holds_matter();
            for vertex in &mut self.vertices {
                let inside = vertex.cmpge(bounds.min).all() && vertex.cmple(bounds.max).all();
                if !(inside || holds) {
                    continue;
                }
                // In an edge or a corner one looks for the other walls from further inside.
                let mut back = DVec3::ZERO;
                for _ in 0..3 {
                    let Distance { distance, normal } = body.signed_distance(*vertex + back);
                    let distance = distance - normal.dot(back);
                    let part = (reach - distance) / (reach - NEAR[0] * spacing);
                    let again = normal.dot(back) > 0.5 * reach;
                    if again || part <= 0.0 || distance < -reach {
                        break;
                    }
                    *vertex -= normal * ((distance + INTO * spacing) * part.min(1.0));
                    back += normal * (1.5 * reach);
                }
            }
        }
        self.normals = normals(&self.vertices, &self.triangles);
    }
}

/// Normals at the corners: those of the triangles around, by area.
fn normals(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; vertices.len()];
    for t in triangles {
        let [a, b, c] = t.map(|k| vertices[k as usize]);
        let across = (b - a).cross(c - a);
        t.iter().for_each(|&k| sums[k as usize] += across);
    }
    sums.into_iter().map(DVec3::normalize_or_zero).collect()
}
