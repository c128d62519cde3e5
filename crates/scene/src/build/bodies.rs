//! Bodies of a scene file as bodies of the core.

use crate::file::{
    Counts, LoadedScene, MAX_BOUNDARY, MeshFile, Motion as MotionWord, Placement, SceneError,
    Shape, farthest,
};
use glam::DVec3;
use lawine_core::body::{Body, Motion, Shape as Solid};
use lawine_core::geometry::TriangleMesh;
use lawine_core::space::Space;

/// Body `number` of the scene, with its motions.
pub(crate) fn body(loaded: &LoadedScene, index: usize, space: &Space) -> Result<Body, SceneError> {
    let described = &loaded.scene.body[index];
    let key = format!("body.{index}");
    let placement = described.placement;
    let mut body =
        shape(loaded, &described.shape, &placement, &described.name, &format!("{key}.shape"))?;
    if described.hollow {
        body = body.into_hollow();
    }
    if described.free {
        let volume = body.mass_properties_in(space, 1.0).map_or(0.0, |unit| unit.volume);
        let density = described.mass.map(|mass| mass / volume).or(described.density);
        let spin = described.spin.map_or(DVec3::ZERO, |spin| spin.vector());
        body = body
            .into_free(space, density.unwrap_or(0.0), described.velocity.get(), spin)
            .map_err(|e| loaded.error(&format!("{key}.free"), e.to_string()))?;
        if let Some(axle) = described.axle {
            body = body
                .with_axle(axle.axis.map_or(DVec3::Z, |axis| axis.get()))
                .map_err(|e| loaded.error(&format!("{key}.axle"), e.to_string()))?;
        }
        if let Some(release) = described.release {
            body = body.released_at(release);
        }
    }
    if let Some(until) = described.until {
        body = body.with_end(until);
    }
    for (k, motion) in described.motion.iter().enumerate() {
        let motion = motion_of(motion)
            .checked()
            .map_err(|e| loaded.error(&format!("{key}.motion.{k}"), e.to_string()))?;
        body = body.with_motion(motion);
    }
    Ok(body)
}

/// A shape as a body at rest where it is placed; `key` says where it stands in the file.
pub(crate) fn shape(
    loaded: &LoadedScene,
    shape: &Shape,
    placement: &Placement,
    name: &str,
    key: &str,
) -> Result<Body, SceneError> {
    let planar = loaded.scene.space.dimension == 2;
    let made = match &placement.scaled(shape) {
        Shape::Box(b) => Body::cuboid(name, b.min.get(), b.max.get()),
        Shape::Sphere(s) => Body::sphere(name, s.center.get(), s.radius),
        Shape::Cylinder(c) => Body::cone(name, c.start.get(), c.end.get(), [c.radius; 2]),
        Shape::Cone(c) => Body::cone(name, c.start.get(), c.end.get(), [c.radius, c.end_radius]),
        Shape::Capsule(c) => Body::capsule(name, c.start.get(), c.end.get(), c.radius),
        Shape::Polyhedron(p) if planar => {
            let points: Vec<_> = p.vertices.iter().map(|v| v.get().truncate()).collect();
            Body::polygon(name, &points)
        }
        Shape::Polyhedron(p) => {
            let points: Vec<DVec3> = p.vertices.iter().map(|v| v.get()).collect();
            Body::polyhedron(name, &points)
        }
        Shape::Mesh(m) => {
            return mesh_body(loaded, m, placement, name, key);
        }
        Shape::Container(c) => {
            let mut open = [[false; 2]; 3];
            for side in &c.open {
                open[side.axis().index()][usize::from(side.is_upper())] = true;
            }
            Body::container(name, c.min.get(), c.max.get(), open)
        }
        Shape::Plane(p) => Body::plane(name, p.point.get(), p.normal.get()),
    };
    let made = made.map_err(|e| loaded.error(&format!("{key}.{}", shape.word()), e.to_string()))?;
    Ok(placement.pose().into_iter().fold(made, Body::placed))
}

