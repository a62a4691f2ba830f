// Implements programs of the C builder: handles, the arguments common to all calls, and the
// compilation of finished programs.
#include "api.h"
#include "tile/ir/array.h"

#include "base/arena.h"
#include "tile/ir/diagnostic.h"
#include "tile/front/snippet.h"
#include "base/options.h"

#include <cucore/error.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BITS = 24, MOST_HANDLES = (1 << NUMBER_BITS) - 1 };

cuc_status cuc_tile_program_create(cuc_tile_program **out)
{
    static _Atomic uint32_t made;

    CUC_CHECK_NOT_NULL(out);
    cuc_tile_program *p = calloc(1, sizeof(*p));
    if (p)
        tile_budget_open(&p->budget, NULL);
    struct tile_module *module = p ? tile_module_create_within(&p->budget, NULL, NULL, 0) : NULL;
    if (!module) {
        free(p);
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a tile program");
    }
    cuc__handle_init(p, CUC__HANDLE_TILE_PROGRAM);
    p->module = module;
    p->e = (struct tile_elaborator){ .module = module, .b.module = module };
    p->tag = atomic_fetch_add_explicit(&made, 1, memory_order_relaxed) % 255 + 1;
    *out = p;
    return CUC_OK;
}

cuc_tile_program *cuc_tile_program_retain(cuc_tile_program *program)
{
    return cuc__handle_retain(program);
}

void cuc_tile_program_release(cuc_tile_program *program)
{
    if (!cuc__handle_drop(program, CUC__HANDLE_TILE_PROGRAM))
        return;
    tile_module_free(program->module); // free the module before the budget, which it uses
    cuc__handle_free(program);
}

// Reports that a program exceeded its budget, and finishes the program.
static void report_budget(cuc_tile_program *p)
{
    if (!tile_budget_ended(p->module->budget))
        return;
    tile_budget_report(p->module);
    p->finished = true;
}

void cuc_tile_budget_init(cuc_tile_budget *budget, size_t caller_size)
{
    cuc__init_options(budget, caller_size);
}

cuc_status cuc_tile_program_set_budget(cuc_tile_program *program, const cuc_tile_budget *budget)
{
    cuc_tile_budget b;
    cuc_status st;

    CUC_CHECK(program, TILE_PROGRAM);
    if ((st = CUC_READ_OPTIONS(&b, budget, cuc_tile_budget)) < 0)
        return st;
    if (!(b.budget_seconds >= 0))
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "budget_seconds is %g, expected a number above 0, or 0 for any",
                        b.budget_seconds);
    report_budget(program);
    if (program->finished)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "the program is finished, or has gone beyond its budget: give it another "
                        "one before");
    tile_budget_limit(&program->budget, &(struct tile_limits){
                                            .operations = b.budget_operations,
                                            .ptx_bytes = b.budget_ptx_bytes,
                                            .memory_bytes = b.budget_memory_bytes,
                                            .seconds = b.budget_seconds,
                                            .cancel = b.cancel,
                                            .user = b.cancel_user,
                                        });
    return CUC_OK;
}

const char *cuc_tile_program_log(cuc_tile_program *program)
{
    if (!cuc__handle_is_valid(program, CUC__HANDLE_TILE_PROGRAM))
        return "";
    report_budget(program);
    if (program->module->diagnostics->out_of_memory)
        return "no host memory for the program\n";
    return tile_diagnostics_text(program->module, false);
}

// The start of every call

// Keeps a copy of a caller's file name for the life of the program. A program has few distinct
// names, and most calls repeat the last one.
static const char *keep_file(cuc_tile_program *p, const char *file)
{
    for (uint32_t i = p->files; file && i-- > 0;)
        if (strcmp(p->file[i], file) == 0)
            return p->file[i];
    if (!file)
        return NULL;
    if (!TILE_RESERVE(p->module, p->file, p->file_capacity, p->files + 1, 4))
        return NULL;
    const char *copy = tile_use_text(p, "file", file);
    if (copy)
        p->file[p->files++] = copy;
    return copy;
}

bool tile_begin_call(cuc_tile_program *p, const char *op, const char *file, uint32_t line,
                     bool anywhere)
{
    if (!cuc__handle_is_valid(p, CUC__HANDLE_TILE_PROGRAM)) {
        cuc__fail_handle(p, CUC__HANDLE_TILE_PROGRAM, op, "program");
        return false;
    }
    if (p->module->diagnostics->out_of_memory)
        return false;
    p->op = p->e.b.op = op;
    p->e.b.where = (struct tile_location){ .file = keep_file(p, file), .line = line };
    tile_set_location(p->module, p->e.b.where);
    if (p->finished) {
        tile_error(p->module, TILE_T408, p->e.b.where, "%s: the program is finished", op);
        return false;
    }
    if (!p->frame && !anywhere) {
        tile_error(p->module, TILE_T408, p->e.b.where,
                   "%s: expected a kernel: begin one with cuc_tile_kernel_begin()", op);
        return false;
    }
    return !p->module->diagnostics->out_of_memory;
}

