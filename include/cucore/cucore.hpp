/**
 * @file
 * cucore for C++17: self-releasing handles, failures as exceptions, typed launches.
 *
 * Header only, over the C interface, whose comments document effects, threads and order. For
 * functions without a method here, pass `.get()`; `cuc::check()` turns their status into an
 * exception.
 */
#ifndef CUCORE_CUCORE_HPP
#define CUCORE_CUCORE_HPP

#include <cucore/cucore.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cuc
{

/* ---- Failures --------------------------------------------------------------------------- */

/**
 * A failed call. what() has the whole message, and the compiler's log if there is one.
 *
 * It copies everything out of the thread's last error, so it may be stored and passed to other
 * threads.
 */
class error : public std::runtime_error
{
  public:
    /** The calling thread's last failure. */
    error()
        : std::runtime_error(whole_message()), code_(cuc_error_status()),
          library_(cuc_error_library()), library_code_(cuc_error_library_code()),
          function_(cuc_error_function()), log_(cuc_error_log())
    {
    }

    error(cuc_status code, const std::string &message) : std::runtime_error(message), code_(code)
    {
    }

    /** The cuc_status, such as CUC_ERROR_COMPILE. */
    cuc_status code() const noexcept
    {
        return code_;
    }

    /** The library that reported the failure, a CUC_LIBRARY_ value. */
    int32_t library() const noexcept
    {
        return library_;
    }

    /** The library's own code, such as the CUresult; 0 when cucore itself refused. */
    int32_t library_code() const noexcept
    {
        return library_code_;
    }

    /** The C function that failed. */
    const std::string &function() const noexcept
    {
        return function_;
    }

    /** The log of a compiler, a linker or a search; "" when there is none. */
    const std::string &log() const noexcept
    {
        return log_;
    }

  private:
    static std::string whole_message()
    {
        std::string message = cuc_error_message();
        const std::string_view log = cuc_error_log();

        if (!log.empty() && message.find(log) == std::string::npos)
            message.append("\n").append(log);
        return message;
    }

    cuc_status code_;
    int32_t library_ = CUC_LIBRARY_NONE;
    int32_t library_code_ = 0;
    std::string function_, log_;
};

/** Throw the failure of a call; otherwise return its status, such as CUC_NOT_READY. */
inline cuc_status check(cuc_status status)
{
    if (status >= 0)
        return status;
    // The status may come from another thread, as in a callback: then this thread's last error is
    // unrelated.
    if (cuc_error_status() != status)
        throw error(status, std::string(cuc_status_name(status)) + ": " + cuc_status_text(status));
    throw error();
}

/**
 * Default options, to be changed field by field:
 * `auto options = cuc::options<cuc_program_options>();`
 */
template <class Options> Options options() noexcept
{
    Options result = Options();

    result.struct_size = sizeof(Options);
    return result;
}

/* ---- Handles ---------------------------------------------------------------------------- */

/** One reference of a counted handle: movable, not copyable; share() adds a reference. */
template <class Raw, Raw *(*Retain)(Raw *), void (*Release)(Raw *)> class handle
{
  public:
    handle() noexcept = default;

    /** Take over a reference that a C function returned. */
    explicit handle(Raw *owned) noexcept : raw_(owned)
    {
    }

    /** Makes stream(0) an error: it would be an empty handle, not a stream of device 0. */
    explicit handle(std::nullptr_t) = delete;

    handle(handle &&other) noexcept : raw_(std::exchange(other.raw_, nullptr))
    {
    }

    handle &operator=(handle &&other) noexcept
    {
        reset(std::exchange(other.raw_, nullptr));
        return *this;
    }

    handle(const handle &) = delete;
    handle &operator=(const handle &) = delete;

    ~handle()
    {
        Release(raw_);
    }

    /** The raw handle, for C functions. This object keeps its reference. */
    Raw *get() const noexcept
    {
        return raw_;
    }

    explicit operator bool() const noexcept
    {
        return raw_ != nullptr;
    }

    /** Give up the reference: the caller releases it. */
    [[nodiscard]] Raw *detach() noexcept
    {
        return std::exchange(raw_, nullptr);
    }

    void reset(Raw *owned = nullptr) noexcept
    {
        Release(std::exchange(raw_, owned));
    }

    /** Destination of a new handle from a C function: check(cuc_stream_create(stream.out(), ...)).
     */
    Raw **out() noexcept
    {
        reset();
        return &raw_;
    }

    using raw_type = Raw;

    /** Another reference to a handle held elsewhere. */
    static Raw *retain(Raw *borrowed) noexcept
    {
        return borrowed ? Retain(borrowed) : nullptr;
    }

  private:
    Raw *raw_ = nullptr;
};

/** Another reference to the same object. */
template <class Handle> Handle share(const Handle &other) noexcept
{
    return Handle(Handle::retain(other.get()));
}

/** An owning handle for a borrowed one that a C function returned. */
template <class Handle> Handle retained(typename Handle::raw_type *borrowed) noexcept
{
    return Handle(Handle::retain(borrowed));
}

using context = handle<cuc_context, cuc_context_retain, cuc_context_release>;
using algorithm = handle<cuc_algorithm, cuc_algorithm_retain, cuc_algorithm_release>;
using attention_plan =
    handle<cuc_attention_plan, cuc_attention_plan_retain, cuc_attention_plan_release>;
using gemm_plan = handle<cuc_gemm_plan, cuc_gemm_plan_retain, cuc_gemm_plan_release>;

/** A device; there is one object for each ordinal, which lives as long as the process. */
class device
{
  public:
    explicit device(int32_t ordinal = 0)
    {
        check(cuc_device_get(&raw_, ordinal));
    }

    explicit device(cuc_device *raw) noexcept : raw_(raw)
    {
    }

    static int32_t count()
    {
        int32_t result = 0;

        check(cuc_device_get_count(&result));
        return result;
    }

    cuc_device *get() const noexcept
    {
        return raw_;
    }

    int32_t ordinal() const noexcept
    {
        return cuc_device_ordinal(raw_);
    }

    std::string name() const
    {
        return cuc_device_name(raw_);
    }

    /** The architecture to compile for, such as "sm_90". */
    std::string arch() const
    {
        return cuc_device_arch(raw_);
    }

    /** Value of a CUC_DEVICE_ attribute. */
    int32_t attribute(int32_t which) const
    {
        int32_t result = 0;

        check(cuc_device_get_attribute(&result, raw_, which));
        return result;
    }

    void synchronize() const
    {
        check(cuc_device_synchronize(raw_));
    }

    friend bool operator==(device a, device b) noexcept
    {
        return a.raw_ == b.raw_;
    }

    friend bool operator!=(device a, device b) noexcept
    {
        return a.raw_ != b.raw_;
    }

  private:
    cuc_device *raw_ = nullptr;
};

/* ---- Streams and events ----------------------------------------------------------------- */

class event : public handle<cuc_event, cuc_event_retain, cuc_event_release>
{
  public:
    using handle::handle;

    /** @param flags CUC_EVENT_ bits; elapsed() needs CUC_EVENT_TIMING */
    explicit event(device on, uint32_t flags = 0)
    {
        auto how = options<cuc_event_options>();

        how.flags = flags;
        check(cuc_event_create(out(), on.get(), &how));
    }

    /** True when the recorded work is complete; throws when it failed. */
    bool done() const
    {
        return check(cuc_event_query(get())) == CUC_OK;
    }

    void synchronize() const
    {
        check(cuc_event_synchronize(get()));
    }

    /** Milliseconds since another event; refused until both have completed. */
    float elapsed(const event &start) const
    {
        float result = 0;

        if (check(cuc_event_get_elapsed(&result, start.get(), get())) != CUC_OK)
            throw error(CUC_ERROR_BUSY, "cuc::event::elapsed: one of the two events has not "
                                        "completed: synchronize the later one first");
        return result;
    }

    /** Handle for another process; the event needs CUC_EVENT_IPC. */
    cuc_ipc_handle export_ipc() const
    {
        cuc_ipc_handle result;

        check(cuc_event_export(&result, get()));
        return result;
    }

    /** Another process's event, to wait for its recording. */
    static event from_ipc_handle(device on, const cuc_ipc_handle &name)
    {
        event result;

        check(cuc_event_from_ipc_handle(result.out(), on.get(), &name));
        return result;
    }

    /** A file descriptor for poll(), readable when the event completes or fails; close() it. */
    int32_t file_descriptor() const
    {
        int32_t result = -1;

        check(cuc_event_get_fd(&result, get()));
        return result;
    }
};

class stream : public handle<cuc_stream, cuc_stream_retain, cuc_stream_release>
{
  public:
    using handle::handle;

    explicit stream(cuc::device on, int32_t priority = 0)
    {
        auto how = cuc::options<cuc_stream_options>();

        how.priority = priority;
        check(cuc_stream_create(out(), on.get(), &how));
    }

    /** A default stream, CUC_STREAM_LEGACY or CUC_STREAM_PER_THREAD. */
    static stream standard(cuc::device on, int32_t which = CUC_STREAM_LEGACY)
    {
        cuc_stream *found = nullptr;

        check(cuc_stream_get_default(&found, on.get(), which));
        return retained<stream>(found);
    }

    /** A stream of the driver or the CUDA runtime, which must outlive this handle. */
    static stream from_handle(void *native)
    {
        stream result;

        check(cuc_stream_from_handle(result.out(), native, nullptr, nullptr));
        return result;
    }

    /** The driver's CUstream. */
    void *native() const noexcept
    {
        return cuc_stream_handle(get());
    }

    cuc::device device() const noexcept
    {
        return cuc::device(cuc_stream_device(get()));
    }

    /** True when all work is complete; throws when some of it failed. */
    bool done() const
    {
        return check(cuc_stream_query(get())) == CUC_OK;
    }

    /** True while work enqueued on the stream is captured and does not run. */
    bool capturing() const
    {
        int32_t result = 0;

        check(cuc_stream_is_capturing(&result, get()));
        return result != 0;
    }

    void synchronize() const
    {
        check(cuc_stream_synchronize(get()));
    }

    /** Make later work wait for an event, or for all work now on another stream. */
    void wait(const event &other) const
    {
        check(cuc_stream_wait_event(get(), other.get()));
    }

    void wait(const stream &other) const
    {
        check(cuc_stream_wait_stream(get(), other.get()));
    }

    void record(const event &to) const
    {
        check(cuc_event_record(get(), to.get()));
    }

    /**
     * Call fn(cuc_status) once when the stream reaches it, even when earlier work failed. It runs
     * on a driver thread, may call neither CUDA nor cucore, and must not throw.
     */
    template <class Function> void when_done(Function fn) const
    {
        auto kept = std::make_unique<Function>(std::move(fn));

        check(cuc_stream_add_callback(
            get(),
            [](cuc_status status, int32_t, void *user) noexcept {
                const std::unique_ptr<Function> mine(static_cast<Function *>(user));
                (*mine)(status);
            },
            kept.get()));
        static_cast<void>(kept.release()); // the callback owns it now
    }
};

/* ---- Memory ----------------------------------------------------------------------------- */

/** A source of memory for buffers. */
class memory_resource
    : public handle<cuc_memory_resource, cuc_memory_resource_retain, cuc_memory_resource_release>
{
  public:
    using handle::handle;

    /** The driver's pool of a kind: CUC_MEMORY_DEVICE, CUC_MEMORY_PINNED or CUC_MEMORY_MANAGED. */
    static memory_resource pool(device of, int32_t kind = CUC_MEMORY_DEVICE)
    {
        memory_resource result;

        check(cuc_memory_pool_get_current(result.out(), of.get(), kind));
        return result;
    }

    /**
     * Virtual memory, whose buffers can grow; each keeps its address up to the given size. Flags
     * are CUC_MEMORY_VIRTUAL_ bits.
     */
    static memory_resource growing(device of, uint64_t reserve_bytes = 0, uint32_t flags = 0)
    {
        auto how = options<cuc_memory_virtual_options>();
        memory_resource result;

        how.reserve_bytes = reserve_bytes;
        how.flags = flags;
        check(cuc_memory_virtual_create(result.out(), of.get(), &how));
        return result;
    }

    /** A new pool whose memory other processes can import. */
    static memory_resource shareable(device of)
    {
        auto how = options<cuc_memory_pool_options>();
        memory_resource result;

        how.flags = CUC_MEMORY_POOL_IPC;
        check(cuc_memory_pool_create(result.out(), of.get(), &how));
        return result;
    }

    /** A file descriptor by which another process imports the pool; close() it. */
    int32_t export_ipc() const
    {
        int32_t result = -1;

        check(cuc_memory_pool_export(&result, get()));
        return result;
    }

    /** Another process's pool, for buffer::from_ipc_handle(). */
    static memory_resource from_fd(device of, int32_t fd)
    {
        memory_resource result;

        check(cuc_memory_pool_from_fd(result.out(), of.get(), fd));
        return result;
    }

    /** Memory that is usable when the call returns, such as pinned memory for copies. */
    static memory_resource synchronous(device of, int32_t kind)
    {
        memory_resource result;

        check(cuc_memory_synchronous_create(result.out(), of.get(), kind));
        return result;
    }
};

/** Memory that a device can access. It is freed in the order of its stream. */
class buffer : public handle<cuc_buffer, cuc_buffer_retain, cuc_buffer_release>
{
  public:
    using handle::handle;

    /** Memory of the device's default resource. */
    buffer(const stream &on, size_t bytes)
    {
        check(cuc_buffer_create(out(), on.get(), nullptr, bytes));
    }

    buffer(const stream &on, const memory_resource &from, size_t bytes)
    {
        check(cuc_buffer_create(out(), on.get(), from.get(), bytes));
    }

    /** Handle for a process that has imported the buffer's pool. */
    cuc_ipc_handle export_ipc() const
    {
        cuc_ipc_handle result;

        check(cuc_buffer_export(&result, get()));
        return result;
    }

    /** Another process's buffer, from an imported pool; the other process must release its own
     * buffer later. */
    static buffer from_ipc_handle(const stream &on, const memory_resource &pool,
                                  const cuc_ipc_handle &name, size_t bytes)
    {
        buffer result;

        check(cuc_buffer_from_ipc_handle(result.out(), on.get(), pool.get(), &name, bytes));
        return result;
    }

    /**
     * File descriptors of the buffer's memory, for another process; close() each. The resource must
     * be growing() with CUC_MEMORY_VIRTUAL_IPC.
     */
    std::vector<cuc_memory_piece> export_pieces() const
    {
        size_t count = 0;

        check(cuc_buffer_export_pieces(nullptr, 0, &count, get()));
        std::vector<cuc_memory_piece> result(count);
        check(cuc_buffer_export_pieces(result.data(), count, &count, get()));
        return result;
    }

    /** Another process's memory, at addresses of a growing() resource of this process. */
    static buffer from_pieces(const stream &on, const memory_resource &here,
                              const std::vector<cuc_memory_piece> &pieces, size_t bytes)
    {
        buffer result;

        check(cuc_buffer_from_pieces(result.out(), on.get(), here.get(), pieces.data(),
                                     pieces.size(), bytes));
        return result;
    }

    cuc_device_ptr ptr() const noexcept
    {
        return cuc_buffer_ptr(get());
    }

    size_t bytes() const noexcept
    {
        return cuc_buffer_bytes(get());
    }

    /** A buffer of another size over the same memory, from a growing() resource. */
    buffer grow(size_t length) const
    {
        buffer result;

        check(cuc_buffer_grow(result.out(), get(), length));
        return result;
    }

    /** A part of the buffer; it retains the buffer. */
    buffer slice(size_t offset, size_t length) const
    {
        buffer result;

        check(cuc_buffer_slice(result.out(), get(), offset, length));
        return result;
    }

    /** Copies from and to the host; the host memory must live until they are complete. */
    void write_async(const stream &on, const void *from, size_t length, size_t offset = 0) const
    {
        check(cuc_buffer_write_async(on.get(), get(), offset, from, length));
    }

    void read_async(const stream &on, void *to, size_t length, size_t offset = 0) const
    {
        check(cuc_buffer_read_async(on.get(), to, get(), offset, length));
    }

    void copy_from(const stream &on, const buffer &other, size_t length) const
    {
        check(cuc_buffer_copy(on.get(), get(), 0, other.get(), 0, length));
    }

    /** Set every byte. */
    void fill(const stream &on, uint8_t value) const
    {
        check(cuc_buffer_fill(on.get(), get(), 0, value, 1, bytes()));
    }

    /** The memory's host address, if the host can access it: pinned and managed buffers. */
    template <class T> T *host() const
    {
        void *at = nullptr;

        check(cuc_buffer_get_host_pointer(&at, get()));
        return static_cast<T *>(at);
    }
};

/**
 * The element type of a C++ type. Specialize it for further types:
 * `template <> struct cuc::dtype<__half> : cuc::dtype_is<CUC_F16> {};`
 */
template <cuc_dtype Value> using dtype_is = std::integral_constant<cuc_dtype, Value>;

namespace detail
{
template <class T> constexpr cuc_dtype number()
{
    if constexpr (std::is_same_v<T, bool>)
        return CUC_BOOL;
    else if constexpr (std::is_same_v<T, float>)
        return CUC_F32;
    else if constexpr (std::is_same_v<T, double>)
        return CUC_F64;
    else if constexpr (std::is_integral_v<T>) {
        constexpr bool sign = std::is_signed_v<T>;

        // char is i8 even where it is unsigned, as in C's CUC_ARG.
        switch (sizeof(T)) {
        case 1:
            return sign || std::is_same_v<T, char> ? CUC_I8 : CUC_U8;
        case 2:
            return sign ? CUC_I16 : CUC_U16;
        case 4:
            return sign ? CUC_I32 : CUC_U32;
        case 8:
            return sign ? CUC_I64 : CUC_U64;
        default:
            return CUC_DTYPE_UNKNOWN;
        }
    } else
        return CUC_DTYPE_UNKNOWN;
}
} // namespace detail

template <class T> struct dtype : dtype_is<detail::number<T>()> {
};
template <> struct dtype<std::complex<float>> : dtype_is<CUC_C64> {
};
template <> struct dtype<std::complex<double>> : dtype_is<CUC_C128> {
};

/** Elements of one type in their own buffer. */
template <class T> class array
{
    static_assert(std::is_trivially_copyable_v<T>, "a device takes plain values");

  public:
    using value_type = T;

    /** Uninitialized elements. */
    array(const stream &on, size_t size) : buffer_(on, bytes(size)), size_(size)
    {
    }

    /** The values of a vector; returns when they are copied. */
    array(const stream &on, const std::vector<T> &values) : array(on, values.size())
    {
        write(on, values);
    }

    /** Returns when the copy is complete. */
    void write(const stream &on, const std::vector<T> &values) const
    {
        may_wait(on);
        buffer_.write_async(on, values.data(), values.size() * sizeof(T));
        on.synchronize();
    }

    /** The values after the stream's earlier work; waits for it. */
    std::vector<T> read(const stream &on) const
    {
        std::vector<T> result(size_);

        may_wait(on);
        buffer_.read_async(on, result.data(), size_ * sizeof(T));
        on.synchronize();
        return result;
    }

    const cuc::buffer &buffer() const noexcept
    {
        return buffer_;
    }

    size_t size() const noexcept
    {
        return size_;
    }

  private:
    static size_t bytes(size_t size)
    {
        if (size > SIZE_MAX / sizeof(T))
            throw error(CUC_ERROR_INVALID_ARGUMENT,
                        "cuc::array: " + std::to_string(size) + " elements of " +
                            std::to_string(sizeof(T)) + " bytes pass the end of the address space");
        return size * sizeof(T);
    }

    /** Refuse to capture a copy that must be waited for: the host memory will be gone at replay. */
    static void may_wait(const stream &on)
    {
        if (on.capturing())
            throw error(CUC_ERROR_BUSY,
                        "cuc::array: the stream is being captured, and a copy cannot be waited for "
                        "until the graph is launched: do it before or after the capture, or "
                        "capture buffer::write_async() or read_async()");
    }

    cuc::buffer buffer_;
    size_t size_;
};

/** The memory layout of an array. A plain value: the memory must outlive its use. */
struct tensor : cuc_tensor {
    tensor() noexcept : cuc_tensor()
    {
    }

    explicit tensor(const cuc_tensor &other) noexcept : cuc_tensor(other)
    {
    }

    /** Contiguous, with the last dimension fastest, from the start of a buffer. */
    tensor(const cuc::buffer &of, cuc_dtype type, const std::vector<int64_t> &extents)
        : cuc_tensor()
    {
        check(cuc_tensor_from_buffer(this, of.get(), type, static_cast<int32_t>(extents.size()),
                                     extents.data()));
    }

    template <class T>
    tensor(const array<T> &of, const std::vector<int64_t> &extents)
        : tensor(of.buffer(), cuc::dtype<T>::value, extents)
    {
    }

    /** All of an array, as one dimension. */
    template <class T>
    explicit tensor(const array<T> &of)
        : tensor(of, std::vector<int64_t>{ static_cast<int64_t>(of.size()) })
    {
    }

    /** Host memory, for running tile programs without a device. */
    template <class T> static tensor host(T *data, const std::vector<int64_t> &extents)
    {
        tensor result;

        check(cuc_tensor_from_pointer(&result, reinterpret_cast<uintptr_t>(data),
                                      cuc::dtype<std::remove_const_t<T>>::value,
                                      static_cast<int32_t>(extents.size()), extents.data(), -1));
        if (std::is_const_v<T>)
            result.flags |= CUC_TENSOR_READ_ONLY;
        return result;
    }
};

/* ---- From source to kernels ------------------------------------------------------------- */

class kernel : public handle<cuc_kernel, cuc_kernel_retain, cuc_kernel_release>
{
  public:
    using handle::handle;

    std::string name() const
    {
        return cuc_kernel_name(get());
    }

    size_t parameter_count() const
    {
        size_t result = 0;

        check(cuc_kernel_get_parameter_count(&result, get()));
        return result;
    }

    /** Value of a CUC_KERNEL_ attribute on a device. */
    int32_t attribute(device on, int32_t which) const
    {
        int32_t result = 0;

        check(cuc_kernel_get_attribute(&result, get(), on.get(), which));
        return result;
    }
};

/** Object code, such as PTX or a cubin, and its kernels. */
class object : public handle<cuc_object, cuc_object_retain, cuc_object_release>
{
  public:
    using handle::handle;

    /** @param kind a CUC_CODE_ value; 0: detected from the contents */
    static object from_file(const std::string &path, int32_t kind = 0)
    {
        object result;

        check(cuc_object_from_file(result.out(), path.c_str(), kind, nullptr));
        return result;
    }

    cuc::kernel kernel(const std::string &name) const
    {
        cuc::kernel result;

        check(cuc_object_get_kernel(result.out(), get(), name.c_str()));
        return result;
    }

    int32_t kind() const noexcept
    {
        return cuc_object_kind(get());
    }

    /** The code; valid as long as the object. */
    std::string_view code() const
    {
        const void *data = nullptr;
        size_t bytes = 0;

        check(cuc_object_get_code(&data, &bytes, get()));
        return { static_cast<const char *>(data), bytes };
    }

    std::string_view ptx() const
    {
        const char *text = nullptr;
        size_t bytes = 0;

        check(cuc_object_get_ptx(&text, &bytes, get()));
        return { text, bytes };
    }

    /** The compiler's log, including warnings. */
    std::string log() const
    {
        return cuc_object_log(get());
    }

    void save(const std::string &path) const
    {
        check(cuc_object_save(get(), path.c_str()));
    }
};

/** A source with its compilation options. */
class program : public handle<cuc_program, cuc_program_retain, cuc_program_release>
{
  public:
    using handle::handle;

    /** @param kind CUC_SOURCE_CUDA, CUC_SOURCE_PTX or CUC_SOURCE_TILE */
    program(int32_t kind, const std::string &source,
            const cuc_program_options &how = options<cuc_program_options>())
    {
        check(cuc_program_create(out(), kind, source.c_str(), source.size(), &how));
    }

    /** Compile for the device's architecture, unless the options name another. */
    object compile(int32_t target = CUC_CODE_CUBIN) const
    {
        object result;

        check(cuc_program_compile(result.out(), get(), target));
        return result;
    }

    std::string log() const
    {
        return cuc_program_log(get());
    }
};

class linker : public handle<cuc_linker, cuc_linker_retain, cuc_linker_release>
{
  public:
    using handle::handle;

    explicit linker(const cuc_linker_options &how)
    {
        check(cuc_linker_create(out(), &how));
    }

    void add(const object &code) const
    {
        check(cuc_linker_add(get(), code.get()));
    }

    void add_file(const std::string &path, int32_t kind = 0) const
    {
        check(cuc_linker_add_file(get(), kind, path.c_str()));
    }

    object link(int32_t target = CUC_CODE_CUBIN) const
    {
        object result;

        check(cuc_linker_link(result.out(), get(), target));
        return result;
    }
};

/* ---- Launches --------------------------------------------------------------------------- */

/** One, two or three extents, of any integers that fit. */
struct extent {
    uint32_t x = 0, y = 0, z = 0;

    extent() = default;

    template <class X, class Y = int, class Z = int,
              class = std::enable_if_t<std::is_integral_v<X> && std::is_integral_v<Y> &&
                                       std::is_integral_v<Z>>>
    extent(X a, Y b = 1, Z c = 1) : x(narrow(a)), y(narrow(b)), z(narrow(c))
    {
    }

  private:
    template <class I> static uint32_t narrow(I value)
    {
        const auto result = static_cast<uint32_t>(value);

        if (static_cast<I>(result) != value || value < I(0))
            throw error(CUC_ERROR_INVALID_ARGUMENT, "an extent of a launch is " +
                                                        std::to_string(value) +
                                                        ", which 32 bits cannot hold");
        return result;
    }
};

/** The shape of a launch: config(grid, block).shared(bytes).cluster(2). Reusable. */
class config : private cuc_launch_config
{
  public:
    /** A block is required, except for kernels of tile programs. */
    explicit config(extent grid_blocks, extent block_threads = {})
        : cuc_launch_config(options<cuc_launch_config>())
    {
        set(grid, grid_blocks);
        set(block, block_threads);
    }

    config &shared(size_t bytes)
    {
        if (bytes > UINT32_MAX)
            throw error(CUC_ERROR_INVALID_ARGUMENT, "the shared memory of a launch is " +
                                                        std::to_string(bytes) +
                                                        " bytes, which 32 bits cannot hold");
        shared_bytes = static_cast<uint32_t>(bytes);
        return *this;
    }

    config &in_clusters(extent blocks)
    {
        set(cluster, blocks);
        return *this;
    }

    /** CUC_LAUNCH_COOPERATIVE, CUC_LAUNCH_PROGRAMMATIC */
    config &with(uint32_t flag)
    {
        flags |= flag;
        return *this;
    }

    /** Further attributes; the caller owns them, and they must outlive the config. */
    config &with(const std::vector<cuc_launch_attribute> &more)
    {
        attributes = more.data();
        attribute_count = static_cast<uint32_t>(more.size());
        return *this;
    }

    const cuc_launch_config *get() const noexcept
    {
        return this;
    }

  private:
    static void set(uint32_t (&field)[3], extent value) noexcept
    {
        field[0] = value.x;
        field[1] = value.y;
        field[2] = value.z;
    }
};

/** Replaces a config: uses the grid and block that a tile kernel declares. */
struct own_grid_t {
    const cuc_launch_config *get() const noexcept
    {
        return nullptr;
    }
};
inline constexpr own_grid_t own_grid{};

class node;

namespace detail
{
template <class T, class... Kinds> inline constexpr bool one_of = (std::is_same_v<T, Kinds> || ...);

/** Types that no kernel accepts, not even through a pointer. */
template <class T>
inline constexpr bool handle_of_the_host =
    one_of<T, cuc_stream, cuc_event, cuc_kernel, cuc_device, cuc_context, cuc_object, cuc_program,
           cuc_memory_resource, cuc_graph, cuc_graph_exec, cuc_node, cuc_linker>;

inline cuc_arg pointed_to(int32_t type, const void *at, size_t bytes) noexcept
{
    cuc_arg arg = { type, static_cast<uint32_t>(bytes), { 0 } };

    arg.value.pointer = at;
    return arg;
}

template <class T> struct is_array : std::false_type {
};
template <class T> struct is_array<array<T>> : std::true_type {
};

/** Plain values that have a meaning only on the host. */
template <class T>
inline constexpr bool value_of_the_host = one_of<T, device, node, own_grid_t> ||
                                          std::is_base_of_v<config, T>;
} // namespace detail

/**
 * Converts a value to an argument of cuc_launch(): numbers by their type, device addresses (any
 * pointer), buffers, arrays and tensors, and plain structs by value. Types that no kernel takes do
 * not compile.
 */
template <class A> cuc_arg argument(const A &value) noexcept
{
    using Target = std::remove_cv_t<std::remove_pointer_t<A>>;

    static_assert(!std::is_array_v<A>, "pass a device address, a buffer or an array");
    static_assert(!std::is_pointer_v<A> || !detail::handle_of_the_host<Target>,
                  "a kernel takes no handle of the host's");
    static_assert(!detail::value_of_the_host<A>, "a kernel takes no device, node or config");
    static_assert(!std::is_pointer_v<A> ||
                      !(std::is_base_of_v<buffer, Target> || detail::is_array<Target>::value ||
                        detail::value_of_the_host<Target>),
                  "pass the buffer or the array itself, not its address on the host");
    if constexpr (std::is_same_v<A, cuc_arg>)
        return value;
    else if constexpr (std::is_base_of_v<cuc_tensor, A>)
        return detail::pointed_to(CUC_ARG_TENSOR, static_cast<const cuc_tensor *>(&value), 8);
    else if constexpr (std::is_base_of_v<buffer, A>)
        return detail::pointed_to(CUC_ARG_BUFFER, value.get(), 8);
    else if constexpr (detail::is_array<A>::value)
        return detail::pointed_to(CUC_ARG_BUFFER, value.buffer().get(), 8);
    else if constexpr (std::is_enum_v<A>)
        return argument(static_cast<std::underlying_type_t<A>>(value));
    else if constexpr (std::is_null_pointer_v<A>)
        return { CUC_ARG_POINTER, 8, { 0 } };
    else if constexpr (std::is_pointer_v<A>) {
        if constexpr (std::is_same_v<Target, cuc_buffer>)
            return detail::pointed_to(CUC_ARG_BUFFER, value, 8);
        else if constexpr (std::is_base_of_v<cuc_tensor, Target>)
            return detail::pointed_to(CUC_ARG_TENSOR, static_cast<const cuc_tensor *>(value), 8);
        else
            return { CUC_ARG_POINTER, 8, { reinterpret_cast<uintptr_t>(value) } };
    } else {
        static_assert(std::is_trivially_copyable_v<A>,
                      "a kernel takes numbers, addresses, buffers, tensors and plain structs");
        if constexpr (dtype<A>::value != CUC_DTYPE_UNKNOWN && sizeof(A) <= 8) {
            cuc_arg arg = { dtype<A>::value, static_cast<uint32_t>(sizeof(A)), { 0 } };

            std::memcpy(&arg.value, &value, sizeof(A));
            return arg;
        } else
            return detail::pointed_to(CUC_ARG_BYTES, &value, sizeof(A));
    }
}

/**
 * Launch a kernel: cuc::launch(stream, cuc::config(grid, block), kernel, 2.0f, x, y, n).
 *
 * @param on    the stream
 * @param shape a config, or own_grid for a tile kernel that has a grid
 * @param what  the kernel
 * @param args  one for each parameter; not retained: the stream's order must keep them alive
 */
template <class Shape, class... Args>
void launch(const stream &on, const Shape &shape, const kernel &what, const Args &...args)
{
    static_assert(std::is_base_of_v<config, Shape> || std::is_same_v<Shape, own_grid_t>,
                  "the second argument of launch() is a cuc::config or cuc::own_grid");
    if constexpr (sizeof...(Args) == 0)
        check(cuc_launch(on.get(), shape.get(), what.get(), nullptr, 0));
    else {
        const cuc_arg list[] = { argument(args)... };

        check(cuc_launch(on.get(), shape.get(), what.get(), list, sizeof...(Args)));
    }
}

/**
 * Run a kernel of a tile program on the CPU, with tensors in host memory; needs no driver.
 */
template <class... Args>
void interpret(const program &tiles, const std::string &kernel_name, const Args &...args)
{
    // One element more, because an array cannot be empty.
    const cuc_arg list[sizeof...(Args) + 1] = { argument(args)... };

    check(cuc_tile_interpret(tiles.get(), kernel_name.empty() ? nullptr : kernel_name.c_str(), list,
                             sizeof...(Args), nullptr));
}

/** A tensor map, which kernels take by value. The box has the order of the tensor's dimensions. */
inline cuc_tensor_map make_tensor_map(const cuc_tensor &of, const std::vector<uint32_t> &box,
                                      int32_t swizzle = CUC_TENSOR_MAP_SWIZZLE_NONE)
{
    auto how = options<cuc_tensor_map_options>();
    cuc_tensor_map result;

    how.swizzle = swizzle;
    if (of.rank < 0 || box.size() != static_cast<size_t>(of.rank))
        throw error(CUC_ERROR_INVALID_ARGUMENT,
                    "cuc::make_tensor_map: the box has " + std::to_string(box.size()) +
                        " extents, and the tensor " + std::to_string(of.rank) + " dimensions");
    check(cuc_tensor_map_encode_tiled(&result, &of, box.data(), &how));
    return result;
}

/* ---- Parts of a device ------------------------------------------------------------------ */

/** All multiprocessors of a device. */
inline cuc_sms sms_of(device all)
{
    cuc_sms result;

    check(cuc_device_get_sms(&result, all.get()));
    return result;
}

/** Up to `most` groups of at least `least` multiprocessors, and the remainder. */
inline std::vector<cuc_sms> split(const cuc_sms &from, uint32_t least, uint32_t most,
                                  cuc_sms *rest = nullptr)
{
    // A NULL array would make the C function only count, so there is at least one element.
    const uint32_t room = most < from.count ? most : from.count;
    std::vector<cuc_sms> groups(room ? room : 1);

    check(cuc_sms_split(groups.data(), &most, rest, &from, least, 0));
    groups.resize(most);
    return groups;
}

/** A partition of a device: work on its streams runs only on its multiprocessors. */
class green_context
    : public handle<cuc_green_context, cuc_green_context_retain, cuc_green_context_release>
{
  public:
    using handle::handle;

    green_context(device of, const std::vector<cuc_sms> &parts)
    {
        check(cuc_green_context_create(out(), of.get(), parts.data(), parts.size()));
    }

    cuc_sms sms() const
    {
        cuc_sms result;

        check(cuc_green_context_get_sms(&result, get()));
        return result;
    }

    /** A stream, which retains the partition. */
    cuc::stream stream(int32_t priority = 0) const
    {
        auto how = options<cuc_stream_options>();
        cuc::stream result;

        how.priority = priority;
        check(cuc_green_context_stream_create(result.out(), get(), &how));
        return result;
    }
};

/* ---- Graphs ----------------------------------------------------------------------------- */

/** A node of a graph, destroyed with the graph. */
class node
{
  public:
    explicit node(cuc_node *raw) noexcept : raw_(raw)
    {
    }

    cuc_node *get() const noexcept
    {
        return raw_;
    }

    /** The type of the node: a CUC_NODE_ constant. */
    int32_t type() const
    {
        int32_t result = 0;

        check(cuc_node_get_type(&result, raw_));
        return result;
    }

    friend bool operator==(node a, node b) noexcept
    {
        return a.raw_ == b.raw_;
    }

    friend bool operator!=(node a, node b) noexcept
    {
        return a.raw_ != b.raw_;
    }

  private:
    cuc_node *raw_;
};

class graph_exec : public handle<cuc_graph_exec, cuc_graph_exec_retain, cuc_graph_exec_release>
{
  public:
    using handle::handle;

    void launch(const stream &on) const
    {
        check(cuc_graph_exec_launch(on.get(), get()));
    }

    /** Disable a node in launches of the instance, or enable it again. */
    void set_enabled(node one, bool enabled) const
    {
        check(cuc_graph_exec_set_enabled(get(), one.get(), enabled));
    }

    /** True if launches run the node. */
    bool is_enabled(node one) const
    {
        int32_t result = 0;

        check(cuc_graph_exec_get_enabled(&result, get(), one.get()));
        return result != 0;
    }
};

class graph : public handle<cuc_graph, cuc_graph_retain, cuc_graph_release>
{
  public:
    using handle::handle;

    /** A graph without nodes. */
    explicit graph(device on)
    {
        check(cuc_graph_create(out(), on.get()));
    }

    /**
     * Add the work that enqueue() puts on a stream, after the given nodes of this graph; nothing
     * runs. Returns the node of the last operation.
     */
    template <class Function>
    node add(const stream &on, const std::vector<node> &after, Function &&enqueue) const
    {
        std::vector<cuc_node *> behind;
        cuc_node *last = nullptr;
        size_t count = 0;
        graph same;

        for (node each : after)
            behind.push_back(each.get());
        check(cuc_stream_begin_capture_to(on.get(), get(), behind.data(), behind.size(),
                                          CUC_CAPTURE_THREAD_LOCAL));
        try {
            std::forward<Function>(enqueue)();
            check(cuc_stream_get_capture_nodes(&last, 1, &count, on.get()));
        } catch (...) {
            cuc_stream_cancel_capture(on.get());
            throw;
        }
        check(cuc_stream_end_capture(same.out(), on.get()));
        if (!last)
            throw error(CUC_ERROR_INVALID_ARGUMENT, "cuc::graph::add: nothing was put on the "
                                                    "stream, so there is no node");
        return node(last);
    }

    /** All nodes, in the driver's order. */
    std::vector<node> nodes() const
    {
        std::vector<cuc_node *> found(node_count());

        check(cuc_graph_get_nodes(found.data(), found.size(), get()));
        return std::vector<node>(found.begin(), found.end());
    }

    /** Pairs of nodes; the second begins when the first has ended. */
    std::vector<std::pair<node, node>> edges() const
    {
        std::vector<std::pair<node, node>> result;
        size_t count = 0;

        check(cuc_graph_get_edge_count(&count, get()));
        std::vector<cuc_node *> from(count), to(count);
        check(cuc_graph_get_edges(from.data(), to.data(), count, get()));
        for (size_t i = 0; i < count; i++)
            result.emplace_back(node(from[i]), node(to[i]));
        return result;
    }

    size_t node_count() const
    {
        size_t result = 0;

        check(cuc_graph_get_node_count(&result, get()));
        return result;
    }

    graph_exec instantiate() const
    {
        graph_exec result;

        check(cuc_graph_instantiate(result.out(), get(), nullptr));
        return result;
    }

    /** Keep a buffer used by nodes alive as long as the graph and its instances. */
    void keep(const buffer &used) const
    {
        check(cuc_graph_keep_buffer(get(), used.get()));
    }
};

/**
 * A condition for a conditional node of the graph that a stream captures; kernels receive and set
 * it.
 */
inline cuc_condition create_condition(const stream &on)
{
    cuc_condition result = 0;

    check(cuc_stream_condition_create(&result, on.get(), 0, 0));
    return result;
}

/** A condition with a default value, assigned when a launch begins. */
inline cuc_condition create_condition(const stream &on, uint32_t default_value)
{
    cuc_condition result = 0;

    check(cuc_stream_condition_create(&result, on.get(), default_value,
                                      CUC_CONDITION_ASSIGN_DEFAULT));
    return result;
}

/**
 * Add a conditional node to a captured stream, and return its bodies, which add() fills. The type
 * is a CUC_CONDITIONAL_ constant.
 */
inline std::vector<graph> add_conditional(const stream &on, cuc_condition condition, int32_t type,
                                          uint32_t count = 1)
{
    // The C function refuses larger counts; they need no array.
    const uint32_t room = count <= 65536 ? count : 1;
    std::vector<cuc_graph *> raw(room ? room : 1);
    std::vector<graph> result(room);

    check(cuc_stream_add_conditional(raw.data(), count, on.get(), condition, type));
    for (uint32_t i = 0; i < count; i++)
        *result[i].out() = raw[i];
    return result;
}

/** Capture the work that enqueue() puts on a stream into a graph; nothing runs. */
template <class Function>
graph capture(const stream &on, Function &&enqueue, int32_t mode = CUC_CAPTURE_THREAD_LOCAL)
{
    graph result;

    check(cuc_stream_begin_capture(on.get(), mode));
    try {
        std::forward<Function>(enqueue)();
    } catch (...) {
        cuc_stream_cancel_capture(on.get());
        throw;
    }
    check(cuc_stream_end_capture(result.out(), on.get()));
    return result;
}

} // namespace cuc

#endif
