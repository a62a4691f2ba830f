// Kernels that execute instances. Each thread reads its inputs in steps of 8 bytes, one operand's
// column after another, and writes its outputs in the same way.
#include "base/text.h"
#include "opcodes.h"

#include <stdlib.h>
#include <string.h>

// Registers for a row's text; they are declared only if the text names them.
static const struct {
    const char *prefix, *type;
} scratch[] = {
    { "%h", "b16" }, { "%r", "b32" },  { "%q", "b64" },
    { "%f", "f32" }, { "%p", "pred" }, { "%x", "b128" },
};

static const char *register_type(char reg)
{
    switch (reg) {
    case 'p':
        return "pred";
    case 'c':
        return "b8";
    case 'h':
        return "b16";
    case 'r':
        return "b32";
    default:
        return "b64";
    }
}

// Returns whether a text is one instruction that each thread executes by itself.
static bool stands_alone(const struct instance *x)
{
    static const char *const families[] = { "integer", "logic",   "float", "half",
                                            "convert", "compare", "video" };

    for (uint32_t k = 0; k < x->outs; k++)
        if (x->out[k]->reg == 'c') // only loads and conversions write 8 bits
            return false;
    for (size_t i = 0; i < CUC_LENGTH(families); i++)
        if (strcmp(x->row->family, families[i]) == 0)
            return strchr(x->text, ';')[1] == '\0';
    return false;
}

// Writes the instance's text with other destinations and, if `aliased`, with another first source.
static void say_again(struct cuc__text *t, const struct instance *x, bool aliased)
{
    for (const char *at = x->text; *at; at++) {
        const bool renamed = strncmp(at, "%d", 2) == 0 || (aliased && strncmp(at, "%i0", 3) == 0);
        cuc__text_put(t, "%.*s", renamed ? 2 : 1, renamed ? "%g" : at);
        at += renamed;
    }
    cuc__text_put(t, "\n");
}

// Inverts result k if registers %g<k> and %e<k> differ.
static void say_comparison(struct cuc__text *t, const struct instance *x, uint32_t k)
{
    const char *type = register_type(x->out[k]->reg);

    if (x->out[k]->reg == 'p')
        cuc__text_put(t, "xor.pred %%wrong, %%g%u, %%e%u;\n", k, k);
    else
        cuc__text_put(t, "setp.ne.%s %%wrong, %%g%u, %%e%u;\n", type, k, k);
    cuc__text_put(t, "@%%wrong not.%s %%d%u, %%d%u;\n", type, k, k);
}

// Executes the instruction twice more: under a guard, where the destinations of the other threads
// must keep their values, and with its first source as the destination. A different result is
// inverted, so that the oracle rejects it.
static void say_variants(struct cuc__text *t, const struct instance *x)
{
    const bool aliased = x->outs == 1 && x->ins && x->in[0]->reg == x->out[0]->reg;

    cuc__text_put(t,
                  ".reg .pred %%wrong;\nand.b32 %%pick, %%n, 5;\nsetp.ne.u32 %%set, %%pick, 0;\n");
    for (uint32_t k = 0; k < x->outs; k++) {
        const char *type = register_type(x->out[k]->reg);
        const char *untouched = x->out[k]->reg == 'p'   ? "0"
                                : x->out[k]->reg == 'h' ? "0x3c3c"
                                : x->out[k]->reg == 'r' ? "0xc3c33c3c"
                                                        : "0x5a5aa5a5c3c33c3c";
        cuc__text_put(t, ".reg .%s %%g%u, %%e%u;\nmov.%s %%g%u, %s;\nmov.%s %%e%u, %s;\n", type, k,
                      k, type, k, untouched, type, k, untouched);
        cuc__text_put(t, "@%%set mov.%s %%e%u, %%d%u;\n", type, k, k);
    }
    cuc__text_put(t, "@%%set ");
    say_again(t, x, false);
    for (uint32_t k = 0; k < x->outs; k++)
        say_comparison(t, x, k);
    if (aliased) {
        const char *type = register_type(x->out[0]->reg);
        cuc__text_put(t, "mov.%s %%g0, %%i0;\nmov.%s %%e0, %%d0;\n", type, type);
        say_again(t, x, true);
        say_comparison(t, x, 0);
    }
}

