// Tests the C++ layer on the simulated driver: ownership, exceptions, and the arguments that it
// passes to kernels. The kernels are PTX and tile programs, so no toolkit is needed.
#include <cucore/cucore.hpp>

#include "tests.h"

#include <cmath>
#include <cstring>
#include <future>
#include <thread>
#include <unistd.h>

enum color : uint16_t { green = 7 };
struct pair_of {
    int32_t a;
    float b;
};
struct half {
    uint16_t bits;
};
template <> struct cuc::dtype<half> : cuc::dtype_is<CUC_F16> {
};

static_assert(!std::is_copy_constructible_v<cuc::stream>, "a handle is not copied");
static_assert(std::is_nothrow_move_constructible_v<cuc::buffer>, "a handle is moved");
static_assert(std::is_nothrow_move_assignable_v<cuc::kernel>, "a handle is moved");
static_assert(sizeof(cuc::stream) == sizeof(void *), "a handle is a pointer");
static_assert(sizeof(cuc::tensor) == sizeof(cuc_tensor), "a tensor is C's");

// Stores out[0] = a and out[1] = b, which are arguments of 4 and 8 bytes passed by value.
static const char store_ptx[] = R"(.version 8.0
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
)";

static const char vadd_tile[] = R"(kernel vadd(a: f32[N], b: f32[N], c: f32[N]) grid cdiv(N, 256) {
    i = block(0)
    store(c, [i], load(a, [i], [256]) + load(b, [i], [256]))
}
)";

// Returns the exception that a call throws.
template <class Function> static cuc::error thrown_by(Function call)
{
    try {
        call();
    } catch (const cuc::error &failure) {
        return failure;
    }
    ck_abort_msg("nothing was thrown");
    return cuc::error(0, "");
}

static cuc::object ptx_object()
{
    cuc::object result;

    cuc::check(
        cuc_object_create(result.out(), CUC_CODE_PTX, store_ptx, sizeof(store_ptx), nullptr));
    return result;
}