/// A mesh of a file as a body: it must be closed. Its lengths are scaled already.
fn mesh_body(
    loaded: &LoadedScene,
    described: &MeshFile,
    placement: &Placement,
    name: &str,
    key: &str,
) -> Result<Body, SceneError> {
    let mesh = mesh(loaded, described, placement, key)?;
    Body::mesh(name, mesh).map_err(|e| {
        let (key, file) = (format!("{key}.mesh.file"), &described.file);
        loaded.error(&key, format!("{key} = {file:?}: {e}"))
    })
}

/// The triangles of a file, with their own scale and position, turned and moved; they may leave holes.
pub(crate) fn mesh(
    loaded: &LoadedScene,
    described: &MeshFile,
    placement: &Placement,
    key: &str,
) -> Result<TriangleMesh, SceneError> {
    let mut mesh = loaded
        .mesh(&described.file)
        .map_err(|e| loaded.error(&format!("{key}.mesh.file"), e.to_string()))?;
    for vertex in &mut mesh.vertices {
        *vertex = *vertex * described.scale + described.position.get();
    }
    if let Some(pose) = placement.pose() {
        mesh.vertices.iter_mut().for_each(|vertex| *vertex = pose.to_world(*vertex));
    }
    check_reach(loaded, &mesh, &format!("{key}.mesh"))?;
    Ok(mesh)
}

/// Meshes, which were not known when the scene was checked, must leave the boundary particles of all
/// bodies within their limit.
pub(crate) fn check_boundary(loaded: &LoadedScene, bodies: &[Body]) -> Result<(), SceneError> {
    let scene = &loaded.scene;
    let area = |body: &Body| match &body.shape {
        Solid::Mesh(mesh) => mesh.mesh().area(),
        _ => 0.0,
    };
    let area: f64 = bodies.iter().map(area).sum();
    let covering = || scene.matters().filter(|kind| kind.wall_layers(scene) > 0);
    let on_meshes = covering()
        .map(|kind| f64::from(kind.wall_layers(scene)) * area / kind.spacing(scene).powi(2));
    let count = Counts::of(scene).boundary() + on_meshes.sum::<f64>();
    if area <= 0.0 || count <= MAX_BOUNDARY {
        return Ok(());
    }
    let coarser: Vec<String> = covering().map(|kind| kind.resolution(scene)).collect();
    let message = format!(
        "bodies would need about {count:.1e} boundary particles in total; allowed: at most \
         {MAX_BOUNDARY:.0} (make meshes smaller, or {} larger)",
        coarser.join(" or ")
    );
    Err(loaded.error("body", message))
}

/// The places of a mesh must be in the range of other places; `key` is the path of the mesh.
pub(crate) fn check_reach(
    loaded: &LoadedScene,
    mesh: &TriangleMesh,
    key: &str,
) -> Result<(), SceneError> {
    let farthest = farthest(&loaded.scene);
    let beyond = mesh.vertices.iter().find(|vertex| {
        let reach = vertex.abs().max_element();
        reach.is_nan() || reach > farthest
    });
    beyond.map_or(Ok(()), |x| {
        let message = format!(
            "has a vertex at ({:e}, {:e}, {:e}) m; allowed: at most {farthest:e} m with either sign",
            x.x, x.y, x.z
        );
        Err(loaded.error(key, message))
    })
}

fn motion_of(motion: &MotionWord) -> Motion {
    let (start, stop) = (motion.start(), motion.stop().unwrap_or(f64::INFINITY));
    match motion {
        MotionWord::Velocity(v) => Motion::Velocity { velocity: v.velocity.get(), start, stop },
        MotionWord::Rotation(r) => Motion::Rotation {
            axis: r.axis.map_or(DVec3::Z, |axis| axis.get()),
            point: r.point.get(),
            rate: r.rate,
            start,
            stop,
        },
        MotionWord::Vibration(v) => Motion::Vibration {
            amplitude: v.amplitude,
            frequency: v.frequency,
            direction: v.direction.get(),
            phase: v.phase,
            start,
            stop,
        },
    }
}
