/**
 * @file
 * Tensors: how the elements of an array lie in memory, as kernels and other libraries see them.
 *
 * A cuc_tensor is a plain value. It owns nothing, so the memory must outlive its use, and it may
 * be copied, stored and written field by field. DLPack, the exchange form of NumPy, PyTorch,
 * JAX, CuPy and others, converts both ways.
 */
#ifndef CUCORE_TENSOR_H
#define CUCORE_TENSOR_H

#include <cucore/base.h>
#include <cucore/buffer.h>

CUC_BEGIN_DECLS

/** The most dimensions that a tensor can have. */
#define CUC_TENSOR_MAX_RANK 8

/** Properties of a tensor. */
enum {
    CUC_TENSOR_READ_ONLY = 0x1, /**< what it points to must not be written */
    CUC_TENSOR_PINNED = 0x2,    /**< page-locked host memory: kernels of every device reach it */
    CUC_TENSOR_MANAGED = 0x4,   /**< managed memory: the host and every device reach it */
};

/**
 * An array in memory. The layout of this struct is final.
 *
 * Element [i0][i1]... is at data + (i0 * strides[0] + i1 * strides[1] + ...) elements. Entries
 * of shape and strides from rank on are 0.
 */
typedef struct cuc_tensor {
    cuc_device_ptr data; /**< address of element [0][0]...; may be 0 when there are no elements */
    cuc_dtype dtype;     /**< element type */
    int32_t rank;        /**< dimensions, 0 to CUC_TENSOR_MAX_RANK; 0 is one element */
    int32_t device;      /**< ordinal of the device whose memory it is; -1: the host's, or none's */
    uint32_t flags;      /**< CUC_TENSOR_ bits */
    int64_t shape[CUC_TENSOR_MAX_RANK];   /**< elements along each dimension, none negative */
    int64_t strides[CUC_TENSOR_MAX_RANK]; /**< elements from one index to the next; may be 0 or
                                               negative */
} cuc_tensor;

/**
 * Fill in a tensor whose elements lie without gaps, the last dimension fastest.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out    the tensor
 * @param      data   address of the first element
 * @param      dtype  element type
 * @param      rank   0 to CUC_TENSOR_MAX_RANK
 * @param      shape  [rank]; may be NULL for rank 0. CUC_SHAPE(8, 4) is rank and shape
 * @param      device ordinal; -1: the host
 * @retval CUC_OK                     filled in
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, shape is NULL with a rank; else as for
 *                                    cuc_tensor_check()
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_contiguous(cuc_tensor *out, cuc_device_ptr data, cuc_dtype dtype,
                                         int32_t rank, const int64_t *shape, int32_t device);

/**
 * Fill in a tensor whose elements lie without gaps from the start of a buffer.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out    the tensor; its device is the buffer's, and CUC_TENSOR_PINNED and _MANAGED say
 *                    what the buffer is
 * @param      buffer borrowed: it must outlive the tensor's use; cuc_buffer_slice() starts
 * elsewhere
 * @param      dtype  element type
 * @param      rank   0 to CUC_TENSOR_MAX_RANK
 * @param      shape  [rank]; may be NULL for rank 0. CUC_SHAPE(8, 4) is rank and shape
 * @retval CUC_OK                     filled in
 * @retval CUC_ERROR_INVALID_ARGUMENT out or buffer is NULL, the elements pass the end of the
 * buffer; else as for cuc_tensor_contiguous()
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_from_buffer(cuc_tensor *out, const cuc_buffer *buffer,
                                          cuc_dtype dtype, int32_t rank, const int64_t *shape);

/**
 * Check that a tensor makes sense on its own. Whether the memory is there is not checked.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param tensor the tensor
 * @retval CUC_OK                     it does
 * @retval CUC_ERROR_INVALID_ARGUMENT tensor is NULL, dtype is none, rank is out of range, an extent
 *                                    is negative, data is 0 or not aligned to the element though
 *                                    there are elements, device is below -1, flags has a bit that
 * is not known, or the elements or the bytes that strides reach pass the 64-bit address space
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_check(const cuc_tensor *tensor);

/**
 * How many elements a tensor has: the product of its shape.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 1 for rank 0; 0 for NULL, a bad rank or a negative extent, and when the product passes
 *         INT64_MAX
 * @since 0.1
 */
CUC_API int64_t cuc_tensor_elements(const cuc_tensor *tensor);

/**
 * How many bytes the elements of a tensor take, gaps not counted.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 0 as for cuc_tensor_elements(), and for CUC_DTYPE_UNKNOWN
 * @since 0.1
 */
CUC_API uint64_t cuc_tensor_bytes(const cuc_tensor *tensor);

/**
 * Whether the elements of a tensor lie without gaps, the last dimension fastest.
 *
 * Strides of dimensions of one element do not count, and a tensor of no elements is contiguous.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 1 or 0; 0 for NULL and for a bad rank
 * @since 0.1
 */
CUC_API int32_t cuc_tensor_is_contiguous(const cuc_tensor *tensor);

/* ---- DLPack ----------------------------------------------------------------------------- */

/* The structs of DLPack 1.x, under names of our own: a pointer to one of dlpack.h may be cast to
   the one here, and back. */

