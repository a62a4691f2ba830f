// Reads the tables of a PTX text for the fake driver: kernels with their parameters and static
// memory, and variables. The simulator's parser reads the text.
#include "fake_internal.h"

#include "sim/exec/run.h"
#include "sim/shell/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *keep(const char *text)
{
    return strcpy(sim_alloc(strlen(text) + 1), text);
}

static size_t align_up(size_t at, size_t to)
{
    return (at + to - 1) / to * to;
}

static int bytes_in(enum sim_space space, const struct sim_function *f)
{
    size_t sum = 0;

    for (size_t i = 0; i < f->variable_count; i++)
        if (f->variables[i].space == space)
            sum = align_up(sum, f->variables[i].align) + f->variables[i].bytes;
    return (int)sum;
}

static void add_kernel(struct library *library, const struct sim_function *f,
                       const struct kernel_facts *module)
{
    struct kernel *k = sim_kernel_new(library, keep(f->name));
    struct kernel_facts facts = *module;

    k->code = fake_kernel_slot(k->name);
    k->parameters = sim_alloc((f->parameter_count + 1) * sizeof(*k->parameters));
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct sim_variable *v = &f->parameters[i];
        size_t offset = align_up(k->parameter_bytes, v->align);
        k->parameters[k->parameter_count++] =
            (struct parameter){ .offset = offset, .bytes = v->bytes };
        k->parameter_bytes = offset + v->bytes;
    }
    sim_text_launch_bounds(&facts, f);
    facts.registers = f->max_registers ? (int)f->max_registers : 32;
    facts.shared = bytes_in(SIM_SHARED, f);
    facts.local = bytes_in(SIM_LOCAL, f);
    sim_kernel_ready(k, &facts);
}

static void add_variable(struct library *library, const struct sim_variable *from)
{
    struct variable *v = sim_alloc(sizeof(*v));

    v->next = library->code;
    library->code = v;
    v->name = keep(from->name);
    v->bytes = from->bytes;
    v->managed = from->is_managed;
    v->hidden = !from->is_visible && !from->is_weak && !from->is_common;
    v->initial = sim_alloc(v->bytes);
    if (from->init)
        memcpy(v->initial, from->init, v->bytes);
}

// Checks for known instructions. The parser knows only the grammar, and nothing is decoded here.
// The instruction tables lack call, which the decoder handles itself.
static bool has_known_instructions(const struct sim_function *f, char *log, size_t log_bytes)
{
    for (size_t i = 0; i < f->statement_count; i++) {
        const struct sim_statement *s = &f->statements[i];
        if (strcmp(s->word[0], "call") == 0 || sim_instruction_find(s->word[0]))
            continue;
        snprintf(log, log_bytes, "line %u: unknown instruction %s", s->line, s->word[0]);
        return false;
    }
    return true;
}

// Returns the newest PTX version that the driver reads, as 90 for 9.0.
static int newest_ptx(void)
{
    static const struct {
        int driver, ptx;
    } table[] = { { 13000, 90 }, { 12090, 88 }, { 12080, 87 }, { 12070, 86 }, { 12050, 85 },
                  { 12040, 84 }, { 12030, 83 }, { 12020, 82 }, { 12010, 81 }, { 0, 80 } };
    size_t i = 0;

    while (sim.version < table[i].driver)
        i++;
    return table[i].ptx;
}

static void add_all(struct library *library, const struct sim_module *m)
{
    struct kernel_facts facts = { .ptx = m->target };

    for (size_t i = 0; i < m->variable_count; i++) {
        const struct sim_variable *v = &m->variables[i];
        if (v->is_extern || (v->space != SIM_GLOBAL && v->space != SIM_CONST))
            continue;
        add_variable(library, v);
        facts.constant += v->space == SIM_CONST ? (int)v->bytes : 0;
    }
    for (size_t i = 0; i < m->function_count; i++)
        if (m->functions[i].is_entry && m->functions[i].is_defined)
            add_kernel(library, &m->functions[i], &facts);
}

CUresult fake_ptx_scan(struct library *library, const char *text, char *log, size_t log_bytes)
{
    const int arch = 10 * sim_attribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                     sim_attribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    CUresult code = sim_text_check_head(text, newest_ptx(), arch, log, log_bytes);
    struct sim_module *m = code ? NULL : sim_ptx_parse(text, strlen(text), log, log_bytes);

    if (!code && !m)
        code = CUDA_ERROR_INVALID_PTX;
    for (size_t i = 0; !code && i < m->function_count; i++)
        if (!has_known_instructions(&m->functions[i], log, log_bytes))
            code = CUDA_ERROR_INVALID_PTX;
    if (!code)
        add_all(library, m);
    sim_ptx_free(m);
    return code;
}
