//! Draws a scene: fields and bodies become a picture.

use crate::output::report::number;
use crate::surface::{MatterSurface, Surfacer};
use glam::{DQuat, DVec3, Vec3};
use lawine_core::body::{Body, Shape};
use lawine_core::field::{FieldValues, positions};
use lawine_core::geometry::Aabb;
use lawine_render::{
    Axes, Background, BodyMesh, BodyStyle, Bounds, Camera, Color, ColorBar, ColorMap, ColorScale,
    CpuPainter, Floor, HiddenLines, Image, Layout, Lens, Overlay, PathTracer, Perspective, Picture,
    Planar, Smooth, Sphere,
};
use lawine_scene::file::{self, GrainLook, Lines, Quality, SceneFile, View};
use lawine_scene::grain_surface::{GrainPoses, GrainSurface};
use lawine_scene::matter::Look;
use lawine_scene::select::{MATTER, MatterFields, Selection, select};

/// How far planes without end are drawn, in sizes of the box around matter and bodies.
const HORIZON: f64 = 12.0;

/// Fraction of the values beyond each end of a range that is chosen from them.
const OUTLIERS: f64 = 0.005;

/// The ends of finite values without a fraction of them at each end, with it if all others are the same: a few
/// outliers must not squeeze the rest into one colour.
fn spread(values: impl Iterator<Item = f64>, outliers: f64) -> Option<[f64; 2]> {
    let mut values: Vec<f64> = values.filter(|x| x.is_finite()).collect();
    values.sort_unstable_by(f64::total_cmp);
    let cut = (outliers * values.len() as f64) as usize;
    let inner = [*values.get(cut)?, values[values.len() - 1 - cut]];
    Some(if inner[0] < inner[1] { inner } else { [values[0], values[values.len() - 1]] })
}

/// The ends of the values that colours stand for in one picture.
pub(crate) fn usual_range(shown: &[Option<Selection<'_>>]) -> Option<[f64; 2]> {
    spread(shown.iter().flatten().flat_map(Selection::iter), OUTLIERS)
}

/// A box, grown by a multiple of its size on every side.
pub(crate) fn around(bounds: &Aabb, factor: f64) -> Aabb {
    bounds.grow(factor * bounds.size().max_element())
}

/// Draws the moments of a run, all with the same camera and colours.
pub struct Artist {
    painter: CpuPainter,
    view: View,
    map: ColorMap,
    title: String,
    /// How fast time goes in the movie.
    pace: Option<String>,
    planar: bool,
    /// The matters of the scene.
    matters: Vec<Drawn>,
    /// Walls of a planar picture are drawn so thick [m].
    wall_thickness: f64,
    up: DVec3,
    /// The step before there was one [s], for the CFL colours.
    first_dt: f64,
    bounds: Aabb,
    /// Parts of planes that are seen, and the outline of walls.
    region: Aabb,
    /// Whether planes extend to the horizon in a planar picture.
    endless: bool,
    axes: Option<Axes>,
    /// What the shapes of grains look like.
    grain_surfaces: Vec<GrainSurface>,
    /// The pips of dice.
    pips: Vec<Option<GrainSurface>>,
    /// The colours of the bodies.
    body_colors: Vec<Color>,
    /// How long the shutter is open [s].
    shutter: f64,
    /// How many triangles of each body are drawn.
    visible: Vec<Option<u32>>,
    /// Make the surfaces that are drawn instead of particles, in space.
    surfacers: Vec<Surfacer>,
    /// The matters whose area is drawn instead of particles, in a plane.
    areas: Vec<&'static str>,
}

/// A matter of the scene.
struct Drawn {
    key: &'static str,
    /// Of the particles [m].
    radius: f32,
    /// Smoothing length h [m].
    h: f64,
    look: Look,
}

/// One moment.
#[derive(Clone, Copy)]
pub struct Scenery<'a> {
    /// Simulated time [s].
    pub time: f64,
    /// The last time step [s], for the CFL colours.
    pub dt: f64,
    /// The columns of each matter.
    pub matters: &'a [MatterFields<'a>],
    /// The bodies, where they are now.
    pub bodies: &'a [Body],
    /// The surface of the matter, if it has been made already.
    pub surface: Option<&'a MatterSurface>,
    /// Lines with measured values.
    pub lines: &'a [String],
}

