/**
 * @file
 * Foundations of every cucore header: visibility, version, statuses and scalar types.
 */
#ifndef CUCORE_BASE_H
#define CUCORE_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define CUC_BEGIN_DECLS extern "C" {
#define CUC_END_DECLS }
#else
#define CUC_BEGIN_DECLS
#define CUC_END_DECLS
#endif

#ifndef CUC_API
#if defined(__GNUC__)
#define CUC_API __attribute__((visibility("default")))
#else
#define CUC_API
#endif
#endif

CUC_BEGIN_DECLS

/**
 * Version of these headers. cuc_version() returns the version of the library loaded at run time.
 */
#define CUC_VERSION_MAJOR 0
#define CUC_VERSION_MINOR 1
#define CUC_VERSION_PATCH 0
#define CUC_VERSION (CUC_VERSION_MAJOR * 10000 + CUC_VERSION_MINOR * 100 + CUC_VERSION_PATCH)

/**
 * Result of a call: 0 is success, positive values are normal outcomes, negative values are
 * failures.
 *
 * The type has a fixed width, so that every language can bind it the same way. After a failure the
 * calling thread's last error (error.h) has the details.
 */
typedef int32_t cuc_status;

/**
 * Every status: X(constant, value, text).
 *
 * Values are part of the ABI: they never change, and new ones are appended.
 */
// clang-format off
#define CUC_STATUS_LIST(X) \
    X(CUC_OK,                              0, "success") \
    X(CUC_NOT_READY,                       1, "the work is not complete yet") \
    X(CUC_ERROR_INVALID_ARGUMENT,         -1, "an argument is not valid") \
    X(CUC_ERROR_INVALID_HANDLE,           -2, "a handle is not alive or of another kind") \
    X(CUC_ERROR_OUT_OF_MEMORY,            -3, "no host memory") \
    X(CUC_ERROR_OUT_OF_DEVICE_MEMORY,     -4, "the device has not that much memory free") \
    X(CUC_ERROR_NOT_FOUND,                -5, "no such name, file or library") \
    X(CUC_ERROR_NOT_SUPPORTED,            -6, "the device, driver or toolkit cannot do this") \
    X(CUC_ERROR_NO_DRIVER,                -7, "no CUDA driver could be loaded") \
    X(CUC_ERROR_DRIVER_TOO_OLD,           -8, "the CUDA driver is older than cucore needs") \
    X(CUC_ERROR_NO_DEVICE,                -9, "the CUDA driver sees no device") \
    X(CUC_ERROR_DRIVER,                  -10, "the CUDA driver refused the call") \
    X(CUC_ERROR_COMPILE,                 -11, "the source does not compile") \
    X(CUC_ERROR_LINK,                    -12, "the inputs do not link") \
    X(CUC_ERROR_TOOLKIT,                 -13, "a CUDA toolkit library failed") \
    X(CUC_ERROR_CONTEXT_LOST,            -14, "an earlier failure destroyed the context") \
    X(CUC_ERROR_FORKED,                  -15, "the driver was initialised before fork()") \
    X(CUC_ERROR_BUSY,                    -16, "refused in the present state, such as during capture") \
    X(CUC_ERROR_IO,                      -17, "a file could not be read or written") \
    X(CUC_ERROR_INTERNAL,                -18, "a mistake inside cucore")
// clang-format on

enum {
#define CUC__STATUS_ENUM(name, value, text) name = value,
    CUC_STATUS_LIST(CUC__STATUS_ENUM)
#undef CUC__STATUS_ENUM
};

/**
 * An address in a device's memory, or in memory that a device can reach; 0 means no address.
 *
 * The value is the driver's CUdeviceptr. With unified addressing, pinned and managed host memory
 * have the same address on the host and on the device.
 */
typedef uint64_t cuc_device_ptr;

/**
 * The type of an array element or of a kernel argument.
 *
 * Values are part of the ABI. 0 means "unknown": only the size of such an argument is checked.
 */
typedef int32_t cuc_dtype;

