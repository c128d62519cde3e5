// Particles to grid. A workgroup is a block, W threads are a cell: each takes one x-layer of nodes.
// Sums over the cell's particles stay in registers; layers of all cells then meet in workgroup
// memory, one stencil offset after the other, so that no two threads write to the same node.
// Blocks whose splines may end at a wall have a pass of their own (AT_WALLS): the others keep their
// registers for sums.

var<workgroup> layers: array<vec4<f32>, W * 4u * EDGE * EDGE>;
var<workgroup> blocks_in_use: u32;

fn layer_at(layer: u32, x: u32, y: u32, z: u32) -> u32 {
    return ((layer * 4u + x) * EDGE + y) * EDGE + z;
}

@compute @workgroup_size(64u * W)
fn p2g(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let block = group.y * ROW + group.x;
    if lid == 0u {
        let count = atomics[PARTICLE_BLOCKS + params.list];
#if HAS_BODIES
        // None, for a block of the other pass.
        let at_walls = block < count && is_block_walled(4 * coords[params.list * CAP_G + block].xyz);
        blocks_in_use = select(0u, count, at_walls == (AT_WALLS != 0u));
#else
        blocks_in_use = count;
#end
    }
    let count = workgroupUniformLoad(&blocks_in_use);
    if block >= count { return; }
    let cell = lid / W;
    let layer = lid % W;
    let c = vec3<u32>(cell >> 4u, (cell >> 2u) & 3u, cell & 3u);
#if AT_WALLS
    let base = 4 * coords[params.list * CAP_G + block].xyz + vec3<i32>(c);
#end
#for j W
#for k W
    var sum_$j_$k = vec4<f32>();
#if FLIP
    var push_$j_$k = vec3<f32>();
#end
#end
#end
    let side = params.side * 4u;
    let end = cells[end_at(block * 64u + cell)];
    for (var i = cells[first_at(block * 64u + cell)]; i < end; i++) {
        let p = lists[index_at(i)];
        let position = load(side + POSITION, p);
        let velocity = bitcast<vec4<f32>>(load(side + VELOCITY, p));
        let a = bitcast<vec4<f32>>(load(AFFINE_A, p));
        let b = bitcast<vec4<f32>>(load(AFFINE_B, p));
        let m = bitcast<f32>(position.w);
        let r = fraction(position);
#if AT_WALLS
        let along = ended(r.x, base.x, params.first_wall.x, params.last_wall.x);
        let wy = ended(r.y, base.y, params.first_wall.y, params.last_wall.y);
#else
        let along = weights(r.x);
        let wy = weights(r.y);
#end
#if PLANAR
        let wz = flat_weights();
#else
#if AT_WALLS
        let wz = ended(r.z, base.z, params.first_wall.z, params.last_wall.z);
#else
        let wz = weights(r.z);
#end
#end
        let w = pick(along.w, layer);
        let g = pick(along.g, layer);
#if FLIP
        // Momentum m v and the impulse of the stress, kept apart: FLIP needs the velocities before it.
        let mx = m * w;
        let sx = a.xyz * (m * g * params.inverse);
        let sy = vec3<f32>(a.y, a.w, b.x) * (mx * params.inverse);
        let sz = vec3<f32>(a.z, b.x, b.y) * (mx * params.inverse);
        let v = vec4<f32>(velocity.xyz, 1.0);
#for j W
#for k W
        sum_$j_$k += (mx * wy.w[$j] * wz.w[$k]) * v;
        push_$j_$k += wy.w[$j] * wz.w[$k] * sx + wy.g[$j] * wz.w[$k] * sy + wy.w[$j] * wz.g[$k] * sz;
#end
#end
#else
        // m w (v + A d), with the stress in A (Hu et al. 2018, eq. 16).
        let column_x = vec3<f32>(a.x, a.y, a.z) * params.h;
        let column_y = vec3<f32>(a.w, b.x, b.y) * params.h;
        let column_z = vec3<f32>(b.z, b.w, velocity.w) * params.h;
        let x = vec4<f32>(velocity.xyz * w + column_x * g, w) * m;
        let y = column_y * (w * m);
        let z = column_z * (w * m);
#for j W
        let x_$j = vec4<f32>(x.xyz * wy.w[$j] + y * wy.g[$j], x.w * wy.w[$j]);
        let z_$j = z * wy.w[$j];
#for k W
        sum_$j_$k += vec4<f32>(x_$j.xyz * wz.w[$k] + z_$j * wz.g[$k], x_$j.w * wz.w[$k]);
#end
#end
#end
    }
    for (var i = lid; i < W * 4u * EDGE * EDGE; i += 64u * W) { layers[i] = vec4<f32>(); }
#for j W
#for k W
    workgroupBarrier();
    layers[layer_at(layer, c.x, c.y + $ju, c.z + $ku)] += sum_$j_$k;
#end
#end
    workgroupBarrier();
    gather(block, lid, 0u);
#if FLIP
    workgroupBarrier();
    for (var i = lid; i < W * 4u * EDGE * EDGE; i += 64u * W) { layers[i] = vec4<f32>(); }
#for j W
#for k W
    workgroupBarrier();
    layers[layer_at(layer, c.x, c.y + $ju, c.z + $ku)] += vec4<f32>(push_$j_$k, 0.0);
#end
#end
    workgroupBarrier();
    gather(block, lid, TILE);
#end
}

// Adds the layers up, in fixed order, and writes the block's tile.
fn gather(block: u32, lid: u32, part: u32) {
    for (var i = lid; i < TILE; i += 64u * W) {
        let x = i / (EDGE * EDGE);
        let rest = i % (EDGE * EDGE);
        var sum = vec4<f32>();
#for s W
        if x >= $su && x < $su + 4u { sum += layers[($su * 4u + x - $su) * EDGE * EDGE + rest]; }
#end
        tiles[block * TILE_PARTS * TILE + part + i] = sum;
    }
}
