// Tests the PTX parser: its output for every construct of the grammar and for NVRTC's code, every
// refusal, and damaged text.
#include "base/array.h"
#include "sim/ptx/ptx.h"
#include "tests.h"

#include <cucore/cucore.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

// ---- A module as text, to compare

static struct {
    char text[1 << 16];
    size_t at;
} out;

static const char *put(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static const char *put(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int n = vsnprintf(out.text + out.at, sizeof(out.text) - out.at, fmt, args);
    va_end(args);
    ck_assert(n >= 0 && (size_t)n < sizeof(out.text) - out.at);
    out.at += (size_t)n;
    return out.text;
}

static void restart(void)
{
    out.at = 0;
    out.text[0] = '\0';
}

static const char *special_name(uint64_t special)
{
    static const char *const names[] = {
#define SPECIAL(tag, name, type) name,
#include "sim/ptx/special.def"
#undef SPECIAL
    };

    ck_assert(special < CUC_LENGTH(names));
    return names[special];
}

static void put_register(const struct sim_function *f, uint32_t reg, uint32_t component,
                         uint32_t parts)
{
    static const char *const components[] = { ".x", ".y", ".z", ".w" };

    ck_assert(reg < f->register_count);
    put("%s%s", f->registers[reg].name,
        f->registers[reg].vector > 1 || component ? components[component] : "");
    if (parts)
        put(".%c", (int)SIM_PARTS_KIND(parts));
    for (uint32_t k = SIM_PARTS_COUNT(parts); k-- > 0;)
        put("%u", SIM_PARTS_DIGIT(parts, k));
}

// Writes an operand in PTX syntax, with decimal numbers.
static void put_operand(const struct sim_function *f, const struct sim_operand *o)
{
    static const char *const brackets[][2] = {
        [SIM_OP_VECTOR] = { "{", "}" },
        [SIM_OP_LIST] = { "(", ")" },
        [SIM_OP_TUPLE] = { "[", "]" },
    };

    switch (o->kind) {
    case SIM_OP_REGISTER:
        if (o->negated)
            put("%s", f->registers[o->reg].type == SIM_PRED ? "!" : "-");
        put_register(f, o->reg, o->component, o->parts);
        break;
    case SIM_OP_INTEGER:
        put("%lld", (long long)o->value.u);
        break;
    case SIM_OP_F32:
        put("0f%08llX", (unsigned long long)o->value.u);
        break;
    case SIM_OP_F64:
        put("0d%016llX", (unsigned long long)o->value.u);
        break;
    case SIM_OP_SPECIAL:
        put("%s", special_name(o->value.u));
        break;
    case SIM_OP_SYMBOL:
        put("%s", o->symbol);
        break;
    case SIM_OP_ADDRESS:
        put("[");
        put_operand(f, &o->list[0]);
        break;
    case SIM_OP_VECTOR:
    case SIM_OP_LIST:
    case SIM_OP_TUPLE:
        put("%s", brackets[o->kind][0]);
        for (uint32_t i = 0; i < o->count; i++) {
            put("%s", i ? "," : "");
            put_operand(f, &o->list[i]);
        }
        put("%s", brackets[o->kind][1]);
        break;
    case SIM_OP_SINK:
        put("_");
        break;
    }
    if (o->offset)
        put("+%lld", (long long)o->offset);
    if (o->kind == SIM_OP_ADDRESS)
        put("]");
    if (o->pair != SIM_NO_PAIR) {
        put("|");
        put_register(f, o->pair, 0, 0);
    }
}

static void put_statement(const struct sim_function *f, const struct sim_statement *s)
{
    if (s->guard != SIM_NO_GUARD) {
        put(s->guard_negated ? "@!" : "@");
        put_register(f, s->guard, 0, 0);
        put(" ");
    }
    for (uint32_t i = 0; i < s->words; i++)
        put("%s%s", i ? "." : "", s->word[i]);
    for (uint32_t i = 0; i < s->operands; i++) {
        put("%s", i ? "," : " ");
        put_operand(f, &s->operand[i]);
    }
}

static void put_variable(const struct sim_variable *v)
{
    static const char *const spaces[] = { "generic", "reg",   "const",  "global",
                                          "local",   "param", "shared", "shared::cluster" };

    put("%s%s%s%s%s%s%s.%s", v->is_extern ? "extern " : "", v->is_visible ? "visible " : "",
        v->is_weak ? "weak " : "", v->is_common ? "common " : "", v->is_managed ? "managed " : "",
        v->is_pointer ? "ptr " : "", spaces[v->space], sim_type_word(v->type));
    if (v->vector > 1)
        put("x%u", v->vector);
    put(" %s align %u bytes %llu", v->name, v->align, (unsigned long long)v->bytes);
    if (v->init) {
        put(" =");
        for (uint64_t i = 0; i < v->bytes; i++)
            put(" %02x", v->init[i]);
    }
    for (size_t i = 0; i < v->relocation_count; i++) {
        const struct sim_relocation *r = &v->relocations[i];

        put(" @%u:%u>>%u %s%s%+lld", r->at, r->bytes, r->shift, r->generic ? "generic " : "",
            r->symbol, (long long)r->addend);
    }
}

static void put_function(const struct sim_function *f)
{
    put("%s%s%s%s%s%s %s", f->is_extern ? "extern " : "", f->is_visible ? "visible " : "",
        f->is_weak ? "weak " : "", f->is_defined ? "" : "declared ",
        f->no_return ? "noreturn " : "", f->is_entry ? "entry" : "func", f->name);
    for (size_t i = 0; i < f->result_count; i++) {
        put("; result ");
        put_variable(&f->results[i]);
    }
    for (size_t i = 0; i < f->parameter_count; i++) {
        put("; ");
        put_variable(&f->parameters[i]);
    }
    if (f->max_threads[0])
        put("; max %u,%u,%u", f->max_threads[0], f->max_threads[1], f->max_threads[2]);
    if (f->required_threads[0])
        put("; required %u,%u,%u", f->required_threads[0], f->required_threads[1],
            f->required_threads[2]);
    if (f->required_cluster[0])
        put("; cluster %u,%u,%u", f->required_cluster[0], f->required_cluster[1],
            f->required_cluster[2]);
    if (f->min_blocks || f->max_registers || f->max_cluster)
        put("; blocks %u registers %u rank %u", f->min_blocks, f->max_registers, f->max_cluster);
    if (f->explicit_cluster)
        put("; explicit");
    if (f->blocks_are_clusters)
        put("; blocks are clusters");
}

// Writes registers with their scopes, then variables, labels and statements.
static void put_body(const struct sim_function *f)
{
    for (size_t i = 0; i < f->register_count; i++)
        put("%s%u:%s.%s/%u", i ? " " : "", f->registers[i].scope, f->registers[i].name,
            sim_type_word(f->registers[i].type), f->registers[i].vector);
    for (size_t i = 0; i < f->variable_count; i++) {
        put("; %u:", f->variable_scopes[i]);
        put_variable(&f->variables[i]);
    }
    for (size_t i = 0; i < f->label_count; i++) {
        const struct sim_label *l = &f->labels[i];

        put("; %u:%s at %u", l->scope, l->name, l->at);
        for (uint32_t k = 0; k < l->target_count; k++)
            put("%s%s", k ? "," : " -> ", l->targets[k]);
        if (l->prototype)
            put(" %zu -> %zu%s", l->prototype->parameter_count, l->prototype->result_count,
                l->prototype->no_return ? " noreturn" : "");
    }
    for (size_t i = 0; i < f->statement_count; i++) {
        put("; ");
        put_statement(f, &f->statements[i]);
    }
    put("; scopes");
    for (size_t i = 0; i < f->scope_count; i++)
        put(" %u", f->scope_parents[i]);
}

static struct sim_module *parsed(const char *text)
{
    char log[512];
    struct sim_module *m = sim_ptx_parse(text, strlen(text), log, sizeof(log));

    ck_assert_msg(m != NULL, "%s in\n%s", log, text);
    ck_assert_str_eq(log, "");
    return m;
}

static struct sim_module *parsed_body(const char *body)
{
    char text[8192];

    snprintf(text, sizeof(text), HEAD ".entry k(.param .u64 a) {\n%s\n}\n", body);
    return parsed(text);
}

// --- instructions

static const char registers[] =
    ".reg .pred %p<4>; .reg .b16 %rs<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"
    ".reg .f64 %fd<3>; .reg .b128 %q<2>; .reg .v4 .f32 %v; .reg .v2 .u32 %w; .reg .pred q; .reg "
    ".u32 x;\n";

// Instructions as written, and as the parser gives them back; NULL: unchanged.
static const struct {
    const char *text, *back;
} instructions[] = {
    { "ret;", "ret" },
    { "add.rn.ftz.f32 %f1, %f2, %f3;", "add.rn.ftz.f32 %f1,%f2,%f3" },
    { "@%p1 bra L;", "@%p1 bra L" },
    { "@!%p1 bra.uni L;", "@!%p1 bra.uni L" },
    { "@q exit;", "@q exit" },
    { "mov.u32 x, 1;", "mov.u32 x,1" },
    { "setp.lt.s32 %p1|%p2, %r1, %r2;", "setp.lt.s32 %p1|%p2,%r1,%r2" },
    { "setp.eq.and.u32 %p1, %r1, %r2, !%p3;", "setp.eq.and.u32 %p1,%r1,%r2,!%p3" },
    { "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;", "shfl.sync.down.b32 %r1|%p1,%r2,1,31,-1" },
    { "elect.sync _|%p1, 0xffffffff;", "elect.sync _|%p1,4294967295" },
    { "elect.sync %r1|_, -1;", "elect.sync %r1,-1" },
    { "neg.f32 %f1, -%f2;", "neg.f32 %f1,-%f2" },
    // Addresses.
    { "ld.global.f32 %f1, [%rd1];", "ld.global.f32 %f1,[%rd1]" },
    { "ld.global.f32 %f1, [%rd1+4];", "ld.global.f32 %f1,[%rd1+4]" },
    { "ld.global.f32 %f1, [%rd1+-4];", "ld.global.f32 %f1,[%rd1+-4]" },
    { "ld.global.f32 %f1, [%rd1 - 4];", "ld.global.f32 %f1,[%rd1+-4]" },
    { "ld.global.f32 %f1, [%rd1+8-2*3];", "ld.global.f32 %f1,[%rd1+2]" },
    { "ld.shared.f32 %f1, [table+WARP_SZ];", "ld.shared.f32 %f1,[table+32]" },
    { "ld.param.u64 %rd1, [a];", "ld.param.u64 %rd1,[a]" },
    { "ld.param.u64 %rd1, [a+0];", "ld.param.u64 %rd1,[a]" },
    { "ld.shared.u32 %r1, [16];", "ld.shared.u32 %r1,[16]" },
    { "ld.shared.u32 %r1, [16+4*2];", "ld.shared.u32 %r1,[24]" },
    { "mov.u64 %rd1, table+12;", "mov.u64 %rd1,table+12" },
    { "mov.u64 %rd1, table-12;", "mov.u64 %rd1,table+-12" },
    // Vectors, tuples, lists.
    { "ld.global.v4.f32 {%f1, _, %f3, %f4}, [%rd1];", "ld.global.v4.f32 {%f1,_,%f3,%f4},[%rd1]" },
    { "mov.b64 {%r1,%r2}, %rd1;", "mov.b64 {%r1,%r2},%rd1" },
    { "st.v2.b32 [%rd1], {1, 0f3F800000};", "st.v2.b32 [%rd1],{1,0f3F800000}" },
    { "mov.f32 %f1, %v.x;", "mov.f32 %f1,%v.x" },
    { "mov.f32 %v.w, %v.g;", "mov.f32 %v.w,%v.y" },
    { "ld.v4.f32 %v, [%rd1];", "ld.v4.f32 {%v.x,%v.y,%v.z,%v.w},[%rd1]" },
    { "mov.v2.u32 %w, {%r1,%r2};", "mov.v2.u32 {%w.x,%w.y},{%r1,%r2}" },
    { "vadd.s32.u32.s32 %r1.b0, %r2.b3, %r3.h1;", "vadd.s32.u32.s32 %r1.b0,%r2.b3,%r3.h1" },
    { "vsub4.u32.u32.u32 %r1.b210, %r2.b7654, -%r3.b0321, %r2;",
      "vsub4.u32.u32.u32 %r1.b210,%r2.b7654,-%r3.b0321,%r2" },
    { "vavrg2.u32.u32.u32 %r1.h10, %r2.h32, %r3;", "vavrg2.u32.u32.u32 %r1.h10,%r2.h32,%r3" },
    { "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster.L2::cache_hint [%r1], [%rd1, {%r2, %r3}], [%r4], %rs1, %rd2;",
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster.L2::cache_hint [%r1],[%rd1,{%r2,%r3}],[%r4],%rs1,%rd2" },
    { "tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t+8, s, {%r1}, {%r2}];",
      "tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4},[t+8,s,{%r1},{%r2}]" },
    { "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd1, %rd2, %r1, 0,"
      " %p1, 1, -1, 0, 1;",
      "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1,%f2,%f3,%f4},%rd1,%rd2,%r1,0,"
      "%p1,1,-1,0,1" },
    { "call f;", "call f" },
    { "call.uni f, (1, %r1);", "call.uni f,(1,%r1)" },
    { "call (%r1), f, ();", "call (%r1),f,()" },
    { "call (%r1, %r2), %rd1, (a, b), P;", "call (%r1,%r2),%rd1,(a,b),P" },
    // Special registers.
    { "mov.u32 %r1, %tid.x;", "mov.u32 %r1,%tid.x" },
    { "mov.u32 %r1, %cluster_nctaid.z;", "mov.u32 %r1,%cluster_nctaid.z" },
    { "mov.u32 %r1, %ntid.w;", "mov.u32 %r1,0" },
    { "mov.v4.u32 %v, %tid;", "mov.v4.u32 {%v.x,%v.y,%v.z,%v.w},{%tid.x,%tid.y,%tid.z,0}" },
    { "mov.u64 %rd1, %clock64;", "mov.u64 %rd1,%clock64" },
    { "mov.u32 %r1, WARP_SZ;", "mov.u32 %r1,WARP_SZ" },
    { "mov.u32 %r1, WARP_SZ-1;", "mov.u32 %r1,31" },
    { "mov.u32 %r1, -WARP_SZ;", "mov.u32 %r1,-32" },
    // Numbers.
    { "x 0, 7, 017, 0x1F, 0X1f, 0b101, 12U, 0U, 0x7U;", "x 0,7,15,31,31,5,12,0,7" },
    { "x 18446744073709551615, -9223372036854775808;", "x -1,-9223372036854775808" },
    { "x 0f3F800000, 0F3f800000, -0f3F800000;", "x 0f3F800000,0f3F800000,0fBF800000" },
    { "x 0d3FF0000000000000, 0D3ff0000000000000;", "x 0d3FF0000000000000,0d3FF0000000000000" },
    { "x 1.0, 1., 1e0, 10.0e-1, -1.5;",
      "x 0d3FF0000000000000,0d3FF0000000000000,0d3FF0000000000000,0d3FF0000000000000,"
      "0dBFF8000000000000" },
    // Constant expressions.
    { "x 1+2*3, (1+2)*3, 7-2-1, 100/10/5, 7 % 4;", "x 7,9,4,2,3" },
    { "x 1<<4, -16>>2, (.u64)-16>>60, 1<<65, -1>>65, 1|6&3^8;", "x 16,-4,15,2,-1,11" },
    { "x ~0, !5, !0, -(-3), +4;", "x -1,0,1,3,4" },
    { "x 1<2, 2<=1, -1<1, -1<1U, 3==3, 3!=3, 1&&0, 1||0;", "x 1,0,1,0,1,0,0,1" },
    { "x 1?2:3, 0?2:0?4:5, (.s64)0xffffffffffffffff/2, -7/2, -1 % 4;", "x 2,5,0,-3,3" },
    { "x 1.5+2.5, 1.0<2.0, 3*0.5;", "x 0d4010000000000000,1,0d3FF8000000000000" },
    // Types of constant expressions, as in ptxas 13.0.
    { "x 1U-2<0, (3&1)-2<0, (3U&1)-2<0, -1U<0, ~1<0, (0?1U:-1)<0, (0?-1:1U)-2<0, (-1|-1)/2;",
      "x 0,1,0,0,0,1,0,0" },
    { "x (.s64)-9223372036854775808/-1, -9223372036854775808/-1;", "x -9223372036854775808,0" },
    // Blanks and comments in all places where they are allowed.
    { "add . rn /* here */ .f32%f1,%f2 , // and\n %f3\n;", NULL },
    { "ld.global /* */ .f32\n\t%f1 ,[ %rd1 + 4 ] ;", "ld.global.f32 %f1,[%rd1+4]" },
    { "@ ! %p1 bra L ;", "@!%p1 bra L" },
};

CASE("grammar");

TEST_ROWS(instructions_come_back_as_they_were_written, instructions)
{
    char body[4096];

    if (!instructions[_i].back)
        return;
    snprintf(body, sizeof(body), "%s%s", registers, instructions[_i].text);
    struct sim_module *m = parsed_body(body);
    ck_assert_uint_eq(m->functions[0].statement_count, 1);
    restart();
    put_statement(&m->functions[0], &m->functions[0].statements[0]);
    ck_assert_str_eq(out.text, instructions[_i].back);
    sim_ptx_free(m);
}

// --- bodies

static const struct {
    const char *text, *expected;
} bodies[] = {
    { "", "; scopes 0" },
    { ";;", "; scopes 0" },
    { ".reg .b32 %r<6>; mov.b32 %r5, %r0;", "0:%r5.b32/1 0:%r0.b32/1; mov.b32 %r5,%r0; scopes 0" },
    { ".reg .b32 d, b<3>, %c; mov.b32 d, b2; mov.b32 %c, d;",
      "0:d.b32/1 0:b2.b32/1 0:%c.b32/1; mov.b32 d,b2; mov.b32 %c,d; scopes 0" },
    // A name outside a range is a symbol, or an error if it begins with %.
    { ".reg .b32 r<3>; mov.b32 r2, r3; mov.b32 r2, r02;",
      "0:r2.b32/1; mov.b32 r2,r3; mov.b32 r2,r02; scopes 0" },
    // Inner scopes hide outer ones until they end.
    { ".reg .b32 %r<3>; { .reg .b64 %r<2>; mov.x %r1, %r2; } mov.x %r1, %r2;",
      "1:%r1.b64/1 0:%r2.b32/1 0:%r1.b32/1; mov.x %r1,%r2; mov.x %r1,%r2; scopes 0 0" },
    { ".reg .b32 %r<3>; mov.x %r1, 0; { mov.x %r1, 1; .reg .b64 %r<2>; mov.x %r1, 2; }",
      "0:%r1.b32/1 1:%r1.b64/1; mov.x %r1,0; mov.x %r1,1; mov.x %r1,2; scopes 0 0" },
    { ".reg .b32 %r<3>; { .reg .b64 %r1; mov.x %r1, 2; } mov.x %r1, 3;",
      "1:%r1.b64/1 0:%r1.b32/1; mov.x %r1,2; mov.x %r1,3; scopes 0 0" },
    { ".reg .b32 %r1; { .reg .b64 %r<5>; { .reg .b16 %r1; mov.x %r1, 0; } mov.x %r1, 1; } mov.x "
      "%r1, 2;",
      "2:%r1.b16/1 1:%r1.b64/1 0:%r1.b32/1; mov.x %r1,0; mov.x %r1,1; mov.x %r1,2; scopes 0 0 1" },
    // %r1 belongs to %r<5>, and is also the base of another range in an inner scope.
    { ".reg .b32 %r<5>; { .reg .b64 %r1<5>; mov.x %r1, %r12; } mov.x %r1, 0;",
      "0:%r1.b32/1 1:%r12.b64/1; mov.x %r1,%r12; mov.x %r1,0; scopes 0 0" },
    { ".reg .b32 p; { .shared .u32 p; mov.x p, 0; } mov.x p, 1;",
      "0:p.b32/1; 1:shared.u32 p align 4 bytes 4; mov.x p,0; mov.x p,1; scopes 0 0" },
    { ".reg .b32 p; { p: bra p; } mov.x p, 1;",
      "0:p.b32/1; 1:p at 0; bra p; mov.x p,1; scopes 0 0" },
    { "{ { } } { }", "; scopes 0 0 1 0" },
    { "A: B: ret; { A: bra A; } C:",
      "; 0:A at 0; 0:B at 0; 1:A at 1; 0:C at 2; ret; bra A; scopes 0 0" },
    { ".reg .u32 i; T: .branchtargets A, B, A; A: B: brx.idx i, T;",
      "0:i.u32/1; 0:T at 0 -> A,B,A; 0:A at 0; 0:B at 0; brx.idx i,T; scopes 0" },
    { "T: .calltargets f, g;", "; 0:T at 0 -> f,g; scopes 0" },
    { "P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) .noreturn;",
      "; 0:P at 0 2 -> 1 noreturn; scopes 0" },
    { "P: .callprototype _ ();", "; 0:P at 0 0 -> 0; scopes 0" },
    { "P : .callprototype ()_ .abi_preserve 4;", "; 0:P at 0 0 -> 0; scopes 0" },
    { "{ .reg .b32 temp_param_reg; .param .b32 param0; st.param.b32 [param0+0], 1; }",
      "; 1:param.b32 param0 align 4 bytes 4; st.param.b32 [param0],1; scopes 0 0" },
    { ".local .align 16 .b8 __local_depot0[24]; .shared .align 4 .b8 s[128], t;",
      "; 0:local.b8 __local_depot0 align 16 bytes 24; 0:shared.b8 s align 4 bytes 128; 0:shared.b8 "
      "t align 4 bytes 1; scopes 0" },
    { ".pragma \"nounroll\"; .loc 1 2 3 ret; .loc 1 5 6, function_name $L+4, inlined_at 1 2 3",
      "; ret; scopes 0" },
};

TEST_ROWS(bodies_have_scopes_registers_and_labels, bodies)
{
    struct sim_module *m = parsed_body(bodies[_i].text);

    restart();
    put_body(&m->functions[0]);
    ck_assert_str_eq(out.text, bodies[_i].expected);
    sim_ptx_free(m);
}

// --- variables

static const struct {
    const char *text, *expected;
} variables[] = {
    { ".global .u32 x;", "global.u32 x align 4 bytes 4" },
    { ".visible .global .align 16 .b8 x[5];", "visible global.b8 x align 16 bytes 5" },
    { ".extern .shared .align 1024 .b8 x[];", "extern shared.b8 x align 1024 bytes 0" },
    { ".weak .const .f64 x;", "weak const.f64 x align 8 bytes 8" },
    { ".common .global .s16 x;", "common global.s16 x align 2 bytes 2" },
    { ".global .attribute(.managed) .align 4 .u32 x = 5;",
      "managed global.u32 x align 4 bytes 4 = 05 00 00 00" },
    { ".global .attribute(.unified(1, 2), .managed) .u8 x;",
      "managed global.u8 x align 1 bytes 1" },
    { ".global .v4 .f32 x;", "global.f32x4 x align 16 bytes 16" },
    { ".global .v2 .u16 x[3];", "global.u16x2 x align 4 bytes 12" },
    { ".global .b128 x[2];", "global.b128 x align 16 bytes 32" },
    { ".global .f32 x[2][3][4];", "global.f32 x align 4 bytes 96" },
    { ".global .b8 x[WARP_SZ*2];", "global.b8 x align 1 bytes 64" },
    { ".global .u32 x = -2;", "global.u32 x align 4 bytes 4 = fe ff ff ff" },
    { ".global .u64 x = 0xfedcba9876543210;",
      "global.u64 x align 8 bytes 8 = 10 32 54 76 98 ba dc fe" },
    { ".global .b128 x = -1;",
      "global.b128 x align 16 bytes 16 = ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff" },
    { ".global .b8 x[4] = {1, 2};", "global.b8 x align 1 bytes 4 = 01 02 00 00" },
    { ".global .b8 x[] = {1, 2, 3};", "global.b8 x align 1 bytes 3 = 01 02 03" },
    { ".global .u16 x[][2] = {{1}, {2, 3}};",
      "global.u16 x align 2 bytes 8 = 01 00 00 00 02 00 03 00" },
    { ".global .u16 x[][2] = {1, 2, 3};",
      "global.u16 x align 2 bytes 8 = 01 00 02 00 03 00 00 00" },
    { ".global .b8 x[2][2] = {{1, 2}, {3, 4}};", "global.b8 x align 1 bytes 4 = 01 02 03 04" },
    { ".global .b8 x[2][2] = {1, 2, 3};", "global.b8 x align 1 bytes 4 = 01 02 03 00" },
    { ".global .v2 .b8 x[2] = {{1, 2}, {3}};", "global.b8x2 x align 2 bytes 4 = 01 02 03 00" },
    { ".global .b8 x[3] = {};", "global.b8 x align 1 bytes 3 = 00 00 00" },
    { ".global .b8 x[3] = {1,};", "global.b8 x align 1 bytes 3 = 01 00 00" },
    { ".const .f32 x = 1.5;", "const.f32 x align 4 bytes 4 = 00 00 c0 3f" },
    { ".const .f32 x = 2;", "const.f32 x align 4 bytes 4 = 00 00 00 40" },
    { ".const .f32 x = 0fFFC00001;", "const.f32 x align 4 bytes 4 = 01 00 c0 ff" },
    { ".const .f64 x = 0f3F800000;", "const.f64 x align 8 bytes 8 = 00 00 00 00 00 00 f0 3f" },
    { ".const .f64 x = -1.0;", "const.f64 x align 8 bytes 8 = 00 00 00 00 00 00 f0 bf" },
    { ".const .b32 x = 0f3F800000;", "const.b32 x align 4 bytes 4 = 00 00 80 3f" },
    { ".global .u64 x = y;", "global.u64 x align 8 bytes 8 = 00 00 00 00 00 00 00 00 @0:8>>0 y+0" },
    { ".global .u32 x = y-4+1;", "global.u32 x align 4 bytes 4 = 00 00 00 00 @0:4>>0 y-3" },
    { ".global .u64 x[2] = {generic($s$1), generic(y+8)+1};",
      "global.u64 x align 8 bytes 16 = 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
      " @0:8>>0 generic $s$1+0 @8:8>>0 generic y+9" },
    { ".global .b8 x[] = {0xFF(y), 0xff00(y+4), mask(0xff0000, generic(z)), 0xFF(1000 + 546), "
      "0xFF00(131187)};",
      "global.b8 x align 1 bytes 5 = 00 00 00 0a 00 @0:1>>0 y+0 @1:1>>8 y+4 @2:1>>16 generic z+0" },
};

TEST_ROWS(variables_have_their_size_and_value, variables)
{
    char text[1024];

    snprintf(text, sizeof(text), HEAD "%s", variables[_i].text);
    struct sim_module *m = parsed(text);
    ck_assert_uint_eq(m->variable_count, 1);
    restart();
    put_variable(&m->variables[0]);
    ck_assert_str_eq(out.text, variables[_i].expected);
    sim_ptx_free(m);
}

// --- functions

static const struct {
    const char *text, *expected; // the expected text of all functions
} functions[] = {
    { ".entry k {}", "entry k\n" },
    { ".visible .entry k() { ret; }", "visible entry k\n" },
    { ".entry k(.param .u64 .ptr .global .align 16 a, .param .u64 .ptr .align 1 b, .param .u64 "
      ".ptr "
      "c, .param .align 64 .b8 m[128], .param .f32 x) {}",
      "entry k; ptr param.u64 a align 8 bytes 8; ptr param.u64 b align 8 bytes 8; ptr param.u64 c "
      "align 8 bytes 8; param.b8 m align 64 bytes 128; param.f32 x align 4 bytes 4\n" },
    { ".entry k() .maxntid 384,1,1 .minnctapersm 2 .maxnreg 64 { }",
      "entry k; max 384,1,1; blocks 2 registers 64 rank 0\n" },
    { ".entry k() .maxntid 128 .pragma \"nounroll\"; .maxnctapersm 3 { }",
      "entry k; max 128,1,1\n" },
    { ".entry k() .reqntid 8, 4 .reqnctapercluster 2,1,1 .explicitcluster .maxclusterrank 8 "
      ".blocksareclusters { }",
      "entry k; required 8,4,1; cluster 2,1,1; blocks 0 registers 0 rank 8; explicit; blocks are "
      "clusters\n" },
    { ".func f;", "declared func f\n" },
    { ".extern .func (.param .b32 func_retval0) vprintf (.param .b64 a, .param .b64 b) ;",
      "extern declared func vprintf; result param.b32 func_retval0 align 4 bytes 4; param.b64 a "
      "align 8 bytes 8; param.b64 b align 8 bytes 8\n" },
    { ".extern .func f() .noreturn .abi_preserve 3 .abi_preserve_control 1;",
      "extern declared noreturn func f\n" },
    { ".weak .func .attribute(.unified(1,2)) f { ret; }", "weak func f\n" },
    { ".func (.reg .b32 r) f (.reg .b32 a, .reg .pred p) { @p mov.b32 r, a; }",
      "func f; result reg.b32 r align 4 bytes 4; reg.b32 a align 4 bytes 4; reg.pred p align 1 "
      "bytes "
      "0\n" },
    // Declarations and the definition make one function, in any order.
    { ".func f(.param .b32 x); .func g; .visible .func f(.param .b32 y) { ret; }",
      "visible func f; param.b32 y align 4 bytes 4\ndeclared func g\n" },
    { ".func f(.param .b32 x) { ret; } .func f(.param .b32 y);",
      "func f; param.b32 x align 4 bytes 4\n" },
    { ".extern .func f; .func f { }", "func f\n" },
    { ".func f { } .extern .func f;", "func f\n" },
    { ".func f; .extern .func f; .func f;", "extern declared func f\n" },
    { ".func f(.param .b32 x) { } .alias g, f;",
      "func f; param.b32 x align 4 bytes 4\nfunc g; param.b32 x align 4 bytes 4\n" },
    { ".visible .func g; .weak .func f { } .alias g, f;", "visible weak func g\nweak func f\n" },
};

TEST_ROWS(functions_have_parameters_and_directives, functions)
{
    char text[2048];

    snprintf(text, sizeof(text), HEAD "%s", functions[_i].text);
    struct sim_module *m = parsed(text);
    restart();
    for (size_t i = 0; i < m->function_count; i++) {
        put_function(&m->functions[i]);
        put("\n");
    }
    ck_assert_str_eq(out.text, functions[_i].expected);
    sim_ptx_free(m);
}

TEST(an_extern_variable_and_its_definition_are_one)
{
    struct sim_module *m = parsed(HEAD ".extern .global .u32 x; .visible .global .u32 x = 3;"
                                       ".extern .global .u32 x; .weak .global .u8 w = 1;"
                                       ".extern .global .u8 w;");

    ck_assert_uint_eq(m->variable_count, 2);
    restart();
    put_variable(&m->variables[0]);
    put("\n");
    put_variable(&m->variables[1]);
    ck_assert_str_eq(out.text, "visible global.u32 x align 4 bytes 4 = 03 00 00 00\n"
                               "weak global.u8 w align 1 bytes 1 = 01");
    sim_ptx_free(m);
}

TEST(heads_give_version_and_target)
{
    static const struct {
        const char *text;
        int version, target;
        char suffix;
    } rows[] = {
        { ".version 9.0\n.target sm_90\n.address_size 64\n", 90, 90, 0 },
        { ".version 8.7 .target sm_100a, texmode_independent, debug", 87, 100, 'a' },
        { "// c\n/* d\n */ .version 8.8\n.target sm_120f", 88, 120, 'f' },
        { ".version 7.0 .target sm_80 .target sm_90a", 70, 90, 'a' },
        { ".version 7.0 .target sm_90a, sm_80", 70, 90, 'a' },
        { ".version 9.0 .target compute_75", 90, 75, 0 },
    };

    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        struct sim_module *m = parsed(rows[i].text);

        ck_assert_int_eq(m->version, rows[i].version);
        ck_assert_int_eq(m->target, rows[i].target);
        ck_assert_int_eq(m->target_suffix, rows[i].suffix);
        sim_ptx_free(m);
    }
}

TEST(files_lines_and_sections_are_read)
{
    struct sim_module *m = parsed(HEAD
                                  ".file 2 \"b.cu\", 123, 456\n"
                                  ".entry k() {\n"
                                  "ret;\n"
                                  ".loc 2 10 5\n"
                                  "ret;\n"
                                  ".loc 1 11 6, function_name $L__info_string0, inlined_at 2 10 5\n"
                                  "ret; ret;\n"
                                  "}\n"
                                  ".entry l() { ret; }\n"
                                  ".file 1 \"a \\\"q\\\".cu\"\n"
                                  ".section .debug_str { x: .b8 1, 2\n.b64 y+0 { } }\n");
    const struct sim_statement *s = m->functions[0].statements;

    ck_assert_uint_eq(m->file_count, 3);
    ck_assert_str_eq(m->files[1], "a \\\"q\\\".cu");
    ck_assert_str_eq(m->files[2], "b.cu");
    ck_assert_uint_eq(s[0].loc.file, 0);
    ck_assert_uint_eq(s[0].line, 6);
    ck_assert_uint_eq(s[1].loc.file, 2);
    ck_assert_uint_eq(s[1].loc.line, 10);
    ck_assert_uint_eq(s[1].loc.column, 5);
    ck_assert_uint_eq(s[1].line, 8);
    ck_assert_uint_eq(s[2].loc.file, 1);
    ck_assert_uint_eq(s[3].loc.line, 11);
    ck_assert_uint_eq(s[3].line, 10);
    ck_assert_uint_eq(m->functions[1].statements[0].loc.file, 0);
    ck_assert_uint_eq(m->functions[1].line, 12);
    sim_ptx_free(m);
}

TEST(names_are_kept_once)
{
    struct sim_module *m = parsed(HEAD ".global .u32 x; .entry k() { .reg .u32 %r<2>;"
                                       "ld.global.u32 %r1, [x]; st.global.u32 [x], %r1; }");
    const struct sim_statement *s = m->functions[0].statements;

    ck_assert_ptr_eq(s[0].word[1], s[1].word[1]);
    ck_assert_ptr_eq(s[0].operand[1].list[0].symbol, m->variables[0].name);
    ck_assert_ptr_eq(s[1].operand[0].list[0].symbol, m->variables[0].name);
    sim_ptx_free(m);
}

TEST(symbols_know_the_scope_they_were_written_in)
{
    struct sim_module *m = parsed_body("bra A; { bra A; { bra A; } bra A; } A:");
    static const uint32_t scopes[] = { 0, 1, 2, 1 };

    for (size_t i = 0; i < CUC_LENGTH(scopes); i++)
        ck_assert_uint_eq(m->functions[0].statements[i].operand[0].scope, scopes[i]);
    sim_ptx_free(m);
}

// --- refusals

static const struct {
    const char *text; // text after HEAD, which has lines 1 to 3
    const char *log;
} refusals[] = {
    { ".foo 3", "line 4: found .foo, expected a function, a variable, or another directive of "
                "modules" },
    { "add;",
      "line 4: found add, expected a function, a variable, or another directive of modules" },
    { ".entry k() .frob 3 {}", "line 4: found .frob, expected a directive of functions, { or ;" },
    { ".entry 3() {}", "line 4: found 3, expected the name of a function" },
    { ".entry k(.global .u32 x) {}", "line 4: found .global, expected .param, .reg or )" },
    { ".entry k(.param .u32 x .param .u32 y) {}", "line 4: found .param, expected a comma or )" },
    { ".entry k()\n{\n", "line 6: found the end of the text, expected the } of a function" },
    { ".entry k() {\n.frob 3;\n}",
      "line 5: found .frob, expected an instruction, a label, a declaration or }" },
    { ".entry k() { mov.u32 %r1, 0; }",
      "line 4: found %r1, expected a register that is declared, or a special one that is known" },
    { ".entry k() { .reg .u32 %r<2>; mov.u32 %r2, 0; }",
      "line 4: found %r2, expected a register that is declared, or a special one that is known" },
    { ".entry k() { { .reg .u32 %a; }\nmov.u32 %a, 0; }",
      "line 5: found %a, expected a register that is declared, or a special one that is known" },
    { ".entry k() { mov.u32 x, %envreg40; }",
      "line 4: found %envreg40, expected a register that is declared, or a special one that is "
      "known" },
    { ".entry k() { @%p1 ret; }", "line 4: found %p1, expected a predicate that is declared" },
    { ".entry k() { .reg .u32 a; @a ret; }",
      "line 4: found a, expected a predicate that is declared" },
    { ".entry k() { .reg .u32 a; .reg .b64 a; }",
      "line 4: found a second a, expected a name that its { } does not have yet" },
    { ".entry k() { .reg .u32 %r<3>; .reg .u32 %r1; }",
      "line 4: found a second %r1, expected a name that its { } does not have yet" },
    { ".entry k(.param .u32 p) { .reg .u32 p; }",
      "line 4: found a second p, expected a name that its { } does not have yet" },
    { ".entry k() { A: ret; A: }",
      "line 4: found a second A, expected a name that its { } does not have yet" },
    { ".entry k() { .reg .u32 %r<0>; }", "line 4: found 0, expected a count of registers" },
    { ".entry k() { .reg .frob a; }", "line 4: found .frob, expected a type, .align, .v2, .v4 or "
                                      ".attribute" },
    { ".entry k() { .reg .e4m3 a; }", "line 4: found .e4m3, expected a type of variables" },
    { ".entry k() { .reg .v4 .f32 v; mov.f32 v.q, 0; }",
      "line 4: found .q, expected a component such as .x" },
    { ".entry k() { .reg .v2 .f32 v; mov.f32 v.z, 0; }",
      "line 4: found component 2 of v, expected one of 2" },
    { ".entry k() { .reg .f32 v; mov.f32 v.x, 0; }",
      "line 4: found a component of v, expected a vector register" },
    { ".entry k() { ret }", "line 4: found }, expected an operand" },
    { ".entry k() { mov.u32 a b; }", "line 4: found b, expected a comma or ;" },
    { ".entry k() { mov.u32 a, ; }", "line 4: found ;, expected an operand" },
    { ".entry k() { ld.u32 a, [b; }", "line 4: found ;, expected +, a comma or ]" },
    { ".entry k() { ld.u32 a, [b+c]; }", "line 4: found c, expected a constant" },
    { ".entry k() { ld.u32 a, [1.5]; }",
      "line 4: found something else in [ ], expected a register, a symbol or an integer" },
    { ".entry k() { ld.v2.u32 {a, b, [c]; }", "line 4: found ;, expected a comma or }" },
    { ".entry k() { ld.v2.u32 {}, [c]; }", "line 4: found }, expected an operand" },
    { ".entry k() { x {{{{{{{{{{1}}}}}}}}}}; }",
      "line 4: found {, expected an operand that is less deeply nested" },
    { ".entry k() { x 1,2,3,4,5,6,7,8,9,10,11,12,13; }",
      "line 4: found 13, expected at most 12 operands" },
    { ".entry k() { a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q; }",
      "line 4: found an instruction of more than 16 words, a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q" },
    { ".entry k() { x 12abc; }", "line 4: found 12abc, expected an integer of 64 bits" },
    { ".entry k() { x 08; }", "line 4: found 08, expected an integer of 64 bits" },
    { ".entry k() { x 0x; }", "line 4: found 0x, expected an integer of 64 bits" },
    { ".entry k() { x 0b2; }", "line 4: found 0b2, expected an integer of 64 bits" },
    { ".entry k() { x 18446744073709551616; }",
      "line 4: found 18446744073709551616, expected an integer of 64 bits" },
    { ".entry k() { x 0f3F80000; }",
      "line 4: found 0f3F80000, expected 0f and 8 hexadecimal digits" },
    { ".entry k() { x 0d3F800000; }",
      "line 4: found 0d3F800000, expected 0d and 16 hexadecimal digits" },
    { ".entry k() { x 1.5q; }", "line 4: found 1.5q, expected a decimal number" },
    { ".entry k() { x 1e; }", "line 4: found 1e, expected a decimal number" },
    { ".entry k() { x 1/0; }", "line 4: found a division by zero, expected a constant" },
    { ".entry k() { x (1+2; }", "line 4: found ;, expected an operator or )" },
    { ".entry k() { x (.u32)1; }", "line 4: found .u32, expected .s64 or .u64" },
    { ".entry k() { x ~1.0; }",
      "line 4: found a floating-point constant after ~, expected an integer" },
    { ".entry k() { x 1.0|1; }",
      "line 4: found a floating-point constant, expected integers with this operator" },
    { ".entry k() { x 0f00000000+1; }",
      "line 4: found a constant 0f..., expected one that expressions may have" },
    { ".entry k() { x !foo; }", "line 4: found ! before a name, expected a register after it" },
    { ".entry k() { x #; }", "line 4: found #, expected PTX" },
    { ".entry k() { x \x80; }", "line 4: found \\x80, expected PTX" },
    { ".entry k() { .pragma 3; }", "line 4: found 3, expected a string" },
    { ".entry k() { .pragma \"abc;\n }", "line 4: found \"abc;, expected a string that ends in its "
                                         "line" },
    { "/* ", "line 4: found /*, expected a comment that ends" },
    { ".entry k() { T: .branchtargets ; }", "line 4: found ;, expected a label" },
    { ".entry k() { P: .callprototype f (); }", "line 4: found f, expected _" },
    { ".entry k() {} \n.entry k() {}", "line 5: found a second body of k, expected that of line 4 "
                                       "alone" },
    { ".func f; .entry f() {}", "line 4: found f as .entry, expected .func as on line 4" },
    { ".extern .func f {}", "line 4: found {, expected ; after an .extern function" },
    { ".global .u32 f; .func f;",
      "line 4: found f as a function, expected the variable that it was declared" },
    { ".func f; .global .u32 f;",
      "line 4: found f as a variable, expected the function that it was declared" },
    { ".global .u32 x;\n.global .u32 x;",
      "line 5: found a second x, expected that of line 4 alone" },
    { ".global .u32 x; .const .u32 x;",
      "line 4: found x in another state space, expected that of line 4" },
    { ".global x;", "line 4: found x, expected a type" },
    { ".global .pred x;", "line 4: found .pred, expected a type of variables" },
    { ".global .u32 .u64 x;", "line 4: found .u64, expected a name" },
    { ".global .align 3 .u32 x;", "line 4: found 3, expected a power of two" },
    { ".global .u32 x[0];", "line 4: found 0, expected a length from 1 to 2^40" },
    { ".global .u32 x[2][];", "line 4: found ], expected a constant" },
    { ".global .u32 x[1099511627776];", "line 4: found an array of more than 2^40 bytes, x" },
    { ".global .b8 x[2] = {1, 2, 3};", "line 4: found 3, expected no more values" },
    { ".global .b8 x[1][2] = {{1, 2, 3}};", "line 4: found 3, expected no more values" },
    { ".global .b8 x[1][2] = {{1, 2}, {3}};", "line 4: found {, expected no more values" },
    { ".global .b8 x[][2] = {{1, 2}, {3, 4, 5}};", "line 4: found 5, expected no more values" },
    { ".global .b8 x[2] = {{1}};", "line 4: found {, expected a value" },
    { ".global .b8 x[2] = 3;", "line 4: found 3, expected {" },
    { ".global .b8 x = y;", "line 4: found the address of y in .b8, expected 4 or 8 bytes for it" },
    { ".global .b32 x = 0xFF(y);",
      "line 4: found a mask in an initialiser of .b32, expected .b8, .u8 or .s8" },
    { ".global .b8 x = 0xF0(y);", "line 4: found the mask 0xf0, expected one of a whole byte" },
    { ".global .f16 x = 1.0;",
      "line 4: found an initialiser of .f16, expected one of another type" },
    { ".global .u32 x = 1.0;",
      "line 4: found a floating-point constant, expected an integer for .u32" },
    { ".shared .u32 x = 1;",
      "line 4: found an initialiser of x, expected one of .global or .const alone" },
    { ".global .b8 x[1000000000] = {1};",
      "line 4: found an initialiser of x, which has 1000000000 bytes, expected at most 2^28" },
    { ".global .u32 x", "line 4: found the end of the text, expected a comma, = or ;" },
    { ".section .debug { ", "line 4: found the end of the text, expected the } of a .section" },
    { ".file 70000 \"x\"", "line 4: found 70000, expected the number of a file below 65536" },
    { ".address_size 32", "line 4: found 32, expected 64" },
    { ".target frob", "line 4: found frob, expected a target such as sm_90" },
    { ".target sm_90b", "line 4: found sm_90b, expected a target such as sm_90" },
    { ".alias g, f;", "line 4: found .alias of f, expected a function that has a body" },
};

CASE("refusals");

TEST_ROWS(errors_are_reported_with_their_line, refusals)
{
    char text[1024], log[512];

    snprintf(text, sizeof(text), HEAD "%s", refusals[_i].text);
    ck_assert_ptr_null(sim_ptx_parse(text, strlen(text), log, sizeof(log)));
    ck_assert_str_eq(log, refusals[_i].log);
}

TEST(a_module_starts_with_its_version_and_target)
{
    static const struct {
        const char *text, *log;
    } rows[] = {
        { "", "line 1: found the end of the text, expected .version" },
        { "\n\nhello", "line 3: found hello, expected .version" },
        { ".version 9", "line 1: found 9, expected a version such as 9.0" },
        { ".version 9.0", "line 1: found the end of the text, expected .target" },
        { "\x7f"
          "ELF",
          "line 1: found \\x7f, expected PTX" },
    };
    char log[256];

    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        ck_assert_ptr_null(sim_ptx_parse(rows[i].text, strlen(rows[i].text), log, sizeof(log)));
        ck_assert_str_eq(log, rows[i].log);
    }
}

