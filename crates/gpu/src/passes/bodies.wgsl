// Rigid bodies: signed distance and contact (Meyer 4.4).
//
// A body is nine rows of `shapes`: 0 kind, flags (1 hollow, 2 sticking, bits 8.. open sides), first row
// and number of rows of its data; 1 reference node, friction; 2 position relative to that node [m],
// radius; 3-5 rows of the rotation from world to body, with half the edges in w (of a frustum: where it
// begins and ends along y, and the radius where it begins); 6 velocity, 7 angular velocity, 8 spare.

const PLANE: u32 = 0u;
const CUBOID: u32 = 1u;
const CONTAINER: u32 = 2u;
const SPHERE: u32 = 3u;
const POLYHEDRON: u32 = 4u;
const SAMPLED: u32 = 5u;
const FRUSTUM: u32 = 6u;
const CAPSULE: u32 = 7u;
// It has vanished.
const GONE: u32 = 8u;

// Nodes up to so many cells away from a surface are on it, and faces that differ by less are equally
// near: the first of them gives the normal, as on the CPU.
const ON_SURFACE: f32 = 1e-4;

fn row(body: u32, k: u32) -> vec4<f32> { return shapes[params.body_base + body * 9u + k]; }

// Place of a point relative to the body's position [m].
fn relative(body: u32, node: vec3<i32>, offset: vec3<f32>) -> vec3<f32> {
    let reference = bitcast<vec3<i32>>(row(body, 1u).xyz);
    return vec3<f32>(node - reference) * params.h + (offset - row(body, 2u).xyz);
}

// Normal and signed distance at a node plus an offset [m].
fn distance_to(body: u32, node: vec3<i32>, offset: vec3<f32>) -> vec4<f32> {
    let rotation = transpose(mat3x3<f32>(row(body, 3u).xyz, row(body, 4u).xyz, row(body, 5u).xyz));
    let found = local_distance(body, rotation * relative(body, node, offset));
    return vec4<f32>(found.xyz * rotation, found.w);
}

fn local_distance(body: u32, p: vec3<f32>) -> vec4<f32> {
    let head = bitcast<vec4<u32>>(row(body, 0u));
    let half = vec3<f32>(row(body, 3u).w, row(body, 4u).w, row(body, 5u).w);
    var found = vec4<f32>(0.0, 1.0, 0.0, p.y);
    switch head.x {
        case CUBOID: { found = cuboid(p, half); }
        case CONTAINER: { found = container(p, half, head.y >> 8u); }
        case SPHERE: {
            let length = length(p);
            found = vec4<f32>(select(vec3<f32>(0.0, 1.0, 0.0), p / max(length, 1e-30), length > 0.0), length - row(body, 2u).w);
        }
        case POLYHEDRON: { found = polyhedron(p, head.z, head.w); }
        case FRUSTUM: { found = frustum(p, half.xy, vec2<f32>(half.z, row(body, 2u).w)); }
        case CAPSULE: { found = capsule(p, half.y, row(body, 2u).w); }
        case SAMPLED: { found = sampled(p, head.z); }
        case GONE: { found.w = 3e38; }
        default: {}
    }
    return select(found, -found, (head.y & 1u) != 0u);
}

fn signs(p: vec3<f32>) -> vec3<f32> { return select(vec3<f32>(-1.0), vec3<f32>(1.0), p >= vec3<f32>()); }

fn cuboid(p: vec3<f32>, half: vec3<f32>) -> vec4<f32> {
    let q = abs(p) - half;
    let tie = ON_SURFACE * params.h;
    let outside = select(vec3<f32>(), q, q > vec3<f32>(tie));
    let away = length(outside);
    if away > 0.0 { return vec4<f32>(signs(p) * outside / away, away); }
    let deepest = max(q.x, max(q.y, q.z));
    var axis = vec3<f32>(0.0, 0.0, 1.0);
    if q.x >= deepest - tie { axis = vec3<f32>(1.0, 0.0, 0.0); } else if q.y >= deepest - tie { axis = vec3<f32>(0.0, 1.0, 0.0); }
    return vec4<f32>(axis * signs(p), deepest);
}

