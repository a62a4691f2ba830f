// Runs tile programs on the CPU.
#include <cucore/tile.h>

#include "code/kernel_tile.h"
#include "base/options.h"
#include "program.h"
#include "tile/interpret/interpret.h"
#include "tile/signature/signature.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 512 };

void cuc_tile_interpret_options_init(cuc_tile_interpret_options *options, size_t caller_size)
{
    cuc__init_options(options, caller_size);
}

// Returns true for memory that the CPU can access.
static bool is_reached(const cuc_tensor *t)
{
    return t->device < 0 || t->flags & (CUC_TENSOR_PINNED | CUC_TENSOR_MANAGED);
}

// Checks a tensor's memory as a launch does. Later code checks ranks and extents and reports errors
// in them.
static cuc_status check_memory(const struct tile_kernel *k, const struct tile_parameter *p,
                               const cuc_tensor *t, bool written, const char *function)
{
    uint32_t bytes = cuc_dtype_bits(t->dtype) / 8;
    bool empty = false;

    if (!is_reached(t))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s: argument %s: expected a tensor in host memory (device -1, or "
                         "pinned or managed), got one of device %d",
                         k->name, p->name, t->device);
    for (int32_t axis = 0; axis < t->rank && axis < CUC_TENSOR_MAX_RANK; axis++)
        empty |= t->shape[axis] <= 0;
    if ((bytes && t->data % bytes) || (!t->data && !empty))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s: argument %s: expected an address that is a multiple of %u%s, got "
                         "0x%" PRIx64,
                         k->name, p->name, bytes, t->data ? "" : " and not 0", t->data);
    if (written && t->flags & CUC_TENSOR_READ_ONLY)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s: argument %s: the kernel writes it, but the tensor is read-only",
                         k->name, p->name);
    return CUC_OK;
}

static cuc_status interpret(const struct tile_kernel *k, const cuc_arg *args, size_t count,
                            const cuc_tile_interpret_options *o, const char *function)
{
    struct tile_argument argument[TILE_MAX_PARAMETERS];
    bool no_memory = false, stopped = false;
    char text[TEXT_BYTES];

    if (!k->grid_rank && !o->grid[0])
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s declares no grid: give options.grid", k->name);
    if (k->grid_rank && (o->grid[0] | o->grid[1] | o->grid[2]))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "options.grid is given, but %s has its own: leave it 0", k->name);
    if (!cuc__tile_read_arguments(argument, k, args, count, text, sizeof(text)))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s: %s", k->name, text);
    const uint64_t written = tile_written_parameters(k);
    for (size_t i = 0; i < count; i++) {
        if (!argument[i].tensor)
            continue;
        cuc_status st =
            check_memory(k, &k->parameter[i], argument[i].tensor, written >> i & 1, function);
        if (st < 0)
            return st;
    }
    const struct tile_interpretation run = {
        .kernel = k,
        .argument = argument,
        .arguments = (uint32_t)count,
        .grid = { o->grid[0], o->grid[1] + !o->grid[1], o->grid[2] + !o->grid[2] },
        .print = o->print,
        .stop = o->stop,
        .user_data = o->user,
        .no_memory = &no_memory,
        .stopped = &stopped,
    };
    if (tile_interpret(&run, text, sizeof(text)))
        return CUC_OK;
    return stopped ? CUC_NOT_READY
                   : cuc__fail(no_memory ? CUC_ERROR_OUT_OF_MEMORY : CUC_ERROR_INVALID_ARGUMENT,
                               function, "%s: %s", k->name, text);
}

cuc_status cuc_tile_interpret(cuc_program *program, const char *kernel, const cuc_arg *args,
                              size_t count, const cuc_tile_interpret_options *options)
{
    const struct tile_kernel *k = NULL;
    struct tile_module *module = NULL;
    cuc_tile_interpret_options o;
    struct tile_budget budget;
    cuc_status st;

    CUC_CHECK(program, PROGRAM);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_tile_interpret_options)) < 0 ||
        (st = cuc__check_reserved("options.reserved", o.reserved, __func__)) < 0)
        return st;
    tile_budget_open(&budget, &program->tile.limits);
    if ((st = cuc__program_open_tile(&module, program, &budget, __func__)) < 0)
        return st;
    tile_budget_lift(module); // `options.stop` ends a run instead
    if ((st = cuc__tile_kernel_named(&k, module, kernel, __func__)) == CUC_OK)
        st = interpret(k, args, count, &o, __func__);
    tile_module_free(module);
    return st;
}
