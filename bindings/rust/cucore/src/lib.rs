//! NVIDIA GPUs from Rust: devices, streams, memory, CUDA C++, PTX and tile programs compiled at run
//! time, launches whose arguments are checked, graphs.
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
//! // Safety: the kernel is what its source says, and x and y live until the stream is waited for.
//! unsafe { stream.launch(&saxpy, &Config::new(4, 256), (2.0f32, &x, &y, 1000i32))? };
//! assert_eq!(y.to_vec(&stream)?[0], 4.0);
//! # Ok(())
//! # }
//! ```
//!
//! Values own one reference of the C library's handles and drop it; the order does not matter, nor
//! the thread. Every failure is an [`Error`] with the whole message. What has no method here is in
//! [`sys`], and takes what [`as_raw`](Stream::as_raw) gives.
//!
//! # Threads
//!
//! Everything is [`Send`]. What never changes, or locks itself, is [`Sync`] and [`Clone`] as well (a clone
//! is another reference): [`Device`], [`Object`], [`Kernel`], [`Buffer`], [`Array`], [`MemoryResource`]. What takes one call
//! at a time is neither: [`Stream`], [`Event`], [`Program`], [`Linker`], [`Graph`], [`GraphExec`]; a `Mutex` shares one.
//!
//! ```compile_fail,E0277
//! fn shared<T: Sync>() {}
//! shared::<cucore::Stream>();
//! ```
//!
//! # Safety
//!
//! A launch is `unsafe`, since a kernel may do what it likes with memory, and so is what the stream
//! does with memory after a call has returned: copies that are not waited for, launching a graph.
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
pub use program::{Linker, Program, ProgramOptions, Source};
pub use stream::{Completion, Event, Stream};
pub use tensor::{Swizzle, Tensor, TensorMap};

/// The version of the library that runs, such as "0.1.0".
pub fn version() -> &'static str {
    // Safety: static text.
    unsafe { std::ffi::CStr::from_ptr(sys::cuc_version_string()) }.to_str().unwrap_or("")
}
