# Tests the package on the simulated driver. Kernels are PTX and tile programs, so no toolkit is
# needed.
using CuCore
using Test

include("layout.jl")

const PTX = """
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
"""

# Copies one box of a map's array, from x and y on, to `out` through shared memory.
const TAKE = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry take(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 x, .param .u32 y)
{
    .shared .align 128 .b8 box[128];
    .shared .align 8 .b64 bar;
    .reg .pred %p<3>; .reg .b32 %r<10>; .reg .b64 %d<6>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %d1, [out];
    ld.param.u32 %r2, [x];
    ld.param.u32 %r3, [y];
    mov.b64 %d2, map;
    cvta.param.u64 %d3, %d2;
    mov.u32 %r4, box;
    mov.u32 %r5, bar;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra ready;
    mbarrier.init.shared.b64 [%r5], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 128;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r4], [%d3, {%r2, %r3}], [%r5];
ready:
    bar.sync 0;
again:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;
    @!%p2 bra again;
    shl.b32 %r6, %r1, 2;
    add.u32 %r7, %r4, %r6;
    ld.shared.u32 %r8, [%r7];
    mul.wide.u32 %d4, %r1, 4;
    add.s64 %d5, %d1, %d4;
    st.global.u32 [%d5], %r8;
    ret;
}
"""

const TILES = """
kernel vadd(a: f32[N], b: f32[N], c: f32[N]) grid cdiv(N, 256) {
    i = block(0)
    store(c, [i], load(a, [i], [256]) + load(b, [i], [256]))
}
kernel rows(x: f32[M, N], y: f32[M]) grid M {
    r = block(0)
    store(y, [r], sum(load(x, [r, 0], [_, 64])))
}
"""

const C = CuCore.C
store() = kernel(ObjectCode(:ptx, PTX), "store")

function error_of(call)
    try
        call()
    catch failure
        return failure
    end
    error("nothing was thrown")
end

@testset "the raw layer" begin
    @testset "structs lie in memory as the headers say" begin
        for (name, bytes, align, fields) in LAYOUT
            type = getfield(C, name)
            @test (name, sizeof(type), Base.datatype_alignment(type)) == (name, bytes, align)
            there = [(fieldname(type, i), Int(fieldoffset(type, i)), sizeof(fieldtype(type, i)))
                     for i in 1:fieldcount(type)]
            @test (name, there) == (name, fields)
        end
    end
    @testset "every function is there, with all its parameters" begin
        library = CuCore.Libdl.dlopen(C.libcucore)
        for (name, parameters) in FUNCTIONS
            @test CuCore.Libdl.dlsym(library, name; throw_error = false) !== nothing
            @test first(methods(getfield(C, name))).nargs - 1 == parameters
        end
    end
    @testset "defaults have their size" begin
        options = CuCore.struct_of(C.cuc_stream_options; priority = -1)
        @test options.struct_size == sizeof(C.cuc_stream_options) && options.priority == -1
        @test_throws ArgumentError CuCore.struct_of(C.cuc_stream_options; no_such = 1)
    end
    @testset "flags are the bits of what is on" begin
        for (table, prefix) in ((CuCore.VIRTUAL_FLAGS, "CUC_MEMORY_VIRTUAL_"), (CuCore.SPLIT_FLAGS, "CUC_SMS_"))
            all = filter(each -> startswith(each, prefix), string.(names(C; all = true)))
            @test Dict(pairs(table)) == Dict(Symbol(lowercase(each[length(prefix)+1:end])) => getfield(C, Symbol(each)) for
                                             each in all)
        end
        @test CuCore.flags_of(CuCore.VIRTUAL_FLAGS, (ipc = true, read_only = true, fine = false)) == 0x11
        @test CuCore.flags_of(CuCore.SPLIT_FLAGS, ()) == 0
    end
end

@testset "errors" begin
    failure = error_of(() -> Device(99))
    @test failure isa CuError && failure.status == C.CUC_ERROR_INVALID_ARGUMENT
    @test failure.func == "cuc_device_get" && occursin("99", sprint(showerror, failure))
    failure = error_of(() -> compile(Program("kernel k(x: f32[N]) grid 1 { y = z }\n"; kind = :tile)))
    @test failure.status == C.CUC_ERROR_COMPILE && occursin(failure.log, failure.message)
    @test !isempty(failure.log)
    @test_throws ArgumentError Program(""; kind = :fortran)
    @test_throws CuError Program(TILES; kind = :tile, name = "a\0b")
    @test_throws ArgumentError Program(TILES; kind = :tile, no_such = 1)
end

@testset "streams and events" begin
    first, second = Stream(), Stream(; priority = 0)
    start, stop = Event(; timing = true), Event(; timing = true)
    record(first, start)
    wait(second, start)
    wait(second, first)
    record(second, stop)
    wait(stop)
    synchronize(stop)
    synchronize(second)
    @test isready(stop) && isready(second) && elapsed(start, stop) >= 0
    flag = Buffer(second, 4; kind = :pinned)
    unsafe_wrap(Array{UInt32}, flag, 1)[1] = 0
    record(first, start)
    CuCore.check(CuCore.C.cuc_stream_wait_value(first, pointer(flag), 1, 4, CuCore.C.CUC_WAIT_EQ))
    record(first, stop)
    @test_throws CuError elapsed(start, stop) # not 0, because nothing was measured
    CuCore.check(CuCore.C.cuc_stream_write_value(second, pointer(flag), 1, 4, 0))
    synchronize(stop)
    @test elapsed(start, stop) >= 0
    @test Device(second) == Device() && CuCore.ordinal(Device(second)) == 0
    seen = Stream() do stream
        @test isopen(stream)
        stream
    end
    @test !isopen(seen)
    @test_throws ErrorException Stream(_ -> error("on purpose"))
    close(first)
    close(first) # a second call does nothing
    @test_throws CuError synchronize(first)
end

@testset "memory" begin
    Stream() do stream
        a, b = Buffer(stream, 64), Buffer(stream, 64)
        fill_bytes!(stream, a, 0xab)
        fill_bytes!(stream, b, 0x00)
        CuCore.check(C.cuc_buffer_copy(stream, view(b, 16, 16), 0, a, 0, 16))
        back = zeros(UInt8, 64)
        CuCore.check(C.cuc_buffer_read_async(stream, pointer(back), b, 0, 64))
        synchronize(stream)
        @test back == [i ÷ 16 == 1 ? 0xab : 0x00 for i in 0:63]
        @test_throws CuError view(b, 60, 8)

        host = rand(Float32, 5, 7)
        array = DeviceArray(stream, host)
        @test Array(stream, array) == host && size(array) == (5, 7) && eltype(array) == Float32
        @test_throws DimensionMismatch copyto!(array, stream, zeros(Float32, 7, 5))
        @test_throws ArgumentError DeviceArray(stream, Any[1])
        @test_throws ArgumentError Buffer(stream, 8; kind = :somewhere)
    end
    array = Stream() do stream
        buffer = Buffer(stream, 64; kind = :pinned)
        @test_throws CuError unsafe_wrap(Array{Float64}, buffer, 9)
        unsafe_wrap(Array{Float64}, buffer, (4, 2))
    end
    GC.gc()
    array .= 3
    @test sum(array) == 24 # the buffer is kept
    Stream() do stream
        @test_throws CuError unsafe_wrap(Array{UInt8}, Buffer(stream, 8), 8)
    end
end

@testset "launches" begin
    Stream() do stream
        out = DeviceArray(stream, zeros(UInt64, 2))
        launch(stream, store(), out, UInt32(42), 2.5; grid = 1, block = 1)
        @test Array(stream, out) == [42, reinterpret(UInt64, 2.5)]
        failure = error_of(() -> launch(stream, store(), out, UInt32(42), 2.5f0; grid = 1, block = 1))
        @test occursin("argument 2", failure.message)
        failure = error_of(() -> launch(stream, store(), out, UInt32(4), 2.5; grid = 1, block = 2048))
        @test occursin("2048", failure.message)
        @test_throws ArgumentError launch(stream, store(), stream; grid = 1, block = 1)
        @test_throws ArgumentError launch(stream, store(), "text"; grid = 1, block = 1)
        @test_throws ArgumentError launch(stream, store(), out; block = 1)
        @test_throws CuError launch(stream, store(), out; grid = (1, 1, 1, 1), block = 1)
        empty = kernel(ObjectCode(:ptx, PTX), "nothing")
        launch(stream, empty; grid = (2, 2), block = 32, shared = 64)
        @test CuCore.parameter_count(empty) == 0 && name(empty) == "nothing"
    end
    @testset "arguments are passed by their types" begin
        of(x) = (a = CuCore.argument(CuCore.holder(x)); (a.type_, a.bytes))
        @test of(true) == (C.CUC_BOOL, 1)
        @test of(Int8(1)) == (C.CUC_I8, 1)
        @test of(1) == (C.CUC_I64, 8)
        @test of(1.0f0) == (C.CUC_F32, 4)
        @test of(Float16(1)) == (C.CUC_F16, 2)
        @test of(1.0) == (C.CUC_F64, 8)
        @test of(C_NULL) == (C.CUC_ARG_POINTER, 8)
        @test of((Int32(1), 2.0)) == (C.CUC_ARG_BYTES, 16)
        @test CuCore.argument(-2.5).value == reinterpret(UInt64, -2.5)
        @test CuCore.argument(Int16(-2)).value == 0xfffe
    end
end

@testset "tiles" begin
    program = Program(TILES; kind = :tile, name = "test.tile")
    object = compile(program)
    Stream() do stream
        a, b = fill(1.5f0, 1000), fill(2.0f0, 1000)
        da, db, dc = DeviceArray(stream, a), DeviceArray(stream, b), DeviceArray{Float32}(stream, 1000)
        launch(stream, kernel(object, "vadd"), Tensor(da), Tensor(db), Tensor(dc))
        @test Array(stream, dc) == fill(3.5f0, 1000)
        short = Tensor(DeviceArray(stream, b[1:999]))
        failure = error_of(() -> launch(stream, kernel(object, "vadd"), Tensor(da), short, Tensor(dc)))
        @test occursin("999", failure.message)

        @test "rms_norm" in library_names()
        @test occursin("kernel rms_norm(", library_source("rms_norm"))
        @test compile(library_program("rms_norm"; constants = ["T=f32"]), :ptx) isa ObjectCode

        # A Julia matrix of M rows and N columns has the same rows and columns in the kernel.
        x = Float32[10i + j for i in 1:6, j in 1:50]
        dx, dy = DeviceArray(stream, x), DeviceArray{Float32}(stream, 6)
        launch(stream, kernel(object, "rows"), Tensor(dx), Tensor(dy))
        @test Array(stream, dy) == vec(sum(x; dims = 2))
        y = zeros(Float32, 6)
        interpret(program, "rows", Tensor(x), Tensor(y))
        @test y == vec(sum(x; dims = 2))
    end
end

@testset "graphs" begin
    Stream() do stream
        x = DeviceArray(stream, ones(UInt8, 8))
        graph = capture(stream) do
            fill_bytes!(stream, x.buffer, 0x09)
        end
        @test length(graph) == 1 && Array(stream, x) == ones(UInt8, 8)
        CuCore.keep(graph, x)
        exec = instantiate(graph)
        close(graph)
        launch(stream, exec)
        @test Array(stream, x) == fill(0x09, 8)
        @test_throws ErrorException capture(() -> error("on purpose"), stream)
        synchronize(stream) # would be refused while it is captured
    end
end

@testset "graphs are put together" begin
    Stream() do stream
        x, side = DeviceArray(stream, zeros(UInt8, 8)), Stream()
        part(range) = view(x.buffer, first(range) - 1, length(range))
        graph = Graph()
        a = node(() -> fill_bytes!(side, part(1:4), 0x01), graph, side)
        b = node(() -> fill_bytes!(side, part(5:8), 0x02), graph, side)
        c = node(() -> fill_bytes!(side, part(1:1), 0x03), graph, side, a, b)
        @test length(graph) == 3 && Set(nodes(graph)) == Set([a, b, c])
        @test Set(edges(graph)) == Set([a => c, b => c])
        @test CuCore.kind(a) == :fill
        @test_throws CuError node(() -> nothing, graph, side)
        @test_throws ErrorException node(() -> error("on purpose"), graph, side)
        exec = instantiate(graph)
        launch(stream, exec)
        @test Array(stream, x) == [3, 1, 1, 1, 2, 2, 2, 2]
        CuCore.enable!(exec, c, false)
        @test !CuCore.isenabled(exec, c) && CuCore.isenabled(exec, a)
        launch(stream, exec)
        @test Array(stream, x) == [1, 1, 1, 1, 2, 2, 2, 2]
        other = Graph()
        for (range, value) in ((1:4, 0x04), (5:8, 0x05))
            node(() -> fill_bytes!(side, part(range), value), other, side)
        end
        @test_throws CuError CuCore.update!(exec, other)
        # The driver frees a graph if a capture into it ends before a branch has been joined.
        branch = Stream()
        not_joined() = (fill_bytes!(side, part(1:4), 0x06); wait(branch, side); fill_bytes!(branch, part(5:8), 0x07))
        @test_throws CuError node(not_joined, graph, side)
        for use in (() -> length(graph), () -> instantiate(graph), () -> CuCore.kind(a), () -> CuCore.isenabled(exec, a))
            @test_throws CuError use()
        end
    end
end

@testset "graphs decide" begin
    Stream() do stream
        x, side = DeviceArray(stream, zeros(UInt8, 8)), Stream()
        bodies = Graph[]
        graph = capture(stream) do
            append!(bodies, conditional(stream, :switch, condition(stream; default = 1), 2))
            append!(bodies, conditional(stream, :if_else, condition(stream; default = 0)))
        end
        for (i, body) in enumerate(bodies)
            node(() -> fill_bytes!(side, view(x.buffer, i - 1, 1), UInt8(i)), body, side)
        end
        launch(stream, instantiate(graph))
        @test Array(stream, x) == [0, 2, 0, 4, 0, 0, 0, 0]
        @test condition(Graph()) != 0
        @test_throws CuError condition(stream)
        @test_throws ArgumentError conditional(stream, :sometimes, UInt64(1))
    end
end

const CHILD = """
using CuCore
pool = import_ipc(MemoryResource, RawFD(0))
buffer_handle, event_handle = (IpcHandle(hex2bytes(each)) for each in ARGS)
Stream() do stream
    wait(stream, import_ipc(Event, event_handle))
    theirs = import_ipc(Buffer, stream, pool, buffer_handle, 64)
    back = zeros(UInt8, 64)
    CuCore.check(CuCore.C.cuc_buffer_read_async(stream, pointer(back), theirs, 0, 64))
    synchronize(stream)
    all(back .== 0x5a) || error("it has \$back")
    fill_bytes!(stream, theirs, 0xa5)
