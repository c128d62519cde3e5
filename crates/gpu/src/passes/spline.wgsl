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
