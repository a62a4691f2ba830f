/**
 * @file
 * Tensor maps: descriptors for copies by the tensor memory accelerator (TMA) of compute capability
 * 9.0 and later.
 *
 * A map describes an array's memory layout and the box that one copy transfers. A kernel then
 * supplies only the coordinates of the box (`cp.async.bulk.tensor`). A map is a 128-byte value,
 * encoded on the host. Kernels take it as an argument by value, declared `const __grid_constant__
 * CUtensorMap map`:
 *
 *     uint32_t box[] = { 64, 128 };                   // rows, columns
 *     cuc_tensor_map_encode_tiled(&map, &a, box,
 *                          CUC_TENSOR_MAP_OPTIONS(.swizzle = CUC_TENSOR_MAP_SWIZZLE_128B));
 *     CUC_LAUNCH(stream, config, kernel, map, x);
 *
 * Dimensions are in the tensor's order, in which the last one is the innermost. The driver and PTX
 * count the innermost dimension as the first.
 */
#ifndef CUCORE_TENSOR_MAP_H
#define CUCORE_TENSOR_MAP_H

#include <cucore/base.h>
#include <cucore/tensor.h>

CUC_BEGIN_DECLS

/**
 * A tensor map, passed to kernels by value. It holds an address and owns nothing. A map that
 * kernels read from memory must be aligned to 64 bytes; on the host it needs no alignment.
 */
typedef struct cuc_tensor_map {
    uint64_t words[16]; /**< the driver's CUtensorMap */
} cuc_tensor_map;

/** Maximum number of dimensions of a map. */
#define CUC_TENSOR_MAP_MAX_RANK 5

/** Layout of channels in global memory, with the driver's values. */
enum {
    CUC_TENSOR_MAP_INTERLEAVE_NONE = 0,
    CUC_TENSOR_MAP_INTERLEAVE_16B = 1, /**< NC/8HWC8: slices of 16 bytes */
    CUC_TENSOR_MAP_INTERLEAVE_32B = 2, /**< NC/16HWC16: slices of 32 bytes */
};

/**
 * Layout of a box in shared memory, with the driver's values. Swizzle atoms other than 16 bytes
 * need compute capability 10.0.
 */
enum {
    CUC_TENSOR_MAP_SWIZZLE_NONE = 0,
    CUC_TENSOR_MAP_SWIZZLE_32B = 1,
    CUC_TENSOR_MAP_SWIZZLE_64B = 2,
    CUC_TENSOR_MAP_SWIZZLE_128B = 3,
    CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B = 4,         /**< atoms of 32 bytes stay together */
    CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B = 5, /**< as above; in odd lines of 128 bytes, the
                                                           halves of each 16 bytes are exchanged */
    CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_64B = 6,
};

/** Promotions of reads to larger L2 accesses, with the driver's values. */
enum {
    CUC_TENSOR_MAP_L2_NONE = 0,
    CUC_TENSOR_MAP_L2_64B = 1,
    CUC_TENSOR_MAP_L2_128B = 2,
    CUC_TENSOR_MAP_L2_256B = 3,
};

/** The value of elements read outside the tensor, with the driver's values. */
enum {
    CUC_TENSOR_MAP_FILL_ZERO = 0,
    CUC_TENSOR_MAP_FILL_NAN = 1, /**< a special NaN, whose products become 0; only for
                                      floating-point types */
};

/** Flags of a map. */
enum {
    CUC_TENSOR_MAP_FTZ = 1, /**< f32 and tf32: flush subnormals to 0 during the copy */
    CUC_TENSOR_MAP_W128 =
        2, /**< cuc_tensor_map_encode_im2col_wide(): a copy transfers 128 pixels */
};

/** Settings of a map beyond its tensor and box. Zero selects the default of every field. */
typedef struct cuc_tensor_map_options {
    size_t struct_size;   /**< sizeof(cuc_tensor_map_options); the initializers set it */
    cuc_dtype dtype;      /**< element type of the copy, with the size of the tensor's type:
                               CUC_TF32 for an f32 tensor rounds its elements; 0: the tensor's */
    int32_t interleave;   /**< a CUC_TENSOR_MAP_INTERLEAVE_ constant */
    int32_t swizzle;      /**< a CUC_TENSOR_MAP_SWIZZLE_ constant */
    int32_t l2_promotion; /**< a CUC_TENSOR_MAP_L2_ constant */
    int32_t fill;         /**< a CUC_TENSOR_MAP_FILL_ constant */
    uint32_t flags;       /**< CUC_TENSOR_MAP_ bits */
    uint32_t steps[CUC_TENSOR_MAP_MAX_RANK]; /**< traversal stride of each dimension, 1 to 8; n
                                                  copies every nth element; 0: 1 */
    uint32_t reserved;                       /**< 0 */
} cuc_tensor_map_options;

/** Initial value of a cuc_tensor_map_options variable. */
#define CUC_TENSOR_MAP_OPTIONS_INIT                                \
    {                                                              \
        sizeof(cuc_tensor_map_options), 0, 0, 0, 0, 0, 0, { 0 }, 0 \
    }

#ifndef __cplusplus
/** Options written at the call site: CUC_TENSOR_MAP_OPTIONS(.swizzle =
 * CUC_TENSOR_MAP_SWIZZLE_128B). */
#define CUC_TENSOR_MAP_OPTIONS(...) \
    (&(cuc_tensor_map_options){ .struct_size = sizeof(cuc_tensor_map_options), __VA_ARGS__ })
