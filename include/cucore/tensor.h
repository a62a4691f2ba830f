/**
 * @file
 * Tensors: the memory layout of arrays, as kernels and other libraries see it.
 *
 * A cuc_tensor is a plain value. It owns nothing, so the memory must outlive its use. It can be
 * copied, stored and written field by field. It converts to and from DLPack, the exchange format of
 * NumPy, PyTorch, JAX, CuPy and others.
 */
#ifndef CUCORE_TENSOR_H
#define CUCORE_TENSOR_H

#include <cucore/base.h>
#include <cucore/buffer.h>

CUC_BEGIN_DECLS

/** Maximum number of dimensions of a tensor. */
#define CUC_TENSOR_MAX_RANK 8

/** Properties of a tensor. */
enum {
    CUC_TENSOR_READ_ONLY = 0x1, /**< its memory must not be written */
    CUC_TENSOR_PINNED = 0x2,    /**< page-locked host memory, which kernels on every device can
                                     access */
    CUC_TENSOR_MANAGED = 0x4,   /**< managed memory, which the host and every device can access */
};

/**
 * An array in memory. The layout of this struct is final.
 *
 * Element [i0][i1]... is at data + (i0 * strides[0] + i1 * strides[1] + ...) elements. In shape and
 * strides, the entries from index rank on are 0.
 */
typedef struct cuc_tensor {
    cuc_device_ptr data; /**< address of element [0][0]...; may be 0 if there are no elements */
    cuc_dtype dtype;     /**< element type */
    int32_t rank;        /**< number of dimensions, 0 to CUC_TENSOR_MAX_RANK; a tensor of rank 0 has
                              one element */
    int32_t device;      /**< ordinal of the device that owns the memory; -1: the host, or no
                              device */
    uint32_t flags;      /**< CUC_TENSOR_ bits */
    int64_t shape[CUC_TENSOR_MAX_RANK];   /**< elements along each dimension, none negative */
    int64_t strides[CUC_TENSOR_MAX_RANK]; /**< elements between successive indices; may be 0 or
                                               negative */
} cuc_tensor;

/**
 * Initialize a contiguous tensor, with the last dimension fastest.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out    the tensor
 * @param      data   address of the first element
 * @param      dtype  element type
 * @param      rank   0 to CUC_TENSOR_MAX_RANK
 * @param      shape  [rank]; may be NULL for rank 0. CUC_SHAPE(8, 4) supplies rank and shape
 * @param      device ordinal; -1: the host
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, or shape is NULL while rank is not 0; otherwise
 *                                    as for cuc_tensor_check()
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_from_pointer(cuc_tensor *out, cuc_device_ptr data, cuc_dtype dtype,
                                           int32_t rank, const int64_t *shape, int32_t device);

/**
 * Initialize a contiguous tensor at the start of a buffer.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out    the tensor; its device is the buffer's, and CUC_TENSOR_PINNED and _MANAGED
 *                    describe the buffer
 * @param      buffer borrowed: it must outlive the tensor's use; to start elsewhere, pass a
 *                    cuc_buffer_slice()
 * @param      dtype  element type
 * @param      rank   0 to CUC_TENSOR_MAX_RANK
 * @param      shape  [rank]; may be NULL for rank 0. CUC_SHAPE(8, 4) supplies rank and shape
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT out or buffer is NULL, or the elements extend past the end of
 *                                    the buffer; otherwise as for cuc_tensor_from_pointer()
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_from_buffer(cuc_tensor *out, const cuc_buffer *buffer,
                                          cuc_dtype dtype, int32_t rank, const int64_t *shape);

/**
 * Check that a tensor's fields are valid. This does not check that its memory exists.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param tensor the tensor
 * @retval CUC_OK                     it is valid
 * @retval CUC_ERROR_INVALID_ARGUMENT tensor is NULL, dtype is unknown, rank is out of range, an
 *                                    extent is negative, the tensor has elements but data is 0 or
 *                                    misaligned for their type, device is below -1, flags has an
 *                                    unknown bit, the size of the elements in bytes exceeds 64
 *                                    bits, or the strides reach past an end of the 64-bit address
 *                                    space
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_check(const cuc_tensor *tensor);

/**
 * The number of elements of a tensor: the product of its shape.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 1 for rank 0; 0 for NULL, an invalid rank or a negative extent, or if the product exceeds
 *         INT64_MAX
 * @since 0.1
 */
