//! Tests the crate on the simulated driver, which CUCORE_DRIVER selects. Kernels are PTX and tile
//! programs, so no toolkit is needed.

use cucore::*;
use std::sync::mpsc;

/// Stores out[0] = a and out[1] = b, which are 4 and 8 bytes passed by value.
const PTX: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 out, .param .u32 a, .param .f64 b)
{
    .reg .b64 %p; .reg .b32 %a; .reg .f64 %b;
    ld.param.u64 %p, [out];
    ld.param.u32 %a, [a];
    ld.param.f64 %b, [b];
    st.global.u32 [%p], %a;
    st.global.f64 [%p+8], %b;
    ret;
}
.visible .entry nothing()
{
    ret;
}
";

const TILES: &str = "kernel vadd(a: f32[N], b: f32[N], c: f32[N]) grid cdiv(N, 256) {
    i = block(0)
    store(c, [i], load(a, [i], [256]) + load(b, [i], [256]))
}
";

fn device() -> Device {
    Device::get(0).expect("the simulated driver: set CUCORE_DRIVER=sim")
}

fn stream() -> Stream {
    Stream::new(&device()).unwrap()
}

fn store() -> Kernel {
    Object::new(Code::Ptx, PTX.as_bytes()).unwrap().kernel("store").unwrap()
}

#[test]
fn an_error_has_the_message_the_kind_and_the_function() {
    let error = Device::get(99).unwrap_err();
    assert_eq!(error.kind(), Kind::InvalidArgument);
    assert_eq!(error.status(), sys::CUC_ERROR_INVALID_ARGUMENT);
    assert_eq!(error.function(), "cuc_device_get");
    assert!(error.to_string().contains("99"), "{error}");
}

#[test]
fn an_error_of_a_compiler_has_its_log() {
    let program = Program::new(Source::Tile, "kernel k(x: f32[N]) grid 1 { y = z }\n").unwrap();
    let error = program.compile(Code::Cubin).unwrap_err();
    assert_eq!(error.kind(), Kind::Compile);
    assert!(error.log().contains('z'), "{}", error.log());
    assert!(error.to_string().contains(error.log()), "{error}");
}

#[test]
fn an_error_that_main_returns_reads_as_it_is_displayed() {
    let program = Program::new(Source::Tile, "kernel k(x: f32[N]) grid 1 { y = z }\n").unwrap();
    let error = program.compile(Code::Cubin).unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(error.to_string().contains("\n    kernel k(x: f32[N])"), "{error}");
    let fields = format!("{error:#?}");
    assert!(fields.contains("status: ") && fields.contains("log: "), "{fields}");
}

#[test]
fn text_with_a_zero_byte_is_refused() {
    let error = Program::new(Source::Tile, "a\0b").unwrap_err();
    assert!(error.to_string().contains("zero byte"), "{error}");
    assert!(Program::with_options(Source::Tile, "", &ProgramOptions::new().constant("\0")).is_err());
}

#[test]
fn handles_are_dropped_in_any_order() {
    let (kernel, part) = {
        let stream = stream();
        let object = Object::new(Code::Ptx, PTX.as_bytes()).unwrap();
        let kernel = object.kernel("nothing").unwrap();
        let part = Buffer::new(&stream, 1024).unwrap().slice(256, 256).unwrap();
        unsafe { stream.launch(&kernel, &Config::new(1, 32), ()).unwrap() };
        stream.synchronize().unwrap();
        (kernel, part)
    };
    assert_eq!(part.bytes(), 256);
    assert_eq!(part.device(), Some(device()));
    assert_eq!((kernel.name(), kernel.parameter_count().unwrap()), ("nothing".into(), 0));
    let clone = kernel.clone();
    drop(kernel);
    assert_eq!(clone.name(), "nothing");
    let raw = clone.into_raw();
    assert_eq!(unsafe { Kernel::from_raw(raw) }.name(), "nothing");
}