void cuc_tile_enter(cuc_tile_program *program, const char *file, uint32_t line)
{
    if (!tile_begin_call(program, "enter", file, line, true))
        return;
    struct tile_location *call = tile_take(program->module, sizeof(*call));
    if (!call)
        return;
    *call = program->e.b.where;
    call->inlined_at = program->module->call;
    program->module->call = call;
}

void cuc_tile_leave(cuc_tile_program *program)
{
    if (!cuc__handle_is_valid(program, CUC__HANDLE_TILE_PROGRAM)) {
        cuc__fail_handle(program, CUC__HANDLE_TILE_PROGRAM, __func__, "program");
        return;
    }
    struct tile_module *module = program->module;
    if (module->call)
        module->call = module->call->inlined_at;
    else if (!module->diagnostics->out_of_memory)
        tile_error(module, TILE_T408, program->e.b.where,
                   "leave: expected a cuc_tile_enter() before it");
}

// Handles

static uint32_t new_handle(cuc_tile_program *p, struct tile_handle handle)
{
    if (p->module->diagnostics->out_of_memory)
        return 0;
    if (p->handles == MOST_HANDLES) {
        tile_error(p->module, TILE_T511, p->e.b.where, "%s: a program has at most %d values", p->op,
                   MOST_HANDLES);
        return 0;
    }
    if (!TILE_RESERVE(p->module, p->handle, p->capacity, p->handles + 1, 64))
        return 0;
    p->handle[p->handles++] = handle;
    return p->tag << NUMBER_BITS | p->handles;
}

cuc_tile tile_handle_of_meaning(cuc_tile_program *p, struct tile_meaning what, bool anywhere)
{
    struct tile_handle handle = { .what = what, .scope = anywhere ? 0 : p->frame->scope };

    return what.kind == TILE_NOTHING ? 0 : new_handle(p, handle);
}

cuc_tile tile_handle_of(cuc_tile_program *p, struct tile_value *value)
{
    return tile_handle_of_meaning(p, tile_meaning_of(value), false);
}

cuc_tile_variable tile_handle_of_variable(cuc_tile_program *p, uint32_t variable)
{
    return new_handle(p,
                      (struct tile_handle){ .scope = p->frame->scope, .variable = variable + 1 });
}

const struct tile_handle *tile_find_handle(const cuc_tile_program *p, uint32_t handle)
{
    uint32_t number = handle & MOST_HANDLES;

    return handle >> NUMBER_BITS == p->tag && number && number <= p->handles
               ? &p->handle[number - 1]
               : NULL;
}

// Returns NULL if a handle's value is usable at this point, otherwise the reason why it is not.
static const char *why_not(const cuc_tile_program *p, const struct tile_handle *h)
{
    const struct tile_frame *frame = p->frame;

    if (!h->scope)
        return NULL;
    if (h->scope < p->kernel_scope || !frame)
        return "of another kernel";
    while (frame && frame->scope != h->scope && frame->kind != TILE_IN_FUNCTION)
        frame = frame->outer;
    if (frame && frame->scope == h->scope)
        return NULL;
    return frame ? "from outside of the function that is being built, which sees its own "
                   "arguments and constants alone"
                 : "of a block that has ended: what is needed after it is held in a variable "
                   "(cuc_tile_declare)";
}

static const struct tile_handle *use(cuc_tile_program *p, const char *operand, uint32_t handle,
                                     bool variable)
{
    const char *what = variable ? "variable" : "value", *why;
    const struct tile_handle *h = tile_find_handle(p, handle);

    if (!handle) {
        // After an error, don't check handles: callers may pass on the 0 that a failed call
        // returned.
        if (!p->module->diagnostics->errors)
            tile_error(p->module, TILE_T510, p->e.b.where, "%s: operand %s: expected a %s, got 0",
                       p->op, operand, what);
    } else if (handle >> NUMBER_BITS != p->tag) {
        tile_error(p->module, TILE_T510, p->e.b.where,
                   "%s: operand %s: expected a %s, got one of another program", p->op, operand,
                   what);
    } else if (!h) {
        tile_error(p->module, TILE_T510, p->e.b.where,
                   "%s: operand %s: expected a %s, got %#x, which was never given out", p->op,
                   operand, what, handle);
    } else if (variable != (h->variable != 0)) {
        tile_error(p->module, TILE_T510, p->e.b.where, "%s: operand %s: expected a %s, got %s",
                   p->op, operand, what,
                   variable ? "a value" : "a variable: cuc_tile_get() gives what it stands for");
    } else if ((why = why_not(p, h))) {
        tile_error(p->module, TILE_T510, p->e.b.where, "%s: operand %s: the %s is %s", p->op,
                   operand, what, why);
    } else {
        return h;
    }
    return NULL;
}

