// Sorting by cell: counts, first places, an unordered filling, and the order by identifiers within a
// cell, which removes whatever the atomics left to chance.

@compute @workgroup_size(256)
fn count(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let i = flat(group, lid, 256u);
    if i == 0u {
        // The new list is complete: node blocks were counted from the last occupied one.
        let next = 1u - params.list;
        let occupied = min(atomicLoad(&atomics[PARTICLE_BLOCKS + next]), CAP_P);
        let reached = min(occupied + atomicLoad(&atomics[NODE_BLOCKS + next]), CAP_G);
        atomicStore(&atomics[PARTICLE_BLOCKS + next], occupied);
        atomicStore(&atomics[NODE_BLOCKS + next], reached);
        atomicStore(&atomics[PLACED], 0u);
        // The old one is not needed any more; its counters start afresh in the next step.
        atomicStore(&atomics[PARTICLE_BLOCKS + params.list], 0u);
        atomicStore(&atomics[NODE_BLOCKS + params.list], 0u);
    }
    if i >= params.n { return; }
    let key = lists[keys_at(i)];
    let cell = links[way_of(params.list, key / 2048u, (key / 64u) % 32u)] * 64u + key % 64u;
    lists[keys_at(i)] = cell;
    let rank = atomicAdd(&cells[end_at(cell)], 1u);
    if rank == MOST { atomicStore(&atomics[CROWDED], 1u); }
    // Places of the last step are not needed any more.
    lists[index_at(i)] = rank;
}

var<workgroup> sums: array<u32, 64>;
var<workgroup> start: u32;

@compute @workgroup_size(64)
fn place(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let block = group.y * ROW + group.x;
    let used = block < atomicLoad(&atomics[PARTICLE_BLOCKS + 1u - params.list]);
    let cell = block * 64u + lid;
    var mine = 0u;
    if used { mine = atomicLoad(&cells[end_at(cell)]); }
    sums[lid] = mine;
    workgroupBarrier();
    for (var step = 1u; step < 64u; step *= 2u) {
        var before = 0u;
        if lid >= step { before = sums[lid - step]; }
        workgroupBarrier();
        sums[lid] += before;
        workgroupBarrier();
    }
    if lid == 63u && used { start = atomicAdd(&atomics[PLACED], sums[63]); }
    let base = workgroupUniformLoad(&start);
    if used {
        atomicStore(&cells[first_at(cell)], base + sums[lid] - mine);
        atomicStore(&cells[end_at(cell)], base + sums[lid]);
    }
    if used && lid == 63u {
        atomicStore(&atomics[PLACES + 2u * block], base);
        atomicStore(&atomics[PLACES + 2u * block + 1u], base + sums[63]);
    }
}

@compute @workgroup_size(256)
fn fill(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let i = flat(group, lid, 256u);
    if i >= params.n { return; }
    let at = atomicLoad(&cells[first_at(lists[keys_at(i)])]) + lists[index_at(i)];
    lists[places_at(min(at, N - 1u))] = i;
}

@compute @workgroup_size(256)
fn order(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let i = flat(group, lid, 256u);
    if i >= params.n { return; }
    let p = min(lists[places_at(i)], N - 1u);
    let cell = lists[keys_at(p)];
    let first = atomicLoad(&cells[first_at(cell)]);
    let end = min(atomicLoad(&cells[end_at(cell)]), first + MOST);
    let side = (1u - params.side) * N;
    let id = identity[side + p].x;
    var rank = first;
    for (var k = first; k < end; k++) {
        if identity[side + lists[places_at(k)]].x < id { rank++; }
    }
    rank = min(rank, N - 1u);
    lists[index_at(rank)] = p;
    lists[cell_at(rank)] = cell;
}
