// Loads modules: parses a module, places its variables in memory, decodes its functions, and lays
// out the shared memory and stack that entries reach.
#include "handlers.h"
#include "memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    // Limits of ptxas.
    STATIC_SHARED = 48 * 1024,
    CONSTANT = 64 * 1024,        // for a module
    PARAMETERS = 32764,          // for an entry
    PARAMETERS_BEFORE_81 = 4352, // before .version 8.1
};

struct loader {
    struct sim_program *program;
    char *log;
    size_t log_bytes;
    uint64_t constant; // size of .const memory so far
};

static bool refuse(const struct loader *l, uint32_t line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(const struct loader *l, uint32_t line, const char *fmt, ...)
{
    va_list args;
    int n = snprintf(l->log, l->log_bytes, "line %u: ", line);

    if (n > 0 && (size_t)n < l->log_bytes) {
        va_start(args, fmt);
        vsnprintf(l->log + n, l->log_bytes - (size_t)n, fmt, args);
        va_end(args);
    }
    return false;
}

static uint64_t align_up(uint64_t at, uint64_t align)
{
    return align > 1 ? (at + align - 1) / align * align : at;
}

static uint32_t variable_align(const struct sim_variable *v)
{
    uint32_t natural = sim_type_bytes(v->type) * (v->vector ? v->vector : 1);
    return v->align > natural ? v->align : natural ? natural : 1;
}

// Assigns locations to a function's parameters or results, one after another and aligned. Those in
// registers are located later, by name.
static bool place_parameters(struct loader *l, const struct sim_function *f,
                             const struct sim_variable *variables, size_t count, uint64_t *at,
                             const struct sim_passed **out, uint32_t *out_count)
{
    struct sim_passed *p = sim_program_keep(l->program, (count + 1) * sizeof(*p));

    if (!p)
        return refuse(l, f->line, "%s: no host memory", f->name);
    for (size_t i = 0; i < count; i++) {
        const struct sim_variable *v = &variables[i];
        if (v->space == SIM_REG) {
            if (v->type == SIM_PRED || (v->vector ? v->vector : 1) * sim_type_bytes(v->type) > 8)
                return refuse(l, v->line, "%s: parameter %s is not a register of 8 to 64 bits",
                              f->name, v->name);
            // decode.c finds the register, if the body uses it.
            p[i] = (struct sim_passed){ SIM_NO_OPERAND, sim_type_bytes(v->type), true };
            continue;
        }
        *at = align_up(*at, variable_align(v));
        p[i].at = (uint32_t)*at;
        p[i].bytes = (uint32_t)v->bytes;
        *at += v->bytes;
        if (*at > UINT32_C(1) << 20)
            return refuse(l, v->line, "%s: its parameters take more than 1 MiB", f->name);
    }
    *out = p;
    *out_count = (uint32_t)count;
    return true;
}

// Zeroes memory by returning whole pages, which read as zero when touched again. A large variable
// therefore occupies only those pages that a kernel uses.
static void clear(unsigned char *p, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t from = (size_t)align_up((uintptr_t)p, page) - (uintptr_t)p;

    if (bytes < 16 * page || madvise(p + from, (bytes - from) / page * page, MADV_DONTNEED) != 0) {
        memset(p, 0, bytes);
        return;
    }
    size_t to = from + (bytes - from) / page * page;
    memset(p, 0, from);
    memset(p + to, 0, bytes - to);
}

// Allocates memory for a .global or .const variable, and makes it accessible to kernels. Returns 0
// after a refusal.
static uint64_t place_memory(struct loader *l, const struct sim_variable *v)
{
    size_t align = variable_align(v) > 256 ? variable_align(v) : 256;
    size_t bytes = (size_t)align_up(v->bytes ? v->bytes : 1, align);

    if (v->space == SIM_CONST) {
        l->constant = align_up(l->constant, variable_align(v)) + v->bytes;
        if (l->constant > CONSTANT) {
            refuse(l, v->line,
                   "with %s the module's .const variables take %llu bytes, %d is the most", v->name,
                   (unsigned long long)l->constant, CONSTANT);
            return 0;
        }
    }
    unsigned char *p = aligned_alloc(align, bytes);
    if (!p) {
        refuse(l, v->line, "no host memory for %s of %llu bytes", v->name,
               (unsigned long long)v->bytes);
        return 0;
    }
    clear(p, bytes);
    if (v->init)
        memcpy(p, v->init, v->bytes);
    sim_memory_add((uint64_t)(uintptr_t)p, v->bytes, SIM_ANY_DEVICE);
    return (uint64_t)(uintptr_t)p;
}

// Lays out a function's variables and parameters.
static bool place_function(struct loader *l, uint32_t index)
{
    struct sim_program *program = l->program;
    const struct sim_function *f = &program->module->functions[index];
    struct sim_code *code = &program->codes[index];
    uint64_t param = 0, local = 0;
    uint32_t shared = 0;

    code->name = f->name;
    code->source = f;
    code->index = index;
    if (!place_parameters(l, f, f->parameters, f->parameter_count, &param, &code->arguments,
                          &code->argument_count))
        return false;
    if (f->is_entry) {
        int most = program->module->version < 81 ? PARAMETERS_BEFORE_81 : PARAMETERS;
        if (param > (uint64_t)most)
            return refuse(l, f->line, "%s: its parameters take %llu bytes, %d is the most%s",
                          f->name, (unsigned long long)param, most,
                          most == PARAMETERS ? "" : " before .version 8.1");
        code->entry_param_bytes = (uint32_t)param;
        param = 0;
    }
    if (!place_parameters(l, f, f->results, f->result_count, &param, &code->results,
                          &code->result_count))
        return false;
    program->variable_at[index] =
        sim_program_keep(program, (f->variable_count + 1) * sizeof(uint32_t));
    if (!program->variable_at[index])
        return refuse(l, f->line, "%s: no host memory", f->name);
    program->function_shared[index] = program->shared_count;
    for (size_t i = 0; i < f->variable_count; i++) {
        const struct sim_variable *v = &f->variables[i];
        uint32_t *at = &program->variable_at[index][i];
        switch (v->space) {
        case SIM_PARAM:
            param = align_up(param, variable_align(v));
            *at = (uint32_t)param;
            param += v->bytes;
            break;
        case SIM_LOCAL:
            local = align_up(local, variable_align(v));
            *at = (uint32_t)local;
            local += v->bytes;
            break;
        case SIM_SHARED:
            *at = shared++;
            program->shared[program->shared_count].variable = v;
            program->shared[program->shared_count++].dynamic = v->is_extern;
            break;
        case SIM_GLOBAL:
        case SIM_CONST:
            *at = program->inner_count;
            program->inner[program->inner_count].variable = v;
            program->inner[program->inner_count].address = place_memory(l, v);
            if (!program->inner[program->inner_count++].address)
                return false;
            break;
        default:
            return refuse(l, v->line,
                          "%s: variable %s is in a space that is not known in a function", f->name,
                          v->name);
        }
        if (param > UINT32_C(1) << 20 || local > UINT32_C(512) << 10)
            return refuse(l, v->line, "%s: %s does not fit: 512 KiB of .local and 1 MiB of .param",
                          f->name, v->name);
    }
    code->param_bytes = (uint32_t)align_up(param, 16);
    code->local_bytes = (uint32_t)align_up(local, 16);
    return true;
}

// Allocates memory for the module's .global and .const variables, and numbers its .shared
// variables.
static bool place_variables(struct loader *l)
{
    struct sim_program *program = l->program;
    const struct sim_module *m = program->module;

    for (size_t i = 0; i < m->variable_count; i++) {
        const struct sim_variable *v = &m->variables[i];
        if (v->space == SIM_SHARED) {
            program->addresses[i] = program->shared_count;
            program->shared[program->shared_count].variable = v;
            program->shared[program->shared_count++].dynamic = v->is_extern;
            continue;
        }
        if (v->space != SIM_GLOBAL && v->space != SIM_CONST)
            return refuse(l, v->line, "variable %s is in a space that a module has none in",
                          v->name);
        if (v->is_extern)
            continue;
        program->addresses[i] = place_memory(l, v);
        if (!program->addresses[i])
            return false;
        program->placed[i] = true;
    }
    return true;
}

// Returns the first variable with a name that lies in memory owned by the program; SIZE_MAX if
// there is none.
static size_t placed_variable(const struct sim_program *program, const char *name)
{
    size_t found = SIZE_MAX;

    SIM_INDEX_EACH(i, &program->variables_named, sim_index_name(name))
    if (program->placed[i] && strcmp(program->module->variables[i].name, name) == 0)
        found = i;
    return found;
}

static bool symbol_value(const struct sim_program *program, const char *name, uint64_t *value)
{
    const struct sim_module *m = program->module;
    size_t v = placed_variable(program, name), f = SIZE_MAX;

    if (v != SIZE_MAX) {
        *value = program->addresses[v];
        return true;
    }
    SIM_INDEX_EACH(i, &program->functions_named, sim_index_name(name))
    if (strcmp(m->functions[i].name, name) == 0 && m->functions[i].is_defined)
        f = i;
    *value = SIM_WINDOW_CODE | (f + 1);
    return f != SIZE_MAX;
}

static bool relocate_one(struct loader *l, const struct sim_variable *v, uint64_t address)
{
    for (size_t r = 0; r < v->relocation_count; r++) {
        const struct sim_relocation *at = &v->relocations[r];
        uint64_t value;
        if (!symbol_value(l->program, at->symbol, &value))
            return refuse(l, v->line,
                          "%s is initialised with the address of %s, which is not defined", v->name,
                          at->symbol);
        value = (value + (uint64_t)at->addend) >> at->shift;
        if (at->bytes > 8 || at->at + (uint64_t)at->bytes > v->bytes)
            return refuse(l, v->line, "%s has an initialiser past its end", v->name);
        memcpy((unsigned char *)(uintptr_t)address + at->at, &value, at->bytes);
    }
    return true;
}

static bool relocate(struct loader *l)
{
    struct sim_program *program = l->program;

    for (size_t i = 0; i < program->module->variable_count; i++)
        if (program->placed[i] &&
            !relocate_one(l, &program->module->variables[i], program->addresses[i]))
            return false;
    for (uint32_t i = 0; i < program->inner_count; i++)
        if (!relocate_one(l, program->inner[i].variable, program->inner[i].address))
            return false;
    return true;
}

// Reachability: the functions that an entry reaches, and through them shared variables

static bool calls_by_address(const struct sim_code *code)
{
    for (uint32_t i = 0; i < code->op_count; i++)
        if (code->ops[i].run == sim_run_call_indirect)
            return true;
    return false;
}

// Scratch memory for laying out shared memory, allocated once and used for each entry. It includes
// the functions that the entry reaches, as a list and as a set.
struct plan {
    uint32_t *reached, reached_count;
    bool *is_reached; // [function_count]
    bool *used;       // [shared_count]
    struct depth *depths;
    const struct sim_code **path; // chain of calls
};

static void reach(const struct sim_code *code, struct plan *plan)
{
    if (plan->is_reached[code->index])
        return;
    plan->is_reached[code->index] = true;
    plan->reached[plan->reached_count++] = code->index;
}

// Collects all functions that the entry calls directly or indirectly. Iterates over a list, since
// call chains can be too long for recursion.
static void reach_all(const struct sim_program *program, const struct sim_code *entry,
                      struct plan *plan)
{
    const struct sim_module *m = program->module;
    bool any = false;

    reach(entry, plan);
    for (uint32_t n = 0; n < plan->reached_count; n++) {
        const struct sim_code *code = &program->codes[plan->reached[n]];
        for (uint32_t i = 0; i < code->op_count; i++)
            if (code->ops[i].run == sim_run_call)
                reach(((const struct sim_call *)code->ops[i].data)->code, plan);
        // An indirect call may reach any function except an entry: the loader does not track which
        // functions have their addresses taken.
        if (any || !calls_by_address(code))
            continue;
        any = true;
        for (size_t f = 0; f < m->function_count; f++)
            if (!m->functions[f].is_entry && m->functions[f].is_defined)
                reach(&program->codes[f], plan);
    }
}

// The deepest call stack of a function, with each function on it counted once. `deep`: recursion,
// an indirect call or alloca may need more.
struct depth {
    uint32_t bytes; // until KNOWN: the result so far
    uint32_t next;  // next op to inspect
    bool deep;
    enum { NEW, IN_PROGRESS, KNOWN } state;
};

static bool takes_stack(const struct sim_code *code, const struct sim_op *op)
{
    return op->run == sim_run_call_indirect ||
           (op->statement < code->source->statement_count &&
            strcmp(code->source->statements[op->statement].word[0], "alloca") == 0);
}

// Continues with a function until it needs the depth of another function, and returns that other
// function. Returns NULL once the function's own depth is known.
static const struct sim_code *count_stack(const struct sim_code *code, struct depth *depths)
{
    struct depth *own = &depths[code->index];

    own->state = IN_PROGRESS;
    for (; own->next < code->op_count; own->next++) {
        const struct sim_op *op = &code->ops[own->next];
        if (op->run != sim_run_call) {
            own->deep = own->deep || takes_stack(code, op);
            continue;
        }
        const struct sim_code *callee = ((const struct sim_call *)op->data)->code;
        const struct depth *other = &depths[callee->index];
        if (other->state == NEW)
            return callee;
        own->deep = own->deep || other->deep || other->state == IN_PROGRESS;
        if (other->state == KNOWN && other->bytes > own->bytes)
            own->bytes = other->bytes;
    }
    own->bytes += code->local_bytes;
    own->state = KNOWN;
    return NULL;
}

static uint32_t stack_of(const struct sim_code *entry, struct plan *plan)
{
    uint32_t path = 0;

    plan->path[path++] = entry;
    if (plan->depths[entry->index].state == KNOWN)
        path = 0;
    while (path) {
        const struct sim_code *callee = count_stack(plan->path[path - 1], plan->depths);
        if (callee)
            plan->path[path++] = callee;
        else
            path--;
    }
    return plan->depths[entry->index].bytes;
}

static void plan_free(struct plan *plan)
{
    free(plan->reached);
    free(plan->path);
    free(plan->is_reached);
    free(plan->used);
    free(plan->depths);
}

static bool plan_new(struct plan *plan, const struct sim_program *program)
{
    size_t functions = program->module->function_count;

    *plan = (struct plan){
        .reached = calloc(functions + 1, sizeof(*plan->reached)),
        .path = calloc(functions + 1, sizeof(*plan->path)),
        .is_reached = calloc(functions + 1, sizeof(*plan->is_reached)),
        .used = calloc(program->shared_count + 1, sizeof(*plan->used)),
        .depths = calloc(functions + 1, sizeof(*plan->depths)),
    };
    return plan->reached && plan->path && plan->is_reached && plan->used && plan->depths;
}

// Resets the state for the next entry. Keeps depths, which do not depend on the entry.
static void plan_clear(struct plan *plan, const struct sim_program *program)
{
    for (uint32_t i = 0; i < plan->reached_count; i++)
        plan->is_reached[plan->reached[i]] = false;
    plan->reached_count = 0;
    memset(plan->used, 0, program->shared_count * sizeof(*plan->used));
}

static bool plan_entry(struct loader *l, struct sim_code *code, struct plan *plan)
{
    struct sim_program *program = l->program;
    uint32_t *at = sim_program_keep(program, (program->shared_count + 1) * sizeof(*at));
    bool fits = true, *used = plan->used;
    uint64_t end = 0, dynamic_at = 0;

    if (!at)
        return refuse(l, code->source->line, "%s: no host memory", code->name);
    plan_clear(plan, program);
    reach_all(program, code, plan);
    // Like ptxas, count an entry's own shared variables even if nothing refers to them.
    for (size_t i = 0; i < code->source->variable_count; i++)
        if (code->source->variables[i].space == SIM_SHARED)
            used[program->variable_at[code->index][i] + program->function_shared[code->index]] =
                true;
    for (uint32_t n = 0; n < plan->reached_count; n++) {
        const struct sim_code *reached = &program->codes[plan->reached[n]];
        for (uint32_t i = 0; i < reached->address_count; i++)
            if (reached->addresses[i].space == SIM_SHARED)
                used[reached->addresses[i].symbol] = true;
    }
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        for (uint32_t i = 0; i < program->shared_count; i++) {
            const struct sim_variable *v = program->shared[i].variable;
            if (!used[i] || program->shared[i].dynamic != (dynamic == 1))
                continue;
            uint64_t start = align_up(end, variable_align(v));
            at[i] = (uint32_t)start;
            if (!dynamic)
                end = start + v->bytes;
            dynamic_at = start > dynamic_at ? start : dynamic_at;
            fits = fits && end <= UINT32_C(1) << SIM_RANK_SHIFT;
        }
    }
    code->shared_at = at;
    code->shared_bytes = (uint32_t)end;
    code->dynamic_at = (uint32_t)(end > dynamic_at ? end : dynamic_at);
    code->stack_bytes = (uint32_t)align_up(stack_of(code, plan), 16);
    code->deep = plan->depths[code->index].deep;
    if (!fits || end > STATIC_SHARED)
        return refuse(l, code->source->line,
                      "%s: its shared variables take %llu bytes, and an entry may declare %d: more "
                      "is dynamic shared memory",
                      code->name, (unsigned long long)end, STATIC_SHARED);
    return true;
}

