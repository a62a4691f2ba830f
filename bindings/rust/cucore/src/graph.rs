use crate::error::check;
use crate::stream::Cancel;
use crate::{sys, Buffer, Device, Error, Result, Stream};
use std::hash::{Hash, Hasher};
use std::ptr::{null, null_mut};

handle! {
    /// A graph of work, captured or built node by node. One call at a time: `Send`, not `Sync`.
    Graph, cuc_graph, cuc_graph_release
}

/// A node of a graph.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    raw: *mut sys::cuc_node,
    graph: &'a Graph,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Node<'_> {}

impl Hash for Node<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw.hash(state)
    }
}

impl Node<'_> {
    /// The node's type, a `sys::CUC_NODE_` constant.
    pub fn kind(&self) -> Result<i32> {
        let mut kind = 0;
        check(unsafe { sys::cuc_node_get_type(&mut kind, self.alive()?) })?;
        Ok(kind)
    }

    /// Fails if the node is gone: the driver frees a graph and its nodes if a capture into it
    /// fails.
    fn alive(&self) -> Result<*mut sys::cuc_node> {
        if unsafe { sys::cuc_graph_handle(self.graph.as_raw()) }.is_null() {
            self.graph.node_count()?; // fails, and gives the reason
        }
        Ok(self.raw)
    }
}

impl Graph {
    /// Create an empty graph.
    pub fn new(device: &Device) -> Result<Self> {
        Self::made(|out| unsafe { sys::cuc_graph_create(out, device.as_raw()) })
    }

    /// Add the work that `enqueue` puts on the stream, after the given nodes of this graph. Nothing
    /// runs. Returns the node of the last work added.
    pub fn node(
        &self,
        stream: &Stream,
        after: &[Node],
        enqueue: impl FnOnce(&Stream) -> Result<()>,
    ) -> Result<Node<'_>> {
        let mode = sys::CUC_CAPTURE_THREAD_LOCAL;
        let (mut raw, mut count) = (null_mut(), 0);
        let after = after.iter().map(Node::alive).collect::<Result<Vec<_>>>()?;
        check(unsafe {
            sys::cuc_stream_begin_capture_to(
                stream.as_raw(),
                self.as_raw(),
                after.as_ptr(),
                after.len(),
                mode,
            )
        })?;
        let mut cancel = Cancel(Some(stream)); // on failure or panic
        enqueue(stream)?;
        check(unsafe {
            sys::cuc_stream_get_capture_nodes(&mut raw, 1, &mut count, stream.as_raw())
        })?;
        cancel.0 = None;
        Graph::made(|out| unsafe { sys::cuc_stream_end_capture(out, stream.as_raw()) })?;
        if raw.is_null() {
            return Err(Error::invalid(
                "nothing was put on the stream, so there is no node".into(),
            ));
        }
        Ok(Node { raw, graph: self })
    }

    /// All nodes, in the driver's order.
    pub fn nodes(&self) -> Result<Vec<Node<'_>>> {
        let mut found = vec![null_mut(); self.node_count()?];
        check(unsafe { sys::cuc_graph_get_nodes(found.as_mut_ptr(), found.len(), self.as_raw()) })?;
        Ok(found.into_iter().map(|raw| Node { raw, graph: self }).collect())
    }

    /// Pairs of nodes; the second starts after the first completes.
    pub fn edges(&self) -> Result<Vec<(Node<'_>, Node<'_>)>> {
        let mut count = 0;
        check(unsafe { sys::cuc_graph_get_edge_count(&mut count, self.as_raw()) })?;
        let (mut from, mut to) = (vec![null_mut(); count], vec![null_mut(); count]);
        check(unsafe {
            sys::cuc_graph_get_edges(from.as_mut_ptr(), to.as_mut_ptr(), count, self.as_raw())
        })?;
        let node = |raw| Node { raw, graph: self };
        Ok(from.into_iter().zip(to).map(|(a, b)| (node(a), node(b))).collect())
    }

    pub fn node_count(&self) -> Result<usize> {
        let mut count = 0;
        check(unsafe { sys::cuc_graph_get_node_count(&mut count, self.as_raw()) })?;
        Ok(count)
    }

    /// Keep a buffer that nodes use alive as long as the graph and its instances exist.
    pub fn keep(&self, buffer: &Buffer) -> Result<()> {
        check(unsafe { sys::cuc_graph_keep_buffer(self.as_raw(), buffer.as_raw()) }).map(drop)
    }

    /// Instantiate the graph for launching.
    pub fn instantiate(&self) -> Result<GraphExec> {
        GraphExec::made(|out| unsafe { sys::cuc_graph_instantiate(out, self.as_raw(), null()) })
    }
}

