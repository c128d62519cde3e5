//! A picture as shapes that light meets.

use glam::{DVec3, Vec3};

use super::bvh::{Ball, Balls, Bvh, Hit, MovingTriangles, Ray, Triangle, Triangles};
use crate::mesh::CREASE;
use crate::{BodyMesh, BodyStyle, Liquid, Material, Picture};

/// A plane that matter lies on, seen from its upper side only.
pub(super) struct Ground {
    /// Its upper side.
    normal: Vec3,
    /// Of the plane from the origin, along the normal.
    height: f32,
    color: Vec3,
    is_wall: bool,
}

/// Shapes of one kind of material.
struct Group {
    still: Bvh<Triangles>,
    moving: Bvh<MovingTriangles>,
    balls: Bvh<Balls>,
    triangles: [Vec<Triangle>; 2],
    /// Normals and colours of the corners.
    looks: [Vec<Look>; 2],
    spheres: Vec<(Ball, Vec3)>,
    liquids: Vec<Liquid>,
}

/// How a triangle looks.
#[derive(Clone, Copy)]
struct Look {
    normals: [Vec3; 3],
    colors: [Vec3; 3],
    /// The number of its liquid.
    liquid: u32,
}

/// A place on a surface.
pub(super) struct Spot {
    pub(super) t: f32,
    /// That of the surface itself, and the smooth one that it is shaded with, both against the line of sight.
    pub(super) face: Vec3,
    pub(super) normal: Vec3,
    pub(super) color: Vec3,
    /// Whether the line of sight comes from inside.
    pub(super) from_inside: bool,
    pub(super) liquid: Option<Liquid>,
    pub(super) is_ground: bool,
}

/// Everything that light meets, about the middle of the picture.
pub(super) struct World {
    solid: Group,
    clear: Group,
    ground: Vec<Ground>,
    /// What lengths are measured by [m].
    pub(super) extent: f32,
    /// The middle of the picture [m].
    pub(super) middle: DVec3,
}

/// Edges of containers are bars of this thickness, in sizes of the picture.
const BAR: f32 = 0.0011;
/// A plane that is steeper than this is a wall [cosine]. Walls are seen from their front but shade nothing: they would
/// keep out the day.
const WALL: f32 = 0.3;
/// The colour of the soft floor, in amounts of light.
const FLOOR: Vec3 = Vec3::new(0.62, 0.60, 0.57);

/// The parts of a group while they are collected.
#[derive(Default)]
struct Parts {
    triangles: [Vec<Triangle>; 2],
    looks: [Vec<Look>; 2],
    spheres: Vec<(Ball, Vec3)>,
    liquids: Vec<Liquid>,
}

impl Parts {
    fn add(&mut self, body: &BodyMesh, middle: DVec3) {
        let at: Vec<Vec3> = body.positions.iter().map(|p| (p - middle).as_vec3()).collect();
        let liquid = self.liquids.len() as u32;
        if let Material::Liquid(kind) = body.material {
            self.liquids.push(kind);
        }
        let color = body.color.to_linear();
        let moving = !body.motion.is_empty();
        for triangle in &body.triangles {
            let k = triangle.map(|i| i as usize);
            let corners = k.map(|k| at[k]);
            let across = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let Some(face) = across.try_normalize() else { continue };
            let (normals, colors) = match &body.smooth {
                Some(smooth) => (
                    k.map(|k| {
                        let normal = smooth.normals[k].as_vec3();
                        if normal.dot(face) < CREASE { face } else { normal }
                    }),
                    k.map(|k| smooth.colors[k].to_linear()),
                ),
                None => ([face; 3], [color; 3]),
            };
            let motion = if moving { k.map(|k| body.motion[k]) } else { [Vec3::ZERO; 3] };
            self.triangles[usize::from(moving)].push(Triangle { corners, motion });
            self.looks[usize::from(moving)].push(Look { normals, colors, liquid });
        }
    }

