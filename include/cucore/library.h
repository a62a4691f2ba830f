/**
 * @file
 * The kernel library: tile programs that come with cucore, found by name.
 *
 * Each name stands for one family of kernels, such as "rms_norm": the forward pass, the gradients
 * and the reductions that finish them. docs/library.md lists the families with their shapes,
 * constants and formulas. A family compiles like any other tile program: set the constants, such as
 * the element type, through cuc_program_options.constants, and get its kernels by
 * cuc_object_get_kernel().
 */
#ifndef CUCORE_LIBRARY_H
#define CUCORE_LIBRARY_H

#include <cucore/base.h>
#include <cucore/program.h>

CUC_BEGIN_DECLS

/**
 * The number of families in the kernel library.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return the number of names that cuc_library_name() has
 * @since 0.1
 */
CUC_API size_t cuc_library_count(void);

/**
 * The name of a family, in alphabetical order.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param index 0 to cuc_library_count() - 1
 * @return such as "rms_norm"; static storage; "" if there is no such index
 * @since 0.1
 */
CUC_API const char *cuc_library_name(size_t index);

/**
 * Look up a family's tile program, to read, to change or to pass to cuc_program_create().
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] source the text; borrowed: static storage
 * @param      name   the family, such as "rms_norm"
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_INVALID_ARGUMENT source or name is NULL
 * @retval CUC_ERROR_NOT_FOUND        there is no such family: the message lists the names
 * @since 0.1
 */
CUC_API cuc_status cuc_library_get_source(const char **source, const char *name);

/**
 * Create a program from a family of the kernel library. Nothing is compiled yet.
 *
 * Messages call the source by the family's name, such as "rms_norm.tile", unless the options name
 * it. A constant that only some kernels of the family have may be set for all.
 *
 * @thread any thread
 * @capture never touches a stream
 * @param[out] out     the program; release it with cuc_program_release()
 * @param      name    the family, such as "rms_norm"
 * @param      options how to compile it; copied; NULL selects all defaults
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out or name is NULL, or an option is out of bounds: the
 * message names it
 * @retval CUC_ERROR_NOT_FOUND        there is no such family: the message lists the names
 * @retval CUC_ERROR_NOT_SUPPORTED    an arch that tile programs cannot be compiled for
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_program_from_library(cuc_program **out, const char *name,
                                            const cuc_program_options *options);

CUC_END_DECLS

#endif
