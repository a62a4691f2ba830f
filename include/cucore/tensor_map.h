/**
 * @file
 * Tensor maps: what the tensor memory accelerator of compute capability 9.0 and later copies by.
 *
 * A map says how an array lies in memory and what box of it one copy takes; a kernel gives it the
 * place of the box alone (`cp.async.bulk.tensor`). It is a value of 128 bytes, made on the host.
 * Kernels take it as an argument by value, declared `const __grid_constant__ CUtensorMap map`:
 *
 *     uint32_t box[] = { 64, 128 };                   // rows, columns
 *     cuc_tensor_map_tiled(&map, &a, box,
 *                          CUC_TENSOR_MAP_OPTIONS(.swizzle = CUC_TENSOR_MAP_SWIZZLE_128B));
 *     CUC_LAUNCH(stream, config, kernel, map, x); // dimensions by their names from now on
 *
 * Dimensions are those of the tensor, in its order: the last one is the innermost, which the driver
 * and PTX's coordinates count as the first.
 */
#ifndef CUCORE_TENSOR_MAP_H
#define CUCORE_TENSOR_MAP_H

#include <cucore/base.h>
#include <cucore/tensor.h>

CUC_BEGIN_DECLS

/**
 * A map, as an argument of kernels by value. It holds an address, and owns nothing. One that
 * kernels read from memory lies there at a multiple of 64 bytes; on the host it may lie anywhere.
 */
typedef struct cuc_tensor_map {
    uint64_t words[16]; /**< the driver's CUtensorMap */
} cuc_tensor_map;

/** The most dimensions that a map can have. */
#define CUC_TENSOR_MAP_MAX_RANK 5

/** How channels lie in global memory, with the driver's values. */
enum {
    CUC_TENSOR_MAP_INTERLEAVE_NONE = 0,
    CUC_TENSOR_MAP_INTERLEAVE_16B = 1, /**< NC/8HWC8: slices of 16 bytes */
    CUC_TENSOR_MAP_INTERLEAVE_32B = 2, /**< NC/16HWC16: slices of 32 bytes */
};

/** How a box lies in shared memory, with the driver's values; pieces of other sizes than 16 bytes
 * take compute capability 10.0. */
enum {
    CUC_TENSOR_MAP_SWIZZLE_NONE = 0,
    CUC_TENSOR_MAP_SWIZZLE_32B = 1,
    CUC_TENSOR_MAP_SWIZZLE_64B = 2,
    CUC_TENSOR_MAP_SWIZZLE_128B = 3,
    CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B = 4,         /**< pieces of 32 bytes stay together */
    CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B = 5, /**< and halves of odd lines change places */
    CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_64B = 6,
};

/** What more of global memory comes into L2, with the driver's values. */
enum {
    CUC_TENSOR_MAP_L2_NONE = 0,
    CUC_TENSOR_MAP_L2_64B = 1,
    CUC_TENSOR_MAP_L2_128B = 2,
    CUC_TENSOR_MAP_L2_256B = 3,
};

/** What is read outside of the tensor, with the driver's values. */
enum {
    CUC_TENSOR_MAP_FILL_ZERO = 0,
    CUC_TENSOR_MAP_FILL_NAN = 1, /**< a NaN that makes a product 0; of floats alone */
};

/** Flags of a map. */
enum {
    CUC_TENSOR_MAP_FTZ = 1,  /**< f32 and tf32: subnormals become 0 on their way */
    CUC_TENSOR_MAP_W128 = 2, /**< cuc_tensor_map_im2col_wide(): a copy takes 128 pixels */
};

