use crate::error::check;
use crate::{sys, Buffer, Result, Stream};
use std::ptr::null;

handle! {
    /// What was captured. One call at a time: `Send`, not `Sync`.
    Graph, cuc_graph, cuc_graph_release
}

impl Graph {
    pub fn node_count(&self) -> Result<usize> {
        let mut count = 0;
        check(unsafe { sys::cuc_graph_get_node_count(&mut count, self.as_raw()) })?;
        Ok(count)
    }

    /// Keep a buffer that nodes use as long as the graph and what was made of it.
    pub fn keep(&self, buffer: &Buffer) -> Result<()> {
        check(unsafe { sys::cuc_graph_keep_buffer(self.as_raw(), buffer.as_raw()) }).map(drop)
    }

    /// Make it ready to be launched.
    pub fn instantiate(&self) -> Result<GraphExec> {
        GraphExec::made(|out| unsafe { sys::cuc_graph_instantiate(out, self.as_raw(), null()) })
    }
}

handle! {
    /// An instance of a graph; it needs the graph no more. One call at a time: `Send`, not `Sync`.
    GraphExec, cuc_graph_exec, cuc_graph_exec_release
}

impl GraphExec {
    /// Launch all of it, in stream order.
    ///
    /// # Safety
    /// As for what was captured: the memory that it uses lives ([`Graph::keep`]), and is not used
    /// otherwise until it is done.
    pub unsafe fn launch(&self, stream: &Stream) -> Result<()> {
        check(sys::cuc_graph_exec_launch(self.as_raw(), stream.as_raw())).map(drop)
    }

    /// Take the arguments and shapes of another graph of the same nodes.
    pub fn update(&self, graph: &Graph) -> Result<()> {
        check(unsafe { sys::cuc_graph_exec_update(self.as_raw(), graph.as_raw()) }).map(drop)
    }
}
