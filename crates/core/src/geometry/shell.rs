//! Signed distance to one closed, connected triangle surface.

use glam::DVec3;

use super::{Aabb, Distance, Feature, TriangleMesh, closest_point_on_triangle};

/// Triangles in a leaf of the tree, at most.
const LEAF: usize = 4;

/// A closed surface that answers distance queries.
///
/// The closest point is exact, found in a tree of bounding boxes. The sign comes from the
/// angle-weighted pseudo-normal of the face, edge or corner that holds the closest point
/// (Bærentzen & Aanæs 2005).
#[derive(Clone, Debug)]
pub(super) struct Shell {
    mesh: TriangleMesh,
    nodes: Vec<Node>,
    /// Triangle indices in the order of the leaves.
    order: Vec<u32>,
    /// Their corners in the same order, side by side in memory.
    corners: Vec<[DVec3; 3]>,
    face_normals: Vec<DVec3>,
    edge_normals: Vec<[DVec3; 3]>,
    vertex_normals: Vec<DVec3>,
}

/// A box of the tree and what is in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) bounds: Aabb,
    /// Leaf: first entry of `order`. Inner node: the second child; the first one follows directly.
    first: u32,
    /// Number of triangles of a leaf, zero for an inner node.
    count: u32,
}

impl Node {
    /// The entries of `order` that a leaf holds; `None` for an inner node.
    pub(super) fn leaf(&self) -> Option<std::ops::Range<usize>> {
        (self.count > 0).then(|| self.first as usize..(self.first + self.count) as usize)
    }

    /// The second child of an inner node; the first one is the next node.
    pub(super) fn second(&self) -> u32 {
        self.first
    }
}

impl Shell {
    /// Builds the tree of a mesh that is closed and not empty; its triangles may face inwards.
    pub(super) fn new(mesh: TriangleMesh) -> Self {
        let face_normals: Vec<DVec3> = (0..mesh.triangles.len())
            .map(|t| {
                let [a, b, c] = mesh.corners(t);
                (b - a).cross(c - a).normalize_or_zero()
            })
            .collect();
        let mut edge_normals = vec![[DVec3::ZERO; 3]; mesh.triangles.len()];
        for pair in mesh.sorted_half_edges().chunk_by(|a, b| a.0 == b.0) {
            let sum: DVec3 = pair.iter().map(|e| face_normals[e.2 as usize / 3]).sum();
            for &(_, _, half) in pair {
                edge_normals[half as usize / 3][half as usize % 3] = sum.normalize_or_zero();
            }
        }
        let mut vertex_normals = vec![DVec3::ZERO; mesh.vertices.len()];
        for (t, corners) in mesh.triangles.iter().enumerate() {
            let p = mesh.corners(t);
            for k in 0..3 {
                let angle = (p[(k + 1) % 3] - p[k]).angle_between(p[(k + 2) % 3] - p[k]);
                vertex_normals[corners[k] as usize] += angle * face_normals[t];
            }
        }
        for n in &mut vertex_normals {
            *n = n.normalize_or_zero();
        }
        let (nodes, order) = build_tree(&mesh);
        let corners = order.iter().map(|&t| mesh.corners(t as usize)).collect();
        Self { mesh, nodes, order, corners, face_normals, edge_normals, vertex_normals }
    }

    /// The smallest box around the surface.
    pub(super) fn bounds(&self) -> Aabb {
        self.nodes[0].bounds
    }

    /// The corners of the surface.
    pub(super) fn vertices(&self) -> &[DVec3] {
        &self.mesh.vertices
    }

    /// Whether the triangles face away from what they enclose.
    pub(super) fn is_outward(&self) -> bool {
        self.mesh.volume() > 0.0
    }

    /// Signed distance of `p`, negative on the side that triangles face away from.
    pub(super) fn signed_distance(&self, p: DVec3) -> Distance {
        let (q, t, feature) = self.closest(p);
        let pseudo = match feature {
            Feature::Face => self.face_normals[t],
            Feature::Edge(k) => self.edge_normals[t][k],
            Feature::Vertex(k) => self.vertex_normals[self.mesh.triangles[t][k] as usize],
        };
        let r = p - q;
        let length = r.length();
        // Closer than rounding in the coordinates the direction of `r` means nothing.
        let scale = p.abs().max_element() + q.abs().max_element();
        if length <= 1e-13 * scale {
            return Distance { distance: r.dot(pseudo), normal: pseudo };
        }
        let sign = if r.dot(pseudo) < 0.0 { -1.0 } else { 1.0 };
        Distance { distance: sign * length, normal: sign / length * r }
    }

    /// The closest point of the surface, its triangle and the part of the triangle.
    fn closest(&self, p: DVec3) -> (DVec3, usize, Feature) {
        let mut best = (f64::INFINITY, DVec3::ZERO, 0, Feature::Face);
        // The tree is balanced, so its depth is below 32 for 32-bit indices.
        let mut stack = [(0_u32, 0.0_f64); 64];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (index, bound) = stack[top];
            if bound >= best.0 {
                continue;
            }
            let node = &self.nodes[index as usize];
            if let Some(leaf) = node.leaf() {
                for (i, corners) in leaf.clone().zip(&self.corners[leaf]) {
                    let (q, feature) = closest_point_on_triangle(p, *corners);
                    let d2 = q.distance_squared(p);
                    if d2 < best.0 {
                        best = (d2, q, i, feature);
                    }
                }
                continue;
            }
            let (a, b) = (index + 1, node.second());
            let da = self.nodes[a as usize].bounds.distance_squared(p);
            let db = self.nodes[b as usize].bounds.distance_squared(p);
            let (near, far) = if da <= db { ((a, da), (b, db)) } else { ((b, db), (a, da)) };
            stack[top] = far;
            stack[top + 1] = near;
            top += 2;
        }
        (best.1, self.order[best.2] as usize, best.3)
    }
}

/// A balanced tree, split at the median of the centres along the longest side.
pub(super) fn build_tree(mesh: &TriangleMesh) -> (Vec<Node>, Vec<u32>) {
    let bounds: Vec<Aabb> =
        (0..mesh.triangles.len()).map(|t| Aabb::from_points(mesh.corners(t))).collect();
    let mut order: Vec<u32> = (0..mesh.triangles.len()).map(|t| t as u32).collect();
    let mut nodes = Vec::with_capacity(mesh.triangles.len());
    if !order.is_empty() {
        split(&bounds, &mut order, 0, &mut nodes);
    }
    (nodes, order)
}

fn split(bounds: &[Aabb], order: &mut [u32], first: u32, nodes: &mut Vec<Node>) {
    let around = order.iter().fold(Aabb::EMPTY, |sum, &t| sum.union(bounds[t as usize]));
    let index = nodes.len();
    nodes.push(Node { bounds: around, first, count: order.len() as u32 });
    if order.len() <= LEAF {
        return;
    }
    let center = |t: u32| bounds[t as usize].center();
    let size = Aabb::from_points(order.iter().map(|&t| center(t))).size();
    let axis = size.max_position();
    let middle = order.len() / 2;
    order.select_nth_unstable_by(middle, |&a, &b| {
        center(a)[axis].total_cmp(&center(b)[axis]).then(a.cmp(&b))
    });
    let (low, high) = order.split_at_mut(middle);
    split(bounds, low, first, nodes);
    nodes[index].first = nodes.len() as u32;
    nodes[index].count = 0;
    split(bounds, high, first + middle as u32, nodes);
}
