//! Eight lanes at a time, with the same bits everywhere.
//!
//! Hot pair loops are written once, generic over [`Simd`], and run by [`Level::run`] either on plain
//! arrays or on AVX2 registers. Both do the same IEEE operations in the same lane order and neither
//! fuses a multiplication with an addition, so the loops give the same bits on every machine.
//!
//! [`F32x8`] and [`Vec3x8`] have the operators of numbers and vectors.
//!
//! The AVX2 path goes through `pulp`, whose token proves that the instructions exist: no `unsafe`
//! here. What it buys over the compiler's own vectoriser is [`Le::bits`] and [`F32x8::compact`]:
//! lane compares are not turned into bit masks on their own.

mod lanes;

pub use lanes::{F32x8, I32x8, Le, Operand, Vec3x8};

/// Lanes in a block.
pub const LANES: usize = 8;

/// A particle as the pair loops gather it: eight 32-bit words.
pub type Record = [u32; LANES];

/// Where pair loops get their lanes from.
pub trait Simd: Registers {
    /// Every lane the same.
    #[inline(always)]
    fn splat(self, x: f32) -> F32x8<Self> {
        F32x8::new(self, self.broadcast(x))
    }

    /// Every lane the same.
    #[inline(always)]
    fn splat_i(self, x: i32) -> I32x8<Self> {
        I32x8::new(self, self.broadcast_i(x))
    }

    /// The same vector in every lane.
    #[inline(always)]
    fn splat_vector(self, [x, y, z]: [f32; 3]) -> Vec3x8<Self> {
        Vec3x8([self.splat(x), self.splat(y), self.splat(z)])
    }

    /// Lanes from memory.
    #[inline(always)]
    fn load(self, x: &[f32; LANES]) -> F32x8<Self> {
        F32x8::new(self, self.load_array(x))
    }

    /// Lanes from memory.
    #[inline(always)]
    fn load_i(self, x: &[i32; LANES]) -> I32x8<Self> {
        I32x8::new(self, self.load_array_i(x))
    }

    /// The lanes of three components from memory.
    #[inline(always)]
    fn load_vectors(self, [x, y, z]: &[[f32; LANES]; 3]) -> Vec3x8<Self> {
        Vec3x8([self.load(x), self.load(y), self.load(z)])
    }

    /// Eight vectors of four as lanes of their first three components.
    #[inline(always)]
    fn transpose_vectors(self, vectors: [&[f32; 4]; LANES]) -> Vec3x8<Self> {
        Vec3x8(self.columns_of_vectors(vectors).map(|x| F32x8::new(self, x)))
    }

    /// Eight records as eight lanes of each word.
    #[inline(always)]
    fn transpose(self, records: [&Record; LANES]) -> [I32x8<Self>; LANES] {
        self.columns_of_records(records).map(|x| I32x8::new(self, x))
    }
}

impl<R: Registers> Simd for R {}

/// The operations on registers that are behind [`F32x8`] and [`I32x8`].
pub trait Registers: Copy + Send + Sync {
    /// Eight `f32`.
    type F: Copy;
    /// Eight `i32`.
    type I: Copy;

    /// Every lane the same.
    fn broadcast(self, x: f32) -> Self::F;
    /// Every lane the same.
    fn broadcast_i(self, x: i32) -> Self::I;
    /// Lanes from memory.
    fn load_array(self, x: &[f32; LANES]) -> Self::F;
    /// Lanes from memory.
    fn load_array_i(self, x: &[i32; LANES]) -> Self::I;
    /// Lanes to memory.
    fn to_array(self, x: Self::F) -> [f32; LANES];
    /// Lanes to memory.
    fn to_array_i(self, x: Self::I) -> [i32; LANES];
    /// a + b
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    /// a − b
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    /// a · b
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// a / b
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// The larger of a and b; b where either is not a number.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// The smaller of a and b; b where either is not a number.
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    /// √a
    fn sqrt(self, a: Self::F) -> Self::F;
    /// x where a ≤ b, otherwise y.
    fn select_le(self, a: Self::F, b: Self::F, x: Self::F, y: Self::F) -> Self::F;
    /// a − b, wrapping.
    fn sub_i(self, a: Self::I, b: Self::I) -> Self::I;
    /// Nearest `f32` of each lane.
    fn to_float(self, a: Self::I) -> Self::F;
    /// The same bits read as floats.
    fn as_float(self, a: Self::I) -> Self::F;
    /// Bit k is set where a ≤ b in lane k.
    fn mask_le(self, a: Self::F, b: Self::F) -> u32;
    /// Moves the lanes whose bit is set in `mask` to the front, in order; the rest is undefined.
    fn compact(self, mask: u32, a: Self::F) -> Self::F;
    /// As [`Registers::compact`], for integers.
    fn compact_i(self, mask: u32, a: Self::I) -> Self::I;
    /// Eight vectors of four as lanes of their first three components.
    fn columns_of_vectors(self, vectors: [&[f32; 4]; LANES]) -> [Self::F; 3];
    /// Eight records as eight lanes of each word.
    fn columns_of_records(self, records: [&Record; LANES]) -> [Self::I; LANES];
}