fn container(p: vec3<f32>, half: vec3<f32>, open: u32) -> vec4<f32> {
    let tie = ON_SURFACE * params.h;
    var nearest = vec4<f32>(0.0, 1.0, 0.0, 3e38);
#for k 3
    if (open & (1u << (2u * $ku))) == 0u && half[$k] + p[$k] < nearest.w - tie {
        nearest = vec4<f32>(0.0, 0.0, 0.0, half[$k] + p[$k]);
        nearest[$k] = 1.0;
    }
    if (open & (2u << (2u * $ku))) == 0u && half[$k] - p[$k] < nearest.w - tie {
        nearest = vec4<f32>(0.0, 0.0, 0.0, half[$k] - p[$k]);
        nearest[$k] = -1.0;
    }
#end
    return nearest;
}

// Exact inside; outside a lower bound, which is all that contact asks for.
fn polyhedron(p: vec3<f32>, first: u32, count: u32) -> vec4<f32> {
    var found = vec4<f32>(0.0, 1.0, 0.0, -3e38);
    for (var k = 0u; k < count; k++) {
        let plane = shapes[first + k];
        let distance = dot(plane.xyz, p) - plane.w;
        if distance > found.w + ON_SURFACE * params.h { found = vec4<f32>(plane.xyz, distance); }
    }
    return found;
}

// A truncated cone from y.x to y.y with these radii: in the half plane through the axis and the point.
fn frustum(p: vec3<f32>, y: vec2<f32>, radii: vec2<f32>) -> vec4<f32> {
    let radius = length(p.xz);
    let outwards = select(vec2<f32>(1.0, 0.0), p.xz / max(radius, 1e-30), radius > 0.0);
    let tie = ON_SURFACE * params.h;
    let q = vec2<f32>(radius, p.y);
    let start = vec2<f32>(radii.x, y.x);
    let side = vec2<f32>(radii.y - radii.x, y.y - y.x);
    let across = vec2<f32>(side.y, -side.x) / length(side);
    let from_side = dot(across, q - start);
    var normal = vec2<f32>(0.0, -1.0);
    var distance = y.x - q.y;
    if q.y - y.y > distance + tie {
        normal = vec2<f32>(0.0, 1.0);
        distance = q.y - y.y;
    }
    if from_side > distance + tie {
        normal = across;
        distance = from_side;
    }
    if distance > tie {
        var away = q - vec2<f32>(min(q.x, radii.x), y.x);
        let top = q - vec2<f32>(min(q.x, radii.y), y.y);
        if dot(top, top) < dot(away, away) { away = top; }
        let t = clamp(dot(q - start, side) / dot(side, side), 0.0, 1.0);
        let slope = q - start - t * side;
        if dot(slope, slope) < dot(away, away) { away = slope; }
        let length = length(away);
        if length > 1e-30 {
            distance = length;
            normal = away / length;
        }
    }
    return vec4<f32>(outwards.x * normal.x, normal.y, outwards.y * normal.x, distance);
}

fn capsule(p: vec3<f32>, half: f32, radius: f32) -> vec4<f32> {
    let r = p - vec3<f32>(0.0, clamp(p.y, -half, half), 0.0);
    let length = length(r);
    return vec4<f32>(select(vec3<f32>(1.0, 0.0, 0.0), r / max(length, 1e-30), length > 0.0), length - radius);
}

// Trilinear between samples; row `first` has the lowest corner and the spacing [m], the next one the
// numbers of samples, then follow normals and distances.
fn sampled(p: vec3<f32>, first: u32) -> vec4<f32> {
    let corner = shapes[first];
    let size = bitcast<vec3<u32>>(shapes[first + 1u].xyz);
    let scaled = (p - corner.xyz) / corner.w;
    let inside = clamp(scaled, vec3<f32>(), vec3<f32>(size - vec3<u32>(1u)));
    let beyond = length(scaled - inside) * corner.w;
    let base = min(vec3<u32>(inside), size - vec3<u32>(2u));
    let t = inside - vec3<f32>(base);
    var found = vec4<f32>();
    for (var k = 0u; k < 8u; k++) {
        let bit = vec3<u32>(k & 1u, (k >> 1u) & 1u, k >> 2u);
        let node = base + bit;
        let w = select(1.0 - t, t, bit == vec3<u32>(1u));
        found += shapes[first + 2u + (node.z * size.y + node.y) * size.x + node.x] * w.x * w.y * w.z;
    }
    let steep = length(found.xyz);
    return vec4<f32>(select(vec3<f32>(0.0, 1.0, 0.0), found.xyz / max(steep, 1e-30), steep > 0.0), found.w + beyond);
}