bool tile_use_meaning(cuc_tile_program *p, const char *operand, cuc_tile x,
                      struct tile_meaning *out)
{
    const struct tile_handle *h = use(p, operand, x, false);

    *out = h ? h->what : (struct tile_meaning){ 0 };
    return h != NULL;
}

bool tile_use(cuc_tile_program *p, const char *operand, cuc_tile x, struct tile_operand *out)
{
    struct tile_meaning what;

    *out = (struct tile_operand){ 0 };
    return tile_use_meaning(p, operand, x, &what) && tile_meaning_operand(&p->e, &what, out);
}

struct tile_value *tile_use_value(cuc_tile_program *p, const char *operand, cuc_tile x)
{
    struct tile_operand out;

    return tile_use(p, operand, x, &out) ? tile_build_value(&p->e.b, out) : NULL;
}

bool tile_use_list(cuc_tile_program *p, const char *operand, uint32_t count, const cuc_tile *x,
                   struct tile_operand *out, uint32_t most)
{
    bool ok = true;

    if (count > most) {
        tile_error(p->module, TILE_T504, p->e.b.where, "%s: at most %u in a list, got %u", p->op,
                   most, count);
        return false;
    }
    if (count && !x) {
        tile_error(p->module, TILE_T511, p->e.b.where, "%s: %s is NULL, with a count of %u", p->op,
                   operand, count);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        ok &= tile_use(p, operand, x[i], &out[i]);
    return ok;
}

struct tile_held *tile_use_variable(cuc_tile_program *p, cuc_tile_variable x)
{
    const struct tile_handle *h = use(p, "variable", x, true);

