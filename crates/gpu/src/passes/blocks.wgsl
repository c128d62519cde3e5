// The sparse grid. Particles have said which of the 27 blocks around their own they go to; these become
// the next list of blocks, each once, found through a hash table. A table entry names a candidate, (a
// block of a list, a direction), whose coordinates can be looked up: so one 32-bit exchange claims a
// place for coordinates of any size. Indices of blocks differ from run to run; nothing depends on them.

const NEW: u32 = 0x80000000u;

fn wrap(block: vec3<i32>) -> vec3<i32> {
    let period = max(params.period, vec3<i32>(1));
    let rest = ((block % period) + period) % period;
    return select(block, rest, params.period > vec3<i32>());
}

fn toward(block: vec3<i32>, direction: u32) -> vec3<i32> {
    let way = vec3<i32>(vec3<u32>(direction / 9u, (direction / 3u) % 3u, direction % 3u)) - 1;
    return wrap(block + way);
}

fn corner_of(block: vec3<i32>, corner: u32) -> vec3<i32> {
    return wrap(block + vec3<i32>(vec3<u32>(corner & 1u, (corner >> 1u) & 1u, corner >> 2u)));
}

fn coordinates(list: u32, block: u32) -> vec3<i32> { return coords[list * CAP_G + block].xyz; }

// The block that a table entry stands for.
fn meaning(entry: u32) -> vec3<i32> {
    let candidate = (entry & ~NEW) - 1u;
    if (entry & NEW) != 0u { return corner_of(coordinates(1u - params.list, candidate / 8u), candidate % 8u); }
    return toward(coordinates(params.list, candidate / 32u), candidate % 32u);
}

fn hash(block: vec3<i32>) -> u32 {
    let key = bitcast<vec3<u32>>(block) * vec3<u32>(73856093u, 19349663u, 83492791u);
    var h = (key.x ^ key.y ^ key.z) * 2654435769u;
    h ^= h >> 15u;
    return h & (TABLE - 1u);
}

// Claims a place; true for the one thread that is first.
fn claim(block: vec3<i32>, entry: u32, place: ptr<function, u32>) -> bool {
    var h = hash(block);
    for (var tries = 0u; tries < TABLE; ) {
        let seen = atomicCompareExchangeWeak(&atomics[TABLE_REP + h], 0u, entry);
        if seen.exchanged {
            *place = h;
            return true;
        }
        // A weak exchange may fail for no reason.
        if seen.old_value == 0u { continue; }
        if all(meaning(seen.old_value) == block) { return false; }
        h = (h + 1u) & (TABLE - 1u);
        tries++;
    }
    atomicStore(&atomics[FULL], 1u);
    return false;
}

fn find(block: vec3<i32>) -> u32 {
    var h = hash(block);
    for (var tries = 0u; tries < TABLE; tries++) {
        let entry = atomicLoad(&atomics[TABLE_REP + h]);
        if entry == 0u { return NONE; }
        if all(meaning(entry) == block) { return atomicLoad(&atomics[TABLE_SLOT + h]); }
        h = (h + 1u) & (TABLE - 1u);
    }
    return NONE;
}

// Gives a block that was claimed its index.
fn enlist(block: vec3<i32>, place: u32, slot: u32, most: u32) {
    if slot >= most {
        atomicStore(&atomics[FULL], 1u);
        atomicStore(&atomics[TABLE_SLOT + place], NONE);
        return;
    }
    coords[(1u - params.list) * CAP_G + slot] = vec4<i32>(block, 0);
    atomicStore(&atomics[TABLE_SLOT + place], slot);
}

// Blocks that particles go to.
@compute @workgroup_size(128)
fn occupy(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let next = 1u - params.list;
    let work = min(atomicLoad(&atomics[PARTICLE_BLOCKS + params.list]), CAP_P) * 32u;
    for (var t = id.x; t < work; t += groups.x * 128u) {
        let mask = atomicLoad(&atomics[MASKS + params.list * CAP_P + t / 32u]);
        if ((mask >> (t % 32u)) & 1u) == 0u { continue; }
        let block = toward(coordinates(params.list, t / 32u), t % 32u);
        var place = 0u;
        if claim(block, t + 1u, &place) {
            enlist(block, place, atomicAdd(&atomics[PARTICLE_BLOCKS + next], 1u), CAP_P);
        }
    }
}

// Blocks of nodes that the tiles of those reach into besides.
@compute @workgroup_size(128)
fn reach(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let next = 1u - params.list;
    let occupied = min(atomicLoad(&atomics[PARTICLE_BLOCKS + next]), CAP_P);
    for (var t = id.x; t < occupied * 8u; t += groups.x * 128u) {
#if PLANAR
        if (t & 4u) != 0u { continue; }
#end
        let block = corner_of(coordinates(next, t / 8u), t % 8u);
        var place = 0u;
        if t % 8u != 0u && claim(block, (t + 1u) | NEW, &place) {
            enlist(block, place, occupied + atomicAdd(&atomics[NODE_BLOCKS + next], 1u), CAP_G);
        }
    }
}

// Links from blocks to their nodes and back, and from the old list to the new.
@compute @workgroup_size(128)
fn link(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let next = 1u - params.list;
    let occupied = min(atomicLoad(&atomics[PARTICLE_BLOCKS + next]), CAP_P);
    let reached = min(occupied + atomicLoad(&atomics[NODE_BLOCKS + next]), CAP_G);
    let left = min(atomicLoad(&atomics[PARTICLE_BLOCKS + params.list]), CAP_P);
    let step = groups.x * 128u;
    for (var t = id.x; t < reached * 8u; t += step) {
        let block = coordinates(next, t / 8u);
        let corner = t % 8u;
        let back = vec3<i32>(vec3<u32>(corner & 1u, (corner >> 1u) & 1u, corner >> 2u));
        let source = find(wrap(block - back));
        links[source_of(next, t / 8u, corner)] = select(NONE, source, source < occupied);
        if t / 8u < occupied {
            // In the plane there are no corners above; those links are never used.
            let found = find(corner_of(block, corner));
            links[nodes_of(next, t / 8u, corner)] = select(found, 0u, found == NONE);
        }
    }
    for (var t = id.x; t < left * 32u; t += step) {
        let mask = atomicLoad(&atomics[MASKS + params.list * CAP_P + t / 32u]);
        if ((mask >> (t % 32u)) & 1u) == 0u { continue; }
        let found = find(toward(coordinates(params.list, t / 32u), t % 32u));
        links[way_of(params.list, t / 32u, t % 32u)] = select(found, 0u, found >= CAP_P);
    }
    for (var t = id.x; t < occupied * 64u; t += step) { atomicStore(&cells[end_at(t)], 0u); }
    for (var t = id.x; t < occupied; t += step) { atomicStore(&atomics[MASKS + next * CAP_P + t], 0u); }
    if id.x == 0u {
        dispatches[0] = min(occupied, ROW);
        dispatches[1] = (occupied + ROW - 1u) / ROW;
        dispatches[2] = 1u;
        dispatches[4] = min(reached, ROW);
        dispatches[5] = (reached + ROW - 1u) / ROW;
        dispatches[6] = 1u;
    }
}