static bool plan_entries(struct loader *l)
{
    struct sim_program *program = l->program;
    const struct sim_module *m = program->module;
    struct plan plan;
    bool good = plan_new(&plan, program) || refuse(l, 0, "no host memory");

    for (size_t f = 0; f < m->function_count && good; f++) {
        if (!m->functions[f].is_entry || !m->functions[f].is_defined)
            continue;
        good = plan_entry(l, &program->codes[f], &plan);
        program->kernels[program->kernel_count].name = m->functions[f].name;
        program->kernels[program->kernel_count++].code = &program->codes[f];
    }
    plan_free(&plan);
    return good;
}

static bool load(struct loader *l)
{
    struct sim_program *program = l->program;
    const struct sim_module *m = program->module;
    size_t shared = 0, inner = 0;

    for (size_t i = 0; i < m->variable_count; i++)
        shared += m->variables[i].space == SIM_SHARED;
    for (size_t f = 0; f < m->function_count; f++) {
        for (size_t i = 0; i < m->functions[f].variable_count; i++) {
            enum sim_space space = m->functions[f].variables[i].space;
            shared += space == SIM_SHARED;
            inner += space == SIM_GLOBAL || space == SIM_CONST;
        }
    }
    program->codes = sim_program_keep(program, (m->function_count + 1) * sizeof(struct sim_code));
    program->addresses = sim_program_keep(program, (m->variable_count + 1) * sizeof(uint64_t));
    program->placed = sim_program_keep(program, (m->variable_count + 1) * sizeof(bool));
    program->shared = sim_program_keep(program, (shared + 1) * sizeof(struct sim_shared));
    program->inner = sim_program_keep(program, (inner + 1) * sizeof(struct sim_inner));
    program->function_shared =
        sim_program_keep(program, (m->function_count + 1) * sizeof(uint32_t));
    program->variable_at = sim_program_keep(program, (m->function_count + 1) * sizeof(uint32_t *));
    program->kernels =
        sim_program_keep(program, (m->function_count + 1) * sizeof(struct sim_kernel));
    if (!program->codes || !program->addresses || !program->placed || !program->shared ||
        !program->inner || !program->function_shared || !program->variable_at || !program->kernels)
        return refuse(l, 0, "no host memory");
    for (size_t i = 0; i < m->variable_count; i++)
        if (!sim_index_add(&program->variables_named, sim_index_name(m->variables[i].name)))
            return refuse(l, 0, "no host memory");
    for (size_t f = 0; f < m->function_count; f++)
        if (!sim_index_add(&program->functions_named, sim_index_name(m->functions[f].name)))
            return refuse(l, 0, "no host memory");
    if (!place_variables(l))
        return false;
    for (size_t f = 0; f < m->function_count; f++)
        if (!place_function(l, (uint32_t)f))
            return false;
    if (!relocate(l))
        return false;
    for (size_t f = 0; f < m->function_count; f++)
        if (m->functions[f].is_defined && !sim_decode(program, (uint32_t)f, l->log, l->log_bytes))
            return false;
    return plan_entries(l);
}

