//! Owned references to C handles.

/// Defines a type that owns one reference and releases it on drop; clone(), if declared, retains
/// another reference.
macro_rules! handle {
    ($(#[$comment:meta])* $name:ident, $raw:ident, $release:ident) => {
        $(#[$comment])*
        pub struct $name {
            raw: std::ptr::NonNull<crate::sys::$raw>,
        }

        // Safety: every call may be made on any thread. Calls that modify the object must not
        // overlap, which a type without Sync and Clone ensures.
        unsafe impl Send for $name {}

        impl $name {
            /// The C handle, for functions of [`sys`](crate::sys); ownership stays here.
            #[inline]
            pub fn as_raw(&self) -> *mut crate::sys::$raw {
                self.raw.as_ptr()
            }

            /// Give up the reference; the caller must release it.
            pub fn into_raw(self) -> *mut crate::sys::$raw {
                let raw = self.as_raw();
                std::mem::forget(self);
                raw
            }

            /// Take over a reference that a C function returned.
            ///
            /// # Safety
            /// The reference must be alive, and nobody else may release it. If the type is not
            /// `Sync`, nobody else may use the object at the same time.
            ///
            /// # Panics
            /// If it is null.
            pub unsafe fn from_raw(raw: *mut crate::sys::$raw) -> Self {
                Self { raw: std::ptr::NonNull::new(raw).expect("a handle is not null") }
            }

            /// Call a C function that returns a handle through its first parameter.
            #[allow(dead_code)]
            pub(crate) fn made(
                call: impl FnOnce(*mut *mut crate::sys::$raw) -> crate::sys::cuc_status,
            ) -> crate::Result<Self> {
                let mut raw = std::ptr::null_mut();
                crate::error::check(call(&mut raw))?;
                // Safety: a successful call transfers a reference to us.
                Ok(unsafe { Self::from_raw(raw) })
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // Safety: we own this reference.
                unsafe { crate::sys::$release(self.as_raw()) }
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({:p})"), self.as_raw())
            }
        }
    };
    ($(#[$comment:meta])* $name:ident, $raw:ident, $release:ident, $retain:ident) => {
        handle!($(#[$comment])* $name, $raw, $release);

        // Safety: calls on one object may overlap on any number of threads.
        unsafe impl Sync for $name {}

        /// Retains another reference to the same object.
        impl Clone for $name {
            fn clone(&self) -> Self {
                // Safety: the object lives as long as self, and retain returns a new reference.
                unsafe { Self::from_raw(crate::sys::$retain(self.as_raw())) }
            }
        }
    };
}
