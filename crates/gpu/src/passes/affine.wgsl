// The affine matrix A = C − Δt D⁻¹ (V/m) τ of MLS-MPM, by columns; for FLIP only −Δt (V/m) τ. `scale` is
// Δt V/m.
fn store_affine(i: u32, side: u32, v: vec3<f32>, cx: vec3<f32>, cy: vec3<f32>, cz: vec3<f32>, tau: Sym, scale: f32) {
#if FLIP
    store(side + VELOCITY, i, bitcast<vec4<u32>>(vec4<f32>(v, 0.0)));
    store(AFFINE_A, i, bitcast<vec4<u32>>(-scale * vec4<f32>(tau.d.x, tau.o.z, tau.o.y, tau.d.y)));
    store(AFFINE_B, i, bitcast<vec4<u32>>(-scale * vec4<f32>(tau.o.x, tau.d.z, 0.0, 0.0)));
#else
    let k = -scale * INVERSE_MOMENT * params.inverse * params.inverse;
    let x = cx + k * vec3<f32>(tau.d.x, tau.o.z, tau.o.y);
    let y = cy + k * vec3<f32>(tau.o.z, tau.d.y, tau.o.x);
    let z = cz + k * vec3<f32>(tau.o.y, tau.o.x, tau.d.z);
    store(side + VELOCITY, i, bitcast<vec4<u32>>(vec4<f32>(v, z.z)));
    store(AFFINE_A, i, bitcast<vec4<u32>>(vec4<f32>(x, y.x)));
    store(AFFINE_B, i, bitcast<vec4<u32>>(vec4<f32>(y.yz, z.xy)));
#end
}
