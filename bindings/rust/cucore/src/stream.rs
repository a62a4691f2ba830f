use crate::error::{check, Error};
use crate::{sys, Device, Graph, Result};
use std::os::raw::c_void;

handle! {
    /// An in-order queue of work on one device. One call at a time: `Send`, not `Sync`.
    Stream, cuc_stream, cuc_stream_release
}

impl Stream {
    pub fn new(device: &Device) -> Result<Self> {
        Self::with_priority(device, 0)
    }

    /// Create a stream with a priority; lower numbers run first.
    pub fn with_priority(device: &Device, priority: i32) -> Result<Self> {
        let options = sys::cuc_stream_options { priority, ..Default::default() };
        Self::made(|out| unsafe { sys::cuc_stream_create(out, device.as_raw(), &options) })
    }

    /// Wrap a stream of the driver, the CUDA runtime or another library.
    ///
    /// # Safety
    /// `native` must be a CUstream that outlives this object, and no other code may use the stream
    /// during a call on this object.
    pub unsafe fn from_handle(native: *mut c_void) -> Result<Self> {
        Self::made(|out| sys::cuc_stream_from_handle(out, native, std::ptr::null_mut(), None))
    }

    /// The driver's CUstream, borrowed.
    pub fn native(&self) -> *mut c_void {
        unsafe { sys::cuc_stream_handle(self.as_raw()) }
    }

    pub fn device(&self) -> Device {
        // Safety: a stream has a device.
        unsafe { Device::from_raw(sys::cuc_stream_device(self.as_raw())) }
    }

    /// Wait for all work in the stream; returns its failures.
    pub fn synchronize(&self) -> Result<()> {
        check(unsafe { sys::cuc_stream_synchronize(self.as_raw()) }).map(drop)
    }

    /// Return whether all work is done.
    pub fn is_done(&self) -> Result<bool> {
        check(unsafe { sys::cuc_stream_query(self.as_raw()) }).map(|status| status == sys::CUC_OK)
    }

    /// Return whether work is captured instead of run.
    pub fn is_capturing(&self) -> Result<bool> {
        let mut capturing = 0;
        check(unsafe { sys::cuc_stream_is_capturing(&mut capturing, self.as_raw()) })?;
        Ok(capturing != 0)
    }

    /// Make later work wait for an event.
    pub fn wait(&self, event: &Event) -> Result<()> {
        check(unsafe { sys::cuc_stream_wait_event(self.as_raw(), event.as_raw()) }).map(drop)
    }

    /// Make later work wait for the work that is now in another stream.
    pub fn wait_stream(&self, other: &Stream) -> Result<()> {
        check(unsafe { sys::cuc_stream_wait_stream(self.as_raw(), other.as_raw()) }).map(drop)
    }

    pub fn record(&self, event: &Event) -> Result<()> {
        check(unsafe { sys::cuc_event_record(self.as_raw(), event.as_raw()) }).map(drop)
    }

    /// On a capturing stream: make the graph record an event at each launch, for work outside the
    /// graph.
    ///
    /// # Safety
    /// The event must live as long as the graph.
    pub unsafe fn record_external(&self, event: &Event) -> Result<()> {
        check(sys::cuc_event_record_external(self.as_raw(), event.as_raw())).map(drop)
    }

    /// On a capturing stream: make the graph wait for an event that is recorded outside the graph.
    ///
    /// # Safety
    /// The event must live as long as the graph.
    pub unsafe fn wait_external(&self, event: &Event) -> Result<()> {
        check(sys::cuc_stream_wait_external(self.as_raw(), event.as_raw())).map(drop)
    }