    /// A thin bar of four sides between two points.
    fn add_bar(&mut self, ends: [Vec3; 2], half: f32, color: Vec3) {
        let Some(along) = (ends[1] - ends[0]).try_normalize() else { return };
        let (right, front) = along.any_orthonormal_pair();
        let ends = [ends[0] - along * half, ends[1] + along * half];
        let corner = |end: Vec3, k: usize| {
            let side = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)][k % 4];
            end + (right * side.0 + front * side.1) * half
        };
        let mut quad = |corners: [Vec3; 4]| {
            for k in [[0, 1, 2], [0, 2, 3]] {
                let corners = k.map(|k| corners[k]);
                let face = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
                let face = face.normalize_or_zero();
                self.triangles[0].push(Triangle { corners, motion: [Vec3::ZERO; 3] });
                self.looks[0].push(Look { normals: [face; 3], colors: [color; 3], liquid: 0 });
            }
        };
        for k in 0..4 {
            let (a, b) = (corner(ends[0], k), corner(ends[0], k + 1));
            quad([a, b, corner(ends[1], k + 1), corner(ends[1], k)]);
        }
        for end in ends {
            quad([0, 1, 2, 3].map(|k| corner(end, k)));
        }
    }

    fn grown(self) -> Group {
        let balls: Vec<Ball> = self.spheres.iter().map(|(ball, _)| *ball).collect();
        Group {
            still: Bvh::new(&self.triangles[0]),
            moving: Bvh::new(&self.triangles[1]),
            balls: Bvh::new(&balls),
            triangles: self.triangles,
            looks: self.looks,
            spheres: self.spheres,
            liquids: self.liquids,
        }
    }
}

/// Which of the trees of a group a hit is in.
#[derive(Clone, Copy)]
enum Kind {
    Triangle(usize),
    Ball,
}

impl Group {
    fn meet(&self, ray: &Ray, near: f32, hit: &mut Hit) -> Option<Kind> {
        let mut kind = None;
        let mut last = hit.t;
        let mut note = |hit: &Hit, of: Kind| {
            if hit.t < last {
                last = hit.t;
                kind = Some(of);
            }
        };
        self.still.meet(ray, near, hit);
        note(hit, Kind::Triangle(0));
        self.moving.meet(ray, near, hit);
        note(hit, Kind::Triangle(1));
        self.balls.meet(ray, near, hit);
        note(hit, Kind::Ball);
        kind
    }

    fn is_empty(&self) -> bool {
        self.still.is_empty() && self.moving.is_empty() && self.balls.is_empty()
    }

    fn blocks(&self, ray: &Ray, near: f32, far: f32) -> bool {
        self.still.blocks(ray, near, far)
            || self.balls.blocks(ray, near, far)
            || self.moving.blocks(ray, near, far)
    }

    fn spot(&self, ray: &Ray, hit: &Hit, kind: Kind) -> Spot {
        let shape = hit.shape as usize;
        let (face, normal, color, liquid) = match kind {
            Kind::Ball => {
                let (ball, color) = self.spheres[shape];
                let center = ball.center + ball.motion * ray.time;
                let normal = (ray.origin + ray.direction * hit.t - center).normalize_or(Vec3::Z);
                (normal, normal, color, None)
            }
            Kind::Triangle(which) => {
                let Triangle { corners, motion } = &self.triangles[which][shape];
                let [a, b, c] = std::array::from_fn(|k| corners[k] + motion[k] * ray.time);
                let look = &self.looks[which][shape];
                let weights = [1.0 - hit.u - hit.v, hit.u, hit.v];
                let mean =
                    |of: &[Vec3; 3]| of[0] * weights[0] + of[1] * weights[1] + of[2] * weights[2];
                let face = (b - a).cross(c - a).normalize_or(look.normals[0]);
                let normal = mean(&look.normals).normalize_or(face);
                let liquid = self.liquids.get(look.liquid as usize).copied();
                (face, normal, mean(&look.colors), liquid)
            }
        };
        let from_inside = face.dot(ray.direction) > 0.0;
        let face = if from_inside { -face } else { face };
        // A smooth normal that looks away from the eye is none.
        let normal = if normal.dot(face) < 0.0 { -normal } else { normal };
        let normal = if normal.dot(ray.direction) < 0.0 { normal } else { face };
        Spot { t: hit.t, face, normal, color, from_inside, liquid, is_ground: false }
    }
}

impl World {
    pub(super) fn new(picture: &Picture, eye: DVec3, up: DVec3) -> Self {
        let bounds = picture.bounds();
        let middle = bounds.map_or(eye, |bounds| bounds.center());
        let extent = bounds.map_or(1.0, |bounds| bounds.size().length()).max(1e-6) as f32;
        let up = up.as_vec3();
        let (mut solid, mut clear) = (Parts::default(), Parts::default());
        let mut ground = Vec::new();
        for body in &picture.bodies {
            match (body.style, body.material) {
                (BodyStyle::Ground, _) => ground.extend(Ground::of(body, middle, eye, up)),
                (BodyStyle::SeeThrough | BodyStyle::Wire, _) => {
                    let at = |i: u32| (body.positions[i as usize] - middle).as_vec3();
                    for edge in &body.edges {
                        solid.add_bar(edge.map(at), BAR * extent, body.color.to_linear() * 0.35);
                    }
                }
                (_, Material::Liquid(_)) => clear.add(body, middle),
                (BodyStyle::Solid | BodyStyle::Paper, Material::Dull) => solid.add(body, middle),
            }
        }
        if let Some(floor) = &picture.floor {
            let height = (floor.center - middle).as_vec3().dot(up);
            ground.push(Ground { normal: up, height, color: FLOOR, is_wall: false });
        }
        let still = Vec3::ZERO;
        for (i, sphere) in picture.spheres.iter().enumerate() {
            let center = (sphere.center - middle).as_vec3();
            let motion = picture.motion.get(i).copied().unwrap_or(still);
            let ball = Ball { center, radius: sphere.radius, motion };
            solid.spheres.push((ball, sphere.color.to_linear()));
        }
        Self { solid: solid.grown(), clear: clear.grown(), ground, extent, middle }
    }

