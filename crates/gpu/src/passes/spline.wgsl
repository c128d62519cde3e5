// B-splines along one axis for a particle at the fraction r of its cell: weights, and the second
// weights g, which are derivatives [1/cell] for FLIP and moments w·(x_node − x) [cells] for APIC.
#if CUBIC
fn weights(r: f32) -> Weights {
    let s = 1.0 - r;
    let w0 = s * s * s / 6.0;
    let w2 = s * s * (0.5 * s - 1.0) + 2.0 / 3.0;
    let w3 = r * r * r / 6.0;
    // What is left of one. By its own formula, r²(r/2 − 1) + 2/3, the sum would be 1 + 4e-8 in the mean, since 2/3
    // is rounded up, and momentum would grow in every step.
    let w1 = 1.0 - w0 - w3 - w2;
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
// Whether splines from a node on end at a wall.
fn is_walled(base: vec3<i32>) -> bool {
    return any(base < params.first_wall.xyz) || any(base + i32(W) - 1 > params.last_wall.xyz);
}

// Whether those of a block's particles may, which begins at a node.
fn is_block_walled(corner: vec3<i32>) -> bool {
    return any(corner < params.first_wall.xyz) || any(corner + i32(W) + 2 > params.last_wall.xyz);
}

// Where a spline from node `base` on meets a wall along an axis: nodes behind it, and the distance from
// it [cells] of a particle at the fraction r of its cell.
struct End {
    behind: i32,
    y: f32,
    upper: bool,
};

fn end_of(r: f32, base: i32, first: i32, last: i32) -> End {
    let below = first - base;
    let above = base + i32(W) - 1 - last;
    if below >= above { return End(below, max(r + SHIFT - f32(below), 0.0), false); }
    return End(above, max(f32(i32(W) - 1 - above) - (r + SHIFT), 0.0), true);
}

// The second moment of a spline that ends, over that of a whole one.
fn spread(r: f32, base: i32, first: i32, last: i32) -> f32 {
    let end = end_of(r, base, first, last);
    let y = end.y;
    if end.behind <= 0 || end.behind >= i32(W) { return 1.0; }
#if CUBIC
    return 3.0 * y * (1.0 - y + y * y / 3.0);
#else
    return 4.0 * y * (1.0 - y);
#end
}

// Weights from a node `base` on that may end at walls, as in the CPU solver (`mpm::ended`).
fn ended(r: f32, base: i32, first: i32, last: i32) -> Weights {
    let end = end_of(r, base, first, last);
    if end.behind <= 0 || end.behind >= i32(W) { return weights(r); }
    var found = Weights();
    if end.behind > 1 {
        // Within the wall everything is at its node, which has no gradient.
        let at = select(end.behind, i32(W) - 1 - end.behind, end.upper);
#for k W
        found.w[$k] = select(0.0, 1.0, at == $k);
#end
        return found;
    }
    let y = end.y;
    let sign = select(1.0, -1.0, end.upper);
#if CUBIC
    let w0 = 1.0 - y + y * y * y / 6.0;
    let w = vec3<f32>(w0, y - y * y * y / 3.0, y * y * y / 6.0);
#if FLIP
    let g = sign * vec3<f32>(-1.0 + 0.5 * y * y, 1.0 - y * y, 0.5 * y * y);
#else
    let k = sign / (3.0 * (1.0 - y + y * y / 3.0));
    let g = k * vec3<f32>(-w0, (1.0 - y * y / 3.0) * (1.0 - y), y * y * (2.0 - y) / 6.0);
#end
    if end.upper {
        return Weights(array<f32, 4>(w.z, w.y, w.x, 0.0), array<f32, 4>(g.z, g.y, g.x, 0.0));
    }
    return Weights(array<f32, 4>(0.0, w.x, w.y, w.z), array<f32, 4>(0.0, g.x, g.y, g.z));
#else
#if FLIP
    let g = sign;
#else
    let g = 0.25 * sign;
#end
    if end.upper {
        return Weights(array<f32, 3>(y, 1.0 - y, 0.0), array<f32, 3>(g, -g, 0.0));
    }
    return Weights(array<f32, 3>(0.0, 1.0 - y, y), array<f32, 3>(0.0, -g, g));
#end
}
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