static const struct sim_handlers handlers = {
    .branch = sim_run_bra,
    .branch_indexed = sim_run_brx,
    .exit = sim_run_exit,
    .ret = sim_run_ret,
    .stores_same = sim_store_is_same,
};

struct sim_program *sim_program_load(const char *ptx, size_t bytes, int device_arch, char *log,
                                     size_t log_bytes)
{
    char unused[1];
    struct loader l = { .log = log_bytes ? log : unused, .log_bytes = log_bytes ? log_bytes : 1 };

    l.log[0] = '\0';
    struct sim_module *module = sim_ptx_parse(ptx, bytes, l.log, l.log_bytes);
    if (!module)
        return NULL;
    if (device_arch && module->target > device_arch) {
        refuse(&l, 1, "the module is for sm_%d, the device is sm_%d", module->target, device_arch);
        sim_ptx_free(module);
        return NULL;
    }
    l.program = calloc(1, sizeof(*l.program));
    if (!l.program) {
        refuse(&l, 0, "no host memory");
        sim_ptx_free(module);
        return NULL;
    }
    static _Atomic uint64_t serial;
    l.program->serial = atomic_fetch_add_explicit(&serial, 1, memory_order_relaxed) + 1;
    l.program->module = module;
    l.program->handlers = &handlers;
    if (!load(&l)) {
        sim_program_free(l.program);
        return NULL;
    }
    return l.program;
}

