// Runs inline PTX: wraps it into a kernel with one thread per element, and runs the kernel in the
// simulator.
//
// Registers have the same classes as in emitted code. Their names begin with %cuc, which no source
// uses. In memory, elements take 64 bits, as in scalar.h.
#include "machine.h"

#include "driver/simulator.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 256 };

struct tile_assembly {
    const struct tile_op *op;
    void *code;
    struct tile_assembly *next;
};

// A dtype's register class, and the conversions from 64 bits and back.
struct class
{
    const char *type, *from, *to;
};
static const struct class *class_of(cuc_dtype dtype)
{
    static const struct class predicate = { "pred", "setp.ne.u64 %s, %%cucw, 0;",
                                            "selp.b64 %%cucw, 1, 0, %s;" },
                              half = { "b16", "cvt.u16.u64 %s, %%cucw;",
                                       "cvt.u64.u16 %%cucw, %s;" },
                              word = { "b32", "cvt.u32.u64 %s, %%cucw;",
                                       "cvt.u64.u32 %%cucw, %s;" },
                              wide = { "b64", "mov.b64 %s, %%cucw;", "mov.b64 %%cucw, %s;" };

    uint32_t bits = tile_register_bits(dtype);

    return bits == 1 ? &predicate : bits == 16 ? &half : bits == 64 ? &wide : &word;
}

static const char *register_name(char buffer[16], uint32_t number)
{
    snprintf(buffer, 16, "%%cuc%u", number);
    return buffer;
}

// Writes the text of the op, with registers in place of the placeholders.
static void put_text(FILE *to, const char *text)
{
    char name[16];

    fputs("\t{\n\t", to);
    while (*text) {
        if (*text == '$' && isdigit((unsigned char)text[1])) {
            char *end;
            fputs(register_name(name, (uint32_t)strtoul(text + 1, &end, 10)), to);
            text = end;
        } else if (*text == '\n') { // a newline ends an instruction, like a semicolon
            fputs(";\n\t", to);
            text++;
        } else {
            fputc(*text++, to);
        }
    }
    fputs(";\n\t}\n", to);
}

static void put_kernel(FILE *to, const struct tile_op *op)
{
    char name[16];

    fprintf(to,
            ".version 9.0\n.target sm_90a\n.address_size 64\n"
            ".visible .entry instructions(.param .align 8 .b8 args[%u])\n{\n"
            "\t.reg .pred %%cucp;\n\t.reg .b32 %%cuci, %%cucb;\n\t.reg .b64 %%cucw, %%cuca;\n",
            8 * (op->operand_count + 2));
    for (uint32_t i = 0; i <= op->operand_count; i++) {
        const struct tile_value *x = i ? op->operand[i - 1] : op->result[0];
        fprintf(to, "\t.reg .%s %s;\n", class_of(x->type.dtype)->type, register_name(name, i));
    }
    fprintf(to,
            "\tmov.u32 %%cuci, %%tid.x;\n\tmov.u32 %%cucb, %%ctaid.x;\n"
            "\tmad.lo.u32 %%cuci, %%cucb, %d, %%cuci;\n\tcvt.u64.u32 %%cuca, %%cuci;\n"
            "\tld.param.u64 %%cucw, [args];\n\tsetp.ge.u64 %%cucp, %%cuca, %%cucw;\n"
            "\t@%%cucp ret;\n",
            THREADS);
    for (uint32_t i = 1; i <= op->operand_count; i++) {
        fprintf(to,
                "\tld.param.u64 %%cuca, [args+%u];\n\tmad.wide.u32 %%cuca, %%cuci, 8, %%cuca;\n"
                "\tld.global.b64 %%cucw, [%%cuca];\n\t",
                8 * (i + 1));
        fprintf(to, class_of(op->operand[i - 1]->type.dtype)->from, register_name(name, i));
        fputc('\n', to);
    }
    put_text(to, tile_attribute(op, TILE_ATTR_TEXT)->text);
    fputc('\t', to);
    fprintf(to, class_of(op->result[0]->type.dtype)->to, register_name(name, 0));
    fputs("\n\tld.param.u64 %cuca, [args+8];\n\tmad.wide.u32 %cuca, %cuci, 8, %cuca;\n"
          "\tst.global.b64 [%cuca], %cucw;\n\tret;\n}\n",
          to);
}

