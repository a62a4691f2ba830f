//! Partitions of a device: splitting its multiprocessors, and green contexts.

use crate::error::check;
use crate::{sys, Device, Result, Stream};
use std::ptr::null_mut;

/// A set of multiprocessors; a plain value that owns nothing.
#[derive(Clone, Copy)]
pub struct Sms(sys::cuc_sms);

impl Sms {
    /// All multiprocessors of a device.
    pub fn of(device: &Device) -> Result<Self> {
        let mut raw = Default::default();
        check(unsafe { sys::cuc_device_get_sms(&mut raw, device.as_raw()) })?;
        Ok(Self(raw))
    }

    /// The number of multiprocessors.
    pub fn count(&self) -> u32 {
        self.0.count
    }

    /// Split into up to `most` equal groups of at least `least` multiprocessors, and the remainder.
    pub fn split(&self, least: u32, most: u32) -> Result<(Vec<Sms>, Option<Sms>)> {
        let room = most.min(self.count()) as usize; // at most one group per multiprocessor
        let (mut groups, mut rest) = (vec![Default::default(); room], Default::default());
        let mut count = most;
        check(unsafe {
            let to = groups.as_mut_ptr();
            sys::cuc_sms_split(to, &mut count, &mut rest, &self.0, least, 0)
        })?;
        groups.truncate(count as usize);
        let rest = if rest.count > 0 { Some(Sms(rest)) } else { None };
        Ok((groups.into_iter().map(Sms).collect(), rest))
    }
}

impl std::fmt::Debug for Sms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sms({})", self.count())
    }
}

handle! {
    /// A partition of a device: work on its streams runs only on its multiprocessors.
    GreenContext, cuc_green_context, cuc_green_context_release, cuc_green_context_retain
}

impl GreenContext {
    /// Create a partition from groups and the remainder of one split, or from a whole device.
    pub fn new(device: &Device, parts: &[Sms]) -> Result<Self> {
        let raw: Vec<_> = parts.iter().map(|part| part.0).collect();
        Self::made(|out| unsafe {
            sys::cuc_green_context_create(out, device.as_raw(), raw.as_ptr(), raw.len())
        })
    }

    /// The multiprocessors of the partition.
    pub fn sms(&self) -> Result<Sms> {
        let mut raw = Default::default();
        check(unsafe { sys::cuc_green_context_get_sms(&mut raw, self.as_raw()) })?;
        Ok(Sms(raw))
    }

    /// Create a stream, which keeps the context alive. Lower priorities run first.
    pub fn stream(&self, priority: i32) -> Result<Stream> {
        let options = sys::cuc_stream_options { priority, ..Default::default() };
        let mut raw = null_mut();
        check(unsafe { sys::cuc_green_context_stream_create(&mut raw, self.as_raw(), &options) })?;
        // Safety: we own the reference.
        Ok(unsafe { Stream::from_raw(raw) })
    }
}
