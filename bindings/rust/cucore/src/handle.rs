//! Owned references of C handles.

/// A type that owns one reference: dropped, and retained by clone() where it says so.
macro_rules! handle {
    ($(#[$comment:meta])* $name:ident, $raw:ident, $release:ident) => {
        $(#[$comment])*
        pub struct $name {
            raw: std::ptr::NonNull<crate::sys::$raw>,
        }

        // Safety: every call may be made on any thread; those that change the object take one at a
        // time, which a type without Sync and Clone ensures.
        unsafe impl Send for $name {}

        impl $name {
            /// The C handle, for functions of [`sys`](crate::sys); still owned here.
            #[inline]
            pub fn as_raw(&self) -> *mut crate::sys::$raw {
                self.raw.as_ptr()
            }

            /// Give the reference away: the caller releases it.
            pub fn into_raw(self) -> *mut crate::sys::$raw {
                let raw = self.as_raw();
                std::mem::forget(self);
                raw
            }

            /// Take over a reference that a C function gave.
            ///
            /// # Safety
            /// It is alive, and nobody else releases this reference. Where the type is not `Sync`,
            /// nobody else calls anything on the object at the same time.
            ///
            /// # Panics
            /// When it is null.
            pub unsafe fn from_raw(raw: *mut crate::sys::$raw) -> Self {
                Self { raw: std::ptr::NonNull::new(raw).expect("a handle is not null") }
            }

            /// What a C function gives by its first parameter.
            #[allow(dead_code)]
            pub(crate) fn made(
                call: impl FnOnce(*mut *mut crate::sys::$raw) -> crate::sys::cuc_status,
            ) -> crate::Result<Self> {
                let mut raw = std::ptr::null_mut();
                crate::error::check(call(&mut raw))?;
                // Safety: a successful call gives a reference to the caller.
                Ok(unsafe { Self::from_raw(raw) })
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // Safety: this reference is owned.
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

        // Safety: calls on one object may be made on any number of threads at a time.
        unsafe impl Sync for $name {}

        /// Another reference of the same object.
        impl Clone for $name {
            fn clone(&self) -> Self {
                // Safety: alive as long as self; retain gives a reference of its own.
                unsafe { Self::from_raw(crate::sys::$retain(self.as_raw())) }
            }
        }
    };
}
