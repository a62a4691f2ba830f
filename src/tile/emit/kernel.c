// Assembles an entry: its head, the code that runs once, and its body.
//
// The entry has one parameter, an array of bytes. A tensor takes 8 bytes each for its address,
// extents and strides. A scalar takes 8 bytes and is stored in the first of them.
#include "tile/signature/signature.h"
#include "async.h"
#include "emit.h"
#include "ring.h"

#include "base/arena.h"

#include <stdio.h>
#include <string.h>

const char *tile_entry_name(struct tile_module *module, const struct tile_kernel *kernel,
                            enum tile_variant variant)
{
    static const char *const suffixes[] = { "idx32_aligned", "idx32",         "idx64",
                                            "tma",           "idx32_overlap", "realigned" };

    return cuc__arena_print(module->arena, "%s$%s", kernel->name, suffixes[variant]);
}

// Orders a product's tiles so that concurrent tiles lie close together and share their loads in L2:
// a few tiles along the grid's first axis, then the next index along the second axis.
static void order_blocks(struct tile_emitter *e, tile_register x[3], const tile_register n[3])
{
    enum { USUAL_RASTER = 8 };
    uint32_t raster = e->target->raster ? e->target->raster : USUAL_RASTER;

    if (!e->prefetch || !e->prefetch->only || raster < 2 || e->kernel->keeps_order)
        return;
    tile_register all = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", n[1], raster);
    tile_register at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %R, %R", x[1], n[0], x[0]);
    tile_register group = tile_make(e, TILE_R32, "div.u32 %R, %R, %R", at, all);
    tile_register first = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", group, raster);
    tile_register wide = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", n[0], first);
    tile_register rest = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", group, all);
    rest = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", at, rest);
    wide = tile_make(e, TILE_R32, "min.u32 %R, %R, %u", wide, raster);
    tile_register up = tile_make(e, TILE_R32, "div.u32 %R, %R, %R", rest, wide);
    tile_register side = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", up, wide);
    side = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", rest, side);
    side = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", first, side);
    // Grids with 2^32 or more tiles along the first two axes keep the grid's order.
    tile_register high = tile_make(e, TILE_R32, "mul.hi.u32 %R, %R, %R", n[0], n[1]);
    tile_register few = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", high);
    x[0] = tile_make(e, TILE_R32, "selp.b32 %R, %R, %R, %R", side, x[0], few);
    x[1] = tile_make(e, TILE_R32, "selp.b32 %R, %R, %R, %R", up, x[1], few);
}

void tile_begin_entry(struct tile_emitter *e)
{
    tile_register block[3], blocks[3];
    static const char axes[] = "xyz";

    e->text = &e->prologue;
    e->tid = tile_make(e, TILE_R32, "mov.u32 %R, %%tid.x");
    e->lane = tile_make(e, TILE_R32, "and.b32 %R, %R, 31", e->tid);
    e->warp = tile_make(e, TILE_R32, "shr.u32 %R, %R, 5", e->tid);
    e->shared = tile_new(e, TILE_R32); // assigned once the scratch address is known
    for (uint32_t i = 0; i < 3; i++) {
        block[i] = tile_new(e, TILE_R32);
        blocks[i] = tile_new(e, TILE_R32);
        // A cluster's blocks share one block of the source.
        const char *unit = e->target->loop_split ? "cluster" : "cta";
        tile_put(e->text, "\tmov.u32 %s, %%%sid.%c;\n", tile_name(block[i]), unit, axes[i]);
        tile_put(e->text, "\tmov.u32 %s, %%n%sid.%c;\n", tile_name(blocks[i]), unit, axes[i]);
    }
    order_blocks(e, block, blocks);
    for (uint32_t i = 0; i < 3; i++) {
        e->block[i] = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", block[i]);
        e->blocks[i] = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", blocks[i]);
    }
    tile_emit_parameters(e);
    if (!tile_has_roles(e->variant) && e->kernel->waits_for_grids && !e->kernel->waits_by_itself)
        tile_ins(e, "griddepcontrol.wait");
    e->text = &e->body;
}

