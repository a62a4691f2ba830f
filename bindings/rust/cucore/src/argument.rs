//! Converts values to launch arguments.

use crate::{sys, Array, Buffer, Element, Tensor};
use std::mem::size_of;
use std::os::raw::c_void;

/// A kernel argument: numbers, [`DevicePtr`], `&Buffer`, `&Array`, `&Tensor`, [`ByValue`].
///
/// # Safety
/// Memory that the result points to must live as long as `self`.
pub unsafe trait Argument {
    fn argument(&self) -> sys::cuc_arg;
}

fn pointed_to(kind: i32, at: *const c_void, bytes: usize) -> sys::cuc_arg {
    sys::cuc_arg { type_: kind, bytes: bytes as u32, value: sys::cuc_arg_value { pointer: at } }
}

unsafe impl<T: Element> Argument for T {
    #[inline]
    fn argument(&self) -> sys::cuc_arg {
        if size_of::<T>() > size_of::<sys::cuc_arg_value>() {
            return pointed_to(sys::CUC_ARG_BYTES, (self as *const T).cast(), size_of::<T>());
        }
        let mut value = sys::cuc_arg_value { u64: 0 };
        // Safety: the union is at least as large as T.
        unsafe { std::ptr::write_unaligned((&mut value as *mut sys::cuc_arg_value).cast(), *self) };
        sys::cuc_arg { type_: T::DTYPE, bytes: size_of::<T>() as u32, value }
    }
}

/// An address in device-accessible memory; 0 is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DevicePtr(pub u64);

unsafe impl Argument for DevicePtr {
    #[inline]
    fn argument(&self) -> sys::cuc_arg {
        let value = sys::cuc_arg_value { u64: self.0 };
        sys::cuc_arg { type_: sys::CUC_ARG_POINTER, bytes: 8, value }
    }
}

unsafe impl Argument for bool {
    #[inline]
    fn argument(&self) -> sys::cuc_arg {
        let value = sys::cuc_arg_value { u64: u64::from(*self) };
        sys::cuc_arg { type_: sys::CUC_BOOL, bytes: 1, value }
    }
}

unsafe impl Argument for &Buffer {
    #[inline]
    fn argument(&self) -> sys::cuc_arg {
        pointed_to(sys::CUC_ARG_BUFFER, self.as_raw().cast(), 8)
    }
}

unsafe impl<T: Element> Argument for &Array<T> {
    #[inline]
    fn argument(&self) -> sys::cuc_arg {
        self.buffer().argument()
    }
}

unsafe impl Argument for &Tensor {
    #[inline]
    fn argument(&self) -> sys::cuc_arg {
        pointed_to(sys::CUC_ARG_TENSOR, (self.as_raw() as *const sys::cuc_tensor).cast(), 8)
    }
}

/// A struct passed by value; it should be `#[repr(C)]`.
#[derive(Clone, Copy, Debug)]
pub struct ByValue<T: Copy>(pub T);

unsafe impl<T: Copy> Argument for ByValue<T> {
    #[inline]
    fn argument(&self) -> sys::cuc_arg {
        pointed_to(sys::CUC_ARG_BYTES, (&self.0 as *const T).cast(), size_of::<T>())
    }
}

/// The arguments of a launch: a tuple of up to sixteen, or a slice of `&dyn Argument`.
pub trait Arguments {
    /// Pass the arguments in C form to `call`.
    fn with<R>(&self, call: impl FnOnce(&[sys::cuc_arg]) -> R) -> R;
}

impl Arguments for () {
    #[inline]
    fn with<R>(&self, call: impl FnOnce(&[sys::cuc_arg]) -> R) -> R {
        call(&[])
    }
}

impl Arguments for &[&dyn Argument] {
    fn with<R>(&self, call: impl FnOnce(&[sys::cuc_arg]) -> R) -> R {
        call(&self.iter().map(|each| each.argument()).collect::<Vec<_>>())
    }
}

macro_rules! tuples {
    () => {};
    ($first:ident $($more:ident)*) => {
        impl<$first: Argument, $($more: Argument),*> Arguments for ($first, $($more,)*) {
            #[inline]
            #[allow(non_snake_case)]
            fn with<Result>(&self, call: impl FnOnce(&[sys::cuc_arg]) -> Result) -> Result {
                let ($first, $($more,)*) = self;
                call(&[$first.argument(), $($more.argument()),*])
            }
        }
        tuples!($($more)*);
    };
}

tuples!(A B C D E F G H I J K L M N O P);
