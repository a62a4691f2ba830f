// The kernels that execute instances. Each thread reads its inputs at steps of 8 bytes, one
// operand's column after another, and writes its outputs likewise.
#include "base/array.h"
#include "opcodes.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *at;
    size_t used, room;
};

static void __attribute__((format(printf, 2, 3))) say(struct text *t, const char *fmt, ...)
{
    va_list args;
    int length;

    if (t->room - t->used < 4096) {
        t->room = t->room ? 2 * t->room : 1 << 16;
        t->at = realloc(t->at, t->room);
        if (!t->at)
            abort();
    }
    va_start(args, fmt);
    length = vsnprintf(t->at + t->used, t->room - t->used, fmt, args);
    va_end(args);
    t->used += (size_t)length;
}

// Registers for a row's text, declared only if it names them.
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

static void say_kernel(struct text *t, const struct instance *x, size_t index)
{
    const uint32_t stride = x->cases * 8;

    say(t, ".visible .entry k%zu(.param .u64 pi, .param .u64 po)\n{\n", index);
    say(t, ".reg .b64 %%in, %%out, %%at;\n.reg .b32 %%n, %%m, %%pick;\n.reg .pred %%set;\n");
    for (uint32_t i = 0; i < x->outs; i++)
        say(t, ".reg .%s %%d%u;\n", register_type(x->out[i]->reg), i);
    for (uint32_t i = 0; i < x->ins; i++)
        say(t, ".reg .%s %%i%u;\n", register_type(x->in[i]->reg), i);
    for (size_t i = 0; i < CUC_LENGTH(scratch); i++)
        if (strstr(x->text, scratch[i].prefix))
            say(t, ".reg .%s %s<50>;\n", scratch[i].type, scratch[i].prefix);
    say(t, "mov.u32 %%n, %%tid.x;\nmov.u32 %%m, %%ctaid.x;\nmad.lo.u32 %%m, %%m, %u, %%n;\n",
        BLOCK);
    say(t, "mul.wide.u32 %%at, %%m, 8;\nld.param.u64 %%in, [pi];\nadd.u64 %%in, %%in, %%at;\n");
    say(t, "ld.param.u64 %%out, [po];\nadd.u64 %%out, %%out, %%at;\n");
    if (strstr(x->text, "%s") || strstr(x->text, "%w") || strstr(x->text, "%b"))
        say(t,
            ".shared .align 128 .b8 scratch[%u];\n.reg .b32 %%s, %%w, %%b;\nmov.u32 %%b, scratch;\n"
            "shr.u32 %%w, %%n, 5;\nmad.lo.u32 %%w, %%w, %u, %%b;\nmad.lo.u32 %%s, %%n, 64, %%b;\n",
            BLOCK / WARP * WARP_SHARED, WARP_SHARED);
    if (strstr(x->text, "%lane"))
        say(t, ".reg .b32 %%lane;\nmov.u32 %%lane, %%laneid;\n");
    for (uint32_t i = 0; i < x->ins; i++) {
        if (x->in[i]->reg == 'p')
            say(t, "ld.global.b32 %%pick, [%%in+%u];\nsetp.ne.u32 %%i%u, %%pick, 0;\n", i * stride,
                i);
        else
            say(t, "ld.global.%s %%i%u, [%%in+%u];\n", register_type(x->in[i]->reg), i, i * stride);
    }
    say(t, "%s\n", x->text);
    for (uint32_t i = 0; i < x->outs; i++) {
        if (x->out[i]->reg == 'p')
            say(t, "selp.b32 %%pick, 1, 0, %%d%u;\nst.global.b32 [%%out+%u], %%pick;\n", i,
                i * stride);
        else
            say(t, "st.global.%s [%%out+%u], %%d%u;\n", register_type(x->out[i]->reg), i * stride,
                i);
    }
    say(t, "ret;\n}\n");
}

char *instances_ptx(const struct instance *const *list, size_t count, const char *target)
{
    struct text t = { 0 };

    say(&t, ".version 9.0\n.target %s\n.address_size 64\n", target);
    for (size_t i = 0; i < count; i++)
        say_kernel(&t, list[i], i);
    return t.at;
}