void tile_put_declarations(struct tile_emitter *e, struct tile_text *out)
{
    static const char *const declarations[] = { ".pred %p", ".b16 %h", ".b32 %r", ".b64 %d" };

    for (uint32_t i = 0; i < TILE_REGISTER_CLASSES; i++)
        if (e->next[i])
            tile_put(out, "\t.reg %s<%u>;\n", declarations[i], e->next[i] + 1);
    if (e->frame_bytes)
        tile_put(out, "\t.local .align 8 .b8 frame[%u];\n", e->frame_bytes);
    if (e->shared_bytes > TILE_STATIC_SHARED || !e->shared_bytes)
        return;
    tile_put(out, "\t.shared .align %d .b8 scratch[%u];\n",
             e->prefetch_bytes ? TILE_SCRATCH_ALIGN : 16, e->shared_bytes);
}

// Declares functions of the device runtime, once per module.
void tile_put_functions(const struct tile_emitter *e, struct tile_text *out)
{
    static const char print[] = ".extern .func (.param .b32 count) vprintf (.param .b64 format, "
                                ".param .b64 values);\n";
    static const char fail[] = ".extern .func __assertfail (.param .b64 message, .param .b64 file, "
                               ".param .b32 line, .param .b64 function, .param .b64 size);\n";

    if (e->wants_printf && !(out->at && strstr(out->at, print)))
        tile_put_string(out, print);
    if (e->wants_assert && !(out->at && strstr(out->at, fail)))
        tile_put_string(out, fail);
}

// Returns the tensors that have maps or are realigned, one bit per parameter. Both require at least
// one element.
static uint64_t mapped(const struct tile_emitter *e)
{
    uint64_t out = 0;

    for (uint32_t i = 0; e->ring && i < e->ring->plan->maps; i++)
        out |= UINT64_C(1) << e->ring->plan->map[i].parameter;
    return out |
           (e->ring && e->ring->plan->realigned ? tile_streamed_parameters(e->ring->plan) : 0);
}

static bool divides_by_variable(const struct tile_op *op)
{
    const struct tile_op *divisor = op->operand_count > 1 ? op->operand[1]->op : NULL;

    while (divisor && divisor->kind == TILE_BROADCAST)
        divisor = divisor->operand[0]->op;
    return (op->kind == TILE_FLOORDIV || op->kind == TILE_MOD) &&
           tile_is_integer(op->result[0]->type.dtype) &&
           !(divisor && divisor->kind == TILE_CONSTANT);
}

// Finds an op whose code is shorter if extents and distances fit in 32 bits.
static void find_narrow(struct tile_op *op, void *data)
{
    bool *found = data;

    *found |= op->kind == TILE_GATHER || op->kind == TILE_SCATTER || op->kind == TILE_ATOMIC ||
              op->kind == TILE_LOAD_ROWS || op->kind == TILE_STORE_ROWS || divides_by_variable(op);
}

bool tile_open_values(struct tile_emitter *e)
{
    struct tile_block *body = (struct tile_block *)(uintptr_t)&e->kernel->body;

    if (e->variant != TILE_INDEX_64 && !tile_has_roles(e->variant))
        tile_walk(body, find_narrow, &e->narrow);
    e->prologue.module = e->body.module = e->globals.module = e->module;
    e->value = tile_take(e->module, (e->kernel->value_count + 1) * sizeof(*e->value));
    e->view = tile_take(e->module, (e->kernel->value_count + 1) * sizeof(*e->view));
    e->ranges = tile_analyze_ranges(e->kernel, mapped(e), e->narrow);
    e->stored = tile_written_parameters(e->kernel);
    return e->value && e->view && e->ranges;
}
