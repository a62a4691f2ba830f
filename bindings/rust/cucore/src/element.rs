use crate::sys;

/// An element type of arrays and kernel arguments.
///
/// # Safety
/// `DTYPE` must describe the type's bytes, and every byte pattern that a kernel may write must be
/// valid.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    const DTYPE: sys::cuc_dtype;
}

macro_rules! elements {
    ($($type:ty = $dtype:ident,)*) => {
        $(unsafe impl Element for $type {
            const DTYPE: sys::cuc_dtype = sys::$dtype;
        })*
    };
}

elements! {
    i8 = CUC_I8,
    i16 = CUC_I16,
    i32 = CUC_I32,
    i64 = CUC_I64,
    u8 = CUC_U8,
    u16 = CUC_U16,
    u32 = CUC_U32,
    u64 = CUC_U64,
    f32 = CUC_F32,
    f64 = CUC_F64,
    F16 = CUC_F16,
    Bf16 = CUC_BF16,
}

/// The bits of an IEEE 16-bit float.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct F16(pub u16);

/// The bits of a bfloat16.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bf16(pub u16);
