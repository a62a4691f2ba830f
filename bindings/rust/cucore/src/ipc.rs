//! Memory and events of other processes.

use crate::error::check;
use crate::{sys, Buffer, Device, Event, MemoryResource, Result, Stream};
use std::os::unix::io::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// What names a buffer or an event to another process: bytes, to be sent in any way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpcHandle(pub [u8; 64]);

impl IpcHandle {
    fn raw(&self) -> sys::cuc_ipc_handle {
        sys::cuc_ipc_handle { bytes: self.0 }
    }
}

impl MemoryResource {
    /// A new pool whose memory other processes can have.
    pub fn shareable(device: &Device) -> Result<Self> {
        let options =
            sys::cuc_memory_pool_options { flags: sys::CUC_MEMORY_POOL_IPC, ..Default::default() };
        Self::made(|out| unsafe { sys::cuc_memory_pool_create(out, device.as_raw(), &options) })
    }

    /// What another process imports the pool by; it goes over a Unix socket.
    pub fn export(&self) -> Result<OwnedFd> {
        let mut fd = -1;
        check(unsafe { sys::cuc_memory_pool_export(&mut fd, self.as_raw()) })?;
        // Safety: the caller's to close.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    }

    /// Another process's pool, for [`Buffer::import`].
    pub fn import(device: &Device, fd: BorrowedFd) -> Result<Self> {
        let fd = fd.as_raw_fd();
        Self::made(|out| unsafe { sys::cuc_memory_pool_import(out, device.as_raw(), fd) })
    }
}

impl Buffer {
    /// What names it to a process that has its pool.
    pub fn export(&self) -> Result<IpcHandle> {
        let mut handle = sys::cuc_ipc_handle { bytes: [0; 64] };
        check(unsafe { sys::cuc_buffer_export(&mut handle, self.as_raw()) })?;
        Ok(IpcHandle(handle.bytes))
    }

    /// Another process's buffer, of a pool of its that was imported.
    ///
    /// # Safety
    /// It has so many bytes, and lives there until this is dropped and the stream has come that far.
    pub unsafe fn import(
        pool: &MemoryResource,
        handle: &IpcHandle,
        bytes: usize,
        stream: &Stream,
    ) -> Result<Self> {
        let (from, raw, on) = (pool.as_raw(), handle.raw(), stream.as_raw());
        Self::made(|out| sys::cuc_buffer_import(out, from, &raw, bytes, on))
    }
}

impl Event {
    /// One that other processes can have.
    pub fn shareable(device: &Device) -> Result<Self> {
        Self::with_flags(device, sys::CUC_EVENT_IPC)
    }

    /// What names it to another process.
    pub fn export(&self) -> Result<IpcHandle> {
        let mut handle = sys::cuc_ipc_handle { bytes: [0; 64] };
        check(unsafe { sys::cuc_event_export(&mut handle, self.as_raw()) })?;
        Ok(IpcHandle(handle.bytes))
    }

    /// Another process's event, to wait for what it has recorded.
    pub fn import(device: &Device, handle: &IpcHandle) -> Result<Self> {
        let raw = handle.raw();
        Self::made(|out| unsafe { sys::cuc_event_import(out, device.as_raw(), &raw) })
    }
}
