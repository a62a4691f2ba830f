//! The C interface of cucore, as it is.
//!
//! Types, constants, structs and functions have their C names, and the comments of the C headers,
//! shortened: the headers say who owns what, which threads may call, and what a graph capture makes
//! of a call. `bindings.rs` is written from the headers' description and checked in, so that building
//! takes neither bindgen nor clang. The crate `cucore` is the one to write programs with.
//!
//! Structs that begin with `struct_size` have it set by `default()`, and are zero otherwise, which
//! stands for every default.
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

/// A type that C keeps to itself: only pointers to it are passed around.
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

/// Zero is a value of every struct here: numbers, pointers, and functions that are None.
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
