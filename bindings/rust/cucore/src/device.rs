use crate::error::{check, text};
use crate::{sys, Result};
use std::ptr::{null_mut, NonNull};

/// A device. There is one object per ordinal; it lives as long as the process.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Device {
    raw: NonNull<sys::cuc_device>,
}

// Safety: a device is immutable and usable on any thread.
unsafe impl Send for Device {}
unsafe impl Sync for Device {}

impl Device {
    pub fn count() -> Result<usize> {
        let mut count = 0;
        check(unsafe { sys::cuc_device_get_count(&mut count) })?;
        Ok(count as usize)
    }

    pub fn get(ordinal: i32) -> Result<Self> {
        let mut raw = null_mut();
        check(unsafe { sys::cuc_device_get(&mut raw, ordinal) })?;
        // Safety: a successful call returns a non-null device, which is never freed.
        Ok(unsafe { Self::from_raw(raw) })
    }

    /// # Safety
    /// `raw` must come from a C function of the library.
    pub unsafe fn from_raw(raw: *mut sys::cuc_device) -> Self {
        Self { raw: NonNull::new(raw).expect("a device is not null") }
    }

    pub fn as_raw(&self) -> *mut sys::cuc_device {
        self.raw.as_ptr()
    }

    pub fn ordinal(&self) -> i32 {
        unsafe { sys::cuc_device_ordinal(self.as_raw()) }
    }

    pub fn name(&self) -> String {
        unsafe { text(sys::cuc_device_name(self.as_raw())) }
    }

    /// The architecture, such as "sm_90".
    pub fn arch(&self) -> String {
        unsafe { text(sys::cuc_device_arch(self.as_raw())) }
    }

    /// An attribute by its number, such as `sys::CUC_DEVICE_MULTIPROCESSOR_COUNT`.
    pub fn attribute(&self, which: i32) -> Result<i32> {
        let mut value = 0;
        check(unsafe { sys::cuc_device_get_attribute(&mut value, self.as_raw(), which) })?;
        Ok(value)
    }

    /// Free and total memory in bytes.
    pub fn memory(&self) -> Result<(u64, u64)> {
        let (mut free, mut total) = (0, 0);
        check(unsafe { sys::cuc_device_get_memory_info(&mut free, &mut total, self.as_raw()) })?;
        Ok((free, total))
    }

    /// Wait for all work on the device.
    pub fn synchronize(&self) -> Result<()> {
        check(unsafe { sys::cuc_device_synchronize(self.as_raw()) }).map(drop)
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Device({}, {})", self.ordinal(), self.name())
    }
}