end
"""

@testset "other processes" begin
    Stream() do stream
        pool, event = shareable_pool(), Event(; ipc = true)
        buffer = Buffer(stream, 64; resource = pool)
        fill_bytes!(stream, buffer, 0x5a)
        record(stream, event)
        synchronize(stream)
        fd = export_ipc(pool)
        names = [bytes2hex(collect(export_ipc(each).bytes)) for each in (buffer, event)]
        run(pipeline(`$(Base.julia_cmd()) --startup-file=no -e $CHILD $names`; stdin = fd))
        ccall(:close, Cint, (Cint,), reinterpret(Int32, fd))
        back = zeros(UInt8, 64)
        CuCore.check(C.cuc_buffer_read_async(stream, pointer(back), buffer, 0, 64))
        synchronize(stream)
        @test back == fill(0xa5, 64)
        @test_throws ArgumentError IpcHandle(zeros(UInt8, 3))
        @test_throws CuError export_ipc(Buffer(stream, 8))
        @test_throws CuError export_ipc(Event())
    end
end

@testset "memory that grows" begin
    Stream() do stream
        resource = virtual_memory(; reserve_bytes = 64 << 20)
        grain = granularity(resource)
        first = Buffer(stream, 8; resource = resource)
        copyto!(DeviceArray{Int32}(first, 2), stream, Int32[1, 2])
        second = grow(first, 2grain)
        @test (pointer(second), bytes(second)) == (pointer(first), 2grain)
        close(first)
        @test Array(stream, DeviceArray{Int32}(second, (1, 2))) == [1 2]
        fill_bytes!(stream, second, 0x07)
        @test all(Array(stream, DeviceArray{UInt8}(second, 2grain)) .== 0x07)

        resource = virtual_memory(Device())
        first = Buffer(stream, grain; resource = resource)
        second = grow(first, 3grain)
        @test pointer(second) != pointer(first)
        fill_bytes!(stream, first, 0x05)
        @test Array(stream, DeviceArray{UInt8}(second, grain)) == fill(0x05, grain)

        host = unsafe_wrap(Array{UInt8}, Buffer(stream, 16; resource = virtual_memory(; location = :host_numa)), 16)
        host .= 3
        @test host == fill(0x03, 16)
    end
    @testset "$says" for (says, call) in (
            "power of two" => stream -> virtual_memory(; align = 3),
            "which owns the memory" => stream -> virtual_memory(; peers = (Device(),)),
            "one of device, host, host_numa" => stream -> virtual_memory(; location = :moon),
            "one of ipc, read_only" => stream -> virtual_memory(; no_such = true),
            "of another resource" => stream -> grow(Buffer(stream, 8), 16),
            "bytes is 0" => stream -> grow(Buffer(stream, 8; resource = virtual_memory()), 0),
            "cuc_memory_virtual_create()" => stream -> granularity(shareable_pool()),
            "takes 12 bytes, the buffer has 8" => stream -> DeviceArray{Float32}(Buffer(stream, 8), 3),
            "below 0" => stream -> DeviceArray{Float32}(Buffer(stream, 8), -1, 2),
            "not a plain value" => stream -> DeviceArray{Any}(Buffer(stream, 8), 1),
            "CUC_MEMORY_VIRTUAL_IPC" => stream -> export_pieces(Buffer(stream, 8; resource = virtual_memory())))
        Stream(stream -> @test(occursin(says, sprint(showerror, error_of(() -> call(stream))))))
    end
end

# The child's standard input and output are pieces of memory.
const GROWN_CHILD = """
using CuCore
each, bytes = parse.(Int, ARGS)
pieces = [MemoryPiece(RawFD(0), each), MemoryPiece(RawFD(1), bytes - each)]
Stream() do stream
    theirs = import_pieces(stream, virtual_memory(; ipc = true), pieces, bytes)
    there = DeviceArray{UInt8}(theirs, bytes)
    all(Array(stream, there) .== 0x5a) || error("it has \$(unique(Array(stream, there)))")
    fill_bytes!(stream, theirs, 0xa5)