    /// Surfaces are left by this much, lest light meets the surface it comes from.
    pub(super) fn skin(&self) -> f32 {
        1e-5 * self.extent
    }

    /// The nearest surface along a ray.
    pub(super) fn meet(&self, ray: &Ray) -> Option<Spot> {
        let near = 0.2 * self.skin();
        let mut hit = Hit::none(f32::INFINITY);
        let solid = self.solid.meet(ray, near, &mut hit).map(|kind| (&self.solid, kind));
        let clear = self.clear.meet(ray, near, &mut hit).map(|kind| (&self.clear, kind));
        let ground = self.ground.iter().filter_map(|g| Some((g.meet(ray, near)?, g)));
        let ground = ground.filter(|(t, _)| *t < hit.t).min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((t, ground)) = ground {
            let Ground { normal, color, .. } = *ground;
            return Some(Spot {
                t,
                face: normal,
                normal,
                color,
                from_inside: false,
                liquid: None,
                is_ground: true,
            });
        }
        clear.or(solid).map(|(group, kind)| group.spot(ray, &hit, kind))
    }

    /// The part of the light that comes from outside along a ray; `inside` is the liquid in which the ray begins.
    /// Liquids let it pass straight on.
    pub(super) fn passed(&self, ray: &Ray, mut inside: Option<Liquid>) -> Vec3 {
        let near = 0.2 * self.skin();
        let shade = |g: &Ground| !g.is_wall && g.meet(ray, near).is_some();
        if self.solid.blocks(ray, near, f32::INFINITY) || self.ground.iter().any(shade) {
            return Vec3::ZERO;
        }
        let mut left = Vec3::ONE;
        if self.clear.is_empty() {
            return left;
        }
        let mut from = near;
        for _ in 0..6 {
            let mut hit = Hit::none(f32::INFINITY);
            let Some(kind) = self.clear.meet(ray, from, &mut hit) else { return left };
            let spot = self.clear.spot(ray, &hit, kind);
            let Some(liquid) = spot.liquid else { return Vec3::ZERO };
            if let Some(inside) = inside.filter(|_| spot.from_inside) {
                left *= inside.left(hit.t - from);
            }
            let ratio = if spot.from_inside { 1.0 / liquid.index } else { liquid.index };
            // Light that leaves a liquid at any angle came in somewhere: what is lost on the way in counts only.
            if !spot.from_inside {
                let cosine = -ray.direction.dot(spot.normal);
                left *= 1.0 - crate::material::fresnel(cosine, ratio);
            }
            inside = (!spot.from_inside).then_some(liquid);
            from = hit.t + self.skin();
        }
        left
    }
}

impl Ground {
    /// The plane of a body, with the side up that the eye or the sky sees; none that is a wall between the eye and the
    /// picture.
    fn of(body: &BodyMesh, middle: DVec3, eye: DVec3, up: Vec3) -> Option<Self> {
        let [a, b, c] = body.triangles.first()?.map(|i| body.positions[i as usize]);
        let across = (b - a).cross(c - a).try_normalize()?;
        let normal = if across.as_vec3().dot(up) < 0.0 { -across } else { across };
        let normal = if normal.as_vec3().dot(up) < WALL { across } else { normal };
        let height = (a - middle).dot(normal) as f32;
        let is_wall = normal.as_vec3().dot(up) < WALL;
        let hides = is_wall && (eye - a).dot(normal) < 0.0;
        let color = body.color.to_linear();
        (!hides).then_some(Self { normal: normal.as_vec3(), height, color, is_wall })
    }

    /// Where a ray comes down on it.
    fn meet(&self, ray: &Ray, near: f32) -> Option<f32> {
        let down = self.normal.dot(ray.direction);
        let t = (self.height - self.normal.dot(ray.origin)) / down;
        (down < 0.0 && t > near).then_some(t)
    }
}
