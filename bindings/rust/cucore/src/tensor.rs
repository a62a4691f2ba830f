use crate::error::check;
use crate::{sys, Array, Buffer, Element, Result};

/// The layout of elements in memory. A tensor owns nothing: the memory must outlive the launches
/// that use it.
#[derive(Clone, Copy)]
pub struct Tensor {
    raw: sys::cuc_tensor,
}

impl Tensor {
    /// View a whole array as contiguous; the last dimension varies fastest.
    pub fn new<T: Element>(array: &Array<T>, shape: &[i64]) -> Result<Self> {
        Self::from_buffer(array.buffer(), T::DTYPE, shape)
    }

    /// View the elements at the start of a buffer; use [`Buffer::slice`] to start elsewhere.
    pub fn from_buffer(buffer: &Buffer, dtype: sys::cuc_dtype, shape: &[i64]) -> Result<Self> {
        let (rank, extents) = (shape.len() as i32, shape.as_ptr());
        let mut raw = Default::default();
        check(unsafe {
            sys::cuc_tensor_from_buffer(&mut raw, buffer.as_raw(), dtype, rank, extents)
        })?;
        Ok(Self { raw })
    }

    /// View host memory, for [`Program::interpret`](crate::Program::interpret).
    pub fn from_host<T: Element>(data: &mut [T], shape: &[i64]) -> Result<Self> {
        let (rank, at) = (shape.len() as i32, data.as_mut_ptr() as u64);
        let mut raw = Default::default();
        check(unsafe {
            sys::cuc_tensor_from_pointer(&mut raw, at, T::DTYPE, rank, shape.as_ptr(), -1)
        })?;
        if unsafe { sys::cuc_tensor_bytes(&raw) } > std::mem::size_of_val(data) as u64 {
            let (count, have) = (unsafe { sys::cuc_tensor_elements(&raw) }, data.len());
            return Err(crate::Error::invalid(format!(
                "the shape {shape:?} has {count} elements, the slice {have}"
            )));
        }
        Ok(Self { raw })
    }

    /// Use a given C struct, with its strides and flags.
    pub fn from_raw(raw: sys::cuc_tensor) -> Result<Self> {
        check(unsafe { sys::cuc_tensor_check(&raw) })?;
        Ok(Self { raw })
    }

    #[inline]
    pub fn as_raw(&self) -> &sys::cuc_tensor {
        &self.raw
    }

    pub fn shape(&self) -> &[i64] {
        &self.raw.shape[..self.raw.rank as usize]
    }
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = unsafe { crate::error::text(sys::cuc_dtype_name(self.raw.dtype)) };
        write!(f, "Tensor({name}, {:?})", self.shape())
    }
}

/// The layout of a box in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Swizzle {
    None = sys::CUC_TENSOR_MAP_SWIZZLE_NONE,
    Bytes32 = sys::CUC_TENSOR_MAP_SWIZZLE_32B,
    Bytes64 = sys::CUC_TENSOR_MAP_SWIZZLE_64B,
    Bytes128 = sys::CUC_TENSOR_MAP_SWIZZLE_128B,
    /// This swizzle and the following ones require compute capability 10.0.
    Bytes128Atom32 = sys::CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B,
    Bytes128Atom32Flip8 = sys::CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
    Bytes128Atom64 = sys::CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_64B,
}

/// A tensor map (TMA descriptor) for copying boxes of a tensor. It is a kernel argument that is
/// passed by value, as `ByValue(map)`. Like the tensor, it owns nothing.
pub type TensorMap = sys::cuc_tensor_map;

impl Tensor {
    /// Create a map for copying boxes, with one extent for each dimension in the tensor's order.
    pub fn map(&self, extents: &[u32], swizzle: Swizzle) -> Result<TensorMap> {
        if extents.len() != self.shape().len() {
            return Err(crate::Error::invalid(format!(
                "the box {extents:?} is not of the {} dimensions of the tensor",
                self.shape().len()
            )));
        }
        let how = sys::cuc_tensor_map_options { swizzle: swizzle as i32, ..Default::default() };
        let mut map = TensorMap::default();
        check(unsafe { sys::cuc_tensor_map_encode_tiled(&mut map, &self.raw, extents.as_ptr(), &how) })?;
        Ok(map)
    }
}