#[test]
fn arguments_are_passed_by_their_types() {
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Pair(i32, f32);

    fn of(value: impl Argument) -> (i32, u32) {
        let argument = value.argument();
        (argument.type_, argument.bytes)
    }
    let buffer = Buffer::new(&stream(), 64).unwrap();
    let tensor = Tensor::from_buffer(&buffer, sys::CUC_F32, &[16]).unwrap();

    assert_eq!(of(true), (sys::CUC_BOOL, 1));
    assert_eq!(of(1i8), (sys::CUC_I8, 1));
    assert_eq!(of(1u16), (sys::CUC_U16, 2));
    assert_eq!(of(1i32), (sys::CUC_I32, 4));
    assert_eq!(of(1u64), (sys::CUC_U64, 8));
    assert_eq!(of(1f32), (sys::CUC_F32, 4));
    assert_eq!(of(1f64), (sys::CUC_F64, 8));
    assert_eq!(of(F16(0x3c00)), (sys::CUC_F16, 2));
    assert_eq!(of(DevicePtr(0)), (sys::CUC_ARG_POINTER, 8));
    assert_eq!(of(ByValue(Pair(1, 2.0))), (sys::CUC_ARG_BYTES, 8));
    assert_eq!(of(&buffer), (sys::CUC_ARG_BUFFER, 8));
    assert_eq!(of(&tensor), (sys::CUC_ARG_TENSOR, 8));
    unsafe {
        assert_eq!(2.5f64.argument().value.f64, 2.5);
        assert_eq!((-2i16).argument().value.raw[..2], (-2i16).to_le_bytes());
        assert_eq!(DevicePtr(77).argument().value.u64, 77);
    }
}

#[test]
fn a_kernel_gets_what_was_passed() {
    let (stream, kernel) = (stream(), store());
    let out = Array::<u64>::zeros(&stream, 2).unwrap();
    unsafe { stream.launch(&kernel, &Config::new(1, 1), (&out, 42u32, 2.5f64)).unwrap() };
    assert_eq!(out.to_vec(&stream).unwrap(), [42, 2.5f64.to_bits()]);

    let list: &[&dyn Argument] = &[&&out, &43u32, &3.5f64];
    unsafe { stream.launch(&kernel, &Config::new(1, 1), list).unwrap() };
    assert_eq!(out.to_vec(&stream).unwrap(), [43, 3.5f64.to_bits()]);
}

#[test]
fn a_launch_in_the_making_is_launched_again() {
    let (stream, kernel) = (stream(), store());
    let out = Array::<u64>::zeros(&stream, 2).unwrap();
    let (out, a, b) = (&out, 1u32, 1.5f64);
    let mut launch = Launch::new(&kernel, Config::new(1, 1));
    launch.arg(&out).arg(&a).arg(&b);
    unsafe { launch.on(&stream).unwrap() };
    assert_eq!(out.to_vec(&stream).unwrap(), [1, 1.5f64.to_bits()]);
    launch.replace(1, &9u32).unwrap();
    unsafe { launch.on(&stream).unwrap() };
    assert_eq!(out.to_vec(&stream).unwrap()[0], 9);
    assert!(launch.replace(3, &9u32).unwrap_err().to_string().contains("no argument 3"));
}

#[test]
fn a_launch_that_does_not_fit_is_refused_by_name() {
    let (stream, kernel) = (stream(), store());
    let out = Array::<u64>::zeros(&stream, 2).unwrap();
    let refused = |config: Config, b: f64, wrong: bool| unsafe {
        let error = match wrong {
            true => stream.launch(&kernel, &config, (&out, 42u32, b as f32)),
            false => stream.launch(&kernel, &config, (&out, 42u32, b)),
        };
        error.unwrap_err().to_string()
    };
    assert!(refused(Config::new(1, 1), 2.5, true).contains("argument 2"));
    assert!(refused(Config::new((1, 1, 1), 2048), 2.5, false).contains("2048"));
    assert!(unsafe { stream.launch(&kernel, &Config::new(1, 1), (&out,)) }.is_err());
}