end
"""

@testset "other processes have memory that grows" begin
    Stream() do stream
        resource = virtual_memory(; ipc = true)
        grain = granularity(resource)
        buffer = grow(Buffer(stream, 8; resource = resource), 3grain)
        fill_bytes!(stream, buffer, 0x5a)
        synchronize(stream)
        pieces = export_pieces(buffer) do pieces
            @test [piece.bytes for piece in pieces] == [grain, 2grain]
            run(pipeline(`$(Base.julia_cmd()) --startup-file=no -e $GROWN_CHILD $grain $(3grain)`;
                         stdin = pieces[1].fd, stdout = pieces[2].fd))
            pieces
        end
        isopen_fd(fd) = ccall(:fcntl, Cint, (Cint, Cint), reinterpret(Int32, fd), 1) >= 0
        @test !any(isopen_fd(piece.fd) for piece in pieces) # closed when the function returned
        @test Array(stream, DeviceArray{UInt8}(buffer, 3grain)) == fill(0xa5, 3grain)

        @test_throws ErrorException export_pieces(each -> (append!(pieces, each); error("on purpose")), buffer)
        @test length(pieces) == 4 && !any(isopen_fd(piece.fd) for piece in pieces)
        pieces = export_pieces(buffer)
        there = import_pieces(stream, virtual_memory(; ipc = true), pieces, 3grain)
        @test all(isopen_fd(piece.fd) for piece in pieces)
        foreach(close, pieces)
        close(buffer)
        @test bytes(there) == 3grain && Array(stream, DeviceArray{UInt8}(there, 3grain)) == fill(0xa5, 3grain)
        @test_throws CuError import_pieces(stream, resource, [], 8)
        @test_throws CuError export_pieces(there) # an imported buffer cannot be exported again
    end
end

@testset "parts of a device" begin
    all = Multiprocessors()
    @test length(all) == CuCore.attribute(Device(), C.CUC_DEVICE_MULTIPROCESSOR_COUNT) && Device(all) == Device()
    groups, rest = split(all, 16; limit = 2)
    @test length(groups) == 2 && length(groups[1]) >= max(16, CuCore.least(all))
    @test sum(length, groups) + length(rest) == length(all)
    @test CuCore.alignment(all) == 0 || length(groups[1]) % CuCore.alignment(all) == 0
    @test length(first(split(all))) > length(first(split(all, 16))) > 2
    whole, left = split(all, length(all))
    @test length.(whole) == [length(all)] && left === nothing
    small, _ = split(all, 1; limit = 1, any = true, max_cluster = false)
    @test length(small[1]) < length(first(split(all; limit = 1, max_cluster = true))[1])
    part, other = GreenContext(groups...), GreenContext(rest)
    @test Device(part) == Device() && CuCore.native(part) != C_NULL && part != other
    @test length(Multiprocessors(part)) == sum(length, groups)
    first_, second = Stream(part; priority = -1), Stream(other)
    @test CuCore.given(out -> C.cuc_stream_get_priority(out, first_), Int32) == -1
    close(part) # its streams keep it alive
    @test !isopen(part) && Device(first_) == Device()
    out = DeviceArray(first_, zeros(UInt64, 2))
    launch(first_, store(), out, UInt32(42), 2.5; grid = 1, block = 1)
    wait(second, first_)
    @test Array(second, out) == [42, reinterpret(UInt64, 2.5)]

    context, stream = GreenContext(all) do context
        context, Stream(context) do stream
            fill_bytes!(stream, out.buffer, 0x01)
            stream
        end
    end
    @test !isopen(context) && !isopen(stream) && Array(second, out) == fill(0x0101010101010101, 2)
    @test_throws ErrorException GreenContext(_ -> error("on purpose"), all)
    @testset "$says" for (says, call) in (
            "at most -1" => () -> split(all; limit = -1), "groups of -1" => () -> split(all, -1),
            "least is 10000" => () -> split(all, 10000), "another split" => () -> split(groups[1], 8),
            "context is NULL" => () -> Stream(context))
        @test occursin(says, sprint(showerror, error_of(call)))
    end
end

const OTHER_DEVICE = """
using CuCore, Test
device = Device(1)
groups, _ = split(Multiprocessors(device), 16; limit = 1)
@test GreenContext(it -> Device(it), groups...) == device == Device(groups[1])
Stream(device) do stream
    @test Device(TensorMap(DeviceArray(stream, zeros(Float32, 32, 8)), (8, 4))) == device
    theirs = Buffer(stream, 8; resource = virtual_memory(device; peers = (Device(0),)))
    fill_bytes!(stream, theirs, 0x07)
    synchronize(stream)
    Stream(other -> @test(Array(other, DeviceArray{UInt8}(theirs, 8)) == fill(0x07, 8)), Device(0))