/// The effect of a condition on its conditional node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conditional {
    /// The first body runs if the condition is nonzero; the second, if any, if it is 0.
    If = sys::CUC_CONDITIONAL_IF as isize,
    /// The body repeats until the condition is 0.
    While = sys::CUC_CONDITIONAL_WHILE as isize,
    /// The condition selects the body that runs.
    Switch = sys::CUC_CONDITIONAL_SWITCH as isize,
}

impl Stream {
    /// Create the condition of one conditional node in the graph this stream is capturing. Kernels
    /// take it as an argument and set it. Each launch resets it to the default value; without a
    /// default it keeps the value that the previous launch left.
    pub fn condition(&self, default: Option<u32>) -> Result<u64> {
        let (value, flags) = match default {
            Some(value) => (value, sys::CUC_CONDITION_ASSIGN_DEFAULT as u32),
            None => (0, 0),
        };
        let mut out = 0;
        check(unsafe { sys::cuc_stream_condition_create(&mut out, self.as_raw(), value, flags) })?;
        Ok(out)
    }

    /// Add a conditional node to this capturing stream, and let `fill` add work to its bodies
    /// through [`Graph::node`] and another stream. The bodies belong to the graph that has the
    /// node. Only one call at a time may use that graph or its bodies, so no other thread can use a
    /// body.
    ///
    /// ```compile_fail,E0277
    /// # fn f(stream: &cucore::Stream) -> cucore::Result<()> {
    /// stream.conditional(stream.condition(None)?, cucore::Conditional::While, 1, |bodies| {
    ///     std::thread::scope(|scope| { scope.spawn(|| bodies[0].node_count()); });
    ///     Ok(())
    /// })
    /// # }
    /// ```
    pub fn conditional(
        &self,
        condition: u64,
        kind: Conditional,
        count: u32,
        fill: impl FnOnce(&[Graph]) -> Result<()>,
    ) -> Result<()> {
        let mut raw = vec![null_mut(); count.min(1 << 16) as usize]; // the call refuses more
        check(unsafe {
            let kind = kind as i32;
            sys::cuc_stream_add_conditional(raw.as_mut_ptr(), count, self.as_raw(), condition, kind)
        })?;
        // Safety: we own a reference to each.
        let bodies: Vec<_> =
            raw.into_iter().map(|graph| unsafe { Graph::from_raw(graph) }).collect();
        fill(&bodies)
    }
}

handle! {
    /// An executable graph, independent of its source. One call at a time: `Send`, not `Sync`.
    GraphExec, cuc_graph_exec, cuc_graph_exec_release
}

impl GraphExec {
    /// Launch the whole graph in stream order.
    ///
    /// # Safety
    /// Memory that the captured work uses must live ([`Graph::keep`]), and nothing else may use it,
    /// until the launch completes.
    pub unsafe fn launch(&self, stream: &Stream) -> Result<()> {
        check(sys::cuc_graph_exec_launch(stream.as_raw(), self.as_raw())).map(drop)
    }

    /// Update arguments and launch shapes from a graph with the same nodes.
    pub fn update(&self, graph: &Graph) -> Result<()> {
        check(unsafe { sys::cuc_graph_exec_update(self.as_raw(), graph.as_raw()) }).map(drop)
    }

    /// Enable or disable a node of the source graph in later launches: a kernel, a copy or a fill.
    pub fn set_enabled(&self, node: Node, enabled: bool) -> Result<()> {
        let node = node.alive()?;
        check(unsafe { sys::cuc_graph_exec_set_enabled(self.as_raw(), node, i32::from(enabled)) })
            .map(drop)
    }

    /// Return whether launches run the node.
    pub fn is_enabled(&self, node: Node) -> Result<bool> {
        let mut enabled = 0;
        let node = node.alive()?;
        check(unsafe { sys::cuc_graph_exec_get_enabled(&mut enabled, self.as_raw(), node) })?;
        Ok(enabled != 0)
    }
}