impl Artist {
    /// An artist for `scene`, which fits into `bounds`.
    pub fn new(scene: &SceneFile, bounds: Aabb) -> Self {
        let view = scene.view.clone();
        let gravity = scene.space.gravity.get();
        let domain = scene.space.domain.map(|d| Aabb { min: d.min.get(), max: d.max.get() });
        let region = domain.unwrap_or(around(&bounds, HORIZON));
        let [width, height] = view.size;
        Self {
            painter: CpuPainter::new(width, height),
            map: view.colors,
            title: scene.title.clone(),
            pace: scene.output.movie.then(|| {
                let pace = scene.output.every * f64::from(view.fps);
                // Half a percent is not seen.
                if (pace - 1.0).abs() < 0.005 {
                    "real time".to_owned()
                } else {
                    format!("{} × real time", two_digits(pace))
                }
            }),
            planar: scene.space.dimension == 2,
            matters: scene
                .matters()
                .map(|kind| Drawn {
                    key: kind.key(),
                    radius: (0.5 * view.particle_size * kind.spacing(scene)) as f32,
                    h: 0.5 * kind.smoothing(scene),
                    look: kind.look(scene, bounds.size().max_element()),
                })
                .collect(),
            // As thick as three layers of particles.
            wall_thickness: 3.0 * scene.finest_spacing(),
            up: if gravity.length() > 0.0 { -gravity.normalize() } else { DVec3::Y },
            first_dt: scene.time.step.unwrap_or(scene.time.max_step),
            bounds,
            region,
            endless: domain.is_none(),
            axes: view.axes.map(|axes| axes_of(&axes, &bounds)),
            grain_surfaces: Vec::new(),
            pips: Vec::new(),
            body_colors: scene.body.iter().map(|b| body_color(b.free, b.density)).collect(),
            shutter: match view.quality {
                Quality::Quick => 0.0,
                Quality::Final => view.shutter * scene.output.every,
            },
            visible: scene.body.iter().map(|body| body.visible_triangles).collect(),
            surfacers: Surfacer::drawn(scene),
            areas: areas(scene),
            view,
        }
    }

    /// The same artist, who knows what grains look like.
    #[must_use]
    pub fn with_grain_surfaces(mut self, grain_surfaces: Vec<GrainSurface>) -> Self {
        if self.view.grains == GrainLook::Dice {
            self.pips = grain_surfaces.iter().map(GrainSurface::pips).collect();
        }
        self.grain_surfaces = grain_surfaces;
        self
    }

    /// A line for each measured value that the view asks for; `value` knows them by their columns.
    pub fn lines(&self, value: impl Fn(&str) -> Option<f64>) -> Vec<String> {
        let columns = self.view.values.iter().flat_map(|values| &values.columns);
        let line =
            |name: &String| Some(format!("{} = {}", name.replace('_', " "), number(value(name)?)));
        columns.filter_map(line).collect()
    }

    /// Draws a moment.
    pub fn draw(&self, scenery: &Scenery<'_>) -> Result<Image, String> {
        let picture = self.picture(scenery)?;
        Ok(match self.view.quality {
            Quality::Quick => self.painter.paint(&picture),
            Quality::Final => PathTracer::new(self.painter.width(), self.painter.height())
                .with_samples(self.view.samples)
                .paint(&picture),
        })
    }