static bool has(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

CASE("on the simulated driver", nullptr, nullptr, 60, nullptr);

TEST(an_error_has_the_message_the_code_and_the_function)
{
    const cuc::error failure = thrown_by([] { cuc::device missing(99); });

    ck_assert_int_eq(failure.code(), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert(failure.function() == "cuc_device_get");
    ck_assert_msg(has(failure.what(), "99"), "%s", failure.what());
}

TEST(an_error_of_a_compiler_has_its_log)
{
    const cuc::error failure = thrown_by(
        [] { cuc::program(CUC_SOURCE_TILE, "kernel k(x: f32[N]) grid 1 { y = z }\n").compile(); });

    ck_assert_int_eq(failure.code(), CUC_ERROR_COMPILE);
    ck_assert_msg(has(failure.log(), "z"), "%s", failure.log().c_str());
    ck_assert_msg(has(failure.what(), failure.log().c_str()), "%s", failure.what());
}

TEST(an_error_outlives_the_next_failure_and_its_thread)
{
    const cuc::error first = std::async(std::launch::async, [] {
                                 return thrown_by([] { cuc::device missing(98); });
                             }).get();

    thrown_by([] { cuc::device missing(97); });
    ck_assert_msg(has(first.what(), "98"), "%s", first.what());
}

TEST(a_normal_outcome_is_not_an_error)
{
    ck_assert_int_eq(cuc::check(CUC_NOT_READY), CUC_NOT_READY);
}

TEST(a_status_of_another_thread_has_only_its_own_text)
{
    thrown_by([] { cuc::device missing(99); }); // becomes this thread's last failure
    const cuc::error failure = thrown_by([] { cuc::check(CUC_ERROR_CONTEXT_LOST); });

    ck_assert_int_eq(failure.code(), CUC_ERROR_CONTEXT_LOST);
    ck_assert_msg(has(failure.what(), "CUC_ERROR_CONTEXT_LOST: "), "%s", failure.what());
}

TEST(a_handle_moves_its_reference)
{
    cuc::stream a{ cuc::device() }, b;
    cuc_stream *raw = a.get();

    b = std::move(a);
    ck_assert_ptr_eq(b.get(), raw);
    ck_assert(!a); // NOLINT: a moved-from handle is empty
    cuc::stream &same = b;
    b = std::move(same);
    ck_assert_ptr_eq(b.get(), raw);
    const cuc::stream c = std::move(b);
    ck_assert_ptr_eq(c.get(), raw);
    c.synchronize();
}

TEST(a_shared_handle_lives_until_the_last_reference)
{
    auto first = std::make_unique<cuc::stream>(cuc::device());
    const cuc::stream second = cuc::share(*first);

    ck_assert_ptr_eq(first->get(), second.get());
    first.reset();
    second.synchronize();
}

TEST(a_detached_handle_is_the_callers)
{
    cuc::stream stream{ cuc::device() };
    cuc_stream *raw = stream.detach();

    ck_assert(!stream);
    ck_assert_int_eq(cuc_stream_synchronize(raw), CUC_OK);
    cuc_stream_release(raw);
}

TEST(handles_are_released_in_any_order)
{
    cuc::kernel kernel;
    cuc::buffer part;
    {
        const cuc::stream stream{ cuc::device() };

        kernel = ptx_object().kernel("nothing");
        part = cuc::buffer(stream, 1024).slice(256, 256);
        cuc::launch(stream, cuc::config(1, 32), kernel);
        stream.synchronize();
    }
    ck_assert_uint_eq(part.bytes(), 256);
    ck_assert(kernel.name() == "nothing");
    ck_assert_uint_eq(kernel.parameter_count(), 0);
}

TEST(arguments_are_passed_by_their_types)
{
    const int host = 3;
    const half h = { 0x3c00 };
    const pair_of p = { 1, 2 };
    const struct {
        cuc_arg arg;
        int32_t type;
        uint32_t bytes;
    } rows[] = {
        { cuc::argument(true), CUC_BOOL, 1 },
        { cuc::argument('x'), CUC_I8, 1 },
        { cuc::argument(static_cast<unsigned char>(1)), CUC_U8, 1 },
        { cuc::argument(static_cast<short>(1)), CUC_I16, 2 },
        { cuc::argument(1), CUC_I32, 4 },
        { cuc::argument(1u), CUC_U32, 4 },
        { cuc::argument(1L), CUC_I64, 8 },
        { cuc::argument(1ULL), CUC_U64, 8 },
        { cuc::argument(1.0f), CUC_F32, 4 },
        { cuc::argument(1.0), CUC_F64, 8 },
        { cuc::argument(std::complex<float>(1, 2)), CUC_C64, 8 },
        { cuc::argument(green), CUC_U16, 2 },
        { cuc::argument(h), CUC_F16, 2 },
        { cuc::argument(p), CUC_ARG_BYTES, sizeof(p) },
        { cuc::argument(&host), CUC_ARG_POINTER, 8 },
        { cuc::argument(nullptr), CUC_ARG_POINTER, 8 },
        { cuc::argument(cuc::buffer()), CUC_ARG_BUFFER, 8 },
        { cuc::argument(cuc::tensor()), CUC_ARG_TENSOR, 8 },
    };

    for (const auto &row : rows) {
        ck_assert_int_eq(row.arg.type, row.type);
        ck_assert_uint_eq(row.arg.bytes, row.bytes);
    }
    ck_assert_ptr_eq(cuc::argument(p).value.pointer, &p);
    ck_assert_uint_eq(cuc::argument(&host).value.u64, reinterpret_cast<uintptr_t>(&host));
    ck_assert_uint_eq(cuc::argument(green).value.raw[0], 7);
    ck_assert_double_eq(cuc::argument(2.5).value.f64, 2.5);
}

TEST(a_kernel_gets_what_was_passed)
{
    const cuc::stream stream{ cuc::device() };
    const cuc::array<double> out(stream, 2);

    out.buffer().fill(stream, 0);
    cuc::launch(stream, cuc::config(1, 1), ptx_object().kernel("store"), out, 42u, 2.5);
    const std::vector<double> result = out.read(stream);
    uint32_t first;
    std::memcpy(&first, result.data(), sizeof(first));
    ck_assert_uint_eq(first, 42);
    ck_assert_double_eq(result[1], 2.5);
}

TEST(a_launch_that_does_not_fit_is_refused_by_name)
{
    const cuc::stream stream{ cuc::device() };
    const cuc::kernel kernel = ptx_object().kernel("store");
    const cuc::array<double> out(stream, 2);

    ck_assert(has(
        thrown_by([&] { cuc::launch(stream, cuc::config(1, 1), kernel, out, 42u, 2.5f); }).what(),
        "argument 2"));
    ck_assert_int_eq(thrown_by([&] { cuc::launch(stream, cuc::config(1, 1), kernel, out); }).code(),
                     CUC_ERROR_INVALID_ARGUMENT);
    ck_assert(has(thrown_by([&] {
                      cuc::launch(stream, cuc::config({ 1, 1, 1 }, 2048), kernel, out, 42u, 2.5);
                  }).what(),
                  "2048"));
}

TEST(an_extent_that_does_not_fit_is_refused)
{
    ck_assert(has(thrown_by([] { cuc::config(-1, 32); }).what(), "-1"));
    ck_assert(has(thrown_by([] { cuc::config(size_t{ 1 } << 32, 32); }).what(), "4294967296"));
    ck_assert(has(thrown_by([] { cuc::config(1, 32).shared(size_t{ 1 } << 32); }).what(),
                  "the shared memory of a launch is 4294967296 bytes"));
    const cuc::config shape(cuc::extent(2, 3), 4);
    ck_assert_uint_eq(shape.get()->grid[1], 3);
    ck_assert_uint_eq(shape.get()->grid[2], 1);
    ck_assert_uint_eq(shape.get()->block[0], 4);
    ck_assert_uint_eq(shape.get()->struct_size, sizeof(cuc_launch_config));
    ck_assert_uint_eq(cuc::config(1, 1).shared(512).with(CUC_LAUNCH_COOPERATIVE).get()->flags, 1);
    ck_assert_uint_eq(cuc::config(1, 1).in_clusters(2).get()->cluster[0], 2);
}

TEST(a_tile_kernel_takes_tensors)
{
    const cuc::stream stream{ cuc::device() };
    const std::vector<float> a(1000, 1.5f), b(1000, 2.0f);
    const cuc::array<float> da(stream, a), db(stream, b), dc(stream, 1000);
    const cuc::program program(CUC_SOURCE_TILE, vadd_tile);
    const cuc::kernel kernel = program.compile().kernel("vadd");

    cuc::launch(stream, cuc::own_grid, kernel, cuc::tensor(da), cuc::tensor(db), cuc::tensor(dc));
    ck_assert(dc.read(stream) == std::vector<float>(1000, 3.5f));

    ck_assert(has(thrown_by([&] {
                      cuc::launch(stream, cuc::own_grid, kernel, cuc::tensor(da),
                                  cuc::tensor(db, { 999 }), cuc::tensor(dc));
                  }).what(),
                  "999"));
    ck_assert_int_eq(thrown_by([&] { cuc::tensor too_long(da, { 1001 }); }).code(),
                     CUC_ERROR_INVALID_ARGUMENT);

    std::vector<float> c(1000);
    cuc::interpret(program, "vadd", cuc::tensor::host(a.data(), { 1000 }),
                   cuc::tensor::host(b.data(), { 1000 }), cuc::tensor::host(c.data(), { 1000 }));
    ck_assert(c == std::vector<float>(1000, 3.5f));
    ck_assert(cuc::tensor::host(a.data(), { 1000 }).flags == CUC_TENSOR_READ_ONLY);
    cuc::interpret(cuc::program(CUC_SOURCE_TILE, "kernel none() grid 1 { x = 1 }"), "none");
}

TEST(buffers_copy_fill_and_slice)
{
    const cuc::device device;
    const cuc::stream stream(device);
    const cuc::buffer a(stream, 64), b(stream, cuc::memory_resource::pool(device), 64);
    uint8_t back[64];

    a.fill(stream, 0xab);
    b.fill(stream, 0);
    b.slice(16, 16).copy_from(stream, a, 16);
    b.read_async(stream, back, sizeof(back));
    stream.synchronize();
    for (size_t i = 0; i < sizeof(back); i++)
        ck_assert_uint_eq(back[i], i / 16 == 1 ? 0xab : 0);
    const cuc::buffer pinned(stream, cuc::memory_resource::synchronous(device, CUC_MEMORY_PINNED),
                             sizeof(int));
    *pinned.host<int>() = 5;
    ck_assert_int_eq(*pinned.host<int>(), 5);
    ck_assert_int_eq(thrown_by([&] { a.slice(60, 8); }).code(), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert(has(thrown_by([&] {
                      cuc::array<double> wraps_to_16_bytes(stream, (SIZE_MAX >> 3) + 3);
                  }).what(),
                  "pass the end of the address space"));
}

TEST(streams_and_events_order_work)
{
    const cuc::device device;
    const cuc::stream first(device), second(device);
    const cuc::event start(device, CUC_EVENT_TIMING), end(device, CUC_EVENT_TIMING);

    first.record(start);
    second.wait(start);
    second.wait(first);
    second.record(end);
    end.synchronize();
    second.synchronize();
    ck_assert(end.done() && second.done());
    ck_assert(end.elapsed(start) >= 0);
    ck_assert(second.device() == device && second.device().ordinal() == 0);
    ck_assert_ptr_nonnull(second.native());
    const cuc::stream same = cuc::stream::from_handle(second.native());
    ck_assert_ptr_eq(same.native(), second.native());
    cuc::stream::standard(device).synchronize();
}

TEST(a_callback_gets_the_status_once)
{
    const cuc::stream stream{ cuc::device() };
    std::promise<cuc_status> done;

    stream.when_done([&done](cuc_status status) { done.set_value(status); });
    ck_assert_int_eq(done.get_future().get(), CUC_OK);
    stream.synchronize();
}

TEST(elapsed_time_needs_both_events_complete)
{
    const cuc::device device;
    const cuc::stream stream(device);
    const cuc::event start(device, CUC_EVENT_TIMING), end(device, CUC_EVENT_TIMING);
    std::promise<void> go;

    stream.record(start);
    stream.when_done([&go](cuc_status) { go.get_future().wait(); });
    stream.record(end);
    const cuc::error early = thrown_by([&] { end.elapsed(start); });
    go.set_value();
    ck_assert_int_eq(early.code(), CUC_ERROR_BUSY);
    end.synchronize();
    ck_assert(end.elapsed(start) > 0);
}

TEST(nodes_depend_on_the_given_nodes)
{
    const cuc::device device(0);
    const cuc::stream stream(device);
    const cuc::array<uint8_t> x(stream, std::vector<uint8_t>(8, 1)),
        y(stream, std::vector<uint8_t>(8, 2));
    const cuc::graph graph(device);
    const cuc::node first = graph.add(stream, {}, [&] { x.buffer().fill(stream, 7); });
    const cuc::node second = graph.add(stream, { first }, [&] { y.buffer().fill(stream, 3); });
    const cuc::node third =
        graph.add(stream, { first, second }, [&] { y.buffer().copy_from(stream, x.buffer(), 8); });

    ck_assert_uint_eq(graph.nodes().size(), 3);
    ck_assert_uint_eq(graph.edges().size(), 3);
    ck_assert(graph.edges().front().first != third);
    ck_assert_int_eq(third.type(), CUC_NODE_COPY);
    bool thrown = false;
    try {
        graph.add(stream, {}, [] { throw 1; });
    } catch (int) {
        thrown = true;
    }
    ck_assert(thrown);
    ck_assert(has(thrown_by([&] { graph.add(stream, {}, [] {}); }).what(), "there is no node"));
    ck_assert_uint_eq(graph.node_count(), 3);
    const cuc::graph_exec exec = graph.instantiate();
    exec.launch(stream);
    ck_assert(y.read(stream) == std::vector<uint8_t>(8, 7));
    exec.set_enabled(third, false);
    ck_assert(!exec.is_enabled(third) && exec.is_enabled(second));
    exec.launch(stream);
    ck_assert(y.read(stream) == std::vector<uint8_t>(8, 3));
}

TEST(a_failed_capture_into_a_graph_destroys_the_graph)
{
    const cuc::device device(0);
    const cuc::stream stream(device), branch(device);
    const cuc::array<uint8_t> x(stream, std::vector<uint8_t>(8, 1));
    const cuc::graph graph(device);
    const cuc::node first = graph.add(stream, {}, [&] { x.buffer().fill(stream, 7); });
    const auto not_joined = [&] {
        x.buffer().fill(stream, 8);
        branch.wait(stream);
        x.buffer().fill(branch, 9);
    };

    ck_assert(has(thrown_by([&] { graph.add(stream, { first }, not_joined); }).what(),
                  "the driver frees the graph"));
    ck_assert(has(thrown_by([&] { (void)graph.node_count(); }).what(), "the graph is no more"));
    ck_assert(has(thrown_by([&] { graph.instantiate(); }).what(), "the graph is no more"));
}

TEST(memory_and_events_have_handles_for_other_processes)
{
    const cuc::device device(0);
    const cuc::stream stream(device);
    const auto pool = cuc::memory_resource::shareable(device);
    const cuc::buffer buffer(stream, pool, 4096);
    const cuc::event event(device, CUC_EVENT_IPC);
    const cuc_ipc_handle none = {}, names[] = { buffer.export_ipc(), event.export_ipc() };
    const int fd = pool.export_ipc();
    bool thrown = false;

    for (const cuc_ipc_handle &each : names)
        ck_assert(memcmp(&each, &none, sizeof(each)) != 0);
    ck_assert_int_ge(fd, 0);
    close(fd);
    try {
        buffer.slice(0, 16).export_ipc();
    } catch (const cuc::error &) {
        thrown = true;
    }
    ck_assert(thrown);
}

TEST(a_capture_is_launched_as_one_graph)
{
    const cuc::stream stream{ cuc::device() };
    const cuc::array<uint8_t> x(stream, std::vector<uint8_t>(8, 1));
    const cuc::graph graph = cuc::capture(stream, [&] { x.buffer().fill(stream, 9); });

    ck_assert_uint_eq(graph.node_count(), 1);
    ck_assert(x.read(stream) == std::vector<uint8_t>(8, 1));
    graph.keep(x.buffer());
    graph.instantiate().launch(stream);
    ck_assert(x.read(stream) == std::vector<uint8_t>(8, 9));
}

TEST(a_graph_selects_between_bodies)
{
    const cuc::stream stream{ cuc::device() }, side{ cuc::device() };
    const cuc::array<uint8_t> x(stream, std::vector<uint8_t>(8, 1));
    std::vector<cuc::graph> bodies;

    const cuc::graph graph = cuc::capture(stream, [&] {
        bodies = cuc::add_conditional(stream, cuc::create_condition(stream, 2),
                                      CUC_CONDITIONAL_SWITCH, 3);
    });
    for (size_t i = 0; i < bodies.size(); i++)
        bodies[i].add(side, {}, [&] { x.buffer().fill(side, static_cast<uint8_t>(i + 5)); });
    graph.instantiate().launch(stream);
    ck_assert(x.read(stream) == std::vector<uint8_t>(8, 7));
    try {
        cuc::create_condition(stream);
        ck_abort_msg("nothing was thrown");
    } catch (const cuc::error &e) {
        ck_assert_int_eq(e.code(), CUC_ERROR_INVALID_ARGUMENT);
    }
    for (uint32_t count : { 0u, UINT32_MAX }) {
        try {
            cuc::capture(stream, [&] {
                cuc::add_conditional(stream, cuc::create_condition(stream), CUC_CONDITIONAL_SWITCH,
                                     count);
            });
            ck_abort_msg("nothing was thrown");
        } catch (const cuc::error &e) {
            ck_assert_int_eq(e.code(), CUC_ERROR_INVALID_ARGUMENT);
        }
    }
}

TEST(a_buffer_grows)
{
    const cuc::stream stream{ cuc::device() };
    const auto resource = cuc::memory_resource::growing(cuc::device(), 64 << 20);
    const cuc::buffer first(stream, resource, 8);

    first.fill(stream, 3);
    const cuc::buffer second = first.grow(4 << 20);
    uint8_t got = 0;
    second.read_async(stream, &got, 1, 7);
    stream.synchronize();
    ck_assert_uint_eq(second.ptr(), first.ptr());
    ck_assert_uint_eq(got, 3);
}

TEST(growing_memory_is_exported_in_pieces)
{
    const cuc::stream stream{ cuc::device() };
    const auto resource = cuc::memory_resource::growing(cuc::device(), 0, CUC_MEMORY_VIRTUAL_IPC);
    const cuc::buffer first(stream, resource, 8);
    const cuc::buffer second = first.grow(4 << 20);

    second.fill(stream, 6);
    const auto pieces = second.export_pieces();
    const auto there = cuc::buffer::from_pieces(stream, resource, pieces, 3 << 20);
    for (const auto &piece : pieces)
        close(piece.fd);
    ck_assert_uint_eq(pieces.size(), 2);
    uint8_t got = 0;
    there.read_async(stream, &got, 1, (3 << 20) - 1);
    stream.synchronize();
    ck_assert_uint_eq(got, 6);
    ck_assert_int_eq(thrown_by([&] { cuc::buffer::from_pieces(stream, resource, {}, 8); }).code(),
                     CUC_ERROR_INVALID_ARGUMENT);
}

TEST(a_part_of_a_device_has_streams)
{
    cuc_sms rest;
    const auto groups = cuc::split(cuc::sms_of(cuc::device()), 16, 2, &rest);
    const cuc::green_context part(cuc::device(), groups);
    const cuc::stream stream = part.stream(-1);
    const cuc::array<uint8_t> x(stream, std::vector<uint8_t>(8, 1));

    ck_assert_uint_eq(groups.size(), 2);
    ck_assert_uint_eq(part.sms().count, groups[0].count + groups[1].count);
    x.buffer().fill(stream, 4);
    ck_assert(x.read(stream) == std::vector<uint8_t>(8, 4));
    // Split into as many groups as fit, and into none.
    const auto all = cuc::split(cuc::sms_of(cuc::device()), 16, UINT32_MAX);
    ck_assert_uint_eq(all.size(), cuc::sms_of(cuc::device()).count / 16);
    try {
        cuc::split(cuc::sms_of(cuc::device()), 16, 0);
        ck_abort_msg("nothing was thrown");
    } catch (const cuc::error &e) {
        ck_assert_int_eq(e.code(), CUC_ERROR_INVALID_ARGUMENT);
    }
}

TEST(a_tensor_map_has_a_box_for_each_dimension)
{
    const cuc::stream stream{ cuc::device() };
    const cuc::array<float> x(stream, std::vector<float>(256));
    const cuc::tensor all(x.buffer(), CUC_F32, { 8, 32 });

    ck_assert(cuc::make_tensor_map(all, { 4, 8 }).words[0] != 0);
    try {
        cuc::make_tensor_map(all, { 4 });
        ck_abort_msg("nothing was thrown");
    } catch (const cuc::error &e) {
        ck_assert(std::string(e.what()).find("1 extents, and the tensor 2") != std::string::npos);
    }
}

TEST(a_capture_that_throws_is_canceled)
{
    const cuc::stream stream{ cuc::device() };

    try {
        cuc::capture(stream, [] { throw 5; });
        ck_abort_msg("nothing was thrown");
    } catch (int what) {
        ck_assert_int_eq(what, 5);
    }
    stream.synchronize(); // the driver would refuse this during the capture
}

TEST(a_copy_that_waits_is_not_captured)
{
    const cuc::stream stream{ cuc::device() };
    const cuc::array<uint8_t> x(stream, std::vector<uint8_t>(8, 1));
    const cuc::graph graph = cuc::capture(stream, [&] {
        ck_assert(stream.capturing());
        ck_assert_int_eq(thrown_by([&] { x.read(stream); }).code(), CUC_ERROR_BUSY);
        ck_assert_int_eq(thrown_by([&] { x.write(stream, { 1 }); }).code(), CUC_ERROR_BUSY);
    });

    ck_assert_uint_eq(graph.node_count(), 0);
    ck_assert(!stream.capturing());
}

TEST(a_linker_links_objects)
{
    auto how = cuc::options<cuc_linker_options>();

    how.backend = CUC_LINKER_DRIVER;
    const cuc::linker linker(how);
    linker.add(ptx_object());
    ck_assert_uint_eq(linker.link().kernel("store").parameter_count(), 3);
}

int main()
{
    return run_tests("C++");
}