// Returns the decoded code of an op. Decodes each op only once.
static void *code_of(struct tile_machine *m, const struct tile_op *op, const cuc__simulator *sim)
{
    struct tile_assembly *known = m->assembly;
    char *text = NULL, why[512] = "";
    size_t bytes = 0;

    while (known && known->op != op)
        known = known->next;
    if (known)
        return known->code;
    FILE *to = open_memstream(&text, &bytes);
    known = calloc(1, sizeof(*known));
    if (!to || !known) {
        if (to)
            fclose(to);
        free(text);
        free(known);
        tile_machine_no_memory(m);
        return NULL;
    }
    put_kernel(to, op);
    fclose(to);
    *known = (struct tile_assembly){ op, sim->load(text, bytes, why, sizeof(why)), m->assembly };
    m->assembly = known;
    free(text);
    if (!known->code) { // drop the line number, which is not that of the source
        const char *behind = strncmp(why, "line ", 5) == 0 ? strstr(why, ": ") : NULL;
        tile_machine_fail(m, op, "the instructions cannot be run: %s", behind ? behind + 2 : why);
    }
    return known->code;
}

// Sign- or zero-extends small dtypes, which inline code may leave with arbitrary high bits.
static uint64_t element_of(cuc_dtype dtype, uint64_t bits)
{
    if (tile_is_integer(dtype))
        return tile_element_of_int(dtype, (int64_t)bits);
    return cuc_dtype_bits(dtype) == 8 && dtype != CUC_BOOL ? bits & 0xff : bits;
}

bool tile_step_asm(struct tile_machine *m, const struct tile_op *op)
{
    uint64_t count = (uint64_t)tile_elements(&op->result[0]->type);
    struct sim_piece piece[TILE_MAX_RANK + 1];
    uint64_t args[TILE_MAX_RANK + 2] = { count };
    uint32_t pieces = 0;
    const char *where;
    const cuc__simulator *sim = cuc__simulator_get(&where);
    char why[512] = "";

    if (!sim)
        return tile_machine_fail(m, op,
                                 "it runs instructions in libcucore-sim.so, which is not "
                                 "beside libcucore nor where the loader looks: %s",
                                 where);
    for (uint32_t i = 0; i <= op->operand_count; i++) {
        uint64_t *element = tile_machine_elements(m, i ? op->operand[i - 1] : op->result[0]);
        uint32_t before = 0;
        if (!element)
            return false;
        args[i + 1] = (uintptr_t)element;
        while (before < pieces && piece[before].at != element)
            before++;
        if (before == pieces) // a value may occur several times among the operands
            piece[pieces++] = (struct sim_piece){ element, count * sizeof(*element), i > 0 };
    }
    void *code = code_of(m, op, sim);
    const struct sim_evaluation run = { .blocks = (uint32_t)((count + THREADS - 1) / THREADS),
                                        .threads = THREADS,
                                        .params = args,
                                        .piece = piece,
                                        .pieces = pieces };
    if (!code)
        return false;
    if (sim->run(code, &run, why, sizeof(why)))
        return tile_machine_fail(m, op, "the instructions: %s", why);
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    for (uint64_t i = 0; i < count; i++)
        out[i] = element_of(op->result[0]->type.dtype, out[i]);
    return true;
}

void tile_machine_drop_assembly(struct tile_machine *m)
{
    const char *where;
    const cuc__simulator *sim = m->assembly ? cuc__simulator_get(&where) : NULL;

    while (m->assembly) {
        struct tile_assembly *next = m->assembly->next;
        if (sim && m->assembly->code)
            sim->free(m->assembly->code);
        free(m->assembly);
        m->assembly = next;
    }
}