    return h ? &p->variable[h->variable - 1] : NULL;
}

// Arguments other than values

bool tile_use_dtype(cuc_tile_program *p, cuc_dtype dtype)
{
    if (dtype > CUC_DTYPE_UNKNOWN && dtype <= CUC_E5M2)
        return true;
    tile_error(p->module, TILE_T511, p->e.b.where,
               "%s: expected a dtype of the language, got %d (%s)", p->op, dtype,
               cuc_dtype_name(dtype));
    return false;
}

bool tile_use_shape(cuc_tile_program *p, const char *what, uint32_t rank, const int64_t *shape,
                    bool blanks)
{
    if (rank > TILE_MAX_RANK) {
        tile_error(p->module, TILE_T207, p->e.b.where, "%s: at most %d axes, got %u", p->op,
                   TILE_MAX_RANK, rank);
        return false;
    }
    if (rank && !shape) {
        tile_error(p->module, TILE_T511, p->e.b.where, "%s: %s is NULL, with %u axes", p->op, what,
                   rank);
        return false;
    }
    for (uint32_t i = 0; blanks && i < rank; i++)
        if (shape[i] < 1 && shape[i] != CUC_NO_AXIS) {
            tile_error(p->module, TILE_T206, p->e.b.where,
                       "%s: extent %u: expected 1 to 2^24, got %lld", p->op, i,
                       (long long)shape[i]);
            return false;
        }
    return true;
}

bool tile_use_word(cuc_tile_program *p, const char *what, int32_t word, int32_t most)
{
    if (word >= 0 && word <= most)
        return true;
    tile_error(p->module, TILE_T511, p->e.b.where, "%s: %s: expected 0 to %d, got %d", p->op, what,
               most, word);
    return false;
}

bool tile_use_rounding(cuc_tile_program *p, int32_t round, struct tile_rounding *how, bool *nan)
{
    int32_t word = round & ~(CUC_TILE_FTZ | (nan ? CUC_TILE_NAN : 0));

    how->ftz = (round & CUC_TILE_FTZ) != 0;
    how->round = (enum tile_round)word;
    if (nan)
        *nan = (round & CUC_TILE_NAN) != 0;
    return tile_use_word(p, "round", word, CUC_TILE_FULL);
}

const char *tile_use_text(cuc_tile_program *p, const char *what, const char *text)
{
    char *copy = text ? cuc__arena_copy(p->module->arena, text, strlen(text)) : NULL;

    if (!text)
        tile_error(p->module, TILE_T511, p->e.b.where, "%s: %s is NULL", p->op, what);
    else if (!copy)
        p->module->diagnostics->out_of_memory = true;
    return copy;
}

const char *tile_use_name(cuc_tile_program *p, const char *text)
{
    // Only kernels may share a name with a built-in call, since a program never refers to a kernel
    // by name.
    if (text && (!tile_is_name(p->module, text) || (p->frame && tile_is_builtin(text)))) {
        tile_error(p->module, TILE_T511, p->e.b.where,
                   "%s: name: expected letters, digits and _, and no keyword, dtype or call of the "
                   "language, got \"%s\"",
                   p->op, text);
        return NULL;
    }
    return tile_use_text(p, "name", text);
}

// Finishing a program

static cuc_status fail(cuc_tile_program *p, const char *function)
{
    const struct tile_diagnostic *first = p->module->diagnostics->first;
    uint32_t errors = p->module->diagnostics->errors;
    const char *text = tile_diagnostics_text(p->module, false);
    char more[32] = "";

    if (p->module->diagnostics->out_of_memory)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a tile program");
    if (errors > 1)
        snprintf(more, sizeof(more), " (%u errors)", errors);
    return cuc__fail_library(CUC_ERROR_COMPILE, CUC_LIBRARY_TILE, tile_code_number(first->code),
                             tile_code_name(first->code), function, "",
                             "The log has all errors, with the lines that built what is wrong.",
                             text, "%.*s%s", (int)strcspn(text, "\n"), text, more);
}

cuc_status cuc_tile_program_finish(const char **source, cuc_tile_program *program)
{
    cuc_tile_program *p = program;

    CUC_CHECK(program, TILE_PROGRAM);
    struct tile_diagnostics *d = p->module->diagnostics;
    report_budget(p);
    if (!p->finished && !d->out_of_memory) {
        p->op = "finish";
        if (p->frame)
            tile_error(p->module, TILE_T408, p->e.b.kernel->where, "kernel: %s is not ended",
                       p->e.b.kernel->name ? p->e.b.kernel->name : "it");
        else if (p->module->call)
            tile_error(p->module, TILE_T408, *p->module->call,
                       "enter: a cuc_tile_leave() is missing");
        tile_expect_kernel(p->module);
        p->finished = true;
        if (!d->errors && tile_verify(p->module, "building"))
            p->source = tile_print(p->module);
    }
    report_budget(p);
    if (d->errors || d->out_of_memory)
        return fail(p, __func__);
    if (source)
        *source = p->source;
    return CUC_OK;
}

// Queries about values

cuc_tile cuc_tile_name(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                       const char *name)
{
    struct tile_meaning what;

    if (!TILE_BEGIN("name"))
        return 0;
    const char *copy = tile_use_name(program, name);
    if (!copy || !tile_use_meaning(program, "x", x, &what))
        return 0;
    if (what.operand.value && !what.operand.value->name)
        what.operand.value->name = copy;
    return x;
}

static const struct tile_handle *find_value(const cuc_tile_program *p, cuc_tile x)
{
    const struct tile_handle *h =
        cuc__handle_is_valid(p, CUC__HANDLE_TILE_PROGRAM) ? tile_find_handle(p, x) : NULL;

    return h && !h->variable ? h : NULL;
}

cuc_dtype cuc_tile_dtype(const cuc_tile_program *program, cuc_tile x)
{
    const struct tile_handle *h = find_value(program, x);

    return !h                           ? CUC_DTYPE_UNKNOWN
           : h->what.operand.value      ? h->what.operand.value->type.dtype
           : h->what.kind == TILE_TRUTH ? CUC_BOOL
                                        : CUC_DTYPE_UNKNOWN;
}

int32_t cuc_tile_rank(const cuc_tile_program *program, cuc_tile x)
{
    const struct tile_handle *h = find_value(program, x);

    return !h ? -1 : h->what.operand.value ? h->what.operand.value->type.rank : 0;
}

int64_t cuc_tile_extent(const cuc_tile_program *program, cuc_tile x, int32_t axis)
{
    const struct tile_handle *h = find_value(program, x);
    const struct tile_value *value = h ? h->what.operand.value : NULL;

    return value && !value->type.tensor && axis >= 0 && axis < value->type.rank
               ? value->type.extent[axis]
               : -1;
}
