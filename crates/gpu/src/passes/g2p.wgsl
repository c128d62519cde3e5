// Grid to particles: velocity and its gradient from the nodes, contact, motion, deformation, stress.
// A thread is a sorted place; it reads the particle that belongs there and writes it in order to the
// other side, with the stress of the next step folded into the affine matrix.
// Where there are many particles (TILED), a workgroup is a block instead: it keeps the nodes that its
// particles reach at hand, and its threads take one place after the other.

#if TILED
var<workgroup> tile: array<vec4<f32>, TILE * NODE_PARTS>;
var<workgroup> places: vec2<u32>;
#end
#if WATCH
var<workgroup> fastest: atomic<u32>;
var<workgroup> stiffest: atomic<u32>;
#end

@compute @workgroup_size(G2P_SIZE)
fn g2p(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
#if WATCH
    if lid == 0u {
        atomicStore(&fastest, 0u);
        atomicStore(&stiffest, 0u);
    }
    workgroupBarrier();
#end
#if TILED
    let block = group.y * ROW + group.x;
    if lid == 0u { places = places_of(block); }
    let range = workgroupUniformLoad(&places);
    if range.x == range.y { return; }
    fill_tile(block, lid);
    workgroupBarrier();
    for (var i = range.x + lid; i < range.y; i += G2P_SIZE) { take(i); }
#else
    let i = flat(group, lid, G2P_SIZE);
    if i < params.n { take(i); }
#end
#if WATCH
    workgroupBarrier();
    if lid == 0u {
        atomicMax(&atomics[SPEED], atomicLoad(&fastest));
        atomicMax(&atomics[WAVE], atomicLoad(&stiffest));
    }
#end
}

// Moves a particle and watches how fast it is.
fn take(i: u32) {
    let speeds = advance(i);
#if WATCH
    atomicMax(&fastest, bitcast<u32>(speeds.x));
    atomicMax(&stiffest, bitcast<u32>(speeds.y));
#end
}

#if TILED
// First place of a block and one past its last.
fn places_of(block: u32) -> vec2<u32> {
    if block >= atomicLoad(&atomics[PARTICLE_BLOCKS + params.list]) { return vec2<u32>(); }
    let at = PLACES + 2u * block;
    return vec2<u32>(atomicLoad(&atomics[at]), atomicLoad(&atomics[at + 1u]));
}

fn fill_tile(block: u32, lid: u32) {
    for (var k = lid; k < TILE; k += G2P_SIZE) {
        let at = vec3<u32>(k / (EDGE * EDGE), (k / EDGE) % EDGE, k % EDGE);
        let corner = (at.x >> 2u) + 2u * (at.y >> 2u) + 4u * (at.z >> 2u);
        let node = (at.x & 3u) * 16u + (at.y & 3u) * 4u + (at.z & 3u);
        let source = (links[nodes_of(params.list, block, corner)] * 64u + node) * NODE_PARTS;
        tile[k] = nodes[source];
#if FLIP
        tile[TILE + k] = nodes[source + 1u];
#end
    }
}
#end

