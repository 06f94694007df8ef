//! Numbers as rows hold them.

/// How a number of a row lies in memory: as it is, or as a whole number of 16 bits that its row's scale multiplies
/// ([`crate::packed`]).
pub trait Number: Copy + Send + Sync {
    /// As it enters the arithmetic.
    fn value(self) -> f32;

    /// Eight of them.
    ///
    /// # Safety
    /// The machine has AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn load_8(row: &[Self; 8]) -> std::arch::x86_64::__m256;

    /// Sixteen of them.
    ///
    /// # Safety
    /// The machine has AVX-512 F.
    #[cfg(target_arch = "x86_64")]
    unsafe fn load_16(row: &[Self; 16]) -> std::arch::x86_64::__m512;
}

impl Number for f32 {
    #[inline(always)]
    fn value(self) -> f32 {
        self
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn load_8(row: &[f32; 8]) -> std::arch::x86_64::__m256 {
        // SAFETY: by the caller's promise; the pointer is to eight numbers.
        unsafe { std::arch::x86_64::_mm256_loadu_ps(row.as_ptr()) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn load_16(row: &[f32; 16]) -> std::arch::x86_64::__m512 {
        // SAFETY: by the caller's promise; the pointer is to sixteen numbers.
        unsafe { std::arch::x86_64::_mm512_loadu_ps(row.as_ptr()) }
    }
}

impl Number for i16 {
    #[inline(always)]
    fn value(self) -> f32 {
        f32::from(self)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn load_8(row: &[i16; 8]) -> std::arch::x86_64::__m256 {
        use std::arch::x86_64::*;
        // SAFETY: by the caller's promise; the pointer is to eight numbers, 16 bytes.
        unsafe { _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128(row.as_ptr().cast()))) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn load_16(row: &[i16; 16]) -> std::arch::x86_64::__m512 {
        use std::arch::x86_64::*;
        // SAFETY: by the caller's promise; the pointer is to sixteen numbers, 32 bytes.
        unsafe { _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256(row.as_ptr().cast()))) }
    }
}