TEST(a_short_log_is_truncated_and_a_missing_log_is_allowed)
{
    char log[8];

    ck_assert_ptr_null(sim_ptx_parse("x", 1, log, sizeof(log)));
    ck_assert_str_eq(log, "line 1:");
    ck_assert_ptr_null(sim_ptx_parse("x", 1, log, 1));
    ck_assert_str_eq(log, "");
    ck_assert_ptr_null(sim_ptx_parse("x", 1, NULL, 0));
    sim_ptx_free(NULL);
}

CASE("grammar");

TEST(types_know_their_word_bytes_and_class)
{
    ck_assert_str_eq(sim_type_word(SIM_F16X2), "f16x2");
    ck_assert_uint_eq(sim_type_bytes(SIM_B128), 16);
    ck_assert_int_eq(sim_type_class(SIM_PRED), 'p');
    ck_assert_str_eq(sim_type_word(SIM_TYPES), "");
    ck_assert_uint_eq(sim_type_bytes(SIM_TYPES), 0);
    ck_assert_int_eq(sim_type_class(SIM_TYPES), 'n');
}

// --- depth and size

CASE("refusals");

TEST(deep_nesting_is_refused)
{
    enum { DEPTH = 100000 };
    static const struct {
        const char *before;
        char repeated;
        const char *end;
    } rows[] = {
        { ".entry k() { ", '{', "{ } that is less deeply nested" },
        { ".entry k() { x ", '(', "less deeply nested" },
        { ".entry k() { x ", '~', "less deeply nested" },
        { ".entry k() { x ", '{', "less deeply nested" },
        { ".global .b8 x[2] = ", '{', "a value" },
    };
    char log[256];

    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        size_t head = strlen(HEAD) + strlen(rows[i].before);
        char *text = malloc(head + DEPTH + 1);

        ck_assert_ptr_nonnull(text);
        strcpy(text, HEAD);
        strcat(text, rows[i].before);
        memset(text + head, rows[i].repeated, DEPTH);
        ck_assert_ptr_null(sim_ptx_parse(text, head + DEPTH, log, sizeof(log)));
        ck_assert_msg(strstr(log, rows[i].end) != NULL, "%s", log);
        free(text);
    }
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

