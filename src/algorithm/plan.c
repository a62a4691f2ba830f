// Creates plans: writes, compiles and loads the tile program.
#include "algorithm.h"

#include <cucore/error.h>
#include <cucore/object.h>
#include <cucore/program.h>

#include "base/array.h"
#include "base/helpers.h"
#include "base/options.h"
#include "code/kernel_tile.h"
#include "code/object.h"
#include "device/context.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALLEST = 256 }; // tile that is tried

// The kernels of a plan, each of which is loaded by the thread that is free next.
struct load {
    struct cuc__task task;
    cuc_algorithm *plan;
    int kernel;
    cuc_status status;
};

static cuc_status get_kernel(cuc_algorithm *plan, int kernel)
{
    const char *name = plan->family->kernels[kernel], *function = "cuc_algorithm_create";
    cuc_context *context;
    bool pushed;
    cuc_status st;

    if ((st = cuc__device_enter(&context, &pushed, plan->device, function)) < 0)
        return st;
    st = cuc__tile_kernel_get(&plan->kernels[kernel], plan->object, name, function);
    return cuc__context_leave(context, pushed, st, function);
}

static void load(void *user)
{
    struct load *l = user;

    l->status = get_kernel(l->plan, l->kernel);
}

// Loads the kernels in threads, because the driver may have to assemble them.
static cuc_status get_kernels(cuc_algorithm *plan, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_family *f = p->family;
    struct load loads[CUC__ALGORITHM_KERNELS];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = 0;
    cuc_status st = CUC_OK;

    for (int i = 0; i < CUC__ALGORITHM_KERNELS && f->kernels[i]; i++)
        if (!(p->tile.omitted >> i & 1) && (!f->lacks || !f->lacks(&p->kind, i))) {
            struct load *l = &loads[count++];
            *l = (struct load){ .plan = plan, .kernel = i };
            l->task.run = load;
            l->task.user = l;
        }
    size_t threads = count < (size_t)processors ? count : (size_t)processors;
    struct cuc__helpers *helpers = threads > 1 ? cuc__helpers_start(threads - 1) : NULL;
    for (size_t i = 0; i < count && helpers; i++)
        cuc__helpers_offer(helpers, &loads[i].task, false);
    for (size_t i = 0; i < count; i++) {
        if (helpers)
            cuc__helpers_finish(helpers, &loads[i].task);
        else
            load(&loads[i]);
        // Another thread's failure is not recorded in this one.
        if (st >= 0 && (st = loads[i].status) < 0)
            st = get_kernel(plan, loads[i].kernel);
    }
    cuc__helpers_stop(helpers);
    return st;
}

static cuc_status compile(cuc_algorithm *plan, const struct cuc__algorithm_problem *p,
                          cuc_cache *cache, const char *function)
{
    size_t starts[CUC__ALGORITHM_MAX] = { 0 };
    cuc_program *program = NULL;
    cuc_status st;

    if (!(plan->text = cuc__algorithm_source(p, starts)))
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a plan");
    if ((st = cuc__algorithm_check_names(p, plan->text, function)) < 0)
        return st;
    st = cuc_program_create(&program, CUC_SOURCE_TILE, plan->text, 0,
                            CUC_PROGRAM_OPTIONS(.name = CUC__ALGORITHM_PROGRAM, .arch = p->arch,
                                                .warps = p->tile.warps, .cache = cache));
    if (st >= 0)
        st = cuc_program_compile(&plan->object, program, CUC_CODE_PTX);
    if (st >= 0)
        st = cuc__object_divide(plan->object, function);
    if (st == CUC_ERROR_COMPILE)
        st = cuc__algorithm_fail_compile(p, plan->text, starts, function);
    cuc_program_release(program);
    if (st >= 0)
        st = get_kernels(plan, p);
    return st;
}

// Returns true if the last failure says that the tile is too large for the operator: for code, for
// registers or for a budget.
static bool is_too_large(cuc_status st)
{
    static const char *const codes[] = { "T602", "T604", "T802" };
    bool found = false;

    for (int i = 0; i < CUC_LENGTH(codes) && st == CUC_ERROR_COMPILE; i++)
        found |= strstr(cuc_error_message(), codes[i]) != NULL;
    return found;
}

static void drop_code(cuc_algorithm *plan)
{
    for (int i = 0; i < CUC__ALGORITHM_KERNELS; i++) {
        cuc_kernel_release(plan->kernels[i]);
        plan->kernels[i] = NULL;
    }
    cuc_object_release(plan->object);
    free(plan->text);
    plan->object = NULL;
    plan->text = NULL;
}

cuc_status cuc_algorithm_create(cuc_algorithm **out, cuc_device *device,
                                const cuc_algorithm_options *options)
{
    cuc_algorithm_options o;
    struct cuc__algorithm_problem p;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(options);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_algorithm_options)) < 0 ||
        (st = cuc__algorithm_read_options(&p, &o, device, __func__)) < 0)
        return st;
    cuc_algorithm *plan = calloc(1, sizeof(*plan));
    if (!plan)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a plan");
    cuc__handle_init(plan, CUC__HANDLE_ALGORITHM);
    plan->device = device;
    plan->family = p.family;
    plan->kind = p.kind;
    plan->multiprocessors = p.multiprocessors;
    while ((st = compile(plan, &p, o.cache, __func__)) < 0 && is_too_large(st) &&
           p.tile.elements > SMALLEST) {
        drop_code(plan);
        p.tile.elements /= 2;
    }
    if (st >= 0 && p.tile.elements < o.tile)
        st = CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                      "tile is %d, expected at most %d for these values and this operator, or 0",
                      o.tile, p.tile.elements);
    plan->tile = p.tile;
    if (st < 0) {
        cuc_algorithm_release(plan);
        return CUC_PASS(st);
    }
    for (uint32_t i = 0; i < plan->kind.input_count; i++)
        plan->kind.inputs[i].expression = NULL; // the caller's
    *out = plan;
    return CUC_OK;
}

cuc_algorithm *cuc_algorithm_retain(cuc_algorithm *plan)
{
    return cuc__handle_retain(plan);
}

void cuc_algorithm_release(cuc_algorithm *plan)
{
    if (!cuc__handle_drop(plan, CUC__HANDLE_ALGORITHM))
        return;
    drop_code(plan);
    cuc__handle_free(plan);
}

uint64_t cuc_algorithm_workspace_bytes(const cuc_algorithm *plan, int64_t count)
{
    return plan && plan->family->workspace && count >= 0 ? plan->family->workspace(plan, count) : 0;
}

const char *cuc_algorithm_source(const cuc_algorithm *plan)
{
    return plan ? plan->text : NULL;
}