#[test]
fn the_kernel_library_has_programs_by_name() {
    assert!(library_names().contains(&"rms_norm".to_string()));
    assert!(library_source("rms_norm").unwrap().contains("kernel rms_norm("));
    assert!(library_source("none").unwrap_err().to_string().contains("rms_norm"));
    let options = ProgramOptions::new().arch("sm_90").constant("T=f32");
    let object = Program::from_library("rms_norm", &options).unwrap().compile(Code::Ptx).unwrap();
    assert!(object.kernel("rms_norm_backward").is_ok());
}

#[test]
fn a_tile_kernel_takes_tensors() {
    let stream = stream();
    let program = Program::new(Source::Tile, TILES).unwrap();
    let kernel = program.compile(Code::Cubin).unwrap().kernel("vadd").unwrap();
    let a = Array::from_slice(&stream, &[1.5f32; 1000]).unwrap();
    let b = Array::from_slice(&stream, &[2.0f32; 1000]).unwrap();
    let c = Array::<f32>::zeros(&stream, 1000).unwrap();
    let of = |array, n| Tensor::new(array, &[n]).unwrap();
    let (ta, tb, tc) = (of(&a, 1000), of(&b, 1000), of(&c, 1000));

    unsafe { stream.launch(&kernel, &Config::own_grid(), (&ta, &tb, &tc)).unwrap() };
    assert_eq!(c.to_vec(&stream).unwrap(), [3.5; 1000]);

    let short = of(&b, 999);
    let refused = unsafe { stream.launch(&kernel, &Config::own_grid(), (&ta, &short, &tc)) };
    assert!(refused.unwrap_err().to_string().contains("999"));
    assert!(Tensor::new(&a, &[1001]).is_err());
    assert_eq!(format!("{ta:?}"), "Tensor(f32, [1000])");

    let (mut x, mut y, mut z) = (vec![1f32; 1000], vec![2f32; 1000], vec![0f32; 1000]);
    assert!(Tensor::from_host(&mut x, &[1001]).is_err());
    let host = |data: &mut Vec<f32>| Tensor::from_host(data, &[1000]).unwrap();
    let hosts = (host(&mut x), host(&mut y), host(&mut z));
    unsafe { program.interpret("vadd", (&hosts.0, &hosts.1, &hosts.2)).unwrap() };
    assert_eq!(z, [3.0; 1000]);
}

#[test]
fn buffers_copy_fill_and_slice() {
    let (device, stream) = (device(), stream());
    let pool = MemoryResource::pool(&device, MemoryKind::Device).unwrap();
    let a = Buffer::new(&stream, 64).unwrap();
    let b = Buffer::from_resource(&stream, &pool, 64).unwrap();
    a.fill(&stream, 0xab).unwrap();
    b.fill(&stream, 0).unwrap();
    b.slice(16, 16).unwrap().copy_from(&stream, &a, 16).unwrap();
    let mut back = [0u8; 64];
    b.read(&stream, 0, &mut back).unwrap();
    for (i, byte) in back.iter().enumerate() {
        assert_eq!(*byte, if i / 16 == 1 { 0xab } else { 0 });
    }
    assert!(b.read(&stream, 1, &mut back).is_err(), "past the end");
    assert!(b.slice(60, 8).is_err());

    let pinned = MemoryResource::synchronous(&device, MemoryKind::Pinned).unwrap();
    let host = Buffer::from_resource(&stream, &pinned, 16).unwrap();
    unsafe {
        host.host_mut::<u32>().unwrap().copy_from_slice(&[1, 2, 3, 4]);
        assert_eq!(host.host::<u32>().unwrap(), [1, 2, 3, 4]);
        assert!(a.host::<u32>().is_err());
    }
}

