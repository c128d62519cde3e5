//! What a line of sight meets first: a tree of boxes, four to a node, whose leaves hold four shapes that are met at once
//! (Wald, Benthin and Boulos 2008). It is built by the surface area heuristic in bins (Wald 2007).

use glam::{BVec4A, Vec3, Vec4};

/// A line of sight or of light, of any length of direction.
#[derive(Clone, Copy)]
pub(super) struct Ray {
    pub(super) origin: Vec3,
    pub(super) direction: Vec3,
    /// While the shutter is open, from 0 to 1.
    pub(super) time: f32,
}

/// The nearest shape that was met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    /// Along the ray.
    pub(super) t: f32,
    /// The number of the shape.
    pub(super) shape: u32,
    /// Weights of the second and third corner of a triangle.
    pub(super) u: f32,
    pub(super) v: f32,
}

impl Hit {
    /// Nothing up to a distance.
    pub(super) const fn none(t: f32) -> Self {
        Self { t, shape: u32::MAX, u: 0.0, v: 0.0 }
    }

    pub(super) fn is_some(&self) -> bool {
        self.shape != u32::MAX
    }
}

/// Up to four shapes.
pub(super) trait Pack: Sized {
    /// The shape that packs are made of.
    type Shape;

    /// The smallest box around a shape while the shutter is open.
    fn bounds(shape: &Self::Shape) -> [Vec3; 2];

    /// One to four shapes with their numbers.
    fn new<'a>(shapes: impl Iterator<Item = (u32, &'a Self::Shape)>) -> Self
    where
        Self::Shape: 'a;

    /// Moves `hit` to a shape that the ray meets behind `near` and before it.
    fn meet(&self, ray: &Ray, near: f32, hit: &mut Hit);
}

/// Three coordinates of four things.
type Four = [Vec4; 3];

fn spread(v: Vec3) -> Four {
    v.to_array().map(Vec4::splat)
}

fn minus(a: Four, b: Four) -> Four {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Four, b: Four) -> Vec4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Four, b: Four) -> Four {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Coordinates of up to four points; what is missing is zero.
fn gathered(points: [Vec3; 4]) -> Four {
    std::array::from_fn(|k| Vec4::from(points.map(|p| p[k])))
}

/// The nearest of four distances that are allowed.
fn nearest(allowed: BVec4A, t: Vec4, hit: &mut Hit) -> Option<usize> {
    let mut found = None;
    let mut mask = allowed.bitmask();
    while mask != 0 {
        let k = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        if t[k] < hit.t {
            hit.t = t[k];
            found = Some(k);
        }
    }
    found
}

/// A triangle: a corner and two edges, and how far each corner moves while the shutter is open.
#[derive(Clone, Copy)]
pub(super) struct Triangle {
    pub(super) corners: [Vec3; 3],
    pub(super) motion: [Vec3; 3],
}

/// Four triangles at rest.
pub(super) struct Triangles {
    corner: Four,
    edges: [Four; 2],
    shapes: [u32; 4],
}

impl Triangles {
    fn gather<'a>(
        shapes: impl Iterator<Item = (u32, &'a Triangle)>,
        corners: impl Fn(&Triangle) -> [Vec3; 3],
    ) -> Self {
        let mut all = [[Vec3::ZERO; 4]; 3];
        let mut numbers = [0; 4];
        for (k, (number, triangle)) in shapes.enumerate() {
            let [a, b, c] = corners(triangle);
            (all[0][k], all[1][k], all[2][k]) = (a, b - a, c - a);
            numbers[k] = number;
        }
        let [corner, first, second] = all.map(gathered);
        Self { corner, edges: [first, second], shapes: numbers }
    }
}

/// Möller and Trumbore 1997. Missing triangles have no area and are never met.
fn meet_triangles(
    (corner, [p, q]): (Four, [Four; 2]),
    shapes: &[u32; 4],
    ray: &Ray,
    near: f32,
    hit: &mut Hit,
) {
    let direction = spread(ray.direction);
    let across = cross(direction, q);
    let inverse = Vec4::ONE / dot(p, across);
    let from = minus(spread(ray.origin), corner);
    let u = dot(from, across) * inverse;
    let along = cross(from, p);
    let v = dot(direction, along) * inverse;
    let t = dot(q, along) * inverse;
    // Neighbours overlap by this much, so that no ray slips through between them.
    let slack = Vec4::splat(-1e-6);
    let inside = u.cmpge(slack) & v.cmpge(slack) & (u + v).cmple(Vec4::splat(1.000_001));
    let allowed = inside & t.cmpgt(Vec4::splat(near)) & t.cmplt(Vec4::splat(hit.t));
    if let Some(k) = nearest(allowed, t, hit) {
        (hit.shape, hit.u, hit.v) = (shapes[k], u[k], v[k]);
    }
}

impl Pack for Triangles {
    type Shape = Triangle;

    fn bounds(shape: &Triangle) -> [Vec3; 2] {
        let [a, b, c] = shape.corners;
        [a.min(b).min(c), a.max(b).max(c)]
    }

    fn new<'a>(shapes: impl Iterator<Item = (u32, &'a Triangle)>) -> Self {
        Self::gather(shapes, |triangle| triangle.corners)
    }

    fn meet(&self, ray: &Ray, near: f32, hit: &mut Hit) {
        meet_triangles((self.corner, self.edges), &self.shapes, ray, near, hit);
    }
}