/** How a map is made beyond its tensor and box; zero is the default of every field. */
typedef struct cuc_tensor_map_options {
    size_t struct_size; /**< sizeof(cuc_tensor_map_options); the initialisers set it */
    cuc_dtype dtype; /**< as which elements are copied, of the tensor's size, such as CUC_TF32 of an
                          f32, which rounds; 0: the tensor's */
    int32_t interleave;                      /**< a CUC_TENSOR_MAP_INTERLEAVE_ constant */
    int32_t swizzle;                         /**< a CUC_TENSOR_MAP_SWIZZLE_ constant */
    int32_t l2_promotion;                    /**< a CUC_TENSOR_MAP_L2_ constant */
    int32_t fill;                            /**< a CUC_TENSOR_MAP_FILL_ constant */
    uint32_t flags;                          /**< CUC_TENSOR_MAP_ bits */
    uint32_t steps[CUC_TENSOR_MAP_MAX_RANK]; /**< of which elements of a dimension one is taken, 1
                                                to 8; 0: 1 */
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
 * @param caller_size sizeof(cuc_tensor_map_options) in the code that calls
 * @since 0.1
 */
CUC_API void cuc_tensor_map_options_init(cuc_tensor_map_options *options, size_t caller_size);

/**
 * Make a map of a tensor, of which a copy takes a box.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the map
 * @param      tensor  of 1 to 5 dimensions, in memory that a device reaches, at a multiple of 16
 * bytes; its innermost stride is 1, the others are multiples of 16 bytes and below 2^40. It is read
 *                     before the call returns, and the memory has to outlive the use of the map
 * @param      box     [rank] elements from the first to the last, 1 to 256; of the innermost
 * dimension a multiple of 16 bytes, and with a swizzle at most its bytes
 * @param      options NULL: no interleave, no swizzle, no promotion, zeros outside
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out, tensor or box is NULL; the tensor does not make sense, or
 * is the host's; a value is none that a map can have: the message says which
 * @retval CUC_ERROR_NOT_SUPPORTED    the device is of before compute capability 9.0, or of before
 * what the swizzle takes, or the element type is c128
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Tensor Map Object Management": cuTensorMapEncodeTiled
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_map_tiled(cuc_tensor_map *out, const cuc_tensor *tensor,
                                        const uint32_t *box, const cuc_tensor_map_options *options);

/** What a copy takes of images: pixels of a bounding box, one after the other, as convolutions want
 * them. */
typedef struct cuc_tensor_map_image {
    size_t struct_size; /**< sizeof(cuc_tensor_map_image); the initialisers set it */
    int32_t lower[3];  /**< [rank - 2] corners of the bounding box: offsets from the image's, in the
                          order  of its dimensions (D, H, W) */
    int32_t upper[3];  /**< [rank - 2] the same of the far corner, from the image's far corner */
    uint32_t channels; /**< of a pixel, 1 to 256 */
    uint32_t pixels;   /**< of a copy, 1 to 1024 */
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
 * Make a map of images, of which a copy takes columns of pixels (im2col).
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the map
 * @param      tensor  of 3 to 5 dimensions: images, then D, H and W or the last of these, then
 * channels; else as for cuc_tensor_map_tiled()
 * @param      image   what a copy takes
 * @param      options NULL: as for cuc_tensor_map_tiled()
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_tensor_map_tiled()
 * @retval CUC_ERROR_NOT_SUPPORTED    as for cuc_tensor_map_tiled()
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Tensor Map Object Management": cuTensorMapEncodeIm2col
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_map_im2col(cuc_tensor_map *out, const cuc_tensor *tensor,
                                         const cuc_tensor_map_image *image,
                                         const cuc_tensor_map_options *options);

/**
 * Make a map of images, of which a copy takes columns of pixels along W alone: the bounding box is
 * one pixel high and deep.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the map
 * @param      tensor  as for cuc_tensor_map_im2col()
 * @param      image   what a copy takes: of the corners only W's are not 0, each from -32768 to
 *                     32767; with CUC_TENSOR_MAP_W128 pixels is not looked at
 * @param      options as for cuc_tensor_map_tiled(), with CUC_TENSOR_MAP_SWIZZLE_64B, _128B or
 *                     _128B_ATOM_32B; NULL has none of these and is refused
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_tensor_map_tiled()
 * @retval CUC_ERROR_NOT_SUPPORTED    the device is of before compute capability 10.0, the driver of
 * before CUDA 12.8, or the element type is c128
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Tensor Map Object Management": cuTensorMapEncodeIm2colWide
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_map_im2col_wide(cuc_tensor_map *out, const cuc_tensor *tensor,
                                              const cuc_tensor_map_image *image,
                                              const cuc_tensor_map_options *options);

/**
 * Let a map be of another array of the same shape, strides and type.
 *
 * @thread any thread; one call at a time on the same map
 * @capture safe: not restricted by the driver
 * @param map    changed for what is launched from now on
 * @param tensor where the other array is; no more is looked at than its address and device
 * @retval CUC_OK                     changed
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, the tensor does not make sense, is the
 * host's, or is not at a multiple of 16 bytes
 * @retval CUC_ERROR_NOT_SUPPORTED    the device is of before compute capability 9.0
 * @retval CUC_ERROR_DRIVER           the driver refused, such as what is no map
 * @source CUDA Driver API, "Tensor Map Object Management": cuTensorMapReplaceAddress
 * @since 0.1
 */
CUC_API cuc_status cuc_tensor_map_replace_address(cuc_tensor_map *map, const cuc_tensor *tensor);

CUC_END_DECLS

#endif