#[test]
fn streams_and_events_order_work() {
    let (device, first, second) = (device(), stream(), stream());
    let start = Event::timing(&device).unwrap();
    let end = Event::timing(&device).unwrap();
    first.record(&start).unwrap();
    second.wait(&start).unwrap();
    second.wait_stream(&first).unwrap();
    second.record(&end).unwrap();
    end.synchronize().unwrap();
    second.synchronize().unwrap();
    assert!(end.is_done().unwrap() && second.is_done().unwrap());
    assert!(end.elapsed_since(&start).unwrap() >= 0.0);
    assert!(end.file_descriptor().is_ok());
    assert_eq!(second.device(), device);
    let same = unsafe { Stream::from_handle(second.native()) }.unwrap();
    assert_eq!(same.native(), second.native());
}

#[test]
fn no_time_has_passed_until_both_events_have_completed() {
    let stream = stream();
    let (go, held) = mpsc::channel();
    let (start, end) = (Event::timing(&device()).unwrap(), Event::timing(&device()).unwrap());
    stream.record(&start).unwrap();
    stream.when_done(move |_| held.recv().unwrap()).unwrap();
    stream.record(&end).unwrap();
    let early = end.elapsed_since(&start);
    go.send(()).unwrap();
    assert_eq!(early.unwrap_err().kind(), Kind::Busy);
    end.synchronize().unwrap();
    assert!(end.elapsed_since(&start).unwrap() > 0.0);
}

#[test]
fn a_callback_gets_the_outcome_once() {
    let stream = stream();
    let (tell, told) = mpsc::channel();
    stream.when_done(move |outcome| tell.send(outcome).unwrap()).unwrap();
    assert!(told.recv().unwrap().is_ok());
    assert!(told.recv().is_err(), "it is dropped after its call");
    stream.synchronize().unwrap();
}

#[test]
fn a_capture_is_launched_as_one() {
    let stream = stream();
    let x = Array::from_slice(&stream, &[1u8; 8]).unwrap();
    let graph = stream.capture(|stream| x.buffer().fill(stream, 9)).unwrap();
    assert_eq!(graph.node_count().unwrap(), 1);
    assert_eq!(x.to_vec(&stream).unwrap(), [1; 8]);
    graph.keep(x.buffer()).unwrap();
    let exec = graph.instantiate().unwrap();
    drop(graph);
    unsafe { exec.launch(&stream).unwrap() };
    assert_eq!(x.to_vec(&stream).unwrap(), [9; 8]);
}

#[test]
fn nodes_come_behind_those_that_are_named() {
    let stream = stream();
    let (x, y) =
        (Array::from_slice(&stream, &[1u8; 8]).unwrap(), Array::<u8>::zeros(&stream, 8).unwrap());
    stream.synchronize().unwrap();
    let graph = Graph::new(&device()).unwrap();
    let first = graph.node(&stream, &[], |s| x.buffer().fill(s, 7)).unwrap();
    let second = graph.node(&stream, &[first], |s| y.buffer().fill(s, 3)).unwrap();
    let third =
        graph.node(&stream, &[first, second], |s| y.buffer().copy_from(s, x.buffer(), 8)).unwrap();
    assert_eq!(graph.nodes().unwrap().len(), 3);
    let edges = graph.edges().unwrap();
    for edge in [(first, second), (first, third), (second, third)] {
        assert!(edges.contains(&edge));
    }
    assert_eq!(edges.len(), 3);
    assert_eq!(third.kind().unwrap(), sys::CUC_NODE_COPY);
    assert!(graph.node(&stream, &[], |_| Device::get(99).map(drop)).is_err());
    assert!(graph.node(&stream, &[], |_| Ok(())).is_err());
    assert_eq!(graph.node_count().unwrap(), 3);
    let exec = graph.instantiate().unwrap();
    unsafe { exec.launch(&stream).unwrap() };
    assert_eq!(y.to_vec(&stream).unwrap(), [7; 8]);
    exec.set_enabled(third, false).unwrap();
    assert!(!exec.is_enabled(third).unwrap() && exec.is_enabled(second).unwrap());
    unsafe { exec.launch(&stream).unwrap() };
    assert_eq!(y.to_vec(&stream).unwrap(), [3; 8]);
}