/// Four triangles that move evenly.
pub(super) struct MovingTriangles {
    start: Triangles,
    motion: Triangles,
}

impl Pack for MovingTriangles {
    type Shape = Triangle;

    fn bounds(shape: &Triangle) -> [Vec3; 2] {
        let end = |k: usize| shape.corners[k] + shape.motion[k];
        let [low, high] = Triangles::bounds(shape);
        [low.min(end(0)).min(end(1)).min(end(2)), high.max(end(0)).max(end(1)).max(end(2))]
    }

    fn new<'a>(shapes: impl Iterator<Item = (u32, &'a Triangle)>) -> Self {
        let shapes: Vec<_> = shapes.collect();
        Self {
            start: Triangles::gather(shapes.iter().copied(), |triangle| triangle.corners),
            motion: Triangles::gather(shapes.iter().copied(), |triangle| triangle.motion),
        }
    }

    fn meet(&self, ray: &Ray, near: f32, hit: &mut Hit) {
        let now = |start: &Four, motion: &Four| -> Four {
            std::array::from_fn(|k| start[k] + motion[k] * ray.time)
        };
        let corner = now(&self.start.corner, &self.motion.corner);
        let edges = std::array::from_fn(|k| now(&self.start.edges[k], &self.motion.edges[k]));
        meet_triangles((corner, edges), &self.start.shapes, ray, near, hit);
    }
}

/// A ball, and how far it moves while the shutter is open.
#[derive(Clone, Copy)]
pub(super) struct Ball {
    pub(super) center: Vec3,
    pub(super) radius: f32,
    pub(super) motion: Vec3,
}

/// Four balls.
pub(super) struct Balls {
    center: Four,
    motion: Four,
    radius: Vec4,
    shapes: [u32; 4],
}

impl Pack for Balls {
    type Shape = Ball;

    fn bounds(shape: &Ball) -> [Vec3; 2] {
        let end = shape.center + shape.motion;
        [shape.center.min(end) - shape.radius, shape.center.max(end) + shape.radius]
    }

