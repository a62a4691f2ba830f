// Back end of libcucore-sim.so for code: loads PTX into the executor, once for each context that
// uses it.
#include "code.h"
#include "shell.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/builtin.h"
#include "sim/exec/run.h"
#include "sim/machine/code.h"

enum { NEWEST_PTX = 90 }; // 9.0

struct code {
    char *text;
    struct image *images;
};

const char sim_linked[] = "linked as text";

static int arch_of(int device)
{
    return 10 * sim_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           sim_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

// Estimates a thread's registers: the maximum number of values that are live at once when the text
// is read from top to bottom. Used only for occupancy.

struct span {
    uint32_t first, last; // statement numbers, from 1; 0: never used
};

static void note(struct span *spans, size_t count, const struct sim_operand *o, uint32_t at)
{
    if (o->kind == SIM_OP_REGISTER) {
        const uint32_t both[] = { o->reg, o->pair };
        for (int i = 0; i < 2; i++) {
            if (both[i] >= count)
                continue;
            struct span *s = &spans[both[i]];
            s->first = s->first ? s->first : at;
            s->last = at;
        }
    }
    for (uint32_t i = 0; i < o->count; i++)
        note(spans, count, &o->list[i], at);
}

static int words_of(const struct sim_register *r)
{
    uint32_t bytes = sim_type_bytes(r->type); // 0 for predicates, which have a register file of
                                              // their own

    return (int)((bytes + 3) / 4 * (r->vector ? r->vector : 1));
}

static int registers_of(const struct sim_function *f, int threads)
{
    enum { LEAST = 16, MOST = 255, STEP = 8, FILE_WORDS = 65536 };
    size_t n = f->statement_count, count = f->register_count;
    struct span *spans = sim_alloc((count + 1) * sizeof(*spans));
    int *change = sim_alloc((n + 3) * sizeof(*change));
    int live = 0, most = 0;

    for (size_t i = 0; i < n; i++)
        for (uint32_t o = 0; o < f->statements[i].operands; o++)
            note(spans, count, &f->statements[i].operand[o], (uint32_t)i + 1);
    for (size_t r = 0; r < count; r++) {
        if (!spans[r].first)
            continue;
        change[spans[r].first] += words_of(&f->registers[r]);
        change[spans[r].last + 1] -= words_of(&f->registers[r]);
    }
    for (size_t i = 1; i <= n; i++) {
        live += change[i];
        most = live > most ? live : most;
    }
    free(spans);
    free(change);
    most = (most + STEP) / STEP * STEP;
    most = most < LEAST ? LEAST : most > MOST ? MOST : most;
    if (f->max_registers && most > (int)f->max_registers)
        most = (int)f->max_registers;
    if (threads && most > FILE_WORDS / threads)
        most = FILE_WORDS / threads / STEP * STEP; // a compiler spills
    return most;
}

// Loading

static void add_kernel(struct library *library, const struct sim_module *module,
                       const struct sim_code *code, int constant_bytes)
{
    const struct sim_function *f = code->source;
    struct kernel_facts facts = { .shared = (int)code->shared_bytes,
                                  .local = (int)code->stack_bytes,
                                  .constant = constant_bytes,
                                  .ptx = module->target };
    struct kernel *k =
        sim_kernel_new(library, strcpy(sim_alloc(strlen(code->name) + 1), code->name));

    sim_text_launch_bounds(&facts, f);
    facts.registers = registers_of(f, facts.exact ? facts.exact : facts.threads);
    k->parameters = sim_alloc((code->argument_count + 1) * sizeof(*k->parameters));
    k->parameter_count = code->argument_count;
    k->parameter_bytes = code->entry_param_bytes;
    for (uint32_t i = 0; i < code->argument_count; i++)
        k->parameters[i] = (struct parameter){ .offset = code->arguments[i].at,
                                               .bytes = code->arguments[i].bytes };
    sim_kernel_ready(k, &facts);
}

// Gives an image to a context, whose device then owns the image's variables, except managed ones.
static void take_image(struct image *image, struct context *context)
{
    const struct sim_program *p = image->program;

    image->context = context;
    for (size_t i = 0; i < p->module->variable_count; i++)
        if (p->placed[i] && !p->module->variables[i].is_managed)
            sim_memory_own(p->addresses[i], context->device);
    for (uint32_t i = 0; i < p->inner_count; i++)
        sim_memory_own(p->inner[i].address, context->device);
}

static struct image *image_new(struct code *code, struct context *context,
                               struct sim_program *program)
{
    struct image *image = sim_alloc(sizeof(*image));

    image->program = program;
    for (size_t i = 0; i < program->module->function_count; i++) {
        const struct sim_function *f = &program->module->functions[i];
        if (!f->is_defined && (strcmp(f->name, "malloc") == 0 || strcmp(f->name, "free") == 0))
            image->allocates = true;
    }
    if (context)
        take_image(image, context);
    image->next = code->images;
    code->images = image;
    return image;
}

// Returns the status of a failed load: either the text was refused, or memory ran out. The loader
// reports only a message, so errno, which was 0 before, tells the two apart.
static CUresult refused(void)
{
    return errno == ENOMEM ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_PTX;
}

CUresult sim_code_load(struct library *library, const char *text, char *log, size_t log_bytes)
{
    int arch = arch_of(0);
    size_t bytes = strlen(text);
    CUresult result = sim_text_check_head(text, NEWEST_PTX, arch, log, log_bytes);

    if (result)
        return result;
    sim_unlock(); // no other thread can see the library yet
    errno = 0;
    struct sim_program *program = sim_program_load(text, bytes, arch, log, log_bytes);
    CUresult why = program ? CUDA_SUCCESS : refused();
    sim_lock();
    if (why)
        return why;
    char *copy = calloc(1, bytes + 1);
    if (!copy) {
        sim_program_free(program);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    struct code *code = sim_alloc(sizeof(*code));
    code->text = memcpy(copy, text, bytes);
    library->code = code;
    image_new(code, NULL, program);
    int constant_bytes = 0;
    for (size_t i = 0; i < program->module->variable_count; i++)
        if (program->module->variables[i].space == SIM_CONST)
            constant_bytes += (int)program->module->variables[i].bytes;
    for (size_t i = 0; i < sim_program_kernel_count(program); i++)
        add_kernel(library, program->module, sim_program_kernel(program, i)->code, constant_bytes);
    return CUDA_SUCCESS;
}

CUresult sim_code_check(const char *text, char *log, size_t log_bytes)
{
    CUresult result = sim_text_check_head(text, NEWEST_PTX, arch_of(0), log, log_bytes);

    if (result)
        return result;
    errno = 0;
    struct sim_module *module = sim_ptx_parse(text, strlen(text), log, log_bytes);
    CUresult why = module ? CUDA_SUCCESS : refused();
    sim_ptx_free(module);
    return why;
}

// Removes an image from its library. Its memory is freed after the last launch.
static void retire(struct image **at)
{
    struct image *image = *at;

    *at = image->next;
    image->gone = true;
    if (!image->uses)
        sim_image_free(image);
}

void sim_code_end(struct library *library)
{
    struct code *code = library->code;

    if (!code)
        return;
    while (code->images)
        retire(&code->images);
    free(code->text);
    free(code);
    library->code = NULL;
}

void sim_code_leave(struct library *library, struct context *context)
{
    struct code *code = library->code;

    for (struct image **at = code ? &code->images : NULL; at && *at;) {
        if ((*at)->context == context)
            retire(at);
        else
            at = &(*at)->next;
    }
}

void sim_code_context_end(struct context *context)
{
    sim_heap_free(context->heap);
    context->heap = NULL;
}

// Returns a library's image in a context. Each image has its own variables, initially with their
// values at load time.
static struct image *image_of(struct library *library, struct context *context)
{
    struct code *code = library->code;
    struct image *image = code->images;
    char log[256];

    while (image && image->context != context)
        image = image->next;
    for (struct image *i = code->images; i && !image; i = i->next) {
        if (!i->context) {
            take_image(i, context);
            image = i;
        }
    }
    if (image)
        return image;
    struct sim_program *program = sim_program_load(code->text, strlen(code->text),
                                                   arch_of(context->device), log, sizeof(log));
    return program ? image_new(code, context, program) : NULL;
}

CUresult sim_code_variable(struct library *library, struct context *context, const char *name,
                           bool managed, CUdeviceptr *ptr, size_t *bytes)
{
    const struct image *image = image_of(library, context);
    const struct sim_variable *v = NULL;
    uint64_t address, size;

    if (!image)
        return CUDA_ERROR_OUT_OF_MEMORY;
    const struct sim_module *m = image->program->module;
    for (size_t i = 0; i < m->variable_count && !v; i++)
        if (strcmp(m->variables[i].name, name) == 0)
            v = &m->variables[i];
    // Visibility does not restrict lookups, since NVRTC omits .visible.
    if (!v || (managed && !v->is_managed) ||
        !sim_program_variable(image->program, name, &address, &size))
        return CUDA_ERROR_NOT_FOUND;
    struct allocation *a = sim_note_variable(address, size, context);
    a->managed = v->is_managed;
    if (ptr)
        *ptr = address;
    if (bytes)
        *bytes = size;
    return CUDA_SUCCESS;
}

// Launches

CUresult sim_code_prepare(struct launch *launch, const struct kernel *kernel,
                          struct context *context)
{
    struct image *image = image_of(kernel->library, context);

    if (!image)
        return CUDA_ERROR_OUT_OF_MEMORY;
    launch->image = image;
    launch->code = sim_program_kernel(image->program, kernel->index)->code;
    launch->stack = context->limits[CU_LIMIT_STACK_SIZE];
    if (image->allocates && !image->heap) {
        if (!context->heap)
            context->heap =
                sim_heap_new(context->limits[CU_LIMIT_MALLOC_HEAP_SIZE], context->device);
        image->heap = context->heap;
    }
    image->uses++;
    return CUDA_SUCCESS;
}
