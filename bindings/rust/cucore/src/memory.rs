use crate::error::check;
use crate::{sys, Device, DevicePtr, Element, Error, Result, Stream};
use std::marker::PhantomData;
use std::mem::size_of_val;
use std::ptr::null_mut;

handle! {
    /// An allocator of buffers.
    MemoryResource, cuc_memory_resource, cuc_memory_resource_release, cuc_memory_resource_retain
}

/// The kind of memory: where it is located.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum MemoryKind {
    /// On a device; the host cannot access it.
    Device = sys::CUC_MEMORY_DEVICE,
    /// Page-locked host memory, which devices can access.
    Pinned = sys::CUC_MEMORY_PINNED,
    /// Memory that migrates between host and devices when used.
    Managed = sys::CUC_MEMORY_MANAGED,
}

impl MemoryResource {
    /// The default resource of a device's buffers.
    pub fn of(device: &Device) -> Result<Self> {
        Self::made(|out| unsafe { sys::cuc_device_get_memory_resource(out, device.as_raw()) })
    }

    /// The driver's pool of a kind.
    pub fn pool(device: &Device, kind: MemoryKind) -> Result<Self> {
        let kind = kind as i32;
        Self::made(|out| unsafe { sys::cuc_memory_pool_get_current(out, device.as_raw(), kind) })
    }

    /// Memory that is allocated at once rather than in stream order, such as pinned memory for
    /// copies.
    pub fn synchronous(device: &Device, kind: MemoryKind) -> Result<Self> {
        let kind = kind as i32;
        Self::made(|out| unsafe { sys::cuc_memory_synchronous_create(out, device.as_raw(), kind) })
    }

    /// Virtual memory whose buffers can grow with [`Buffer::grow`]. A buffer keeps its address as
    /// long as it fits in `reserve_bytes`.
    pub fn growing(device: &Device, reserve_bytes: u64) -> Result<Self> {
        let options = sys::cuc_memory_virtual_options { reserve_bytes, ..Default::default() };
        Self::made(|out| unsafe { sys::cuc_memory_virtual_create(out, device.as_raw(), &options) })
    }
}

handle! {
    /// Memory that devices can access. It is freed in the order of its stream, which it keeps
    /// alive.
    Buffer, cuc_buffer, cuc_buffer_release, cuc_buffer_retain
}

impl Buffer {
    /// Return a buffer of another size over the same memory; this buffer stays valid. Requires a
    /// [`MemoryResource::growing`] resource.
    pub fn grow(&self, bytes: usize) -> Result<Self> {
        Self::made(|out| unsafe { sys::cuc_buffer_grow(out, self.as_raw(), bytes) })
    }

    /// Allocate from the device's default resource.
    pub fn new(stream: &Stream, bytes: usize) -> Result<Self> {
        Self::made(|out| unsafe { sys::cuc_buffer_create(out, stream.as_raw(), null_mut(), bytes) })
    }

    pub fn from_resource(stream: &Stream, from: &MemoryResource, bytes: usize) -> Result<Self> {
        let (from, on) = (from.as_raw(), stream.as_raw());
        Self::made(|out| unsafe { sys::cuc_buffer_create(out, on, from, bytes) })
    }

    /// A slice, which keeps the whole buffer alive.
    pub fn slice(&self, offset: usize, bytes: usize) -> Result<Self> {
        Self::made(|out| unsafe { sys::cuc_buffer_slice(out, self.as_raw(), offset, bytes) })
    }

    pub fn ptr(&self) -> DevicePtr {
        DevicePtr(unsafe { sys::cuc_buffer_ptr(self.as_raw()) })
    }

    pub fn bytes(&self) -> usize {
        unsafe { sys::cuc_buffer_bytes(self.as_raw()) }
    }

    pub fn device(&self) -> Option<Device> {
        let raw = unsafe { sys::cuc_buffer_device(self.as_raw()) };
        // Safety: devices live as long as the process.
        (!raw.is_null()).then(|| unsafe { Device::from_raw(raw) })
    }

    /// Write from a byte offset on, and wait until the copy is done.
    pub fn write<T: Element>(&self, stream: &Stream, offset: usize, from: &[T]) -> Result<()> {
        may_wait(stream)?;
        // Safety: `from` is borrowed until the stream completes.
        unsafe { self.write_async(stream, offset, from)? };
        stream.synchronize()
    }

    /// Read from a byte offset on, and wait until the copy is done.
    pub fn read<T: Element>(&self, stream: &Stream, offset: usize, to: &mut [T]) -> Result<()> {
        may_wait(stream)?;
        // Safety: `to` is borrowed until the stream completes.
        unsafe { self.read_async(stream, offset, to)? };
        stream.synchronize()
    }

