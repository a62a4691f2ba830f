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

/// A piece of the memory of a buffer that grows, for another process.
#[derive(Debug)]
pub struct Piece {
    /// It goes over a Unix socket.
    pub fd: OwnedFd,
    /// Of the memory.
    pub bytes: u64,
}

impl MemoryResource {
    /// As [`MemoryResource::growing`], of memory that other processes can have.
    pub fn growing_shareable(device: &Device, reserve_bytes: u64) -> Result<Self> {
        let flags = sys::CUC_MEMORY_VIRTUAL_IPC as u32;
        let options =
            sys::cuc_memory_virtual_options { reserve_bytes, flags, ..Default::default() };
        Self::made(|out| unsafe { sys::cuc_memory_virtual(out, device.as_raw(), &options) })
    }
}

impl Buffer {
    /// What another process has its memory by: of a resource that is
    /// [`MemoryResource::growing_shareable`].
    pub fn export_pieces(&self) -> Result<Vec<Piece>> {
        let (mut count, none) = (0, std::ptr::null_mut());
        check(unsafe { sys::cuc_buffer_export_pieces(none, 0, &mut count, self.as_raw()) })?;
        let mut raw = vec![sys::cuc_memory_piece::default(); count];
        check(unsafe {
            sys::cuc_buffer_export_pieces(raw.as_mut_ptr(), raw.len(), &mut count, self.as_raw())
        })?;
        // Safety: the caller's to close.
        let piece = |p: sys::cuc_memory_piece| unsafe {
            Piece { fd: OwnedFd::from_raw_fd(p.fd), bytes: p.bytes }
        };
        Ok(raw.into_iter().take(count).map(piece).collect())
    }

    /// Another process's memory, at addresses of a resource of this one that is
    /// [`MemoryResource::growing_shareable`].
    pub fn import_pieces(
        here: &MemoryResource,
        pieces: &[Piece],
        bytes: usize,
        stream: &Stream,
    ) -> Result<Self> {
        let raw: Vec<_> = pieces
            .iter()
            .map(|p| sys::cuc_memory_piece {
                bytes: p.bytes,
                fd: p.fd.as_raw_fd(),
                ..Default::default()
            })
            .collect();
        Self::made(|out| unsafe {
            let (from, count) = (raw.as_ptr(), raw.len());
            sys::cuc_buffer_import_pieces(out, here.as_raw(), from, count, bytes, stream.as_raw())
        })
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
