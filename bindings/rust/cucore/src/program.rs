use crate::error::{c_text, check, text};
use crate::{sys, Arguments, Code, Object, Result};
use std::ffi::CString;
use std::os::raw::c_char;
use std::ptr::null;

/// The language of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Source {
    /// CUDA C++, compiled by NVRTC.
    Cuda = sys::CUC_SOURCE_CUDA,
    /// PTX.
    Ptx = sys::CUC_SOURCE_PTX,
    /// A tile program, compiled by cucore itself.
    Tile = sys::CUC_SOURCE_TILE,
}

/// Compile options: `ProgramOptions::new().arch("sm_90").define("N=4")`.
#[derive(Default)]
#[must_use]
pub struct ProgramOptions {
    raw: sys::cuc_program_options,
    name: Option<String>,
    arch: Option<String>,
    lists: [Vec<String>; LISTS.len()],
}

type Set = fn(&mut sys::cuc_program_options, *const *const c_char, usize);

/// For each list of strings, a function that sets its fields in the C struct.
const LISTS: [Set; 6] = [
    |o, at, count| (o.define_macros, o.define_macro_count) = (at, count),
    |o, at, count| (o.include_paths, o.include_path_count) = (at, count),
    |o, at, count| (o.name_expressions, o.name_expression_count) = (at, count),
    |o, at, count| (o.extra_options, o.extra_option_count) = (at, count),
    |o, at, count| (o.constants, o.constant_count) = (at, count),
    |o, at, count| (o.dimensions, o.dimension_count) = (at, count),
];

impl ProgramOptions {
    pub fn new() -> Self {
        Self::default()
    }

    /// Set the name of the source in messages.
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Set the architecture, such as "sm_90"; the default is the current device's.
    pub fn arch(mut self, arch: &str) -> Self {
        self.arch = Some(arch.into());
        self
    }

    fn push(mut self, list: usize, value: &str) -> Self {
        self.lists[list].push(value.into());
        self
    }

    /// Define a macro: "N" or "N=4".
    pub fn define(self, value: &str) -> Self {
        self.push(0, value)
    }

    pub fn include_path(self, folder: &str) -> Self {
        self.push(1, folder)
    }

    /// Compile an instance of a template, and make its kernel available under that name:
    /// `scale<float>`.
    pub fn name_expression(self, expression: &str) -> Self {
        self.push(2, expression)
    }

    /// Pass an option to the compiler unchanged.
    pub fn option(self, option: &str) -> Self {
        self.push(3, option)
    }

    /// Set a constant of a tile program: "BN=256".
    pub fn constant(self, value: &str) -> Self {
        self.push(4, value)
    }

    /// Set a dimension of a tile program: "N=4096".
    pub fn dimension(self, value: &str) -> Self {
        self.push(5, value)
    }

    /// Change fields of the C struct that have no method here.
    ///
    /// # Safety
    /// Pointers stored in it must stay valid until the program is created.
    pub unsafe fn raw(mut self, change: impl FnOnce(&mut sys::cuc_program_options)) -> Self {
        change(&mut self.raw);
        self
    }

    fn with<R>(&self, call: impl FnOnce(&sys::cuc_program_options) -> R) -> Result<R> {
        let mut raw = self.raw;
        let (mut kept, mut pointers): (Vec<CString>, Vec<Vec<*const c_char>>) = Default::default();
        for (text, field) in [(&self.name, &mut raw.name), (&self.arch, &mut raw.arch)] {
            if let Some(text) = text {
                kept.push(c_text(text)?);
                *field = kept[kept.len() - 1].as_ptr(); // stays valid while `kept` grows
            }
        }
        for (list, set) in self.lists.iter().zip(LISTS) {
            if list.is_empty() {
                continue;
            }
            let mut addresses = Vec::new();
            for text in list {
                kept.push(c_text(text)?);
                addresses.push(kept[kept.len() - 1].as_ptr());
            }
            set(&mut raw, addresses.as_ptr(), addresses.len());
            pointers.push(addresses);
        }
        Ok(call(&raw))
    }
}

handle! {
    /// A source with its compile options.
    Program, cuc_program, cuc_program_release
}

impl Program {
    pub fn new(kind: Source, source: &str) -> Result<Self> {
        Self::with_options(kind, source, &ProgramOptions::new())
    }

    pub fn with_options(kind: Source, source: &str, options: &ProgramOptions) -> Result<Self> {
        let text = c_text(source)?;
        let (at, bytes) = (text.as_ptr(), source.len());
        options.with(|raw| {
            Self::made(|out| unsafe { sys::cuc_program_create(out, kind as i32, at, bytes, raw) })
        })?
    }

    /// Create a program from a family of the kernel library, such as "rms_norm".
    pub fn from_library(name: &str, options: &ProgramOptions) -> Result<Self> {
        let name = c_text(name)?;
        options.with(|raw| {
            Self::made(|out| unsafe { sys::cuc_program_from_library(out, name.as_ptr(), raw) })
        })?
    }

    pub fn compile(&self, target: Code) -> Result<Object> {
        Object::made(|out| unsafe { sys::cuc_program_compile(out, self.as_raw(), target as i32) })
    }

    /// The log of the last compilation.
    pub fn log(&self) -> String {
        unsafe { text(sys::cuc_program_log(self.as_raw())) }
    }

    /// Run a kernel of a tile program on the CPU: slow but exact, without a driver or device.
    ///
    /// # Safety
    /// The tensors' host memory must live, and nothing else may use it, during the call.
    pub unsafe fn interpret(&self, kernel: &str, arguments: impl Arguments) -> Result<()> {
        let kernel = c_text(kernel)?;
        arguments.with(|list| {
            let (at, count) = (list.as_ptr(), list.len());
            check(sys::cuc_tile_interpret(self.as_raw(), kernel.as_ptr(), at, count, null()))
        })?;
        Ok(())
    }
}

/// Return the names of the kernel library's families.
pub fn library_names() -> Vec<String> {
    unsafe { (0..sys::cuc_library_count()).map(|i| text(sys::cuc_library_name(i))).collect() }
}

/// Return the tile program of a family of the kernel library.
pub fn library_source(name: &str) -> Result<String> {
    let name = c_text(name)?;
    let mut source = null();
    check(unsafe { sys::cuc_library_get_source(&mut source, name.as_ptr()) })?;
    Ok(unsafe { text(source) })
}

handle! {
    /// Links code into one object.
    Linker, cuc_linker, cuc_linker_release
}

impl Linker {
    pub fn new() -> Result<Self> {
        Self::made(|out| unsafe { sys::cuc_linker_create(out, null()) })
    }

    /// Create a linker with options from the C struct, such as the backend.
    ///
    /// # Safety
    /// Pointers in it must be valid during the call.
    pub unsafe fn with_options(options: &sys::cuc_linker_options) -> Result<Self> {
        Self::made(|out| sys::cuc_linker_create(out, options))
    }

    pub fn add(&self, object: &Object) -> Result<&Self> {
        check(unsafe { sys::cuc_linker_add(self.as_raw(), object.as_raw()) }).map(|_| self)
    }

    pub fn link(&self, target: Code) -> Result<Object> {
        Object::made(|out| unsafe { sys::cuc_linker_link(out, self.as_raw(), target as i32) })
    }
}