/// Work that runs on any [`Simd`].
pub trait Work {
    /// What it returns.
    type Output;
    /// Does the work; must be `#[inline(always)]`, as must all it calls with lanes. A closure of more than an
    /// operation or two in `map` of an array may stay a call, each operation of it another: snow took 40 % longer.
    fn run<S: Simd>(self, s: S) -> Self::Output;
}

/// Which instructions to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Whatever the compiler makes of plain arrays.
    Portable,
    /// AVX2 registers.
    Avx2,
}

impl Level {
    /// The best level of this machine.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if pulp::x86::V3::try_new().is_some() {
            return Self::Avx2;
        }
        Self::Portable
    }

    /// Runs `work` at this level, or portably where the machine lacks the instructions.
    #[inline]
    pub fn run<W: Work>(self, work: W) -> W::Output {
        #[cfg(target_arch = "x86_64")]
        if self == Self::Avx2
            && let Some(v3) = pulp::x86::V3::try_new()
        {
            return v3.vectorize(
                #[inline(always)]
                || work.run(v3),
            );
        }
        work.run(Portable)
    }
}

/// Lanes as plain arrays.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

#[inline(always)]
fn map2<T: Copy>(a: [T; LANES], b: [T; LANES], f: impl Fn(T, T) -> T) -> [T; LANES] {
    std::array::from_fn(|k| f(a[k], b[k]))
}

impl Registers for Portable {
    type F = [f32; LANES];
    type I = [i32; LANES];

