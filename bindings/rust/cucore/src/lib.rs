//! NVIDIA GPUs from Rust: devices, streams, memory, run-time compilation of CUDA C++, PTX and tile
//! programs, launches with checked arguments, graphs.
//!
//! ```no_run
//! use cucore::*;
//!
//! # const SOURCE: &str = "";
//! # fn main() -> Result<()> {
//! let stream = Stream::new(&Device::get(0)?)?;
//! let saxpy = Program::new(Source::Cuda, SOURCE)?.compile(Code::Cubin)?.kernel("saxpy")?;
//! let x = Array::from_slice(&stream, &[1.0f32; 1000])?;
//! let y = Array::from_slice(&stream, &[2.0f32; 1000])?;
//! // Safety: the kernel matches its source, and x and y live until the stream completes.
//! unsafe { stream.launch(&saxpy, &Config::new(4, 256), (2.0f32, &x, &y, 1000i32))? };
//! assert_eq!(y.to_vec(&stream)?[0], 4.0);
//! # Ok(())
//! # }
//! ```
//!
//! Each value owns one reference to a C handle and releases it on drop, in any order and on any
//! thread. Every failure is an [`Error`] with the whole message. For C functions that have no
//! method here, use [`sys`] with the handle from [`as_raw`](Stream::as_raw).
//!
//! # Threads
//!
//! Every type is [`Send`]. Types that are immutable or lock internally are also [`Sync`] and
//! [`Clone`] (a clone is another reference): [`Device`], [`Object`], [`Kernel`], [`Buffer`],
//! [`Array`], [`MemoryResource`]. Types that allow one call at a time are neither: [`Stream`],
//! [`Event`], [`Program`], [`Linker`], [`Graph`], [`GraphExec`]; share one through a `Mutex`.
//!
//! ```compile_fail,E0277
//! fn shared<T: Sync>() {}
//! shared::<cucore::Stream>();
//! ```
//!
//! # Safety
//!
//! A launch is `unsafe`, because a kernel can access any memory. Asynchronous copies and graph
//! launches are `unsafe`, because the stream uses their memory after the call has returned.
//! Everything else is safe.

pub use cucore_sys as sys;

#[macro_use]
mod handle;

mod argument;
mod device;
mod element;
mod error;
mod graph;
mod ipc;
mod launch;
mod memory;
mod object;
mod part;
mod program;
mod stream;
mod tensor;

pub use argument::{Argument, Arguments, ByValue, DevicePtr};
pub use device::Device;
pub use element::{Bf16, Element, F16};
pub use error::{Error, Kind, Result};
pub use graph::{Conditional, Graph, GraphExec, Node};
pub use ipc::{IpcHandle, Piece};
pub use launch::{Config, Dim, Launch};
pub use memory::{Array, Buffer, MemoryKind, MemoryResource};
pub use object::{Code, Kernel, Object};
pub use part::{GreenContext, Sms};
pub use program::{library_names, library_source, Linker, Program, ProgramOptions, Source};
pub use stream::{Completion, Event, Stream};
pub use tensor::{Swizzle, Tensor, TensorMap};

/// Safety: the text is static.
pub fn version() -> &'static str {
    // Safety: static text.
    unsafe { std::ffi::CStr::from_ptr(sys::cuc_version_string()) }.to_str().unwrap_or("")
}