#[test]
fn a_graph_goes_with_a_capture_into_it_that_ends_badly() {
    let (stream, branch) = (stream(), stream());
    let x = Array::from_slice(&stream, &[1u8; 8]).unwrap();
    stream.synchronize().unwrap();
    let graph = Graph::new(&device()).unwrap();
    let first = graph.node(&stream, &[], |s| x.buffer().fill(s, 7)).unwrap();
    let exec = graph.instantiate().unwrap();
    let not_joined = graph.node(&stream, &[first], |s| {
        x.buffer().fill(s, 8)?;
        branch.wait_stream(s)?;
        x.buffer().fill(&branch, 9)
    });
    assert!(not_joined.unwrap_err().to_string().contains("the driver frees the graph"));
    let gone = [
        graph.node_count().unwrap_err(),
        graph.instantiate().unwrap_err(),
        graph.node(&stream, &[first], |s| x.buffer().fill(s, 8)).unwrap_err(),
        first.kind().unwrap_err(),
        exec.set_enabled(first, false).unwrap_err(),
        exec.is_enabled(first).unwrap_err(),
    ];
    for error in gone {
        assert!(error.to_string().contains("the graph is no more"));
    }
    unsafe { exec.launch(&stream).unwrap() }; // independent of the graph
    assert_eq!(x.to_vec(&stream).unwrap(), [7; 8]);
}

#[test]
fn a_graph_records_and_waits_for_events_of_outside() {
    let (stream, other) = (stream(), stream());
    let (before, behind) = (Event::new(&device()).unwrap(), Event::new(&device()).unwrap());
    let x = Array::<u8>::zeros(&stream, 8).unwrap();
    let graph = stream
        .capture(|s| unsafe {
            s.wait_external(&before)?;
            x.buffer().fill(s, 5)?;
            s.record_external(&behind)
        })
        .unwrap();
    assert_eq!(graph.node_count().unwrap(), 3);
    other.record(&before).unwrap();
    unsafe { graph.instantiate().unwrap().launch(&stream).unwrap() };
    behind.synchronize().unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [5; 8]);
    assert!(unsafe { stream.record_external(&behind) }.is_err());
}

#[test]
fn a_graph_decides_between_bodies() {
    let (stream, side) = (stream(), stream());
    let x = Array::<u8>::zeros(&stream, 8).unwrap();
    let graph = stream
        .capture(|s| {
            s.conditional(s.condition(Some(1))?, Conditional::Switch, 2, |bodies| {
                for (body, value) in bodies.iter().zip([5, 7]) {
                    body.node(&side, &[], |s| x.buffer().fill(s, value))?;
                }
                Ok(())
            })
        })
        .unwrap();
    unsafe { graph.instantiate().unwrap().launch(&stream).unwrap() };
    assert_eq!(x.to_vec(&stream).unwrap(), [7; 8]);
    assert!(stream.condition(None).is_err());
    for count in [0, u32::MAX] {
        assert!(stream
            .capture(|s| s.conditional(s.condition(None)?, Conditional::Switch, count, |_| Ok(())))
            .is_err());
    }
}

#[test]
fn a_buffer_grows_at_its_address() {
    let stream = stream();
    let resource = MemoryResource::growing(&device(), 64 << 20).unwrap();
    let first = Buffer::from_resource(&stream, &resource, 8).unwrap();
    let second = first.grow(4 << 20).unwrap();
    assert_eq!((second.bytes(), second.ptr().0), (4 << 20, first.ptr().0));
    assert!(Buffer::new(&stream, 8).unwrap().grow(16).is_err());
}