    /// What there is to draw in a moment, for any painter.
    pub fn picture(&self, scenery: &Scenery<'_>) -> Result<Picture, String> {
        let selections =
            select(scenery.matters, &self.view.field).map_err(|e| format!("view.field: {e}"))?;
        let shown: Vec<Selection<'_>> = selections.iter().flatten().copied().collect();
        let of_shown = scenery.matters.iter().zip(&selections).filter(|(_, s)| s.is_some());
        let h = of_shown
            .map(|(matter, _)| self.drawn(matter).map_or(f64::INFINITY, |d| d.h))
            .fold(f64::INFINITY, f64::min);
        let dt = if scenery.dt > 0.0 { scenery.dt } else { self.first_dt };
        let colors = self.colors(&shown, h / dt);
        let unit = shown.first().map_or("", |selection| selection.unit);
        let overlay = Overlay {
            title: Some(self.title.clone()),
            time_stamp: Some(Overlay::stamp(scenery.time)),
            pace: self.pace.clone(),
            color_bar: colors.bar(label(&self.view.field, unit)).filter(|_| !shown.is_empty()),
            axes: self.axes,
            lines: scenery.lines.to_vec(),
            labels: self.view.label.iter().map(|l| (l.text.clone(), l.at.get())).collect(),
            layout: layout(&self.view),
        };
        let mut picture = Picture::new(self.camera(scenery.time, &overlay));
        picture.overlay = overlay;
        picture.lens = self.lens(&picture.camera);
        // White things stand out against a darker sky.
        let pale = |drawn: &Drawn| drawn.look.color.lightness() > 0.9;
        let shows_pale = self.view.field == MATTER && self.matters.iter().any(pale);
        if self.map == ColorMap::Snow || shows_pale && !self.planar {
            picture.background = Background::sky();
        }
        let bodies = scenery.bodies.iter().enumerate().filter(|(_, body)| !body.is_gone());
        picture.bodies = bodies.filter_map(|(index, body)| self.body(index, body)).collect();
        for (matter, selection) in scenery.matters.iter().zip(&selections) {
            self.add_matter(&mut picture, scenery, matter, selection.map(|s| (s, &colors)))?;
        }
        picture.hidden_lines = match self.view.lines {
            Lines::Visible | Lines::None => HiddenLines::Off,
            Lines::All => HiddenLines::On,
            Lines::Mixed => HiddenLines::Faint,
        };
        if self.view.lines == Lines::None {
            picture.bodies.iter_mut().for_each(|body| body.edges.clear());
        }
        if let Some(axes) = &self.axes {
            let frame = BodyMesh::cuboid(&axes.bounds).colored(Color::hex(0x6a7683));
            picture.bodies.push(frame.styled(BodyStyle::Wire));
        }
        let grounded = picture.bodies.iter().any(|body| body.style == BodyStyle::Ground);
        if !self.planar && self.view.faces && !grounded {
            picture.floor = Some(Floor::below(&self.seen(), self.up));
        }
        Ok(picture)
    }

