//! Sharing memory and events between processes.

use crate::error::check;
use crate::{sys, Buffer, Device, Event, MemoryResource, Result, Stream};
use std::os::unix::io::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Identifies a buffer or event to another process: plain bytes, which any means of communication
/// can carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpcHandle(pub [u8; 64]);

impl IpcHandle {
    fn raw(&self) -> sys::cuc_ipc_handle {
        sys::cuc_ipc_handle { bytes: self.0 }
    }
}

impl MemoryResource {
    /// Create a pool that other processes can import.
    pub fn shareable(device: &Device) -> Result<Self> {
        let options =
            sys::cuc_memory_pool_options { flags: sys::CUC_MEMORY_POOL_IPC, ..Default::default() };
        Self::made(|out| unsafe { sys::cuc_memory_pool_create(out, device.as_raw(), &options) })
    }

    /// Return a file descriptor with which another process imports the pool; send it over a Unix
    /// socket.
    pub fn export(&self) -> Result<OwnedFd> {
        let mut fd = -1;
        check(unsafe { sys::cuc_memory_pool_export(&mut fd, self.as_raw()) })?;
        // Safety: the caller of the C function owns the descriptor and must close it.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    }

    /// Import another process's pool, for [`Buffer::from_ipc_handle`].
    pub fn from_fd(device: &Device, fd: BorrowedFd) -> Result<Self> {
        let fd = fd.as_raw_fd();
        Self::made(|out| unsafe { sys::cuc_memory_pool_from_fd(out, device.as_raw(), fd) })
    }
}

impl Buffer {
    /// Return a handle for a process that has imported the pool.
    pub fn export(&self) -> Result<IpcHandle> {
        let mut handle = sys::cuc_ipc_handle { bytes: [0; 64] };
        check(unsafe { sys::cuc_buffer_export(&mut handle, self.as_raw()) })?;
        Ok(IpcHandle(handle.bytes))
    }

    /// Import a buffer of another process from an imported pool.
    ///
    /// # Safety
    /// The buffer must have that many bytes. It must stay alive in the other process until this
    /// buffer is dropped and the stream has reached the release.
    pub unsafe fn from_ipc_handle(
        stream: &Stream,
        pool: &MemoryResource,
        handle: &IpcHandle,
        bytes: usize,
    ) -> Result<Self> {
        let (from, raw, on) = (pool.as_raw(), handle.raw(), stream.as_raw());
        Self::made(|out| sys::cuc_buffer_from_ipc_handle(out, on, from, &raw, bytes))
    }
}

/// One physical allocation of a growable buffer, for another process.
#[derive(Debug)]
pub struct Piece {
    /// The file descriptor, to be sent over a Unix socket.
    pub fd: OwnedFd,
    /// Size of the allocation.
    pub bytes: u64,
}

impl MemoryResource {
    /// Like [`MemoryResource::growing`], with memory that other processes can import.
    pub fn growing_shareable(device: &Device, reserve_bytes: u64) -> Result<Self> {
        let flags = sys::CUC_MEMORY_VIRTUAL_IPC as u32;
        let options =
            sys::cuc_memory_virtual_options { reserve_bytes, flags, ..Default::default() };
        Self::made(|out| unsafe { sys::cuc_memory_virtual_create(out, device.as_raw(), &options) })
    }
}

impl Buffer {
    /// Export the memory to another process; the resource must be a
    /// [`MemoryResource::growing_shareable`] one.
    pub fn export_pieces(&self) -> Result<Vec<Piece>> {
        let (mut count, none) = (0, std::ptr::null_mut());
        check(unsafe { sys::cuc_buffer_export_pieces(none, 0, &mut count, self.as_raw()) })?;
        let mut raw = vec![sys::cuc_memory_piece::default(); count];
        check(unsafe {
            sys::cuc_buffer_export_pieces(raw.as_mut_ptr(), raw.len(), &mut count, self.as_raw())
        })?;
        // Safety: the caller of the C function owns the descriptors and must close them.
        let piece = |p: sys::cuc_memory_piece| unsafe {
            Piece { fd: OwnedFd::from_raw_fd(p.fd), bytes: p.bytes }
        };
        Ok(raw.into_iter().take(count).map(piece).collect())
    }

    /// Map another process's memory at addresses of a [`MemoryResource::growing_shareable`]
    /// resource of this process.
    pub fn from_pieces(
        stream: &Stream,
        here: &MemoryResource,
        pieces: &[Piece],
        bytes: usize,
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
            sys::cuc_buffer_from_pieces(out, stream.as_raw(), here.as_raw(), from, count, bytes)
        })
    }
}

impl Event {
    /// Create an event that other processes can import.
    pub fn shareable(device: &Device) -> Result<Self> {
        Self::with_flags(device, sys::CUC_EVENT_IPC)
    }

    /// Return a handle for another process.
    pub fn export(&self) -> Result<IpcHandle> {
        let mut handle = sys::cuc_ipc_handle { bytes: [0; 64] };
        check(unsafe { sys::cuc_event_export(&mut handle, self.as_raw()) })?;
        Ok(IpcHandle(handle.bytes))
    }

    /// Import an event of another process, to wait for the work that it recorded.
    pub fn from_ipc_handle(device: &Device, handle: &IpcHandle) -> Result<Self> {
        let raw = handle.raw();
        Self::made(|out| unsafe { sys::cuc_event_from_ipc_handle(out, device.as_raw(), &raw) })
    }
}