#[test]
fn memory_that_grows_has_pieces_for_others() {
    let stream = stream();
    let resource = MemoryResource::growing_shareable(&device(), 0).unwrap();
    let first = Buffer::from_resource(&stream, &resource, 8).unwrap();
    let second = first.grow(4 << 20).unwrap();
    second.fill(&stream, 6).unwrap();
    let pieces = second.export_pieces().unwrap();
    assert_eq!(pieces.iter().map(|p| p.bytes).sum::<u64>(), 4 << 20);
    let there = Buffer::from_pieces(&stream, &resource, &pieces, 3 << 20).unwrap();
    // As if received from a socket.
    let fd = pieces[0].fd.try_clone().unwrap();
    let again = Piece { fd, bytes: pieces[0].bytes };
    Buffer::from_pieces(&stream, &resource, &[again], 8).unwrap();
    drop((pieces, first, second));
    let mut got = [0u8; 4];
    there.read(&stream, (3 << 20) - 4, &mut got).unwrap();
    assert_eq!(got, [6; 4]);
    assert!(Buffer::from_pieces(&stream, &resource, &[], 8).is_err());
    assert!(Buffer::new(&stream, 8).unwrap().export_pieces().is_err());
}

#[test]
fn a_part_of_a_device_has_streams() {
    let all = Sms::of(&device()).unwrap();
    let (groups, rest) = all.split(16, 2).unwrap();
    let left = rest.map_or(0, |rest| rest.count());
    assert_eq!(groups.iter().map(Sms::count).sum::<u32>() + left, all.count());
    let part = GreenContext::new(&device(), &groups).unwrap();
    assert_eq!(part.sms().unwrap().count(), 2 * groups[0].count());
    let stream = part.stream(-1).unwrap();
    drop(part);
    let x = Array::<u8>::zeros(&stream, 8).unwrap();
    x.buffer().fill(&stream, 4).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [4; 8]);
    assert!(all.split(all.count() + 1, 1).is_err());
    assert!(all.split(16, 0).is_err());
    let (as_many_as_there_are, _) = all.split(16, u32::MAX).unwrap();
    assert_eq!(as_many_as_there_are.len(), (all.count() / 16) as usize);
}

#[test]
fn a_tensor_map_has_a_box_for_each_dimension() {
    let stream = stream();
    let x = Array::<f32>::zeros(&stream, 256).unwrap();
    let tensor = Tensor::new(&x, &[8, 32]).unwrap();
    assert_ne!(tensor.map(&[4, 8], Swizzle::None).unwrap().words, [0; 16]);
    assert!(tensor.map(&[4], Swizzle::None).is_err());
    assert!(tensor.map(&[4, 64], Swizzle::Bytes128).is_err());
}

#[test]
fn what_goes_to_other_processes_has_a_name() {
    let stream = stream();
    let pool = MemoryResource::shareable(&device()).unwrap();
    let buffer = Buffer::from_resource(&stream, &pool, 4096).unwrap();
    let name = buffer.export().unwrap();
    assert_ne!(name.0, [0; 64]);
    // The same process imports the pool by its descriptor, which the simulated driver allows.
    let fd = pool.export().unwrap();
    buffer.fill(&stream, 9).unwrap();
    stream.synchronize().unwrap();
    if let Ok(same) = MemoryResource::from_fd(&device(), std::os::unix::io::AsFd::as_fd(&fd)) {
        let there = unsafe { Buffer::from_ipc_handle(&stream, &same, &name, 4096).unwrap() };
        let mut seen = [0u8; 4096];
        there.read(&stream, 0, &mut seen).unwrap();
        assert_eq!(seen, [9; 4096]);
    }
    let event = Event::shareable(&device()).unwrap();
    assert_ne!(event.export().unwrap().0, [0; 64]);
    assert!(Event::new(&device()).unwrap().export().is_err());
    assert!(buffer.slice(0, 16).unwrap().export().is_err());
}