CASE("damage and size", .timeout = 120);

TEST(a_large_module_is_read_quickly)
{
    enum { BYTES = 1 << 20, ROUNDS = 5 };
    char *text = malloc(BYTES + 1024), log[256];
    size_t at;
    unsigned i = 0;
    double best = 1e9;

    ck_assert_ptr_nonnull(text);
    at = (size_t)sprintf(text, HEAD ".entry k(.param .u64 a) {\n.reg .b32 %%r<90000>;\n"
                                    ".reg .pred %%p<90000>; .reg .b64 %%rd<90000>;\n");
    while (at < BYTES - 256) {
        i++;
        at += (size_t)sprintf(
            text + at,
            "$L__BB0_%u:\n\tmad.lo.s32 \t%%r%u, %%r%u, 16, %%r%u;\n"
            "\tsetp.lt.u32 \t%%p%u, %%r%u, 4096;\n\tld.global.nc.v2.b32 \t{%%r%u, "
            "%%r%u}, [%%rd%u+%u];\n\t@%%p%u bra \t$L__BB0_%u;\n",
            i, 4 * i, 4 * i + 1, 4 * i + 2, i, 4 * i, 4 * i + 1, 4 * i + 2, i, 16 * i, i, i);
    }
    at += (size_t)sprintf(text + at, "}\n");
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        struct sim_module *m = sim_ptx_parse(text, at, log, sizeof(log));

        ck_assert_msg(m != NULL, "%s", log);
        if (seconds() - start < best)
            best = seconds() - start;
        ck_assert_uint_eq(m->functions[0].statement_count, 4 * i);
        sim_ptx_free(m);
    }
    free(text);
    ck_assert_msg(best < 0.5, "%zu bytes took %.1f ms", at,
                  best * 1e3); // sanitizers take most of the time
}

