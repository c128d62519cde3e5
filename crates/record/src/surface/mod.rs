//! Surfaces of liquid and snow: triangles around the particles, for pictures and other programs.

#[cfg_attr(not(feature = "surfaces"), path = "without.rs")]
mod reconstruct;
mod write;

use glam::DVec3;
use lawine_core::field::{self, Field};
use lawine_scene::file::SceneFile;
use lawine_scene::matter::Kind;
use lawine_scene::select::{MatterFields, select};

/// The surface of matter at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatterSurface {
    /// Corners [m].
    pub vertices: Vec<DVec3>,
    /// Normals at the corners, pointing outwards.
    pub normals: Vec<DVec3>,
    /// The field that colours pictures, at the corners.
    pub values: Vec<f64>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Makes the surfaces of a scene.
#[derive(Clone, Debug)]
pub struct Surfacer {
    /// The matter that it goes around.
    kind: &'static dyn Kind,
    settings: lawine_scene::file::Surface,
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
        let (spacing, field) = (kind.spacing(scene), scene.view.field.clone());
        Some(Self { kind, settings, spacing, field })
    }

    /// The key of the matter that it goes around.
    pub fn matter(&self) -> &'static str {
        self.kind.key()
    }

    /// The surface around the particles that have these fields; with zeros if the field of the view is
    /// that of another matter.
    pub fn make(&self, fields: &[Field<'_>]) -> Result<MatterSurface, String> {
        let own = [MatterFields { kind: self.kind, fields: fields.to_vec() }];
        let selection = select(&own, &self.field).ok().and_then(|found| found[0]);
        let x = field::positions(fields).unwrap_or_default();
        if x.is_empty() {
            return Ok(MatterSurface::default());
        }
        let values = match selection {
            Some(selection) => selection.iter().collect(),
            None => vec![0.0; x.len()],
        };
        reconstruct::around(x, &values, &self.settings, self.spacing)
    }

    /// Whether pictures show the surface.
    pub fn draws(&self) -> bool {
        self.settings.draw
    }

    /// The format in which surfaces are saved, if they are.
    pub fn format(&self) -> Option<lawine_scene::file::SurfaceFormat> {
        self.settings.save
    }
}