/** The DLPack version that cucore writes; it reads every 1.x. */
#define CUC_DL_VERSION_MAJOR 1
#define CUC_DL_VERSION_MINOR 1

/** DLDeviceType, as far as cucore knows memory of that kind. */
enum {
    CUC_DL_CPU = 1,
    CUC_DL_CUDA = 2,
    CUC_DL_CUDA_HOST = 3,     /**< pinned host memory */
    CUC_DL_CUDA_MANAGED = 13, /**< managed memory */
};

/** DLDataTypeCode: what the bits of an element mean. */
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
    uint32_t major; /**< other majors have another layout */
    uint32_t minor; /**< later minors add types and flags */
} cuc_dl_version;

/** DLDevice. */
typedef struct cuc_dl_device {
    int32_t device_type; /**< a DLDeviceType, such as CUC_DL_CUDA */
    int32_t device_id;   /**< ordinal; 0 for the host */
} cuc_dl_device;

/** DLDataType. */
typedef struct cuc_dl_data_type {
    uint8_t code;   /**< a DLDataTypeCode, such as CUC_DL_FLOAT */
    uint8_t bits;   /**< of one lane */
    uint16_t lanes; /**< 1; vector types have more */
} cuc_dl_data_type;

/** DLTensor. */
typedef struct cuc_dl_tensor {
    void *data; /**< address, also when it is a device's */
    cuc_dl_device device;
    int32_t ndim;
    cuc_dl_data_type dtype;
    int64_t *shape;       /**< [ndim] */
    int64_t *strides;     /**< [ndim] in elements; NULL: contiguous, the last dimension fastest */
    uint64_t byte_offset; /**< of the first element from data */
} cuc_dl_tensor;

/** DLManagedTensor: the form of before DLPack 1.0. */
typedef struct cuc_dl_managed_tensor {
    cuc_dl_tensor dl_tensor;
    void *manager_ctx; /**< the maker's own */
    /** Called once by whoever consumes it, when the memory is needed no more; may be NULL. */
    void (*deleter)(struct cuc_dl_managed_tensor *self);
} cuc_dl_managed_tensor;

/** DLManagedTensorVersioned: the form of DLPack 1.x. */
typedef struct cuc_dl_managed_tensor_versioned {
    cuc_dl_version version; /**< to be looked at before anything else */
    void *manager_ctx;      /**< the maker's own */
    /** Called once by whoever consumes it, when the memory is needed no more; may be NULL. */
    void (*deleter)(struct cuc_dl_managed_tensor_versioned *self);
    uint64_t flags; /**< CUC_DL_ bits */
    cuc_dl_tensor dl_tensor;
} cuc_dl_managed_tensor_versioned;

/**
 * Read a DLPack tensor.
 *
 * The managed tensor stays the caller's: call its deleter when `out` is not used any more. To
 * have a buffer that does so, make one with it as the owner (cuc_buffer_from_pointer()).
 *
 * @order  DLPack's stream handshake is the caller's: the producer's work must be ordered before
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out     the tensor; read-only when the producer says so
 * @param      managed of DLPack 1.x
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the tensor does not make sense: see
 *                                    cuc_tensor_check()
 * @retval CUC_ERROR_NOT_SUPPORTED    another major version, a device or an element type that cucore
 *                                    does not know, lanes other than 1, or more dimensions than
 *                                    CUC_TENSOR_MAX_RANK
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_from_dlpack(cuc_tensor *out,
                                          const cuc_dl_managed_tensor_versioned *managed);

/**
 * Read a DLPack tensor of the form of before 1.0, which cannot say that it is read-only.
 *
 * @order  as cuc_tensor_from_dlpack()
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out     the tensor
 * @param      managed stays the caller's: call its deleter when `out` is not used any more
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_tensor_from_dlpack()
 * @retval CUC_ERROR_NOT_SUPPORTED    as for cuc_tensor_from_dlpack(), versions apart
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_from_dlpack_unversioned(cuc_tensor *out,
                                                      const cuc_dl_managed_tensor *managed);

/**
 * Give a tensor to another library as DLPack.
 *
 * The device type is CPU for memory of the host, CUDA for a device's, CUDAHost or CUDAManaged when
 * the tensor's flags say so.
 *
 * @order  nothing is waited for: the consumer's work must be ordered after what writes the tensor
 * @thread any thread; the deleter may be called on any thread
 * @capture makes no driver call
 * @param[out] out    to be consumed once: its deleter frees it and lets go of the owner
 * @param      tensor copied
 * @param      owner  retained until the deleter is called; NULL: the memory outlives the consumer
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, the tensor does not make sense, or it passes
 *                                    either end of the owner
 * @retval CUC_ERROR_NOT_SUPPORTED    DLPack has no such element type (tf32)
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_to_dlpack(cuc_dl_managed_tensor_versioned **out,
                                        const cuc_tensor *tensor, cuc_buffer *owner);

/**
 * Give a tensor to a library that only knows the form of before DLPack 1.0.
 *
 * @order  as cuc_tensor_to_dlpack()
 * @thread any thread; the deleter may be called on any thread
 * @capture makes no driver call
 * @param[out] out    to be consumed once: its deleter frees it and lets go of the owner
 * @param      tensor copied; a read-only one is refused, as this form cannot say so
 * @param      owner  retained until the deleter is called; NULL: the memory outlives the consumer
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