// --- damaged text

static uint64_t seed;

static uint32_t random_below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

// The text is at the very end of its memory, so that a sanitizer notices each byte read past it.
static void read_mutants(const char *text, size_t bytes, unsigned count)
{
    static const char *const pieces[] = {
        "{",       "}",    "(",     ")",      "[",        "]",    ";",  ",",        ":",
        "::",      "<",    ">",     "|",      "!",        "-",    "%",  "@",        ".",
        "=",       "\"",   "/*",    "//",     "0x",       "0f",   "1e", "99999999", "%r",
        "<99>",    ".reg", ".v4",   ".align", "_",        "~",    "?",  ".b8",      "(.s64)",
        "WARP_SZ", "%tid", ".func", "0xFF(",  "generic(", ".loc", "\0",
    };
    enum { CHANGES = 4 };
    char *mutant = malloc(bytes + CHANGES * 16), log[256];

    ck_assert_ptr_nonnull(mutant);
    for (unsigned k = 0; k < count; k++) {
        size_t n = bytes;

        memcpy(mutant, text, bytes);
        for (uint32_t change = 1 + random_below(CHANGES); change && n; change--) {
            size_t at = random_below((uint32_t)n), length = 1 + random_below(8);
            const char *piece = pieces[random_below(CUC_LENGTH(pieces))];

            switch (random_below(6)) {
            case 0:
                mutant[at] = (char)random_below(256);
                break;
            case 1:
                mutant[at] ^= (char)(1 << random_below(8));
                break;
            case 2: // remove a piece
                length = length < n - at ? length : n - at;
                memmove(mutant + at, mutant + at + length, n - at - length);
                n -= length;
                break;
            case 3: // insert a piece
                length = strlen(piece);
                memmove(mutant + at + length, mutant + at, n - at);
                memcpy(mutant + at, piece, length);
                n += length;
                break;
            case 4: // overwrite one piece with another
                length = length < n - at ? length : n - at;
                memmove(mutant + at, mutant + random_below((uint32_t)(n - length + 1)), length);
                break;
            default:
                n = random_below(8) ? n : at;
                break;
            }
        }
        char *exact = malloc(n ? n : 1);
        ck_assert_ptr_nonnull(exact);
        memcpy(exact, mutant, n);
        struct sim_module *m = sim_ptx_parse(exact, n, log, sizeof(log));
        ck_assert_msg(m || strncmp(log, "line ", 5) == 0, "%s", log);
        sim_ptx_free(m);
        free(exact);
    }
    free(mutant);
}

