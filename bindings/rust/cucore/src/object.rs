use crate::error::{c_path, c_text, check, text};
use crate::{sys, Device, Result};
use std::path::Path;
use std::ptr::{null, null_mut};

/// A kind of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// PTX text, which the driver compiles.
    Ptx = sys::CUC_CODE_PTX,
    /// Machine code for one architecture.
    Cubin = sys::CUC_CODE_CUBIN,
    /// Link-time optimization IR, to be linked.
    Ltoir = sys::CUC_CODE_LTOIR,
    /// PTX and cubins of several architectures.
    Fatbin = sys::CUC_CODE_FATBIN,
    /// A host object file with embedded device code, to be linked.
    Object = sys::CUC_CODE_OBJECT,
    /// An archive of object files, to be linked.
    Library = sys::CUC_CODE_LIBRARY,
}

handle! {
    /// Compiled code and its kernels. It is loaded when one of its kernels is first needed.
    Object, cuc_object, cuc_object_release, cuc_object_retain
}

impl Object {
    /// Make an object from code in memory, which is copied.
    pub fn new(kind: Code, code: &[u8]) -> Result<Self> {
        let (at, bytes) = (code.as_ptr().cast(), code.len());
        Self::made(|out| unsafe { sys::cuc_object_create(out, kind as i32, at, bytes, null()) })
    }

    /// Load a file; the contents determine the kind.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = c_path(path.as_ref())?;
        Self::made(|out| unsafe { sys::cuc_object_from_file(out, path.as_ptr(), 0, null()) })
    }

    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        check(unsafe { sys::cuc_object_save(self.as_raw(), path.as_ptr()) }).map(drop)
    }

    /// Look up a kernel by its name or name expression.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let name = c_text(name)?;
        Kernel::made(|out| unsafe { sys::cuc_object_get_kernel(out, self.as_raw(), name.as_ptr()) })
    }

    /// The code itself.
    pub fn code(&self) -> Result<&[u8]> {
        let (mut at, mut bytes) = (null(), 0);
        check(unsafe { sys::cuc_object_get_code(&mut at, &mut bytes, self.as_raw()) })?;
        // Safety: the bytes are valid as long as the object, which never changes.
        Ok(unsafe { slice(at.cast(), bytes) })
    }

    /// The PTX, if the object has any.
    pub fn ptx(&self) -> Result<String> {
        let (mut at, mut bytes) = (null(), 0);
        check(unsafe { sys::cuc_object_get_ptx(&mut at, &mut bytes, self.as_raw()) })?;
        // Safety: as above.
        Ok(String::from_utf8_lossy(unsafe { slice(at.cast(), bytes) }).into_owned())
    }

    /// The compiler's log, including warnings.
    pub fn log(&self) -> String {
        unsafe { text(sys::cuc_object_log(self.as_raw())) }
    }
}

unsafe fn slice<'a>(at: *const u8, bytes: usize) -> &'a [u8] {
    if at.is_null() {
        return &[];
    }
    std::slice::from_raw_parts(at, bytes)
}

handle! {
    /// A kernel, which keeps its object alive.
    Kernel, cuc_kernel, cuc_kernel_release, cuc_kernel_retain
}

impl Kernel {
    pub fn name(&self) -> String {
        unsafe { text(sys::cuc_kernel_name(self.as_raw())) }
    }

    pub fn parameter_count(&self) -> Result<usize> {
        let mut count = 0;
        check(unsafe { sys::cuc_kernel_get_parameter_count(&mut count, self.as_raw()) })?;
        Ok(count)
    }

    /// An attribute on a device by its number, such as `sys::CUC_KERNEL_NUM_REGS`.
    pub fn attribute(&self, device: &Device, which: i32) -> Result<i32> {
        let (mut value, on) = (0, device.as_raw());
        check(unsafe { sys::cuc_kernel_get_attribute(&mut value, self.as_raw(), on, which) })?;
        Ok(value)
    }

    /// The driver's CUfunction on a device, borrowed.
    pub fn function(&self, device: &Device) -> Result<*mut std::os::raw::c_void> {
        let mut function = null_mut();
        let on = device.as_raw();
        check(unsafe { sys::cuc_kernel_get_function(&mut function, self.as_raw(), on) })?;
        Ok(function)
    }
}