// Moves a particle; gives the squares of its speed and of its elastic waves [m²/s²].
fn advance(i: u32) -> vec2<f32> {
    let p = lists[index_at(i)];
    let cell = lists[cell_at(i)];
    let block = cell >> 6u;
    let local = vec3<u32>((cell >> 4u) & 3u, (cell >> 2u) & 3u, cell & 3u);
    let side = params.side * 4u;
    let other = 4u - side;
    let position = load(side + POSITION, p);
    let m = bitcast<f32>(position.w);
    let r = fraction(position);
    var wx = weights(r.x);
    var wy = weights(r.y);
#if PLANAR
    let wz = flat_weights();
#else
    var wz = weights(r.z);
#end
#if HAS_BODIES
    let near = links[near_of(params.list, block)];
    var base = vec3<i32>();
    if near != 0u {
        base = 4 * coords[params.list * CAP_G + block].xyz + vec3<i32>(local);
        if is_walled(base) {
            wx = ended(r.x, base.x, params.first_wall.x, params.last_wall.x);
            wy = ended(r.y, base.y, params.first_wall.y, params.last_wall.y);
#if PLANAR
#else
            wz = ended(r.z, base.z, params.first_wall.z, params.last_wall.z);
#end
        }
    }
#end
    var v = vec3<f32>();
    var slope_x = vec3<f32>();
    var slope_y = vec3<f32>();
    var slope_z = vec3<f32>();
#if TILED
    let first = (local.x * EDGE + local.y) * EDGE + local.z;
#else
    // Blocks of the nodes: eight loads, and a choice in registers for each row of nodes.
    let corners = nodes_of(params.list, block, 0u);
#for q 8
    let corner_$q = links[corners + $qu];
#end
#for k W
    let node_z_$k = (local.z + $ku) & 3u;
    let above_$k = local.z + $ku >= 4u;
#end
#end
#for i W
#for j W
    {
#if TILED
        let along_z = first + ($iu * EDGE + $ju) * EDGE;
#else
        let x = local.x + $iu;
        let y = local.y + $ju;
        let low = select(select(corner_0, corner_1, x >= 4u), select(corner_2, corner_3, x >= 4u), y >= 4u);
        let high = select(select(corner_4, corner_5, x >= 4u), select(corner_6, corner_7, x >= 4u), y >= 4u);
        let node = (x & 3u) * 16u + (y & 3u) * 4u;
#end
        var row = vec3<f32>();
        var along = vec3<f32>();
#for k DEPTH
        {
#if TILED
            let u = tile[along_z + $ku].xyz;
#else
            let at = (select(low, high, above_$k) * 64u + node + node_z_$k) * NODE_PARTS;
            let u = nodes[at].xyz;
#end
            row += wz.w[$k] * u;
            along += wz.g[$k] * u;
#if FLIP
#if TILED
            let change = tile[TILE + along_z + $ku].xyz;
#else
            let change = nodes[at + 1u].xyz;
#end
            v += (wx.w[$i] * wy.w[$j] * wz.w[$k]) * change;
#end
        }
#end
#if FLIP
#else
        v += (wx.w[$i] * wy.w[$j]) * row;
#end
        slope_x += (wx.g[$i] * wy.w[$j]) * row;
        slope_y += (wx.w[$i] * wy.g[$j]) * row;
        slope_z += (wx.w[$i] * wy.w[$j]) * along;
    }
#end
#end
#if FLIP
    // (1 − α) v_PIC + α v_FLIP = Σ w (v_new − α v_old) + α v.
    v += params.flip_fraction * bitcast<vec4<f32>>(load(side + VELOCITY, p)).xyz;
    let moment = params.inverse;
#else
    let moment = INVERSE_MOMENT * params.inverse;
#end
    v *= params.fade;
    slope_x *= moment;
    slope_y *= moment;
    slope_z *= moment;

    var way = v * params.dt;
#if HAS_BODIES
    if near != 0u {
#if PLANAR
        let offset = (r + vec3<f32>(SHIFT, SHIFT, 0.0)) * params.h;
#else
        let offset = (r + SHIFT) * params.h;
#end
        let shift = contact_of_particle(near, base, offset, &v, m, block);
        way = v * params.dt + shift;
    }
#end
    let goal = arrive(local, position, way);
    store(other + POSITION, i, vec4<u32>(goal.fraction, position.w));
    lists[keys_at(i)] = leave(block, goal.cell);
    var spreads = vec3<f32>(1.0);
#if HAS_BODIES
    let next = base - vec3<i32>(local) + goal.cell;
    if near != 0u && is_walled(next) {
        // Where splines will end, the affine matrix is multiplied by their second moment.
        let s = fraction(vec4<u32>(goal.fraction, 0u));
        spreads.x = spread(s.x, next.x, params.first_wall.x, params.last_wall.x);
        spreads.y = spread(s.y, next.y, params.first_wall.y, params.last_wall.y);
#if PLANAR
#else
        spreads.z = spread(s.z, next.z, params.first_wall.z, params.last_wall.z);
#end
    }
#end
    let names = identity[params.side * N + p];
    let speeds = vec2<f32>(dot(v, v), deform(i, p, side, other, names.y, v, slope_x, slope_y, slope_z, spreads, m));
    identity[(1u - params.side) * N + i] = names;
#if WATCH
    if !(speeds.x < 3e38) || !(speeds.y < 3e38) { atomicStore(&atomics[BROKEN], names.x + 1u); }
    let home = 4 * coords[params.list * CAP_G + block].xyz + vec3<i32>(local);
    let place = vec3<f32>(home) + r + SHIFT + way * params.inverse;
    if any(place < params.low.xyz) || any(place > params.high.xyz) { atomicStore(&atomics[FAR], names.x + 1u); }
#end
    return speeds;
}