static char *slurp(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    char *text = malloc(1 << 20);

    ck_assert_msg(f && text, "%s", path);
    *bytes = fread(text, 1, 1 << 20, f);
    fclose(f);
    return text;
}

static const char *const files[] = { "everything.ptx", "gemm.ptx", "calls.ptx" };

static char *data_file(int i, size_t *bytes)
{
    char path[1024];

    snprintf(path, sizeof(path), "%s/%s", TEST_DATA, files[i]);
    return slurp(path, bytes);
}

TEST_ROWS(damaged_text_gives_a_module_or_an_error, files)
{
    size_t bytes;
    char *text = data_file(_i, &bytes);

    seed = 1 + (uint64_t)_i;
    read_mutants(text, bytes, 4000);
    free(text);
}

TEST_ROWS(text_cut_anywhere_is_refused, files)
{
    char log[256];
    size_t bytes;
    char *text = data_file(_i, &bytes);

    for (size_t n = 0; n < bytes; n += 1 + n / 512) {
        char *exact = malloc(n ? n : 1);

        ck_assert_ptr_nonnull(exact);
        memcpy(exact, text, n);
        sim_ptx_free(sim_ptx_parse(exact, n, log, sizeof(log)));
        free(exact);
    }
    free(text);
}

// ---- The text that was written comes back