// Frees memory that the program owns but declares as const.
static void drop(const void *p)
{
    void *mine;
    memcpy(&mine, &p, sizeof(mine));
    free(mine);
}

void sim_program_free(struct sim_program *program)
{
    static const char unloaded[] = "the unloading of their module";

    if (!program)
        return;
    for (size_t i = 0; program->placed && i < program->module->variable_count; i++) {
        if (program->placed[i]) {
            sim_memory_remove(program->addresses[i], unloaded);
            free((void *)(uintptr_t)program->addresses[i]);
        }
    }
    for (uint32_t i = 0; i < program->inner_count; i++) {
        if (program->inner[i].address)
            sim_memory_remove(program->inner[i].address, unloaded);
        free((void *)(uintptr_t)program->inner[i].address);
    }
    for (size_t f = 0; program->codes && f < program->module->function_count; f++) {
        drop(program->codes[f].ops);
        drop(program->codes[f].image);
        free(program->codes[f].specials);
        free(program->codes[f].addresses);
    }
    for (size_t i = 0; i < program->kept_count; i++)
        free(program->kept[i]);
    free(program->kept);
    sim_index_free(&program->variables_named);
    sim_index_free(&program->functions_named);
    sim_ptx_free(program->module);
    free(program);
}

size_t sim_program_kernel_count(const struct sim_program *program)
{
    return program->kernel_count;
}

const struct sim_kernel *sim_program_kernel(const struct sim_program *program, size_t index)
{
    return index < program->kernel_count ? &program->kernels[index] : NULL;
}

bool sim_program_variable(const struct sim_program *program, const char *name, uint64_t *address,
                          uint64_t *bytes)
{
    size_t v = placed_variable(program, name);

    if (v == SIZE_MAX)
        return false;
    *address = program->addresses[v];
    *bytes = program->module->variables[v].bytes;
    return true;
}