    /// Write in stream order.
    ///
    /// # Safety
    /// `from` must live, and not change, until the stream has completed the copy.
    pub unsafe fn write_async<T: Element>(
        &self,
        stream: &Stream,
        offset: usize,
        from: &[T],
    ) -> Result<()> {
        let (at, bytes) = (from.as_ptr().cast(), size_of_val(from));
        check(sys::cuc_buffer_write_async(stream.as_raw(), self.as_raw(), offset, at, bytes)).map(drop)
    }

    /// Read in stream order.
    ///
    /// # Safety
    /// `to` must live, and nothing else may use it, until the stream has completed the copy.
    pub unsafe fn read_async<T: Element>(
        &self,
        stream: &Stream,
        offset: usize,
        to: &mut [T],
    ) -> Result<()> {
        let (at, bytes) = (to.as_mut_ptr().cast(), size_of_val(to));
        check(sys::cuc_buffer_read_async(stream.as_raw(), at, self.as_raw(), offset, bytes)).map(drop)
    }

    /// Copy the first bytes of another buffer, in stream order.
    pub fn copy_from(&self, stream: &Stream, other: &Buffer, bytes: usize) -> Result<()> {
        let (to, from) = (self.as_raw(), other.as_raw());
        check(unsafe { sys::cuc_buffer_copy(stream.as_raw(), to, 0, from, 0, bytes) }).map(drop)
    }

    /// Set every byte, in stream order.
    pub fn fill(&self, stream: &Stream, value: u8) -> Result<()> {
        let (on, raw, bytes) = (stream.as_raw(), self.as_raw(), self.bytes());
        check(unsafe { sys::cuc_buffer_fill(on, raw, 0, value.into(), 1, bytes) }).map(drop)
    }

    /// View memory that the host can access: pinned and managed buffers.
    ///
    /// # Safety
    /// No device may write to it while the slice exists.
    pub unsafe fn host<T: Element>(&self) -> Result<&[T]> {
        Ok(&*self.host_mut()?)
    }

    /// View memory that the host can access, for writing.
    ///
    /// # Safety
    /// Nothing else on a device or the host may use it while the slice exists.
    #[allow(clippy::mut_from_ref)] // the buffer object itself is not modified
    pub unsafe fn host_mut<T: Element>(&self) -> Result<&mut [T]> {
        let mut at = null_mut();
        check(sys::cuc_buffer_get_host_pointer(&mut at, self.as_raw()))?;
        if at as usize % std::mem::align_of::<T>() != 0 {
            let name = std::any::type_name::<T>();
            return Err(Error::invalid(format!("the buffer at {at:p} is not aligned for {name}")));
        }
        Ok(std::slice::from_raw_parts_mut(at.cast(), self.bytes() / std::mem::size_of::<T>()))
    }
}

/// Refuse a copy that waits on a capturing stream: launches of the graph would access host memory
/// that no longer exists.
fn may_wait(stream: &Stream) -> Result<()> {
    if stream.is_capturing()? {
        return Err(Error::refused(
            sys::CUC_ERROR_BUSY,
            format!(
                "{stream:?} is being captured, and a copy cannot be waited for until the graph is \
                 launched: do it before or after the capture, or capture write_async() or read_async()"
            ),
        ));
    }
    Ok(())
}

/// An array of elements in its own buffer.
#[derive(Debug)]
pub struct Array<T: Element> {
    buffer: Buffer,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Element> Clone for Array<T> {
    /// Another reference to the same memory.
    fn clone(&self) -> Self {
        Self { buffer: self.buffer.clone(), len: self.len, elements: PhantomData }
    }
}

impl<T: Element> Array<T> {
    /// Allocate zeroed elements.
    pub fn zeros(stream: &Stream, len: usize) -> Result<Self> {
        let bytes = len
            .checked_mul(std::mem::size_of::<T>())
            .ok_or_else(|| Error::invalid(format!("{len} elements pass the address space")))?;
        let buffer = Buffer::new(stream, bytes)?;
        if len > 0 {
            buffer.fill(stream, 0)?;
        }
        Ok(Self { buffer, len, elements: PhantomData })
    }

    /// Copy a slice to the device, and wait until the copy is done.
    pub fn from_slice(stream: &Stream, from: &[T]) -> Result<Self> {
        let buffer = Buffer::new(stream, size_of_val(from))?;
        buffer.write(stream, 0, from)?;
        Ok(Self { buffer, len: from.len(), elements: PhantomData })
    }

    /// Wait for the stream's work so far, and return the contents.
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>> {
        // Safety: every byte pattern is a valid value, including zero.
        let mut values = vec![unsafe { std::mem::zeroed() }; self.len];
        self.buffer.read(stream, 0, &mut values)?;
        Ok(values)
    }

    /// Write a slice from an element index on, and wait until the copy is done.
    pub fn write(&self, stream: &Stream, first: usize, from: &[T]) -> Result<()> {
        self.buffer.write(stream, first.saturating_mul(std::mem::size_of::<T>()), from)
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }
}