    fn new<'a>(shapes: impl Iterator<Item = (u32, &'a Ball)>) -> Self {
        let (mut centers, mut motions) = ([Vec3::ZERO; 4], [Vec3::ZERO; 4]);
        let (mut radii, mut numbers) = ([f32::NAN; 4], [0; 4]);
        for (k, (number, ball)) in shapes.enumerate() {
            (centers[k], motions[k]) = (ball.center, ball.motion);
            (radii[k], numbers[k]) = (ball.radius, number);
        }
        let (center, motion) = (gathered(centers), gathered(motions));
        Self { center, motion, radius: Vec4::from(radii), shapes: numbers }
    }

    fn meet(&self, ray: &Ray, near: f32, hit: &mut Hit) {
        let center = std::array::from_fn(|k| self.center[k] + self.motion[k] * ray.time);
        let direction = spread(ray.direction);
        let from = minus(spread(ray.origin), center);
        let inverse = Vec4::splat(1.0 / ray.direction.length_squared());
        // About the point of the ray that is nearest to the centre, lest small balls far away be lost.
        let middle = -dot(from, direction) * inverse;
        let nearest_point: Four = std::array::from_fn(|k| from[k] + direction[k] * middle);
        let half2 = (self.radius * self.radius - dot(nearest_point, nearest_point)) * inverse;
        let reaches = half2.cmpge(Vec4::ZERO);
        if !reaches.any() {
            return;
        }
        let half = half2.max(Vec4::ZERO).map(f32::sqrt);
        let (near, far) = (Vec4::splat(near), Vec4::splat(hit.t));
        let front = middle - half;
        let t = Vec4::select(front.cmpgt(near), front, middle + half);
        if let Some(k) = nearest(reaches & t.cmpgt(near) & t.cmplt(far), t, hit) {
            hit.shape = self.shapes[k];
        }
    }
}

/// Four boxes and what is in them.
struct Node {
    low: Four,
    high: Four,
    children: [Child; 4],
}

#[derive(Clone, Copy)]
enum Child {
    Node(u32),
    Leaf(u32),
    Nothing,
}

/// A tree.
pub(super) struct Bvh<P> {
    nodes: Vec<Node>,
    packs: Vec<P>,
}

/// The most shapes in a leaf.
const LEAF: usize = 4;
/// Bins in which a place to divide is looked for.
const BINS: usize = 16;
/// From this depth on shapes are divided in halves, which ends soon, whatever they are.
const DEEP: usize = 14;
/// Each level leaves three children at most to be looked at later.
/// From [`DEEP`] on a level has a quarter of the shapes of the one above.
const STACK: usize = 3 * (DEEP + 16);

/// A shape while the tree is built.
#[derive(Clone, Copy)]
struct Item {
    low: Vec3,
    high: Vec3,
    number: u32,
}

impl Item {
    fn middle(&self) -> Vec3 {
        0.5 * (self.low + self.high)
    }
}

fn around(items: &[Item]) -> [Vec3; 2] {
    items.iter().fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], item| {
        [low.min(item.low), high.max(item.high)]
    })
}

/// Half the surface of a box; none for an empty one.
fn area([low, high]: [Vec3; 2]) -> f32 {
    let d = (high - low).max(Vec3::ZERO);
    d.x * d.y + d.y * d.z + d.z * d.x
}