    /// Draws one matter: grains by their surfaces, others as a surface or as spheres; as it looks where it does not have
    /// the field.
    fn add_matter(
        &self,
        picture: &mut Picture,
        scenery: &Scenery<'_>,
        matter: &MatterFields<'_>,
        shown: Option<(Selection<'_>, &Colors)>,
    ) -> Result<(), String> {
        let Some(drawn) = self.drawn(matter) else { return Ok(()) };
        let look = &drawn.look;
        let color = |value: f64| shown.map_or(look.color, |(_, colors)| colors.of(value));
        let paint =
            |i: usize| shown.map_or_else(|| look.of(i), |(field, colors)| colors.of(field.get(i)));
        if let Some(places) =
            GrainPoses::of(&matter.fields).filter(|_| !self.grain_surfaces.is_empty())
        {
            let motion = Motion::of(matter, self.shutter);
            let style = if self.view.faces { BodyStyle::Solid } else { BodyStyle::Paper };
            for (i, surface, x, q) in places.each(&self.grain_surfaces) {
                let pips = self.pips.get(places.shape[i] as usize).and_then(Option::as_ref);
                let pips = pips.filter(|_| shown.is_none()).map(|pips| pips.body(x, q, PIP));
                let grain = surface.body(x, q, paint(i)).styled(style);
                picture.bodies.extend(pips.into_iter().chain([grain]).map(|mut body| {
                    motion.blur(&mut body, i, x);
                    body
                }));
            }
            return Ok(());
        }
        if let Some(surfacer) = self.surfacers.iter().find(|s| s.matter() == drawn.key) {
            let given = scenery.surface.filter(|given| given.matter == drawn.key);
            let made =
                given.is_none().then(|| surfacer.make_for_picture(&matter.fields, scenery.bodies));
            let made = made.transpose()?;
            let mut body =
                skin(given.or(made.as_ref()).unwrap_or(&MatterSurface::default()), color);
            if self.shutter > 0.0 {
                let velocities = given.or(made.as_ref()).map(|s| &s.velocities);
                let moved = |v: &DVec3| (*v * self.shutter).as_vec3();
                body.motion = velocities.into_iter().flatten().map(moved).collect();
            }
            if shown.is_none() {
                body.material = look.material;
            }
            picture.bodies.push(body);
            return Ok(());
        }
        let x = positions(&matter.fields).unwrap_or_default();
        let sphere = |(i, &x): (usize, &DVec3)| Sphere::new(x, drawn.radius, paint(i));
        let first = picture.spheres.len();
        picture.spheres.extend(x.iter().enumerate().map(sphere));
        let motion = Motion::of(matter, self.shutter);
        if motion.v.len() == x.len() && self.shutter > 0.0 {
            picture.motion.resize(first, Vec3::ZERO);
            picture.motion.extend(motion.v.iter().map(|v| (*v * self.shutter).as_vec3()));
        }
        if self.areas.contains(&drawn.key) {
            picture.continua.push(first..picture.spheres.len());
        }
        Ok(())
    }

    /// How a matter of the scene is drawn.
    fn drawn(&self, matter: &MatterFields<'_>) -> Option<&Drawn> {
        self.matters.iter().find(|drawn| drawn.key == matter.kind.key())
    }

    /// The lens that the scene asks for, if it does.
    fn lens(&self, camera: &Camera) -> Option<Lens> {
        let (wanted, Camera::Perspective(seen)) = (self.view.camera?, camera) else { return None };
        let focus = wanted.focus.unwrap_or((seen.target - seen.eye).length());
        (wanted.aperture > 0.0).then_some(Lens { aperture: wanted.aperture, focus })
    }

    /// What colours mean in this picture; `fastest` is the speed h/dt.
    fn colors(&self, shown: &[Selection<'_>], fastest: f64) -> Colors {
        let scale = match self.view.scale {
            file::ColorScale::Linear | file::ColorScale::MinMax => Some(ColorScale::Linear),
            file::ColorScale::Log10 => Some(ColorScale::Log10),
            file::ColorScale::Log2 => Some(ColorScale::Log2),
            file::ColorScale::OneColor => None,
        };
        Colors { map: self.map, scale, range: self.range(shown, fastest) }
    }

    /// Ends of the colour map: from the scene, for the CFL meter h/dt, the `fastest`, or from the data, without
    /// outliers unless all values are asked for.
    fn range(&self, shown: &[Selection<'_>], fastest: f64) -> [f64; 2] {
        let each = self.view.scale == file::ColorScale::MinMax;
        if let Some(range) = self.view.range.filter(|_| !each) {
            return range;
        }
        if self.map == ColorMap::Cfl {
            return [0.0, fastest];
        }
        let values = shown.iter().flat_map(Selection::iter);
        match spread(values, if each { 0.0 } else { OUTLIERS }) {
            Some([low, high]) if low < high => [low, high],
            Some([low, _]) => [low, low + 1.0],
            None => [0.0, 1.0],
        }
    }

    fn body(&self, index: usize, body: &Body) -> Option<BodyMesh> {
        let is_plane = matches!(body.shape, Shape::Plane);
        if self.planar {
            let thickness = self.wall_thickness;
            let outline: Vec<Vec<_>> = body
                .outline(thickness, Some(&self.region))
                .into_iter()
                .map(|polygon| {
                    polygon
                        .into_iter()
                        .map(|p| body.pose.to_world(p.extend(0.0)).truncate())
                        .collect()
                })
                .collect();
            let style = if is_plane && self.endless { BodyStyle::Ground } else { BodyStyle::Solid };
            return (!outline.is_empty()).then(|| BodyMesh::planar(&outline).styled(style));
        }
        // In space planes are ground up to the horizon, wherever matter may be.
        let horizon = around(&self.bounds, HORIZON);
        let region = if is_plane { &horizon } else { &self.region };
        let mut surface = body.surface(Some(region), false);
        if let Some(&Some(count)) = self.visible.get(index) {
            surface.triangles.truncate(count as usize);
        }
        if surface.triangles.is_empty() {
            return None;
        }
        let world = surface.vertices.iter().map(|&v| body.pose.to_world(v)).collect();
        let mut mesh = BodyMesh::new(world, surface.triangles);
        mesh.color = self.body_colors.get(index).copied().unwrap_or(BodyMesh::GREY);
        if self.shutter > 0.0 && body.is_moving() {
            let motion = Motion {
                v: &[body.velocity],
                omega: &[body.angular_velocity],
                shutter: self.shutter,
            };
            motion.blur(&mut mesh, 0, body.pose.position);
        }
        if is_plane {
            // Its sheet has no rim to be seen.
            return Some(mesh.styled(BodyStyle::Ground));
        }
        if let Shape::Sphere { .. } | Shape::Capsule(_) | Shape::Frustum(_) = body.shape {
            mesh = mesh.rounded();
        }
        mesh.edges = surface.edges;
        if body.hollow || matches!(body.shape, Shape::Container { .. }) {
            mesh = mesh.outward().styled(BodyStyle::SeeThrough);
        }
        Some(mesh)
    }

    fn seen(&self) -> Bounds {
        let margin = if self.planar { self.wall_thickness } else { 0.0 };
        let bounds = Bounds::new(self.bounds.min - margin, self.bounds.max + margin);
        // Axes need room for their numbers.
        self.axes.map_or(bounds, |axes| {
            let margin = 0.1 * axes.bounds.size().max_element();
            let room = Bounds::new(axes.bounds.min - margin, axes.bounds.max + margin);
            bounds.merged(&room)
        })
    }

    /// The scene turned about its axes is a camera that turns the other way.
    fn with_angles(&self, view: Perspective, time: f64) -> Perspective {
        let degrees = |v: Option<file::Vector>| v.map_or(DVec3::ZERO, |v| v.get());
        let angles = degrees(self.view.angles) + time * degrees(self.view.spin);
        let [x, y, z] = angles.to_array().map(f64::to_radians);
        let scene =
            DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x);
        let back = scene.inverse();
        let eye = view.target + back * (view.eye - view.target);
        Perspective { eye, up: back * view.up, ..view }
    }

    fn camera(&self, time: f64, overlay: &Overlay) -> Camera {
        let aspect = f64::from(self.painter.width()) / f64::from(self.painter.height());
        if self.planar {
            let fitted = Camera::fit_planar(&self.seen(), aspect, overlay);
            let Camera::Planar(mut planar) = fitted else { return fitted };
            if let Some(width) = self.view.width {
                planar.size *= width / planar.size.x;
            }
            if let Some(center) = self.view.center {
                planar.center = center.get().truncate();
            }
            return Camera::Planar(Planar { ..planar });
        }
        let up = self.view.camera.and_then(|c| c.up).map_or(self.up, |up| up.get());
        let fitted = Camera::fit(&self.seen(), up, aspect);
        let Camera::Perspective(mut perspective) = fitted else { return fitted };
        if let Some(camera) = self.view.camera {
            // A target alone moves the fitted view; an eye alone looks at the fitted target.
            let offset = perspective.eye - perspective.target;
            if let Some(target) = camera.target {
                perspective.target = target.get();
                perspective.eye = perspective.target + offset;
            }
            if let Some(eye) = camera.eye {
                perspective.eye = eye.get();
            }
            if let Some(fov) = camera.fov {
                perspective.field_of_view = fov.to_radians();
            }
        }
        let camera = Camera::Perspective(self.with_angles(perspective, time));
        camera.turned((self.view.turn * time).to_radians())
    }
}

/// The matters that pictures in a plane show as an area: those without gaps, unless the scene wants particles.
fn areas(scene: &SceneFile) -> Vec<&'static str> {
    let surface = scene.surface.clone().unwrap_or_default();
    let shown = |kind: &str| surface.draw && surface.of.as_deref().is_none_or(|of| of == kind);
    let matters = scene.matters().filter(|kind| scene.space.dimension == 2 && kind.is_continuous());
    matters.map(|kind| kind.key()).filter(|kind| shown(kind)).collect()
}

/// Layout of text: from the view, with defaults for the rest.
fn layout(view: &View) -> Layout {
    let usual = Layout::default();
    let (title, values) = (view.title.unwrap_or_default(), view.values.clone().unwrap_or_default());
    let size = |given: Option<f64>, usual: f32| given.map_or(usual, |size| size as f32);
    let at =
        |given: Option<[f64; 2]>, usual: [f32; 2]| given.map_or(usual, |at| at.map(|x| x as f32));
    Layout {
        text_size: size(view.text_size, usual.text_size),
        title: (at(title.at, usual.title.0), size(title.size, usual.title.1)),
        lines: (at(values.at, usual.lines.0), size(values.size, usual.lines.1)),
        distance: size(values.distance, usual.distance),
    }
}

/// A number with two digits that count, without an exponent.
fn two_digits(x: f64) -> String {
    let places = (1.0 - x.abs().max(1e-6).log10().floor()).clamp(0.0, 7.0) as usize;
    let text = format!("{x:.places$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The colour of the pips of dice.
const PIP: Color = Color::hex(0x1d1d22);

/// What a body looks like: free ones like what has their density [kg/m³].
fn body_color(free: bool, density: Option<f64>) -> Color {
    let likely = [
        (300.0, 0xc99a63),  // cork
        (600.0, 0xb9824a),  // softwood
        (860.0, 0x8d5a33),  // hardwood
        (960.0, 0xbcd6e2),  // ice
        (1600.0, 0xb0573f), // brick, plastic
        (3500.0, 0x6f7073), // stone
    ];
    let found = density.filter(|_| free).and_then(|rho| likely.iter().find(|(to, _)| rho < *to));
    found.map_or(BodyMesh::GREY, |&(_, color)| Color::hex(color))
}

/// How grains or particles move while the shutter is open.
struct Motion<'a> {
    v: &'a [DVec3],
    omega: &'a [DVec3],
    shutter: f64,
}

impl<'a> Motion<'a> {
    fn of(matter: &MatterFields<'a>, shutter: f64) -> Self {
        let vectors = |name: &str| match matter.fields.iter().find(|f| f.name == name)?.values {
            FieldValues::Vec3(values) => Some(values),
            _ => None,
        };
        let [v, omega] = ["velocity", "angular_velocity"].map(|n| vectors(n).unwrap_or_default());
        Self { v, omega, shutter }
    }

    /// Gives the corners of a grain about `x` their way.
    fn blur(&self, body: &mut BodyMesh, i: usize, x: DVec3) {
        if let (Some(v), true) = (self.v.get(i), self.shutter > 0.0) {
            let omega = self.omega.get(i).copied().unwrap_or_default();
            let moved = |p: &DVec3| ((*v + omega.cross(*p - x)) * self.shutter).as_vec3();
            body.motion = body.positions.iter().map(moved).collect();
        }
    }
}

/// The surface of matter as a smooth body.
fn skin(surface: &MatterSurface, color: impl Fn(f64) -> Color) -> BodyMesh {
    let mut body = BodyMesh::new(surface.vertices.clone(), surface.triangles.clone());
    body.smooth = Some(Smooth {
        normals: surface.normals.clone(),
        colors: surface.values.iter().map(|&value| color(value)).collect(),
    });
    body
}

/// Which colour means which value.
struct Colors {
    map: ColorMap,
    /// How values are spread; none when all have the same colour.
    scale: Option<ColorScale>,
    range: [f64; 2],
}

impl Colors {
    fn of(&self, value: f64) -> Color {
        let [low, high] = self.range;
        self.map.color(self.scale.map_or(0.55, |scale| scale.fraction(value, low, high)))
    }

    fn bar(&self, label: String) -> Option<ColorBar> {
        let [low, high] = self.range;
        self.scale.map(|scale| ColorBar { map: self.map, low, high, scale, label })
    }
}

/// The axes of a scene that lies in `bounds`, unless it specifies them.
fn axes_of(axes: &file::Axes, bounds: &Aabb) -> Axes {
    let or = |given: Option<file::Vector>, other: DVec3| given.map_or(other, |v| v.get());
    let ends = Bounds::new(or(axes.min, bounds.min), or(axes.max, bounds.max));
    let labels = Bounds { min: or(axes.labels_min, ends.min), max: or(axes.labels_max, ends.max) };
    Axes { bounds: ends, labels }
}

fn label(field: &str, unit: &str) -> String {
    let words = field.replace('_', " ");
    if unit.is_empty() { words } else { format!("{words} [{unit}]") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lawine_core::{Field, FieldValues};
    use lawine_scene::build::build;
    use lawine_scene::file::{Source, load};

    /// The first picture of a scene with a tank and some liquid, with more lines in its view.
    fn picture(dimension: usize, view: &str) -> Result<Image, String> {
        drawn(dimension, view, |artist, scenery| artist.draw(scenery))
    }

    /// What an artist makes of the first moment.
    fn drawn<T>(
        dimension: usize,
        view: &str,
        make: impl Fn(&Artist, &Scenery<'_>) -> Result<T, String>,
    ) -> Result<T, String> {
        let vector = |x: f64, y: f64, z: f64| format!("{:?}", &[x, y, z][..dimension]);
        let text = format!(
            "title = 'Test'\nend = 1\n[space]\ndimension = {dimension}\ngravity = {}\n\
             [liquid]\nspacing = 0.1\n[[fill]]\nshape.box = {{ min = {}, max = {} }}\n\
             velocity = {}\n\
             [[body]]\nname = 'tank'\nshape.container = {{ min = {}, max = {} }}\n\
             [view]\nsize = [96, 64]\n{view}",
            vector(0.0, -10.0, 0.0),
            vector(0.0, 0.0, 0.0),
            vector(0.5, 0.5, 0.5),
            vector(1.0, 0.0, 0.0),
            vector(0.0, 0.0, 0.0),
            vector(1.0, 0.7, 0.5),
        );
        let loaded = load(&Source::Text { name: "test".into(), text }, &[]).unwrap();
        let built = build(&loaded).unwrap();
        let simulation = &built.simulation;
        let artist = Artist::new(&built.scene, built.bounds);
        let (matters, lines) = (MatterFields::of(simulation), artist.lines(|_| Some(0.5)));
        let bodies = &simulation.env.bodies;
        make(
            &artist,
            &Scenery {
                time: 0.5,
                dt: 0.01,
                matters: &matters,
                bodies,
                surface: None,
                lines: &lines,
            },
        )
    }

    #[test]
    fn particles_have_the_size_that_the_view_asks_for() {
        let radius = |view: &str| {
            let made = drawn(3, view, |artist, scenery| artist.picture(scenery)).unwrap();
            made.spheres[0].radius
        };
        assert!((radius("field = 'speed'") - 0.05).abs() < 1e-7);
        let half = radius("field = 'speed'\nparticle_size = 0.5");
        assert!((half - 0.025).abs() < 1e-7);
    }

    fn colors(image: &Image) -> usize {
        let mut colors: Vec<&[u8]> = image.rgb().chunks(3).collect();
        colors.sort_unstable();
        colors.dedup();
        colors.len()
    }

    fn saturated(image: &Image) -> usize {
        let spread = |c: &[u8]| c.iter().max().unwrap() - c.iter().min().unwrap();
        image.rgb().chunks(3).filter(|c| spread(c) > 80).count()
    }

    #[test]
    fn a_picture_shows_something_in_every_view() {
        for dimension in [2, 3] {
            for map in ColorMap::WORDS {
                let image = picture(dimension, &format!("colors = '{map}'")).unwrap();
                assert_eq!((image.width(), image.height()), (96, 64));
                assert!(colors(&image) > 20, "{dimension}, {map}: {}", colors(&image));
            }
            for field in ["density", "velocity.x", "id", "position", "pressure"] {
                let view = format!("field = '{field}'\ncolors = 'turbo'");
                assert!(colors(&picture(dimension, &view).unwrap()) > 20, "{field}");
            }
        }
    }

    #[test]
    fn writing_stands_where_the_view_says() {
        let values = "field = 'speed'\nvalues.columns = ['height', 'width']";
        let usual = picture(2, values).unwrap();
        for view in [
            "text_size = 0.06",
            "title = { at = [0.4, 0.7] }",
            "title = { size = 0.1 }",
            "values.at = [0.4, 0.7]",
            "values.size = 0.1",
            "values.distance = 0.3",
        ] {
            let view = format!("{values}\n{view}");
            assert!(picture(2, &view).unwrap().rgb() != usual.rgb(), "{view}");
        }
    }

    #[test]
    fn the_liquid_has_its_color_and_its_place() {
        let with = |view: &str| picture(2, &format!("colors = 'turbo'\nrange = [0, 1.2]\n{view}"));
        let fitted = saturated(&with("").unwrap());
        assert!(fitted > 300, "{fitted} colourful pixels");
        // Half as wide a view shows more of it, and far away there is only the colour bar.
        let close = with("width = 0.6\ncenter = [0.25, 0.25]").unwrap();
        assert!(saturated(&close) > fitted + 300, "{fitted}, {}", saturated(&close));
        let away = with("center = [100, 100]").unwrap();
        assert!(saturated(&away) < fitted, "{}", saturated(&away));
    }

    #[test]
    fn cameras_differ() {
        let views = [
            "",
            "turn = 60",
            "camera.eye = [3, 3, 3]",
            "camera.target = [0, 0.5, 0]",
            "camera.fov = 80",
            "camera.up = [1, 0, 0]",
        ];
        let images: Vec<Image> = views.iter().map(|view| picture(3, view).unwrap()).collect();
        for (i, image) in images.iter().enumerate() {
            assert!(images[..i].iter().all(|other| other.rgb() != image.rgb()), "{}", views[i]);
        }
    }

    #[test]
    fn liquid_in_a_plane_is_an_area_or_discs() {
        // A table of its own, so that it stands behind the view.
        let with = |draw: bool| picture(2, &format!("[surface]\ndraw = {draw}")).unwrap();
        assert_eq!(with(true).rgb(), picture(2, "").unwrap().rgb());
        assert_ne!(with(true).rgb(), with(false).rgb());
    }

    #[test]
    #[allow(clippy::float_cmp, reason = "ends are values, not sums")]
    fn an_outlier_does_not_set_the_range() {
        let loaded = load(&Source::BuiltIn("dam-break".into()), &[]).unwrap();
        let mut scene = loaded.scene.clone();
        scene.view.range = None;
        let range = |scene: &SceneFile, values: &[f64]| {
            let fields =
                [Field { name: "density", unit: "kg/m³", values: FieldValues::F64(values) }];
            let bounds = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
            Artist::new(scene, bounds).range(&[Selection::new(&fields, "density").unwrap()], 0.01)
        };
        let mut values: Vec<f64> = (0..=1000).map(f64::from).collect();
        values[500] = 1e9;
        assert_eq!(range(&scene, &values), [5.0, 996.0]);
        assert_eq!(range(&scene, &[3.0; 1000]), [3.0, 4.0]);
        let mut two = [3.0; 1000];
        two[7] = 5.0;
        assert_eq!(range(&scene, &two), [3.0, 5.0]);
        assert_eq!(range(&scene, &[]), [0.0, 1.0]);
        scene.view.scale = file::ColorScale::MinMax;
        assert_eq!(range(&scene, &values), [0.0, 1e9]);
    }

    #[test]
    fn paces_have_two_digits() {
        for (x, text) in [(0.6, "0.6"), (0.15, "0.15"), (12.0, "12"), (0.0123, "0.012"), (2.0, "2")]
        {
            assert_eq!(two_digits(x), text);
        }
    }

    #[test]
    fn an_unknown_field_is_an_error() {
        assert!(picture(2, "field = 'heat'").unwrap_err().contains("\"heat\" is not a field"));
    }
}