CUC_API int64_t cuc_tensor_elements(const cuc_tensor *tensor);

/**
 * The size of a tensor's elements in bytes, without gaps.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return bytes; 0 in the cases where cuc_tensor_elements() returns 0, and for CUC_DTYPE_UNKNOWN
 * @since 0.1
 */
CUC_API uint64_t cuc_tensor_bytes(const cuc_tensor *tensor);

/**
 * Check whether a tensor is contiguous, with the last dimension fastest.
 *
 * Strides of dimensions with one element are ignored, and a tensor without elements is contiguous.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 1 or 0; 0 for NULL and for an invalid rank
 * @since 0.1
 */
CUC_API int32_t cuc_tensor_is_contiguous(const cuc_tensor *tensor);

/* ---- DLPack ----------------------------------------------------------------------------- */

/*
 * The structs of DLPack 1.x under cucore's names. Pointers to them can be cast to pointers to the
 * structs of dlpack.h, and back.
 */

/** The DLPack version that cucore writes. It reads every 1.x version. */
#define CUC_DL_VERSION_MAJOR 1
#define CUC_DL_VERSION_MINOR 1

/** DLDeviceType, limited to the kinds of memory that cucore supports. */
enum {
    CUC_DL_CPU = 1,
    CUC_DL_CUDA = 2,
    CUC_DL_CUDA_HOST = 3,     /**< pinned host memory */
    CUC_DL_CUDA_MANAGED = 13, /**< managed memory */
};

/** DLDataTypeCode: the interpretation of an element's bits. */
enum {
    CUC_DL_INT = 0,
    CUC_DL_UINT = 1,
    CUC_DL_FLOAT = 2,
    CUC_DL_OPAQUE = 3,
    CUC_DL_BFLOAT = 4,
    CUC_DL_COMPLEX = 5,
    CUC_DL_BOOL = 6,
    CUC_DL_FLOAT8_E4M3FN = 10,
    CUC_DL_FLOAT8_E5M2 = 12,
    CUC_DL_FLOAT8_E8M0FNU = 14,
};

/** Bits of cuc_dl_managed_tensor_versioned.flags. */
enum {
    CUC_DL_READ_ONLY = 0x1,
    CUC_DL_IS_COPIED = 0x2,
    CUC_DL_SUBBYTE_PADDED = 0x4,
};

/** DLPackVersion. */
typedef struct cuc_dl_version {
    uint32_t major; /**< a different major version has a different layout */
    uint32_t minor; /**< later minor versions add types and flags */
} cuc_dl_version;

/** DLDevice. */
typedef struct cuc_dl_device {
    int32_t device_type; /**< a DLDeviceType, such as CUC_DL_CUDA */
    int32_t device_id;   /**< ordinal; 0 for the host */
} cuc_dl_device;

/** DLDataType. */
typedef struct cuc_dl_data_type {
    uint8_t code;   /**< a DLDataTypeCode, such as CUC_DL_FLOAT */
    uint8_t bits;   /**< bits of one lane */
    uint16_t lanes; /**< 1; vector types have more */
} cuc_dl_data_type;

/** DLTensor. */
typedef struct cuc_dl_tensor {
    void *data; /**< the address, even in device memory */
    cuc_dl_device device;
    int32_t ndim;
    cuc_dl_data_type dtype;
    int64_t *shape;       /**< [ndim] */
    int64_t *strides;     /**< [ndim] in elements; NULL: contiguous, the last dimension fastest */
    uint64_t byte_offset; /**< offset of the first element from data */
} cuc_dl_tensor;