impl<P: Pack> Bvh<P> {
    /// The tree of all shapes; those that are not finite are left out.
    pub(super) fn new(shapes: &[P::Shape]) -> Self {
        let item = |(number, shape)| {
            let [low, high] = P::bounds(shape);
            Item { low, high, number }
        };
        let mut items: Vec<Item> = (0_u32..).zip(shapes).map(item).collect();
        items.retain(|item| item.low.is_finite() && item.high.is_finite());
        let mut tree = Self { nodes: Vec::new(), packs: Vec::new() };
        if !items.is_empty() {
            tree.grow(&mut items, shapes, 0);
        }
        tree
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds the node of some shapes and those below it.
    fn grow(&mut self, items: &mut [Item], shapes: &[P::Shape], depth: usize) -> u32 {
        let index = self.nodes.len();
        let empty = Node {
            low: spread(Vec3::INFINITY),
            high: spread(Vec3::NEG_INFINITY),
            children: [Child::Nothing; 4],
        };
        self.nodes.push(empty);
        let mut parts: Vec<&mut [Item]> = vec![items];
        while parts.len() < 4 {
            let large = (0..parts.len()).filter(|&k| parts[k].len() > LEAF);
            let cost = |k: &usize| area(around(parts[*k])) * parts[*k].len() as f32;
            let Some(k) = large.max_by(|a, b| cost(a).total_cmp(&cost(b))) else { break };
            let part = parts.swap_remove(k);
            let (left, right) = divided(part, depth);
            parts.extend([left, right]);
        }
        for (k, part) in parts.into_iter().enumerate() {
            let [low, high] = around(part);
            let child = if part.len() <= LEAF {
                let numbered = part.iter().map(|i| (i.number, &shapes[i.number as usize]));
                self.packs.push(P::new(numbered));
                Child::Leaf(self.packs.len() as u32 - 1)
            } else {
                Child::Node(self.grow(part, shapes, depth + 1))
            };
            let node = &mut self.nodes[index];
            node.children[k] = child;
            for axis in 0..3 {
                node.low[axis][k] = low[axis];
                node.high[axis][k] = high[axis];
            }
        }
        index as u32
    }

    /// Moves `hit` to the nearest shape that the ray meets behind `near` and before it.
    pub(super) fn meet(&self, ray: &Ray, near: f32, hit: &mut Hit) {
        self.walk(ray, near, hit, false);
    }

    /// Whether the ray meets any shape between `near` and `far`.
    pub(super) fn blocks(&self, ray: &Ray, near: f32, far: f32) -> bool {
        let mut hit = Hit::none(far);
        self.walk(ray, near, &mut hit, true);
        hit.is_some()
    }

    fn walk(&self, ray: &Ray, near: f32, hit: &mut Hit, any: bool) {
        if self.is_empty() {
            return;
        }
        let inverse = spread(ray.direction.recip());
        let origin = spread(ray.origin);
        let mut stack = [(Child::Nothing, 0.0_f32); STACK];
        stack[0] = (Child::Node(0), near);
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (child, entry) = stack[count];
            if entry >= hit.t {
                continue;
            }
            match child {
                Child::Nothing => {}
                Child::Leaf(pack) => {
                    self.packs[pack as usize].meet(ray, near, hit);
                    if any && hit.is_some() {
                        return;
                    }
                }
                Child::Node(index) => {
                    let node = &self.nodes[index as usize];
                    let (mut first, mut last) = (Vec4::splat(near), Vec4::splat(hit.t));
                    for k in 0..3 {
                        let a = (node.low[k] - origin[k]) * inverse[k];
                        let b = (node.high[k] - origin[k]) * inverse[k];
                        first = first.max(a.min(b));
                        last = last.min(a.max(b));
                    }
                    // A box without thickness must not be missed by rounding.
                    let mut mask = first.cmple(last * 1.000_001).bitmask();
                    let begin = count;
                    while mask != 0 {
                        let k = mask.trailing_zeros() as usize;
                        mask &= mask - 1;
                        // The nearest comes last, to be taken first.
                        let mut place = count;
                        while place > begin && stack[place - 1].1 < first[k] {
                            stack[place] = stack[place - 1];
                            place -= 1;
                        }
                        stack[place] = (node.children[k], first[k]);
                        count += 1;
                    }
                }
            }
        }
    }
}

