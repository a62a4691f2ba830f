# The package on the simulated driver. Kernels are PTX and tile programs, so that no toolkit is needed.
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
    record(start, first)
    wait(second, start)
    wait(second, first)
    record(stop, second)
    wait(stop)
    synchronize(stop)
    synchronize(second)
    @test isready(stop) && isready(second) && elapsed(start, stop) >= 0
    @test Device(second) == Device() && CuCore.ordinal(Device(second)) == 0
    seen = Stream() do stream
        @test isopen(stream)
        stream
    end
    @test !isopen(seen)
    @test_throws ErrorException Stream(_ -> error("on purpose"))
    close(first)
    close(first) # once more does nothing
    @test_throws CuError synchronize(first)
end

@testset "memory" begin
    Stream() do stream
        a, b = Buffer(stream, 64), Buffer(stream, 64)
        fill_bytes!(stream, a, 0xab)
        fill_bytes!(stream, b, 0x00)
        CuCore.check(C.cuc_buffer_copy(stream, view(b, 16, 16), 0, a, 0, 16))
        back = zeros(UInt8, 64)
        CuCore.check(C.cuc_buffer_read(stream, pointer(back), b, 0, 64))
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

        # A matrix of Julia's has M rows and N columns in the kernel, too.
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
    theirs = import_ipc(Buffer, buffer_handle, pool, 64, stream)
    back = zeros(UInt8, 64)
    CuCore.check(CuCore.C.cuc_buffer_read(stream, pointer(back), theirs, 0, 64))
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
        record(event, stream)
        synchronize(stream)
        fd = export_ipc(pool)
        names = [bytes2hex(collect(export_ipc(each).bytes)) for each in (buffer, event)]
        run(pipeline(`$(Base.julia_cmd()) --startup-file=no -e $CHILD $names`; stdin = fd))
        ccall(:close, Cint, (Cint,), reinterpret(Int32, fd))
        back = zeros(UInt8, 64)
        CuCore.check(C.cuc_buffer_read(stream, pointer(back), buffer, 0, 64))
        synchronize(stream)
        @test back == fill(0xa5, 64)
        @test_throws ArgumentError IpcHandle(zeros(UInt8, 3))
        @test_throws CuError export_ipc(Buffer(stream, 8))
        @test_throws CuError export_ipc(Event())
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
        GC.gc(false)
    end
    GC.gc()
    synchronize(Device())
    @test true
end
