//! The C interface of cucore, unchanged.
//!
//! Types, constants, structs and functions have their C names, and shortened comments from the C
//! headers. The headers document ownership, threads and graph capture. `bindings.rs` is generated
//! from the API description and checked in, so building needs neither bindgen nor clang. Programs
//! should use the crate `cucore`.
//!
//! For structs that begin with `struct_size`, `default()` sets this field and zeroes the others,
//! which selects every default.
//!
//! ```
//! use cucore_sys::*;
//! let options = cuc_stream_options { priority: -1, ..Default::default() };
//! assert_eq!(options.struct_size, std::mem::size_of::<cuc_stream_options>());
//! assert_eq!(unsafe { cuc_dtype_bits(CUC_BF16) }, 16);
//! ```
#![allow(non_camel_case_types)]
#![allow(clippy::too_many_arguments, clippy::missing_safety_doc)]

use std::marker::{PhantomData, PhantomPinned};
use std::os::raw::{c_char, c_void};

/// Defines an opaque C type, which is used only through pointers.
macro_rules! opaque {
    ($(#[$comment:meta])* $name:ident) => {
        $(#[$comment])*
        #[repr(C)]
        pub struct $name {
            _private: [u8; 0],
            _neither_send_nor_sync: PhantomData<(*mut u8, PhantomPinned)>,
        }
    };
}

/// Implements `default()` with zeros, which are valid in every struct here: numbers, pointers, and
/// functions that are None.
macro_rules! zeroed {
    ($name:ident) => {
        impl Default for $name {
            fn default() -> Self {
                unsafe { std::mem::zeroed() }
            }
        }
    };
    ($name:ident, struct_size) => {
        impl Default for $name {
            fn default() -> Self {
                let zero: Self = unsafe { std::mem::zeroed() };
                Self { struct_size: std::mem::size_of::<Self>(), ..zero }
            }
        }
    };
}

include!("bindings.rs");
