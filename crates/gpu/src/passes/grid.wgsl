// Grid update. A workgroup is a block of nodes: each node adds up the at most eight tiles that hold it,
// in fixed order, and makes a velocity of its momentum.

#if HAS_BODIES
var<workgroup> near_bodies: atomic<u32>;
var<workgroup> near_shared: u32;
#end

@compute @workgroup_size(64)
fn grid(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let block = group.y * ROW + group.x;
    let list = params.list;
    // Not a return: threads meet at a barrier below.
    let used = block < counter(NODE_BLOCKS + list);
    let at = vec3<u32>(lid >> 4u, (lid >> 2u) & 3u, lid & 3u);
    var sum = vec4<f32>();
    var push = vec4<f32>();
    if used {
        for (var corner = 0u; corner < 8u; corner++) {
            let source = links[source_of(list, block, corner)];
            let place = at + 4u * vec3<u32>(corner & 1u, (corner >> 1u) & 1u, corner >> 2u);
            if source == NONE || any(place >= vec3<u32>(EDGE)) { continue; }
            let i = source * TILE_PARTS * TILE + (place.x * EDGE + place.y) * EDGE + place.z;
            sum += tiles[i];
#if FLIP
            push += tiles[i + TILE];
#end
        }
    }
    let m = sum.w;
    let some = used && m > 0.0;
    let before = sum.xyz / select(1.0, m, some);
#if FLIP
    var v = before + push.xyz / select(1.0, m, some) + params.kick;
#else
    var v = before + params.kick;
#end
#if HAS_BODIES
    let corner_node = 4 * coords[list * CAP_G + block].xyz;
    let near = find_near(corner_node, block, lid);
    if some && near != 0u {
        let node = corner_node + vec3<i32>(at);
        v = contact_of_node(near, node, v, m, block);
    }
    if used && lid == 0u { links[near_of(list, block)] = near; }
#end
    if used {
        nodes[(block * 64u + lid) * NODE_PARTS] = select(vec4<f32>(), vec4<f32>(v, m), some);
#if FLIP
        // Subtracted here and not by each particle: it would subtract two rounded sums, and
        // momentum would drift by 1e-6 in 200 steps.
        nodes[(block * 64u + lid) * NODE_PARTS + 1u] = select(vec4<f32>(), vec4<f32>(v - params.flip_fraction * before, m), some);
#end
    }
}

#if HAS_BODIES
// The bodies within reach of a block's particles, one bit each; the last bit stands for all from 31 on.
fn find_near(corner_node: vec3<i32>, block: u32, lid: u32) -> u32 {
    if lid == 0u { atomicStore(&near_bodies, 0u); }
    workgroupBarrier();
#if PLANAR
    let reach = (sqrt(4.5) + 3.0) * params.h;
    let middle = vec3<f32>(1.5, 1.5, 0.0) * params.h;
#else
    let reach = (sqrt(6.75) + 3.0) * params.h;
    let middle = vec3<f32>(1.5) * params.h;
#end
    for (var k = lid; k < params.bodies; k += 64u) {
        if distance_to(k, corner_node, middle).w < reach { atomicOr(&near_bodies, 1u << min(k, 31u)); }
    }
    workgroupBarrier();
    if lid == 0u { near_shared = atomicLoad(&near_bodies); }
    return workgroupUniformLoad(&near_shared);
}
#end