static void say_kernel(struct cuc__text *t, const struct instance *x, size_t index, bool variants)
{
    const uint32_t stride = x->cases * 8;

    cuc__text_put(t, ".visible .entry k%zu(.param .u64 pi, .param .u64 po)\n{\n", index);
    cuc__text_put(t,
                  ".reg .b64 %%in, %%out, %%at;\n.reg .b32 %%n, %%m, %%pick;\n.reg .pred %%set;\n");
    for (uint32_t i = 0; i < x->outs; i++)
        cuc__text_put(t, ".reg .%s %%d%u;\n", register_type(x->out[i]->reg), i);
    for (uint32_t i = 0; i < x->ins; i++)
        cuc__text_put(t, ".reg .%s %%i%u;\n", register_type(x->in[i]->reg), i);
    for (size_t i = 0; i < CUC_LENGTH(scratch); i++)
        if (strstr(x->text, scratch[i].prefix))
            cuc__text_put(t, ".reg .%s %s<50>;\n", scratch[i].type, scratch[i].prefix);
    cuc__text_put(t,
                  "mov.u32 %%n, %%tid.x;\nmov.u32 %%m, %%ctaid.x;\nmad.lo.u32 %%m, %%m, %u, %%n;\n",
                  BLOCK);
    cuc__text_put(
        t, "mul.wide.u32 %%at, %%m, 8;\nld.param.u64 %%in, [pi];\nadd.u64 %%in, %%in, %%at;\n");
    cuc__text_put(t, "ld.param.u64 %%out, [po];\nadd.u64 %%out, %%out, %%at;\n");
    if (strstr(x->text, "%s") || strstr(x->text, "%w") || strstr(x->text, "%b"))
        cuc__text_put(
            t,
            ".shared .align 128 .b8 scratch[%u];\n.reg .b32 %%s, %%w, %%b;\nmov.u32 %%b, scratch;\n"
            "shr.u32 %%w, %%n, 5;\nmad.lo.u32 %%w, %%w, %u, %%b;\nmad.lo.u32 %%s, %%n, 64, %%b;\n",
            BLOCK / WARP * WARP_SHARED, WARP_SHARED);
    if (strstr(x->text, "%lane"))
        cuc__text_put(t, ".reg .b32 %%lane;\nmov.u32 %%lane, %%laneid;\n");
    for (uint32_t i = 0; i < x->ins; i++) {
        if (x->in[i]->reg == 'p')
            cuc__text_put(t, "ld.global.b32 %%pick, [%%in+%u];\nsetp.ne.u32 %%i%u, %%pick, 0;\n",
                          i * stride, i);
        else
            cuc__text_put(t, "ld.global.%s %%i%u, [%%in+%u];\n", register_type(x->in[i]->reg), i,
                          i * stride);
    }
    cuc__text_put(t, "%s\n", x->text);
    if (variants && stands_alone(x))
        say_variants(t, x);
    for (uint32_t i = 0; i < x->outs; i++) {
        if (x->out[i]->reg == 'p')
            cuc__text_put(t, "selp.b32 %%pick, 1, 0, %%d%u;\nst.global.b32 [%%out+%u], %%pick;\n",
                          i, i * stride);
        else
            cuc__text_put(t, "st.global.%s [%%out+%u], %%d%u;\n", register_type(x->out[i]->reg),
                          i * stride, i);
    }
    cuc__text_put(t, "ret;\n}\n");
}

char *instances_ptx(const struct instance *const *list, size_t count, const char *target,
                    bool variants)
{
    struct cuc__text t = { 0 };

    cuc__text_put(&t, ".version 9.0\n.target %s\n.address_size 64\n", target);
    for (size_t i = 0; i < count; i++)
        say_kernel(&t, list[i], i, variants);
    if (t.lost)
        abort();
    return t.at;
}
