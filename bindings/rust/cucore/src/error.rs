//! Errors, with everything that the library reports.

use crate::sys;
use std::ffi::CStr;
use std::fmt;
use std::os::raw::c_char;

pub type Result<T> = std::result::Result<T, Error>;

/// A failed call. Its text has the whole message, and the compiler's log if there is one. `{:?}`
/// gives the same text, which `main` prints for an error that it returns; `{:#?}` gives the fields.
#[derive(Clone)]
pub struct Error {
    status: i32,
    message: String,
    function: String,
    library: i32,
    library_code: i32,
    log: String,
}

macro_rules! kinds {
    ($($(#[$comment:meta])* $name:ident = $value:ident,)*) => {
        /// The kind of a failure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$comment])* $name,)*
            /// A kind that this version of the crate does not know.
            Other,
        }

        impl Kind {
            pub(crate) fn of(status: i32) -> Self {
                match status {
                    $(sys::$value => Self::$name,)*
                    _ => Self::Other,
                }
            }
        }
    };
}

kinds! {
    /// An argument is not valid.
    InvalidArgument = CUC_ERROR_INVALID_ARGUMENT,
    /// A handle was released, or is of another kind.
    InvalidHandle = CUC_ERROR_INVALID_HANDLE,
    /// Host memory is exhausted.
    OutOfMemory = CUC_ERROR_OUT_OF_MEMORY,
    /// The device has too little free memory.
    OutOfDeviceMemory = CUC_ERROR_OUT_OF_DEVICE_MEMORY,
    /// The name, file or library does not exist.
    NotFound = CUC_ERROR_NOT_FOUND,
    /// The device, driver or toolkit does not support the operation.
    NotSupported = CUC_ERROR_NOT_SUPPORTED,
    /// No CUDA driver could be loaded.
    NoDriver = CUC_ERROR_NO_DRIVER,
    /// The CUDA driver is older than cucore needs.
    DriverTooOld = CUC_ERROR_DRIVER_TOO_OLD,
    /// The CUDA driver sees no device.
    NoDevice = CUC_ERROR_NO_DEVICE,
    /// The CUDA driver refused the call.
    Driver = CUC_ERROR_DRIVER,
    /// The source does not compile.
    Compile = CUC_ERROR_COMPILE,
    /// The inputs do not link.
    Link = CUC_ERROR_LINK,
    /// A CUDA toolkit library failed.
    Toolkit = CUC_ERROR_TOOLKIT,
    /// An earlier failure destroyed the context.
    ContextLost = CUC_ERROR_CONTEXT_LOST,
    /// The driver was initialized before fork().
    Forked = CUC_ERROR_FORKED,
    /// The operation is not allowed in the present state, such as during a capture.
    Busy = CUC_ERROR_BUSY,
    /// A file could not be read or written.
    Io = CUC_ERROR_IO,
    /// A bug in cucore.
    Internal = CUC_ERROR_INTERNAL,
}

/// Copy a C string.
///
/// # Safety
/// `text` must be NULL or end with a zero byte.
pub(crate) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    CStr::from_ptr(text).to_string_lossy().into_owned()
}

impl Error {
    /// The calling thread's last failure.
    #[cold]
    pub fn last() -> Self {
        // Safety: the strings are valid until the thread's next failure, and are copied here.
        unsafe {
            let log = text(sys::cuc_error_log());
            let mut message = text(sys::cuc_error_message());
            if !log.is_empty() && !message.contains(&log) {
                message.push('\n');
                message.push_str(&log);
            }
            Self {
                status: sys::cuc_error_status(),
                message,
                function: text(sys::cuc_error_function()),
                library: sys::cuc_error_library(),
                library_code: sys::cuc_error_library_code(),
                log,
            }
        }
    }

    pub(crate) fn invalid(message: String) -> Self {
        Self::refused(sys::CUC_ERROR_INVALID_ARGUMENT, message)
    }

    pub(crate) fn refused(status: sys::cuc_status, message: String) -> Self {
        Self {
            status,
            message,
            function: String::new(),
            library: sys::CUC_LIBRARY_NONE,
            library_code: 0,
            log: String::new(),
        }
    }

    pub fn kind(&self) -> Kind {
        Kind::of(self.status)
    }

    /// The C status, such as `sys::CUC_ERROR_COMPILE`.
    pub fn status(&self) -> i32 {
        self.status
    }

    /// The C function that failed, such as "cuc_stream_create".
    pub fn function(&self) -> &str {
        &self.function
    }

    /// The library that reported the failure, such as `sys::CUC_LIBRARY_DRIVER`.
    pub fn library(&self) -> i32 {
        self.library
    }

    /// That library's code, such as the CUresult; 0 if cucore itself refused the call.
    pub fn library_code(&self) -> i32 {
        self.library_code
    }

    /// The log of a compiler, a linker or a search; "" if there is none.
    pub fn log(&self) -> &str {
        &self.log
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return fmt::Display::fmt(self, f);
        }
        f.debug_struct("Error")
            .field("status", &self.status)
            .field("message", &self.message)
            .field("function", &self.function)
            .field("library", &self.library)
            .field("library_code", &self.library_code)
            .field("log", &self.log)
            .finish()
    }
}

impl std::error::Error for Error {}

/// Convert a status; positive values are normal outcomes.
#[inline]
pub(crate) fn check(status: sys::cuc_status) -> Result<sys::cuc_status> {
    if status < 0 {
        return Err(Error::last());
    }
    Ok(status)
}

/// Convert text for C; it must not contain a zero byte.
pub(crate) fn c_text(text: &str) -> Result<std::ffi::CString> {
    c_bytes(text.as_bytes())
}

/// Convert a path for C byte by byte; it need not be UTF-8.
pub(crate) fn c_path(path: &std::path::Path) -> Result<std::ffi::CString> {
    c_bytes(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()))
}

fn c_bytes(bytes: &[u8]) -> Result<std::ffi::CString> {
    std::ffi::CString::new(bytes).map_err(|_| {
        let text = String::from_utf8_lossy(bytes);
        Error::invalid(format!("{text:?} has a zero byte inside, which C cannot take"))
    })
}