// Where a particle is: the cell relative to its old block, and the fractions of it in units of 2⁻³².
struct Place {
    cell: vec3<i32>,
    fraction: vec3<u32>,
};

// The place after a way [m].
fn arrive(local: vec3<u32>, position: vec4<u32>, way: vec3<f32>) -> Place {
    let cells_way = clamp(way * params.inverse, vec3<f32>(-3.0), vec3<f32>(3.0));
    let size = abs(cells_way);
    let whole = floor(size);
    let part = vec3<u32>((size - whole) * 4294967296.0);
    let back = cells_way < vec3<f32>();
    let moved = select(position.xyz + part, position.xyz - part, back);
    let wrapped = select((moved < position.xyz), (moved > position.xyz), back);
    let steps = vec3<i32>(whole) + select(vec3<i32>(), vec3<i32>(1), wrapped);
    return Place(vec3<i32>(local) + select(steps, -steps, back), moved);
}

// Notes that the block loses a particle to a cell; says where that is: block, direction, cell.
fn leave(block: u32, goal: vec3<i32>) -> u32 {
    let turn = vec3<u32>((goal >> vec3<u32>(2u)) + 1);
    let at = vec3<u32>(goal & vec3<i32>(3));
    let direction = (turn.x * 3u + turn.y) * 3u + turn.z;
    let bit = 1u << direction;
    let mask = MASKS + params.list * CAP_P + block;
    if (atomicLoad(&atomics[mask]) & bit) == 0u { atomicOr(&atomics[mask], bit); }
    return block * 2048u + direction * 64u + (at.x * 16u + at.y * 4u + at.z);
}

// Deforms a particle, lets it flow and stores it with its stress; gives the square of its wave speed.
fn deform(i: u32, p: u32, side: u32, other: u32, material: u32, v: vec3<f32>, cx: vec3<f32>, cy: vec3<f32>, cz: vec3<f32>, spreads: vec3<f32>, m: f32) -> f32 {
    let a = bitcast<vec4<f32>>(load(side + STRAIN_A, p));
    let b = bitcast<vec4<f32>>(load(side + STRAIN_B, p));
    let dt = params.dt;
    let e = stretch(
        Sym(a.xyz, vec3<f32>(a.w, b.xy)),
        vec3<f32>(cx.x, cy.x, cz.x) * dt, vec3<f32>(cx.y, cy.y, cz.y) * dt, vec3<f32>(cx.z, cy.z, cz.z) * dt
    );
    let found = eigen(e);
    let trial = strains(found.values);
    let d = project(material, trial, b.z);
    // J stays: what goes out of J_E goes into J_P.
    let change = volume_change(d);
    let q = b.z + (1.0 + b.z) * (volume_change(trial) - change) / (1.0 + change);
    let response = stress(material, d, q);
    var kept = e;
    if any(d != trial) { kept = rebuild(d * (d + 2.0), found); }
    store(other + STRAIN_A, i, bitcast<vec4<u32>>(vec4<f32>(kept.d, kept.o.x)));
    store(other + STRAIN_B, i, bitcast<vec4<u32>>(vec4<f32>(kept.o.yz, q, b.w)));
    let tau = rebuild(response.xyz, found);
    store_affine(i, other, v, cx * spreads.x, cy * spreads.y, cz * spreads.z, tau, params.bake * b.w / m);
    let density = m / (b.w * (1.0 + change) * (1.0 + q));
    return response.w / density;
}