static const char *skip_blank(const char *p)
{
    for (;;) {
        while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
            p++;
        if (p[0] == '/' && p[1] == '/')
            p += strcspn(p, "\n");
        else if (p[0] == '/' && p[1] == '*')
            p = strstr(p, "*/") + 2;
        else
            return p;
    }
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%' || c == '.' || c == ':';
}

// Compares statements except for blanks, the form of integers, and "+0".
static bool same_statement(const char *given, const char *end, const char *back)
{
    char previous = ' ';

    for (;;) {
        given = skip_blank(given);
        back = skip_blank(back);
        if (given[0] == '+' && given[1] == '0' && given[2] == ']')
            given += 2;
        if (given >= end || !*back)
            return given >= end && !*back;
        bool number = !is_letter(previous) && ((*given >= '0' && *given <= '9') || *given == '-') &&
                      given[1] != 'f' && given[1] != 'd' && given[1] != '%';
        if (number) {
            char *a, *b;
            unsigned long long x = strtoull(given, &a, 0), y = strtoull(back, &b, 0);

            if (x != y || a == given || b == back)
                return false;
            given = a + (*a == 'U');
            back = b;
            previous = '0';
            continue;
        }
        if (*given != *back)
            return false;
        previous = *given;
        given++;
        back++;
    }
}