/// Two parts of shapes, neither empty, so that little area is looked at in vain.
fn divided(items: &mut [Item], depth: usize) -> (&mut [Item], &mut [Item]) {
    let (low, high) = items
        .iter()
        .map(Item::middle)
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    let size = high - low;
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let half = items.len() / 2;
    if size[axis] <= 0.0 || depth > DEEP {
        items.sort_unstable_by(|a, b| {
            a.middle()[axis].total_cmp(&b.middle()[axis]).then(a.number.cmp(&b.number))
        });
        return items.split_at_mut(half);
    }
    let scale = BINS as f32 / size[axis];
    let bin = |item: &Item| (((item.middle()[axis] - low[axis]) * scale) as usize).min(BINS - 1);
    let mut bins = [([Vec3::INFINITY, Vec3::NEG_INFINITY], 0_u32); BINS];
    for item in items.iter() {
        let (bounds, count) = &mut bins[bin(item)];
        *bounds = [bounds[0].min(item.low), bounds[1].max(item.high)];
        *count += 1;
    }
    let merge = |(a, n): ([Vec3; 2], u32), (b, m): ([Vec3; 2], u32)| {
        ([a[0].min(b[0]), a[1].max(b[1])], n + m)
    };
    let cost = |(bounds, count): ([Vec3; 2], u32)| area(bounds) * count as f32;
    let empty = ([Vec3::INFINITY, Vec3::NEG_INFINITY], 0);
    let mut right = [0.0; BINS];
    let mut sum = empty;
    for k in (1..BINS).rev() {
        sum = merge(sum, bins[k]);
        right[k] = cost(sum);
    }
    let mut best = (f32::INFINITY, 1);
    sum = empty;
    for k in 1..BINS {
        sum = merge(sum, bins[k - 1]);
        let total = cost(sum) + right[k];
        if total < best.0 {
            best = (total, k);
        }
    }
    // The first and the last bin hold something, so both parts do.
    items.sort_by_key(|item| bin(item) >= best.1);
    let left = items.partition_point(|item| bin(item) < best.1);
    let left = if left == 0 || left == items.len() { half } else { left };
    items.split_at_mut(left)
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    fn point(random: &mut Random, size: f32) -> Vec3 {
        let (x, y) = random.pair();
        (Vec3::new(x, y, random.pair().0) - 0.5) * size
    }

    fn rays(random: &mut Random) -> Vec<Ray> {
        let ray = |_| Ray {
            origin: point(random, 4.0),
            direction: point(random, 1.0).normalize(),
            time: random.pair().0,
        };
        (0..2000).map(ray).collect()
    }

    /// The tree against all shapes one after the other.
    fn compare<P: Pack>(shapes: &[P::Shape], random: &mut Random) {
        let tree = Bvh::<P>::new(shapes);
        let packs: Vec<P> = (0_u32..).zip(shapes).map(|one| P::new(std::iter::once(one))).collect();
        let mut met = 0;
        for ray in rays(random) {
            let (mut found, mut known) = (Hit::none(f32::INFINITY), Hit::none(f32::INFINITY));
            tree.meet(&ray, 1e-4, &mut found);
            packs.iter().for_each(|pack| pack.meet(&ray, 1e-4, &mut known));
            assert_eq!((found.t, found.shape), (known.t, known.shape));
            assert_eq!(tree.blocks(&ray, 1e-4, f32::INFINITY), known.is_some());
            assert!(!known.is_some() || !tree.blocks(&ray, 1e-4, known.t));
            met += u32::from(known.is_some());
        }
        assert!((200..1900).contains(&met), "{met} of 2000 rays meet something");
    }

    #[test]
    fn the_tree_finds_what_brute_force_finds() {
        let mut random = Random::new(1, 0, 16);
        let mut triangle = |motion: f32| {
            let corner = point(&mut random, 2.0);
            Triangle {
                corners: [Vec3::ZERO; 3].map(|_| corner + point(&mut random, 0.3)),
                motion: [Vec3::ZERO; 3].map(|_| point(&mut random, motion)),
            }
        };
        let still: Vec<Triangle> = (0..800).map(|_| triangle(0.0)).collect();
        let moving: Vec<Triangle> = (0..800).map(|_| triangle(0.2)).collect();
        let ball = |_| Ball {
            center: point(&mut random, 2.0),
            radius: 0.02 + 0.1 * random.pair().0,
            motion: point(&mut random, 0.2),
        };
        let balls: Vec<Ball> = (0..500).map(ball).collect();
        compare::<Triangles>(&still, &mut random);
        compare::<MovingTriangles>(&moving, &mut random);
        compare::<Balls>(&balls, &mut random);
    }

    #[test]
    fn many_shapes_at_one_place_and_shapes_without_place_are_no_problem() {
        let ball = Ball { center: Vec3::ONE, radius: 0.1, motion: Vec3::ZERO };
        let mut balls = vec![ball; 1000];
        balls[7].center.x = f32::NAN;
        let tree = Bvh::<Balls>::new(&balls);
        let ray = Ray { origin: Vec3::ZERO, direction: Vec3::ONE, time: 0.0 };
        assert!(tree.blocks(&ray, 0.0, 2.0));
        assert!(!tree.blocks(&ray, 0.0, 0.5));
    }
}