/** DLManagedTensor: the format before DLPack 1.0. */
typedef struct cuc_dl_managed_tensor {
    cuc_dl_tensor dl_tensor;
    void *manager_ctx; /**< private to the producer */
    /** The consumer calls it once when it no longer needs the memory; may be NULL. */
    void (*deleter)(struct cuc_dl_managed_tensor *self);
} cuc_dl_managed_tensor;

/** DLManagedTensorVersioned: the format of DLPack 1.x. */
typedef struct cuc_dl_managed_tensor_versioned {
    cuc_dl_version version; /**< check it before anything else */
    void *manager_ctx;      /**< private to the producer */
    /** The consumer calls it once when it no longer needs the memory; may be NULL. */
    void (*deleter)(struct cuc_dl_managed_tensor_versioned *self);
    uint64_t flags; /**< CUC_DL_ bits */
    cuc_dl_tensor dl_tensor;
} cuc_dl_managed_tensor_versioned;

/**
 * Read a DLPack tensor.
 *
 * The managed tensor still belongs to the caller: call its deleter when you no longer use `out`. To
 * leave this to a buffer, call cuc_buffer_from_pointer() with the managed tensor as the owner, and
 * with a drop_owner that calls the deleter.
 *
 * @order  the caller does DLPack's stream handshake, which orders the producer's work before the
 *         use of `out`
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out     the tensor; read-only if the producer marks it so
 * @param      managed a DLPack 1.x tensor
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the tensor is not valid: see
 *                                    cuc_tensor_check()
 * @retval CUC_ERROR_NOT_SUPPORTED    the major version differs, cucore does not know the device
 *                                    type or the element type, lanes is not 1, or there are more
 *                                    dimensions than CUC_TENSOR_MAX_RANK
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_from_dlpack(cuc_tensor *out,
                                          const cuc_dl_managed_tensor_versioned *managed);

/**
 * Read a DLPack tensor in the format before 1.0, which has no read-only flag.
 *
 * @order  as cuc_tensor_from_dlpack()
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out     the tensor
 * @param      managed still belongs to the caller: call its deleter when `out` is no longer used
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_tensor_from_dlpack()
 * @retval CUC_ERROR_NOT_SUPPORTED    as for cuc_tensor_from_dlpack(), except for versions
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_from_dlpack_unversioned(cuc_tensor *out,
                                                      const cuc_dl_managed_tensor *managed);

/**
 * Export a tensor to another library as DLPack.
 *
 * The device type is CPU for host memory and CUDA for device memory, or CUDAHost or CUDAManaged if
 * the tensor's flags say so.
 *
 * @order  does not wait: the consumer must order its work after the work that writes the tensor
 * @thread any thread; the deleter may be called on any thread
 * @capture makes no driver call
 * @param[out] out    to be consumed once: its deleter frees it and releases the owner
 * @param      tensor copied
 * @param      owner  retained until the deleter is called; NULL: the caller ensures that the memory
 *                    outlives the consumer
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, the tensor is not valid, or it extends past
 *                                    either end of the owner
 * @retval CUC_ERROR_NOT_SUPPORTED    DLPack has no such element type (tf32)
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_to_dlpack(cuc_dl_managed_tensor_versioned **out,
                                        const cuc_tensor *tensor, cuc_buffer *owner);

/**
 * Export a tensor to a library that supports only the format before DLPack 1.0.
 *
 * @order  as cuc_tensor_to_dlpack()
 * @thread any thread; the deleter may be called on any thread
 * @capture makes no driver call
 * @param[out] out    to be consumed once: its deleter frees it and releases the owner
 * @param      tensor copied; a read-only one is refused, because this format cannot express it
 * @param      owner  retained until the deleter is called; NULL: the caller ensures that the memory
 *                    outlives the consumer
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_tensor_to_dlpack(), or the tensor is read-only
 * @retval CUC_ERROR_NOT_SUPPORTED    DLPack has no such element type (tf32)
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_to_dlpack_unversioned(cuc_dl_managed_tensor **out,
                                                    const cuc_tensor *tensor, cuc_buffer *owner);

CUC_END_DECLS

#endif