#endif

/**
 * Zero options and write their size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options     the caller's struct
 * @param caller_size sizeof(cuc_tensor_map_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_tensor_map_options_init(cuc_tensor_map_options *options, size_t caller_size);

/**
 * Encode a map of a tensor whose copies transfer a box.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the map
 * @param      tensor  1 to 5 dimensions, in memory that a device can access, at a multiple of 16
 *                     bytes; its innermost stride is 1; its other strides are multiples of 16 bytes
 *                     and below 2^40. The struct is read before the call returns; the memory must
 *                     outlive the map's use
 * @param      box     [rank] extents in the tensor's order, 1 to 256 elements; the innermost must
 *                     be a multiple of 16 bytes and, with a swizzle, at most the swizzle's size
 * @param      options NULL: no interleave, no swizzle, no promotion, zeros outside the tensor
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out, tensor or box is NULL; the tensor is not valid, or in
 *                                    host memory; or a value is not possible in a map, and the
 *                                    message names it
 * @retval CUC_ERROR_NOT_SUPPORTED    the compute capability of the device is below 9.0, or below
 *                                    what the swizzle needs, or the element type is c128
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Tensor Map Object Management": cuTensorMapEncodeTiled
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_map_encode_tiled(cuc_tensor_map *out, const cuc_tensor *tensor,
                                               const uint32_t *box,
                                               const cuc_tensor_map_options *options);

/**
 * The pixels that one copy transfers from images: successive pixels of a bounding box, as
 * convolutions read them.
 */
typedef struct cuc_tensor_map_image {
    size_t struct_size; /**< sizeof(cuc_tensor_map_image); the initializers set it */
    int32_t lower[3];   /**< [rank - 2] near corner of the bounding box: offsets from the image's
                             near corner, in the order of its dimensions (D, H, W) */
    int32_t upper[3];   /**< [rank - 2] far corner of the bounding box: offsets from the image's far
                             corner */
    uint32_t channels;  /**< channels of a pixel, 1 to 256 */
    uint32_t pixels;    /**< pixels of a copy, 1 to 1024 */
} cuc_tensor_map_image;

/** Initial value of a cuc_tensor_map_image variable. */
#define CUC_TENSOR_MAP_IMAGE_INIT                        \
    {                                                    \
        sizeof(cuc_tensor_map_image), { 0 }, { 0 }, 0, 0 \
    }

#ifndef __cplusplus
/** An image written at the call site: CUC_TENSOR_MAP_IMAGE(.channels = 64, .pixels = 128). */
#define CUC_TENSOR_MAP_IMAGE(...) \
    (&(cuc_tensor_map_image){ .struct_size = sizeof(cuc_tensor_map_image), __VA_ARGS__ })
#endif

/**
 * Encode a map of images whose copies transfer columns of pixels (im2col).
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the map
 * @param      tensor  3 to 5 dimensions: images; then D, H and W, or only the last one or two of
 *                     these; then channels; otherwise as for cuc_tensor_map_encode_tiled()
 * @param      image   the pixels that a copy transfers
 * @param      options NULL: as for cuc_tensor_map_encode_tiled()
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_tensor_map_encode_tiled()
 * @retval CUC_ERROR_NOT_SUPPORTED    as for cuc_tensor_map_encode_tiled()
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Tensor Map Object Management": cuTensorMapEncodeIm2col
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_map_encode_im2col(cuc_tensor_map *out, const cuc_tensor *tensor,
                                                const cuc_tensor_map_image *image,
                                                const cuc_tensor_map_options *options);

/**
 * Encode a map of images whose copies transfer columns of pixels only along W: the bounding box is
 * one pixel high and deep.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the map
 * @param      tensor  as for cuc_tensor_map_encode_im2col()
 * @param      image   the pixels that a copy transfers: only W's corners may be nonzero, each from
 *                     -32768 to 32767; CUC_TENSOR_MAP_W128 ignores pixels
 * @param      options as for cuc_tensor_map_encode_tiled(), with CUC_TENSOR_MAP_SWIZZLE_64B, _128B
 *                     or _128B_ATOM_32B; NULL, which has no swizzle, is refused
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_tensor_map_encode_tiled()
 * @retval CUC_ERROR_NOT_SUPPORTED    the compute capability of the device is below 10.0, the driver
 *                                    is older than CUDA 12.8, or the element type is c128
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Tensor Map Object Management": cuTensorMapEncodeIm2colWide
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_map_encode_im2col_wide(cuc_tensor_map *out, const cuc_tensor *tensor,
                                                     const cuc_tensor_map_image *image,
                                                     const cuc_tensor_map_options *options);

/**
 * Point a map at another array of the same shape, strides and type.
 *
 * @thread any thread; one call at a time on the same map
 * @capture safe: not restricted by the driver
 * @param map    changed for later launches
 * @param tensor the other array; only its address and device are used
 * @retval CUC_OK                     changed
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the tensor is not valid, in host
 *                                    memory or not at a multiple of 16 bytes
 * @retval CUC_ERROR_NOT_SUPPORTED    the compute capability of the device is below 9.0
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for a value that is not a map
 * @source CUDA Driver API, "Tensor Map Object Management": cuTensorMapReplaceAddress
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_map_replace_address(cuc_tensor_map *map, const cuc_tensor *tensor);

CUC_END_DECLS

#endif