// Finds the start of a statement, from the start of a line or the end of the previous statement:
// skips labels, braces and directives.
static const char *statement_start(const char *p)
{
    for (;;) {
        p = skip_blank(p);
        if (*p == '{' || *p == '}' || *p == ';') {
            p++;
        } else if (*p == '.') {
            p += strncmp(p, ".loc", 4) == 0 ? strcspn(p, "\n") : strcspn(p, ";") + 1;
        } else {
            const char *q = p;

            while (is_letter(*q) && *q != ':' && *q != '.')
                q++;
            if (*skip_blank(q) != ':')
                return p;
            p = skip_blank(q) + 1;
        }
    }
}

static size_t compare_statements(const struct sim_module *m, const char *text)
{
    const char *line_start = text, *next = text;
    uint32_t line = 1;
    size_t compared = 0;

    for (size_t i = 0; i < m->function_count; i++) {
        const struct sim_function *f = &m->functions[i];

        // The functions are in order of declaration. Their bodies may come in another order, so
        // search from the start.
        line_start = text;
        next = text;
        line = 1;
        for (size_t k = 0; k < f->statement_count; k++) {
            const struct sim_statement *s = &f->statements[k];

            for (; line < s->line; line++) {
                line_start = strchr(line_start, '\n') + 1;
                next = line_start > next ? line_start : next;
            }
            next = statement_start(next);
            const char *end = next + strcspn(next, ";");
            restart();
            put_statement(f, s);
            ck_assert_msg(same_statement(next, end, out.text), "line %u:\n%.*s\n%s", s->line,
                          (int)(end - next), next, out.text);
            next = end + 1;
            compared++;
        }
    }
    return compared;
}

CASE("grammar");

TEST_ROWS(statements_of_files_come_back, files)
{
    size_t bytes;
    char *text = data_file(_i, &bytes);

    text[bytes] = '\0';
    struct sim_module *m = parsed(text);
    ck_assert_uint_gt(compare_statements(m, text), 10);
    sim_ptx_free(m);
    free(text);
}

// --- output of NVRTC