end
"""

@testset "another device" begin
    withenv("CUCORE_SIM_DEVICES" => "2") do
        @test success(run(`$(Base.julia_cmd()) --startup-file=no -e $OTHER_DEVICE`))
    end
end

# Make a map of four-dimensional images with the C function itself, whose dimensions are in reverse
# order.
function columns_by_c(images, lower, upper)
    c, w, h, n = size(images)
    tensor = C.cuc_tensor(pointer(images.buffer), C.CUC_F32, 4, Tensor(images).raw.device, 0,
                          (n, h, w, c, 0, 0, 0, 0), (c * w * h, c * w, c, 1, 0, 0, 0, 0))
    image = CuCore.struct_of(C.cuc_tensor_map_image; lower = (lower..., 0), upper = (upper..., 0), channels = 32,
                             pixels = 8)
    CuCore.given(out -> C.cuc_tensor_map_encode_im2col(out, Ref(tensor), Ref(image), C_NULL), C.cuc_tensor_map)
end

@testset "tensor maps" begin
    Stream() do stream
        x = Float32[100i + j for i in 1:32, j in 1:8]
        array, out = DeviceArray(stream, x), DeviceArray{Float32}(stream, 32)
        take = kernel(ObjectCode(:ptx, TAKE), "take")
        function taken(map, i, j)
            launch(stream, take, map, out, UInt32(i - 1), UInt32(j - 1); grid = 1, block = 32)
            Array(stream, out)
        end
        map = TensorMap(array, (8, 4))
        @test Device(map) == Device() && sprint(show, map) == "TensorMap of Tensor(f32, 32 x 8, strides 1 x 32)"
        @test taken(map, 9, 3) == vec(x[9:16, 3:6])
        @test taken(map, 29, 7) == vec([i <= 32 && j <= 8 ? x[i, j] : 0 for i in 29:36, j in 7:10])
        @test taken(TensorMap(array, (8, 8); steps = (1, 2)), 1, 1) == vec(x[1:8, 1:2:8])
        @test replace_address!(map, DeviceArray(stream, -x)) === map
        @test taken(map, 1, 1) == -vec(x[1:8, 1:4])
        @test length(TensorMap(DeviceArray(stream, x[:, 1]), 32).raw.words) == 16 # one dimension

        plain = TensorMap(Tensor(array), (32, 4)).raw
        for how in ((swizzle = :bytes128,), (fill = :nan,), (type = :tf32,), (ftz = true,), (type = Int32,))
            @test TensorMap(array, (32, 4); how...).raw != plain
        end
        @test TensorMap(array, (32, 4); type = Float32, swizzle = :none, fill = :zero).raw == plain
        plain_word(word) = replace(replace(string(word), "bytes" => ""), "_" => "")
        plain_constant(rest) = replace(replace(lowercase(rest), "_" => ""), r"(\d)b" => s"\1")
        @testset "$option" for (option, words, prefix) in (
                (:interleave, CuCore.INTERLEAVES, "CUC_TENSOR_MAP_INTERLEAVE_"),
                (:swizzle, CuCore.SWIZZLES, "CUC_TENSOR_MAP_SWIZZLE_"), (:fill, CuCore.FILLS, "CUC_TENSOR_MAP_FILL_"),
                (:l2_promotion, CuCore.L2_PROMOTIONS, "CUC_TENSOR_MAP_L2_"))
            constants = [each for each in string.(names(C; all = true)) if startswith(each, prefix)]
            @test Dict(plain_word(word) => value for (word, value) in pairs(words)) ==
                  Dict(plain_constant(each[length(prefix)+1:end]) => getfield(C, Symbol(each)) for each in constants)
            for (word, value) in pairs(words)
                @test getfield(CuCore.map_options(2; (option => word,)...)[], option) == value
            end
        end

        images = DeviceArray(stream, zeros(Float32, 32, 4, 3, 2)) # channels, width, height, images
        @test CuCore.im2col(images, (-1, 0), (0, 1), 32, 8).raw == columns_by_c(images, (0, -1), (1, 0))
        wide(lower, upper, pixels = 8; given...) = CuCore.im2col_wide(images, lower, upper, 32, pixels; given...)
        @testset "$says" for (says, call) in (
                "box is 4: 2 numbers are expected" => () -> TensorMap(array, 4),
                "box is (-8, 4): 0 to" => () -> TensorMap(array, (-8, 4)),
                "box[1] is 300" => () -> TensorMap(array, (300, 4)),
                "box[2] is 300" => () -> TensorMap(array, (8, 300)),
                "box[3] is 257" => () -> TensorMap(images, (32, 1, 257, 1)),
                "strides[2] is 30 elements" => () -> TensorMap(DeviceArray{Float32}(stream, 30, 2), (4, 2)),
                "options->steps[1] is 9" => () -> TensorMap(array, (8, 4); steps = (9, 1)),
                "steps is (1,)" => () -> TensorMap(array, (8, 4); steps = (1,)),
                "one of none, bytes32" => () -> TensorMap(array, (8, 4); swizzle = :bytes256),
                "not an element type" => () -> TensorMap(array, (8, 4); type = :f31),
                "not an element type" => () -> TensorMap(array, (8, 4); type = String),
                "of 64 bits" => () -> TensorMap(array, (8, 4); type = Float64),
                "host memory" => () -> TensorMap(x, (8, 4)),
                "does not lie as that does" => () -> replace_address!(map, DeviceArray(stream, x[:, 1:4])),
                "lower is (-1,): 2 numbers" => () -> CuCore.im2col(images, (-1,), (0, 0), 32, 8),
                "channels is -1" => () -> CuCore.im2col(images, (-1, 0), (0, 0), -1, 8),
                "image->lower[2] is 400" => () -> CuCore.im2col(images, (0, 400), (0, 0), 32, 8),
                "2 dimensions, expected 3" => () -> CuCore.im2col(array, (0,), (0,), 32, 8),
                "2 dimensions, expected 3" => () -> CuCore.im2col_wide(array, 0, 0, 32, 8),
                "swizzle is 0" => () -> wide(0, 0), "lower[1] is 5" => () -> wide(5, 0; swizzle = :bytes128),
                "upper[1] -5" => () -> wide(0, -5; swizzle = :bytes128),
                "pixels is 0" => () -> wide(-1, 1, 0; swizzle = :bytes128))
            @test occursin(says, sprint(showerror, error_of(call)))
        end
        for w128 in (false, true) # the simulated device is older
            pixels = w128 ? 0 : 8
            @test error_of(() -> wide(-1, 1, pixels; swizzle = :bytes128, w128 = w128)).status == C.CUC_ERROR_NOT_SUPPORTED
        end
    end
end

@testset "linking" begin
    linked = CuCore.link(Linker(ObjectCode(:ptx, PTX); backend = C.CUC_LINKER_DRIVER))
    @test CuCore.parameter_count(kernel(linked, "store")) == 3
end

@testset "the collector drops objects in any order" begin
    for _ in 1:20
        let stream = Stream(), arrays = [DeviceArray{Float32}(stream, 100) for _ in 1:20]
            launch(stream, store(), arrays[1], UInt32(1), 1.0; grid = 1, block = 1)
            synchronize(stream)
        end
        let part = GreenContext(Multiprocessors()), stream = Stream(part), resource = virtual_memory()
            grown = DeviceArray{Float32}(grow(Buffer(stream, 128; resource = resource), 1024), 32, 8)
            launch(stream, store(), grown, UInt32(1), 1.0; grid = 1, block = 1)
            TensorMap(grown, (8, 4))
        end
        GC.gc(false)
    end
    GC.gc()
    synchronize(Device())
    @test true
end