    /// Call a function once when the stream reaches this point. If earlier work failed, the
    /// function still runs, and its argument reports the failure. It runs on a driver thread and
    /// must not call CUDA or cucore. Its captured values are dropped there, so capture no handles:
    /// the driver allows no releases in a callback. A panic ends the process.
    pub fn when_done(&self, call: impl FnOnce(Completion) + Send + 'static) -> Result<()> {
        type Call = Box<dyn FnOnce(Completion) + Send>;

        unsafe extern "C" fn called(status: i32, library_code: i32, user: *mut c_void) {
            let call = Box::from_raw(user.cast::<Call>());
            let outcome = Completion { status, library_code };
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| call(outcome))).is_err() {
                std::process::abort();
            }
        }

        let call: Box<Call> = Box::new(Box::new(call));
        let user = Box::into_raw(call);
        let raw = self.as_raw();
        let status = unsafe { sys::cuc_stream_add_callback(raw, Some(called), user.cast()) };
        check(status).map(drop).map_err(|error| {
            // Safety: a call that failed does not call back.
            drop(unsafe { Box::from_raw(user) });
            error
        })
    }

    /// Capture the work that `enqueue` puts on the stream as a graph. Nothing runs, and calls that
    /// wait are refused during the capture.
    pub fn capture(&self, enqueue: impl FnOnce(&Stream) -> Result<()>) -> Result<Graph> {
        let mode = sys::CUC_CAPTURE_THREAD_LOCAL;
        check(unsafe { sys::cuc_stream_begin_capture(self.as_raw(), mode) })?;
        let mut cancel = Cancel(Some(self)); // on failure or panic
        enqueue(self)?;
        cancel.0 = None;
        Graph::made(|out| unsafe { sys::cuc_stream_end_capture(out, self.as_raw()) })
    }
}

/// Cancels a capture on drop, unless disarmed.
pub(crate) struct Cancel<'a>(pub(crate) Option<&'a Stream>);

impl Drop for Cancel<'_> {
    fn drop(&mut self) {
        if let Some(stream) = self.0 {
            unsafe { sys::cuc_stream_cancel_capture(stream.as_raw()) };
        }
    }
}

/// The outcome passed to [`Stream::when_done`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    status: i32,
    library_code: i32,
}

impl Completion {
    pub fn is_ok(&self) -> bool {
        self.status >= 0
    }

    /// The C status: `sys::CUC_OK`, or `sys::CUC_ERROR_CONTEXT_LOST`.
    pub fn status(&self) -> i32 {
        self.status
    }

    /// The underlying CUresult; 0 for none.
    pub fn library_code(&self) -> i32 {
        self.library_code
    }
}

handle! {
    /// A point in a stream. One call at a time: `Send`, not `Sync`.
    Event, cuc_event, cuc_event_release
}

impl Event {
    pub fn new(device: &Device) -> Result<Self> {
        Self::with_flags(device, 0)
    }

    /// Create an event for use with [`Event::elapsed_since`].
    pub fn timing(device: &Device) -> Result<Self> {
        Self::with_flags(device, sys::CUC_EVENT_TIMING)
    }

    /// Create an event with `sys::CUC_EVENT_` bits.
    pub fn with_flags(device: &Device, flags: u32) -> Result<Self> {
        let options = sys::cuc_event_options { flags, ..Default::default() };
        Self::made(|out| unsafe { sys::cuc_event_create(out, device.as_raw(), &options) })
    }

    /// Return whether the recorded work is done.
    pub fn is_done(&self) -> Result<bool> {
        check(unsafe { sys::cuc_event_query(self.as_raw()) }).map(|status| status == sys::CUC_OK)
    }

    pub fn synchronize(&self) -> Result<()> {
        check(unsafe { sys::cuc_event_synchronize(self.as_raw()) }).map(drop)
    }

    /// Milliseconds since another event; the call fails until both have completed.
    pub fn elapsed_since(&self, start: &Event) -> Result<f32> {
        let mut milliseconds = 0.0;
        let (start, end) = (start.as_raw(), self.as_raw());
        match check(unsafe { sys::cuc_event_get_elapsed(&mut milliseconds, start, end) })? {
            sys::CUC_OK => Ok(milliseconds),
            _ => Err(Error::refused(
                sys::CUC_ERROR_BUSY,
                "one of the two events has not completed: synchronize the later one first".into(),
            )),
        }
    }

    /// Return a file descriptor for poll(), which is readable when the event completes or fails.
    /// Dropping it closes it.
    pub fn file_descriptor(&self) -> Result<std::os::unix::io::OwnedFd> {
        let mut fd = -1;
        check(unsafe { sys::cuc_event_get_fd(&mut fd, self.as_raw()) })?;
        if fd < 0 {
            return Err(Error::invalid("the event has no file descriptor".into()));
        }
        // Safety: the caller of the C function owns the descriptor and must close it.
        Ok(unsafe { std::os::unix::io::FromRawFd::from_raw_fd(fd) })
    }
}