static const struct {
    const char *name, *text, *arch;
} kernels[] = {
    { "saxpy",
      "extern \"C\" __global__ void saxpy(int n, float a, const float *x, float *y)\n"
      "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }\n",
      "sm_90" },
    { "calls, tables, printf",
      "struct S { int a; double b; char c[5]; };\n"
      "__constant__ float ctab[4] = {1.f, 2.5f, -0.f, 3e10f};\n"
      "__device__ const char *strs[3] = {\"one\", \"two\", \"three\"};\n"
      "__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
      "__device__ __noinline__ int f1(int x) { return x + 1; }\n"
      "__device__ __noinline__ int f2(int x) { return x * 2; }\n"
      "__device__ int (*table[2])(int) = { f1, f2 };\n"
      "__device__ __managed__ int managed_x = 5;\n"
      "extern \"C\" __global__ void __launch_bounds__(256, 2) k(S s, int *out, int n,\n"
      "    const __grid_constant__ S t) {\n"
      "  extern __shared__ float dyn[]; __shared__ int sh[32];\n"
      "  int v = fib(n) + table[n & 1](n), local[16];\n"
      "  switch (n) { case 0: v += 1; break; case 1: v *= 3; break; case 2: v -= 7; break;\n"
      "    case 3: v ^= 9; break; case 4: v = s.a; break; case 5: v = s.c[2]; break;\n"
      "    case 6: v |= 11; break; default: v = 0; }\n"
      "  dyn[threadIdx.x] = ctab[n & 3]; sh[threadIdx.x] = v; __syncthreads();\n"
      "  v = __shfl_down_sync(-1u, v, 1) + __ballot_sync(-1u, v > 3);\n"
      "  printf(\"%d %s %f\\n\", v, strs[n % 3], s.b);\n"
      "  for (int i = 0; i < 16; i++) local[i] = i * n;\n"
      "  out[0] = v + local[out[0] & 15] + managed_x + t.a + sh[31 - threadIdx.x] +\n"
      "           (int)dyn[31 - threadIdx.x] + (int)sin(s.b);\n"
      "  int *p = new int[4]; p[n & 3] = 3; out[1] = p[0]; delete[] p; if (n > 9) __trap();\n"
      "}\n",
      "sm_90" },
    { "tensor memory, inline assembly",
      "typedef unsigned u32; typedef unsigned long long u64;\n"
      "struct alignas(64) Map { char b[128]; };\n"
      "extern \"C\" __global__ void __cluster_dims__(2, 1, 1) tma(const __grid_constant__ Map "
      "map,\n"
      "    float *out, u64 da, u64 db) {\n"
      "  extern __shared__ __align__(1024) char sm[];\n"
      "  u32 s = (u32)__cvta_generic_to_shared(sm), bar = s + 4096, pred = 0, lane = 0, r0, r1;\n"
      "  u64 m = (u64)&map; int x = blockIdx.x; float d[4] = {};\n"
      "  asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" :: \"r\"(bar), \"r\"(1));\n"
      "  asm "
      "volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes\"\n"
      "    \".multicast::cluster.L2::cache_hint [%0], [%1, {%3, %3}], [%2], %4, %5;\"\n"
      "    :: \"r\"(s), \"l\"(m), \"r\"(bar), \"r\"(x), \"h\"((short)3), \"l\"(da) : \"memory\");\n"
      "  asm volatile(\"{\\n.reg .pred P1;\\nLAB_WAIT:\\n\"\n"
      "    \"mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\\n@P1 bra DONE;\\n\"\n"
      "    \"bra LAB_WAIT;\\nDONE:\\n}\" :: \"r\"(bar), \"r\"(0));\n"
      "  asm volatile(\"{\\n .reg .b32 %%rx;\\n .reg .pred %%px;\\n elect.sync %%rx|%%px, "
      "%2;\\n\"\n"
      "    \"@%%px mov.s32 %1, 1;\\n mov.s32 %0, %%rx;\\n}\\n\"\n"
      "    : \"+r\"(lane), \"+r\"(pred) : \"r\"(0xFFFFFFFF));\n"
      "  asm volatile(\"{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }\"\n"
      "    : \"=r\"(pred));\n"
      "  asm volatile(\"{\\n.reg .pred p;\\nsetp.ne.b32 p, %6, "
      "0;\\nwgmma.fence.sync.aligned;\\n\"\n"
      "    \"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, -1, "
      "\"\n"
      "    \"0, 1;\\n}\" : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3])\n"
      "    : \"l\"(da), \"l\"(db), \"r\"(pred));\n"
      "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2+16];\"\n"
      "    : \"=r\"(r0), \"=r\"(r1) : \"r\"(s));\n"
      "  asm volatile(\"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, "
      "\"\n"
      "    \"{%4}, {%0,%1,%2,%3};\" : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3])\n"
      "    : \"r\"(r0), \"r\"(r1));\n"
      "  asm volatile(\"barrier.cluster.arrive.relaxed.aligned; "
      "barrier.cluster.wait.acquire.aligned;\");\n"
      "  for (int i = 0; i < 4; i++) out[i] = d[i] + pred + lane;\n"
      "}\n",
      "sm_90a" },
    { "half and bfloat16",
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
      "extern \"C\" __global__ void h(half2 *h, __nv_bfloat162 *b, double *d) {\n"
      "  h[0] = __hfma2(h[0], h[1], h[2]); b[0] = __hadd2(b[0], b[1]); h[3] = h2exp(h[3]);\n"
      "  d[0] = sin(d[0]) / d[1] + pow(d[2], d[3]); }\n",
      "sm_90" },
    { "cub, cuda::barrier",
      "#include <cub/block/block_reduce.cuh>\n#include <cub/block/block_radix_sort.cuh>\n"
      "#include <cuda/barrier>\n"
      "extern \"C\" __global__ void red(const float *x, float *y, int n) {\n"
      "  typedef cub::BlockReduce<float, 128> R; __shared__ typename R::TempStorage t;\n"
      "  float s = 0; for (int i = threadIdx.x; i < n; i += 128) s += x[i];\n"
      "  s = R(t).Sum(s); if (!threadIdx.x) y[0] = s; }\n"
      "extern \"C\" __global__ void sort(unsigned *x) {\n"
      "  typedef cub::BlockRadixSort<unsigned, 128, 4> R; __shared__ typename R::TempStorage t;\n"
      "  unsigned k[4]; for (int i = 0; i < 4; i++) k[i] = x[threadIdx.x * 4 + i];\n"
      "  R(t).Sort(k); for (int i = 0; i < 4; i++) x[threadIdx.x * 4 + i] = k[i]; }\n"
      "extern \"C\" __global__ void bar(float *x) {\n"
      "  __shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ float s[128];\n"
      "  if (!threadIdx.x) init(&b, 128); __syncthreads();\n"
      "  cuda::memcpy_async(&s[threadIdx.x], x + threadIdx.x, sizeof(float), b);\n"
      "  b.arrive_and_wait(); x[threadIdx.x] = s[127 - threadIdx.x]; }\n",
      "sm_90" },
};

static char *compiled(int i, size_t *bytes)
{
    static const char *const include[] = { "/usr/local/cuda/include/cccl" };
    cuc_program *program = NULL;
    cuc_object *object = NULL;
    const char *text = NULL;
    char *copy;

    ck_assert_msg(
        cuc_program_create(&program, CUC_SOURCE_CUDA, kernels[i].text, 0,
                           CUC_PROGRAM_OPTIONS(.arch = kernels[i].arch, .lineinfo = CUC_ON,
                                               .include_paths = include,
                                               .include_path_count = 1)) == CUC_OK,
        "%s", cuc_error_message());
    ck_assert_msg(cuc_program_compile(&object, program, CUC_CODE_PTX) == CUC_OK, "%s: %s\n%s",
                  kernels[i].name, cuc_error_message(), cuc_error_log());
    ck_assert_int_eq(cuc_object_get_ptx(&text, bytes, object), CUC_OK);
    copy = malloc(*bytes + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, *bytes + 1);
    cuc_object_release(object);
    cuc_program_release(program);
    return copy;
}

static bool have_nvrtc(void)
{
    cuc_found *found = NULL;

    if (cuc_find_library(&found, "nvrtc") < 0) {
        printf("without what NVRTC writes: %s\n", cuc_error_message());
        return false;
    }
    cuc_found_release(found);
    return true;
}

CASE("nvrtc", .timeout = 120, .only_if = have_nvrtc);

TEST_ROWS(statements_that_nvrtc_writes_come_back, kernels)
{
    size_t bytes;
    char *text = compiled(_i, &bytes);
    struct sim_module *m = parsed(text);

    ck_assert_int_eq(m->version, 90);
    ck_assert_int_eq(m->target, 90);
    ck_assert_uint_gt(compare_statements(m, text), 10);
    for (size_t i = 0; i < m->function_count; i++) {
        const struct sim_function *f = &m->functions[i];

        ck_assert(f->is_entry == (f->is_visible && f->is_defined));
        if (f->is_entry)
            ck_assert_uint_ne(f->statements[f->statement_count - 1].loc.line, 0);
    }
    sim_ptx_free(m);
    free(text);
}

TEST_ROWS(damaged_text_of_nvrtc_gives_a_module_or_an_error, kernels)
{
    size_t bytes;
    char *text = compiled(_i, &bytes);

    seed = 100 + (uint64_t)_i;
    read_mutants(text, bytes, bytes > 100000 ? 100 : 1000);
    free(text);
}

int main(void)
{
    return run_tests("ptx_parse");
}