#[test]
fn a_capture_that_fails_or_panics_is_cancelled() {
    let stream = stream();
    assert!(stream.capture(|_| Device::get(99).map(drop)).is_err());
    stream.synchronize().unwrap(); // the capture would refuse this
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        stream.capture(|_| panic!("on purpose")).map(drop)
    }));
    assert!(caught.is_err());
    stream.synchronize().unwrap();
}

#[test]
fn a_copy_that_waits_is_not_captured() {
    let (stream, x) = (stream(), Array::<u8>::zeros(&stream(), 8).unwrap());
    let graph = stream
        .capture(|s| {
            assert!(s.is_capturing()?);
            for refused in [x.write(s, 0, &[1; 8]), x.to_vec(s).map(drop)] {
                assert_eq!(refused.unwrap_err().kind(), Kind::Busy);
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(graph.node_count().unwrap(), 0);
    assert!(!stream.is_capturing().unwrap());
}

#[test]
fn a_path_is_taken_by_its_bytes() {
    use std::os::unix::ffi::OsStrExt;

    let mut name = format!("cucore-{}-", std::process::id()).into_bytes();
    name.extend(b"\xff.ptx");
    let path = std::env::temp_dir().join(std::ffi::OsStr::from_bytes(&name));
    Object::new(Code::Ptx, PTX.as_bytes()).unwrap().save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), PTX.as_bytes());
    assert!(Object::from_file(&path).unwrap().kernel("nothing").is_ok());
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_linker_links_objects() {
    let options = sys::cuc_linker_options { backend: sys::CUC_LINKER_DRIVER, ..Default::default() };
    let linker = unsafe { Linker::with_options(&options) }.unwrap();
    linker.add(&Object::new(Code::Ptx, PTX.as_bytes()).unwrap()).unwrap();
    let kernel = linker.link(Code::Cubin).unwrap().kernel("store").unwrap();
    assert_eq!(kernel.parameter_count().unwrap(), 3);
}

#[test]
fn what_is_documented_to_be_shared_is_and_nothing_else() {
    fn send<T: Send>() {}
    fn sync<T: Sync>() {}
    send::<(Stream, Event, Program, Linker, Graph, GraphExec)>();
    send::<(Device, Object, Kernel, Buffer, Array<f32>, MemoryResource, Error, Config)>();
    sync::<(Device, Object, Kernel, Buffer, Array<f32>, MemoryResource, Error, Config)>();
}

#[test]
fn objects_are_dropped_on_other_threads() {
    let (stream, kernel) = (stream(), store());
    let buffer = Buffer::new(&stream, 64).unwrap();
    let shared = buffer.clone();
    std::thread::spawn(move || drop((stream, kernel, buffer))).join().unwrap();
    assert_eq!(shared.bytes(), 64);
}

#[test]
fn many_threads_drop_objects_at_random() {
    let mut objects: Vec<Box<dyn std::any::Any + Send>> = Vec::new();
    for _ in 0..50 {
        let (stream, kernel) = (stream(), store());
        let buffer = Buffer::new(&stream, 256).unwrap();
        let graph = stream.capture(|stream| buffer.fill(stream, 1)).unwrap();
        graph.keep(&buffer).unwrap();
        let exec = graph.instantiate().unwrap();
        unsafe { exec.launch(&stream).unwrap() };
        objects.push(Box::new((buffer.slice(0, 16).unwrap(), kernel.clone())));
        objects.push(Box::new(stream));
        objects.push(Box::new(kernel));
        objects.push(Box::new(exec));
        objects.push(Box::new(buffer));
        objects.push(Box::new(graph));
    }
    let mut seed = 1u64;
    for i in (1..objects.len()).rev() {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        objects.swap(i, (seed >> 33) as usize % (i + 1));
    }
    std::thread::scope(|scope| {
        while !objects.is_empty() {
            let part = objects.split_off(objects.len().saturating_sub(40));
            scope.spawn(move || drop(part));
        }
    });
    stream().synchronize().unwrap(); // a device-wide wait is forbidden while others capture
}