// A relative velocity after contact with a surface (Meyer, listing 10): nothing goes in, and Coulomb's
// friction acts on what slides. At most `most` [m/s] of the normal speed is taken away.
fn slide(body: u32, v: vec3<f32>, normal: vec3<f32>, most: f32) -> vec3<f32> {
    if (bitcast<u32>(row(body, 0u).y) & 2u) != 0u { return vec3<f32>(); }
    let v_n = dot(v, normal);
    if v_n >= 0.0 { return v; }
    let taken = min(-v_n, most);
    let v_t = v - normal * v_n;
    let speed = length(v_t);
    let lost = row(body, 1u).w * taken;
    let left = select(v_t * (1.0 - lost / max(speed, 1e-30)), vec3<f32>(), speed <= lost);
    return left + normal * (v_n + taken);
}

fn surface_velocity(body: u32, at: vec3<f32>) -> vec3<f32> {
    return row(body, 6u).xyz + cross(row(body, 7u).xyz, at);
}

fn is_near(near: u32, body: u32) -> bool { return ((near >> min(body, 31u)) & 1u) == 1u; }

fn contact_of_node(near: u32, node: vec3<i32>, before: vec3<f32>, m: f32, replica: u32) -> vec3<f32> {
    var v = before;
    for (var k = 0u; k < params.bodies; k++) {
        if !is_near(near, k) { continue; }
        let found = distance_to(k, node, vec3<f32>());
        if found.w > ON_SURFACE * params.h { continue; }
        let at = relative(k, node, vec3<f32>());
        let wall = surface_velocity(k, at);
        let after = slide(k, v - wall, found.xyz, 3e38) + wall;
#if WATCH
        push_body(k, (v - after) * m, at, replica);
#end
        v = after;
    }
    return v;
}

// A particle may not end in a body: the part of its velocity that would bring it there is lost, and if
// it is in already, it is pushed out by up to a tenth of a cell. Gives the shift; changes the velocity.
fn contact_of_particle(near: u32, node: vec3<i32>, offset: vec3<f32>, velocity: ptr<function, vec3<f32>>, m: f32, replica: u32) -> vec3<f32> {
    var shift = vec3<f32>();
    for (var k = 0u; k < params.bodies; k++) {
        if !is_near(near, k) { continue; }
        let v = *velocity;
        let found = distance_to(k, node, offset + v * params.dt);
        let depth = -found.w;
        if depth <= 0.0 { continue; }
        let at = relative(k, node, offset);
        let wall = surface_velocity(k, at);
        let after = slide(k, v - wall, found.xyz, depth / params.dt) + wall;
#if WATCH
        push_body(k, (v - after) * m, at, replica);
#end
        let stopped = dot(after - v, found.xyz) * params.dt;
        shift += found.xyz * clamp(depth - stopped, 0.0, 0.1 * params.h);
        *velocity = after;
    }
    return shift;
}

#if WATCH
// Sums of impulses as 64-bit integers: their order does not matter, so that two runs agree.
fn push_body(body: u32, impulse: vec3<f32>, at: vec3<f32>, replica: u32) {
    let base = FORCES + ((replica % REPLICAS) * BODIES + body) * 12u;
    let moment = cross(at, impulse) / params.h;
#for k 3
    add_wide(base + 2u * $ku, impulse[$k] / params.impulse);
    add_wide(base + 6u + 2u * $ku, moment[$k] / params.impulse);
#end
}

fn add_wide(at: u32, value: f32) {
    let rounded = round(clamp(value, -1e18, 1e18));
    let high = floor(rounded / 4294967296.0);
    let low = u32(rounded - high * 4294967296.0);
    let old = atomicAdd(&atomics[at], low);
    let carry = select(0u, 1u, old + low < low);
    atomicAdd(&atomics[at + 1u], bitcast<u32>(i32(high)) + carry);
}
#end