    #[inline(always)]
    fn broadcast(self, x: f32) -> Self::F {
        [x; LANES]
    }
    #[inline(always)]
    fn broadcast_i(self, x: i32) -> Self::I {
        [x; LANES]
    }
    #[inline(always)]
    fn load_array(self, x: &[f32; LANES]) -> Self::F {
        *x
    }
    #[inline(always)]
    fn load_array_i(self, x: &[i32; LANES]) -> Self::I {
        *x
    }
    #[inline(always)]
    fn to_array(self, x: Self::F) -> [f32; LANES] {
        x
    }
    #[inline(always)]
    fn to_array_i(self, x: Self::I) -> [i32; LANES] {
        x
    }
    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        // Not f32::max: the x86 instruction returns b for NaN, and wasm would call a library.
        map2(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn min(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn sqrt(self, a: Self::F) -> Self::F {
        a.map(f32::sqrt)
    }
    #[inline(always)]
    fn select_le(self, a: Self::F, b: Self::F, x: Self::F, y: Self::F) -> Self::F {
        std::array::from_fn(|k| if a[k] <= b[k] { x[k] } else { y[k] })
    }
    #[inline(always)]
    fn sub_i(self, a: Self::I, b: Self::I) -> Self::I {
        map2(a, b, i32::wrapping_sub)
    }
    #[inline(always)]
    fn to_float(self, a: Self::I) -> Self::F {
        a.map(|x| x as f32)
    }
    #[inline(always)]
    fn as_float(self, a: Self::I) -> Self::F {
        a.map(|x| f32::from_bits(x as u32))
    }
    #[inline(always)]
    fn mask_le(self, a: Self::F, b: Self::F) -> u32 {
        (0..LANES).fold(0, |mask, k| mask | (u32::from(a[k] <= b[k]) << k))
    }
    #[inline(always)]
    fn compact(self, mask: u32, a: Self::F) -> Self::F {
        COMPACT[mask as usize & 255].map(|k| a[k as usize])
    }
    #[inline(always)]
    fn compact_i(self, mask: u32, a: Self::I) -> Self::I {
        COMPACT[mask as usize & 255].map(|k| a[k as usize])
    }
    #[inline(always)]
    fn columns_of_vectors(self, vectors: [&[f32; 4]; LANES]) -> [Self::F; 3] {
        std::array::from_fn(|k| vectors.map(|v| v[k]))
    }
    #[inline(always)]
    fn columns_of_records(self, records: [&Record; LANES]) -> [Self::I; LANES] {
        std::array::from_fn(|word| records.map(|r| r[word] as i32))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{COMPACT, LANES, Record, Registers};
    use pulp::x86::V3;
    use std::arch::x86_64::{__m256, __m256i, _CMP_LE_OQ};

    impl Registers for V3 {
        type F = __m256;
        type I = __m256i;

        #[inline(always)]
        fn broadcast(self, x: f32) -> __m256 {
            self.avx._mm256_set1_ps(x)
        }
        #[inline(always)]
        fn broadcast_i(self, x: i32) -> __m256i {
            self.avx._mm256_set1_epi32(x)
        }
        #[inline(always)]
        fn load_array(self, x: &[f32; LANES]) -> __m256 {
            bytemuck::cast(*x)
        }
        #[inline(always)]
        fn load_array_i(self, x: &[i32; LANES]) -> __m256i {
            bytemuck::cast(*x)
        }
        #[inline(always)]
        fn to_array(self, x: __m256) -> [f32; LANES] {
            bytemuck::cast(x)
        }
        #[inline(always)]
        fn to_array_i(self, x: __m256i) -> [i32; LANES] {
            bytemuck::cast(x)
        }
        #[inline(always)]
        fn add(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_add_ps(a, b)
        }
        #[inline(always)]
        fn sub(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_sub_ps(a, b)
        }
        #[inline(always)]
        fn mul(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_mul_ps(a, b)
        }
        #[inline(always)]
        fn div(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_div_ps(a, b)
        }
        #[inline(always)]
        fn max(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_max_ps(a, b)
        }
        #[inline(always)]
        fn min(self, a: __m256, b: __m256) -> __m256 {
            self.avx._mm256_min_ps(a, b)
        }
        #[inline(always)]
        fn sqrt(self, a: __m256) -> __m256 {
            self.avx._mm256_sqrt_ps(a)
        }
        #[inline(always)]
        fn select_le(self, a: __m256, b: __m256, x: __m256, y: __m256) -> __m256 {
            self.avx._mm256_blendv_ps(y, x, self.avx._mm256_cmp_ps::<_CMP_LE_OQ>(a, b))
        }
        #[inline(always)]
        fn sub_i(self, a: __m256i, b: __m256i) -> __m256i {
            self.avx2._mm256_sub_epi32(a, b)
        }
        #[inline(always)]
        fn to_float(self, a: __m256i) -> __m256 {
            self.avx._mm256_cvtepi32_ps(a)
        }
        #[inline(always)]
        fn as_float(self, a: __m256i) -> __m256 {
            self.avx._mm256_castsi256_ps(a)
        }
        #[inline(always)]
        fn mask_le(self, a: __m256, b: __m256) -> u32 {
            let le = self.avx._mm256_cmp_ps::<_CMP_LE_OQ>(a, b);
            self.avx._mm256_movemask_ps(le) as u32
        }
        #[inline(always)]
        fn compact(self, mask: u32, a: __m256) -> __m256 {
            let order: __m256i = bytemuck::cast(COMPACT[mask as usize & 255]);
            self.avx2._mm256_permutevar8x32_ps(a, order)
        }
        #[inline(always)]
        fn compact_i(self, mask: u32, a: __m256i) -> __m256i {
            let order: __m256i = bytemuck::cast(COMPACT[mask as usize & 255]);
            self.avx2._mm256_permutevar8x32_epi32(a, order)
        }
        #[inline(always)]
        fn columns_of_vectors(self, vectors: [&[f32; 4]; LANES]) -> [__m256; 3] {
            let v = self.avx;
            // Rows k and k + 4 side by side, then a transpose in each half.
            let row =
                |k: usize| -> __m256 { bytemuck::cast([*vectors[k], *vectors[k + LANES / 2]]) };
            let r: [__m256; 4] = [row(0), row(1), row(2), row(3)];
            let low = [v._mm256_unpacklo_ps(r[0], r[1]), v._mm256_unpacklo_ps(r[2], r[3])];
            let high = [v._mm256_unpackhi_ps(r[0], r[1]), v._mm256_unpackhi_ps(r[2], r[3])];
            [
                v._mm256_shuffle_ps::<0x44>(low[0], low[1]),
                v._mm256_shuffle_ps::<0xEE>(low[0], low[1]),
                v._mm256_shuffle_ps::<0x44>(high[0], high[1]),
            ]
        }
        #[inline(always)]
        fn columns_of_records(self, records: [&Record; LANES]) -> [__m256i; LANES] {
            let v = self.avx;
            let r = records.map(|r| bytemuck::cast::<_, __m256>(*r));
            // Pairs of rows, then fours, then the two halves.
            let t: [__m256; LANES] = [
                v._mm256_unpacklo_ps(r[0], r[1]),
                v._mm256_unpackhi_ps(r[0], r[1]),
                v._mm256_unpacklo_ps(r[2], r[3]),
                v._mm256_unpackhi_ps(r[2], r[3]),
                v._mm256_unpacklo_ps(r[4], r[5]),
                v._mm256_unpackhi_ps(r[4], r[5]),
                v._mm256_unpacklo_ps(r[6], r[7]),
                v._mm256_unpackhi_ps(r[6], r[7]),
            ];
            let u: [__m256; LANES] = [
                v._mm256_shuffle_ps::<0x44>(t[0], t[2]),
                v._mm256_shuffle_ps::<0xEE>(t[0], t[2]),
                v._mm256_shuffle_ps::<0x44>(t[1], t[3]),
                v._mm256_shuffle_ps::<0xEE>(t[1], t[3]),
                v._mm256_shuffle_ps::<0x44>(t[4], t[6]),
                v._mm256_shuffle_ps::<0xEE>(t[4], t[6]),
                v._mm256_shuffle_ps::<0x44>(t[5], t[7]),
                v._mm256_shuffle_ps::<0xEE>(t[5], t[7]),
            ];
            [
                v._mm256_permute2f128_ps::<0x20>(u[0], u[4]),
                v._mm256_permute2f128_ps::<0x20>(u[1], u[5]),
                v._mm256_permute2f128_ps::<0x20>(u[2], u[6]),
                v._mm256_permute2f128_ps::<0x20>(u[3], u[7]),
                v._mm256_permute2f128_ps::<0x31>(u[0], u[4]),
                v._mm256_permute2f128_ps::<0x31>(u[1], u[5]),
                v._mm256_permute2f128_ps::<0x31>(u[2], u[6]),
                v._mm256_permute2f128_ps::<0x31>(u[3], u[7]),
            ]
            .map(|x| v._mm256_castps_si256(x))
        }
    }
}

/// For every mask the lanes that are set, in order; the rest repeats lane 0.
static COMPACT: [[u32; LANES]; 256] = {
    let mut table = [[0; LANES]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut next) = (0, 0);
        while lane < LANES {
            if mask >> lane & 1 == 1 {
                table[mask][next] = lane as u32;
                next += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation once, on awkward numbers; the results as bits.
    struct AllOperations;

    impl Work for AllOperations {
        type Output = Vec<u32>;

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Vec<u32> {
            let a = s.load(&[1.5, -2.0, 0.1, 3e7, 1e-30, 0.0, 5.0, 7.25]);
            let b = s.load(&[0.3, 2.0, -0.1, 1.0, 1e-31, 4.0, 5.0, -7.5]);
            let i = s.load_i(&[1, -2, i32::MAX, i32::MIN, 1 << 24, (1 << 24) + 1, 7, 0]);
            let j = i - s.splat_i(3);
            let mut out = Vec::new();
            let mask = a.le(b).bits();
            let count = mask.count_ones() as usize;
            for x in [
                a + b,
                a - b,
                a * b,
                a / b,
                2.0 - a,
                -a,
                a.max(b),
                a.min(b),
                a.le(b).select(a + a, b),
                (a * a).sqrt(),
                j.to_float(),
                j.as_float(),
            ] {
                out.extend(x.to_array().map(f32::to_bits));
            }
            out.push(mask);
            out.extend(a.compact(mask).to_array()[..count].iter().map(|x| x.to_bits()));
            out.extend(j.compact(mask).to_array()[..count].iter().map(|&x| x as u32));
            let records: [Record; LANES] =
                std::array::from_fn(|r| std::array::from_fn(|w| (10 * r + w) as u32));
            let vectors: [[f32; 4]; LANES] =
                std::array::from_fn(|r| std::array::from_fn(|k| (10 * r + k) as f32));
            for component in s.transpose_vectors(vectors.each_ref()).to_array() {
                out.extend(component.map(f32::to_bits));
            }
            for word in s.transpose(records.each_ref()) {
                out.extend(word.to_array().map(|x| x as u32));
            }
            out.push(a.sum().to_bits());
            out
        }
    }

    #[test]
    fn both_levels_give_the_same_bits() {
        let portable = Level::Portable.run(AllOperations);
        assert_eq!(portable, Level::detect().run(AllOperations));
        assert_eq!(portable, AllOperations.run(Portable));
    }

    #[test]
    fn compact_keeps_the_order() {
        let a = Portable.load_i(&[10, 11, 12, 13, 14, 15, 16, 17]);
        assert_eq!(a.compact(0b1010_0110).to_array()[..4], [11, 12, 15, 17]);
    }
}