/** Every element type: X(constant, value, name, bits). The CLI and the tile language use `name`. */
// clang-format off
#define CUC_DTYPE_LIST(X) \
    X(CUC_DTYPE_UNKNOWN, 0, "unknown", 0) \
    X(CUC_BOOL,    1, "bool",   8) \
    X(CUC_I8,      2, "i8",     8) \
    X(CUC_I16,     3, "i16",   16) \
    X(CUC_I32,     4, "i32",   32) \
    X(CUC_I64,     5, "i64",   64) \
    X(CUC_U8,      6, "u8",     8) \
    X(CUC_U16,     7, "u16",   16) \
    X(CUC_U32,     8, "u32",   32) \
    X(CUC_U64,     9, "u64",   64) \
    X(CUC_F16,    10, "f16",   16) \
    X(CUC_BF16,   11, "bf16",  16) \
    X(CUC_F32,    12, "f32",   32) \
    X(CUC_TF32,   13, "tf32",  32) \
    X(CUC_F64,    14, "f64",   64) \
    X(CUC_E4M3,   15, "e4m3",   8) \
    X(CUC_E5M2,   16, "e5m2",   8) \
    X(CUC_E8M0,   17, "e8m0",   8) \
    X(CUC_C64,    18, "c64",   64) \
    X(CUC_C128,   19, "c128", 128)
// clang-format on

enum {
#define CUC__DTYPE_ENUM(name, value, text, bits) name = value,
    CUC_DTYPE_LIST(CUC__DTYPE_ENUM)
#undef CUC__DTYPE_ENUM
};

/** On/off setting in an options struct. CUC_DEFAULT leaves the choice to the library or compiler.
 */
enum { CUC_DEFAULT = 0, CUC_ON = 1, CUC_OFF = 2 };

/** Passes the number 0 in an options field whose zero selects the default. */
enum { CUC_ZERO = -1 };

#ifndef __cplusplus
/**
 * Expand a shape into two arguments, its rank and a pointer to its extents, for functions that take
 * both: cuc_tensor_from_buffer(&x, buffer, CUC_F32, CUC_SHAPE(rows, columns)).
 *
 * The extents live until the end of the block that contains the call.
 */
#define CUC_SHAPE(...)                                                                        \
    (uint32_t)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), (const int64_t[]) \
    {                                                                                         \
        __VA_ARGS__                                                                           \
    }
/**
 * Expand axes into two arguments, their number and a pointer: cuc_tile_sum(K, x, CUC_AXES(0, 1)).
 */
#define CUC_AXES(...) CUC_SHAPE(__VA_ARGS__)
#endif

/**
 * The version of the library loaded at run time, encoded like CUC_VERSION.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return major * 10000 + minor * 100 + patch
 * @since 0.1
 */
CUC_API uint32_t cuc_version(void);

/**
 * The version of the library loaded at run time, as a string.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return "0.1.0"; static storage
 * @since 0.1
 */
CUC_API const char *cuc_version_string(void);

/**
 * The name of a status, such as "CUC_ERROR_NOT_FOUND".
 *
 * @thread any thread
 * @capture makes no driver call
 * @param status any value
 * @return static storage; "CUC_ERROR_UNKNOWN" for an unknown status; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_status_name(cuc_status status);

/**
 * The meaning of a status, in a few words.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param status any value
 * @return static storage; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_status_text(cuc_status status);

/**
 * The name of an element type, such as "f32".
 *
 * @thread any thread
 * @capture makes no driver call
 * @param dtype any value
 * @return static storage; "unknown" for an unknown type; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_dtype_name(cuc_dtype dtype);

/**
 * The size of an element in bits.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param dtype any value
 * @return bits; 0 for an unknown type
 * @since 0.1
 */
CUC_API uint32_t cuc_dtype_bits(cuc_dtype dtype);

/**
 * The element type with a given name.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param name as cuc_dtype_name() returns it, such as "bf16"; NULL matches no type
 * @return the type, or CUC_DTYPE_UNKNOWN
 * @since 0.1
 */
CUC_API cuc_dtype cuc_dtype_from_name(const char *name);

CUC_END_DECLS

#endif
