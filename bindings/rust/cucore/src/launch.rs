use crate::error::check;
use crate::{sys, Argument, Arguments, Kernel, Result, Stream};
use std::marker::PhantomData;

/// One, two or three extents: `4`, `(4, 2)`, `(4, 2, 1)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim(pub [u32; 3]);

impl From<u32> for Dim {
    fn from(x: u32) -> Self {
        Self([x, 1, 1])
    }
}

impl From<(u32, u32)> for Dim {
    fn from((x, y): (u32, u32)) -> Self {
        Self([x, y, 1])
    }
}

impl From<(u32, u32, u32)> for Dim {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self([x, y, z])
    }
}

/// The shape of a launch. Methods return a modified copy.
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// let config = cucore::Config::new(4, 256);
/// config.shared(1024); // config itself is unchanged
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct Config {
    raw: sys::cuc_launch_config,
    own: bool, // use the kernel's own grid
}

// Safety: the attributes, which are pointers, are never set here.
unsafe impl Send for Config {}
unsafe impl Sync for Config {}

impl Config {
    /// Set the number of blocks in the grid, and the number of threads per block.
    pub fn new(grid: impl Into<Dim>, block: impl Into<Dim>) -> Self {
        let (grid, block) = (grid.into().0, block.into().0);
        Self { raw: sys::cuc_launch_config { grid, block, ..Default::default() }, own: false }
    }

    /// Set the grid of a tile kernel that declares none; the compiler chooses the block.
    pub fn grid(grid: impl Into<Dim>) -> Self {
        Self::new(grid, (0, 0, 0))
    }

    /// Use the grid and block that a tile kernel declares.
    pub fn own_grid() -> Self {
        Self { raw: Default::default(), own: true }
    }

    /// Set the dynamic shared memory per block in bytes.
    pub fn shared(mut self, bytes: u32) -> Self {
        self.raw.shared_bytes = bytes;
        self
    }

    /// Set the number of blocks per cluster.
    pub fn cluster(mut self, blocks: impl Into<Dim>) -> Self {
        self.raw.cluster = blocks.into().0;
        self
    }

    /// Run all blocks concurrently, so that the grid can synchronize.
    pub fn cooperative(mut self) -> Self {
        self.raw.flags |= sys::CUC_LAUNCH_COOPERATIVE;
        self
    }

    /// Allow the kernel to start before the preceding one completes; it must then wait itself for
    /// that kernel to complete.
    pub fn programmatic(mut self) -> Self {
        self.raw.flags |= sys::CUC_LAUNCH_PROGRAMMATIC;
        self
    }

    #[inline]
    pub fn as_raw(&self) -> *const sys::cuc_launch_config {
        if self.own {
            std::ptr::null()
        } else {
            &self.raw
        }
    }
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("grid", &self.raw.grid)
            .field("block", &self.raw.block)
            .field("cluster", &self.raw.cluster)
            .field("shared_bytes", &self.raw.shared_bytes)
            .field("own_grid", &self.own)
            .finish()
    }
}

impl Stream {
    /// Launch a kernel: `stream.launch(&kernel, &config, (2.0f32, &x, &y, n))`.
    ///
    /// Checks the number and sizes of the arguments, and their types if known, against the
    /// kernel's.
    ///
    /// # Safety
    /// The kernel must access only valid memory. That memory must live, and nothing else may use
    /// it, until the kernel completes.
    #[inline]
    pub unsafe fn launch(
        &self,
        kernel: &Kernel,
        config: &Config,
        arguments: impl Arguments,
    ) -> Result<()> {
        arguments.with(|list| {
            let (raw, count) = (list.as_ptr(), list.len());
            check(sys::cuc_launch(self.as_raw(), config.as_raw(), kernel.as_raw(), raw, count))
        })?;
        Ok(())
    }
}

/// A launch whose number of arguments is known only at run time. It may be repeated; the arguments
/// are converted only once.
///
/// ```no_run
/// # use cucore::*;
/// # fn f(stream: &Stream, kernel: &Kernel, x: &Array<f32>) -> Result<()> {
/// let mut launch = Launch::new(kernel, Config::new(4, 256));
/// launch.arg(&2.0f32).arg(&x);
/// unsafe { launch.on(stream)? };
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Launch<'a> {
    kernel: &'a Kernel,
    config: Config,
    arguments: Vec<RawArgument>,
    borrowed: PhantomData<&'a ()>,
}

#[repr(transparent)]
struct RawArgument(sys::cuc_arg);

impl std::fmt::Debug for RawArgument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "argument of {} bytes", self.0.bytes)
    }
}

impl<'a> Launch<'a> {
    pub fn new(kernel: &'a Kernel, config: Config) -> Self {
        Self { kernel, config, arguments: Vec::new(), borrowed: PhantomData }
    }

    /// Append an argument.
    pub fn arg<A: Argument>(&mut self, value: &'a A) -> &mut Self {
        self.arguments.push(RawArgument(value.argument()));
        self
    }

    /// Replace an existing argument.
    pub fn replace<A: Argument>(&mut self, index: usize, value: &'a A) -> Result<&mut Self> {
        let count = self.arguments.len();
        match self.arguments.get_mut(index) {
            Some(place) => place.0 = value.argument(),
            None => {
                return Err(crate::Error::invalid(format!(
                    "there is no argument {index}: the launch has {count}, counted from 0"
                )))
            }
        }
        Ok(self)
    }

    /// Enqueue the launch.
    ///
    /// # Safety
    /// As for [`Stream::launch`].
    #[inline]
    pub unsafe fn on(&self, stream: &Stream) -> Result<()> {
        let (raw, count) = (self.arguments.as_ptr().cast(), self.arguments.len());
        let kernel = self.kernel.as_raw();
        check(sys::cuc_launch(stream.as_raw(), self.config.as_raw(), kernel, raw, count))?;
        Ok(())
    }
}
