// B-splines along one axis for a particle at the fraction r of its cell: weights, and the second
// weights g, which are derivatives [1/cell] for FLIP and moments w·(x_node − x) [cells] for APIC.
#if CUBIC
fn weights(r: f32) -> Weights {
    let s = 1.0 - r;
    let w0 = s * s * s / 6.0;
    let w1 = r * r * (0.5 * r - 1.0) + 2.0 / 3.0;
    let w2 = s * s * (0.5 * s - 1.0) + 2.0 / 3.0;
    let w3 = r * r * r / 6.0;
#if FLIP
    return Weights(
        array<f32, 4>(w0, w1, w2, w3),
        array<f32, 4>(-0.5 * s * s, r * (1.5 * r - 2.0), -s * (1.5 * s - 2.0), 0.5 * r * r)
    );
#else
    return Weights(
        array<f32, 4>(w0, w1, w2, w3),
        array<f32, 4>(w0 * (-1.0 - r), w1 * -r, w2 * s, w3 * (2.0 - r))
    );
#end
}
#else
fn weights(r: f32) -> Weights {
    let s = 1.0 - r;
    let c = r - 0.5;
    let w0 = 0.5 * s * s;
    let w1 = 0.75 - c * c;
    let w2 = 0.5 * r * r;
#if FLIP
    return Weights(array<f32, 3>(w0, w1, w2), array<f32, 3>(-s, -2.0 * c, r));
#else
    return Weights(array<f32, 3>(w0, w1, w2), array<f32, 3>(w0 * (-0.5 - r), w1 * -c, w2 * (1.5 - r)));
#end
}
#end

#if HAS_BODIES
// Where a spline from node `base` on meets a wall along an axis: nodes behind it, and the distance from
// it [cells] of a particle at the fraction r of its cell; the sign tells an upper wall.
struct End {
    behind: i32,
    y: f32,
    upper: bool,
};

fn end_of(r: f32, base: i32, axis: u32) -> End {
    let below = params.first_wall[axis] - base;
    let above = base + i32(W) - 1 - params.last_wall[axis];
    if below >= above { return End(below, max(r + SHIFT - f32(below), 0.0), false); }
    return End(above, max(f32(i32(W) - 1 - above) - (r + SHIFT), 0.0), true);
}

// The second moment of a spline that ends, over that of a whole one.
fn spread(r: f32, base: i32, axis: u32) -> f32 {
    let end = end_of(r, base, axis);
    let y = end.y;
    if end.behind <= 0 || end.behind >= i32(W) { return 1.0; }
#if CUBIC
    return 3.0 * y * (1.0 - y + y * y / 3.0);
#else
    return 4.0 * y * (1.0 - y);
#end
}

// Weights at a node `base` of an axis; splines end at walls, as in the CPU solver (`mpm::ended`).
fn weights_at(r: f32, base: i32, axis: u32) -> Weights {
    var found = weights(r);
    let end = end_of(r, base, axis);
    if end.behind <= 0 || end.behind >= i32(W) { return found; }
    let y = end.y;
#if CUBIC
    let w0 = 1.0 - y + y * y * y / 6.0;
    let w = vec3<f32>(w0, y - y * y * y / 3.0, y * y * y / 6.0);
#if FLIP
    var g = vec3<f32>(-1.0 + 0.5 * y * y, 1.0 - y * y, 0.5 * y * y);
#else
    let k = 1.0 / (3.0 * (1.0 - y + y * y / 3.0));
    var g = vec3<f32>(-w0 * k, (1.0 - y * y / 3.0) * (1.0 - y) * k, y * y * (2.0 - y) * k / 6.0);
#end
#else
    let w = vec3<f32>(1.0 - y, y, 0.0);
#if FLIP
    var g = vec3<f32>(-1.0, 1.0, 0.0);
#else
    var g = vec3<f32>(-0.25, 0.25, 0.0);
#end
#end
    // One node alone has no gradient.
    if end.behind > 1 { g = vec3<f32>(); }
    if end.upper { g = -g; }
#for k W
    {
        let i = select($k, i32(W) - 1 - $k, end.upper) - end.behind;
        found.w[$k] = select(0.0, w[clamp(i, 0, 2)], i >= 0);
        found.g[$k] = select(0.0, g[clamp(i, 0, 2)], i >= 0);
    }
#end
    return found;
}
#else
fn weights_at(r: f32, base: i32, axis: u32) -> Weights { return weights(r); }
#end

// In the plane there is one layer of nodes.
fn flat_weights() -> Weights {
    var one = Weights();
    one.w[0] = 1.0;
    return one;
}

fn fraction(position: vec4<u32>) -> vec3<f32> {
    return vec3<f32>(position.xyz >> vec3<u32>(8u)) * (1.0 / 16777216.0);
}

// An entry of an array by a number that is not known beforehand, without going through memory.
fn pick(a: array<f32, W>, k: u32) -> f32 {
    var found = a[0];
#for k W
    if k == $ku { found = a[$k]; }
#end
    return found;
}
