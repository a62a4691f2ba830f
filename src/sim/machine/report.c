// Reports why a kernel failed: the location of a lane, or of all threads if none can continue.
#include "code.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LAUNCH_FAILED = 719, LAUNCH_TIMEOUT = 702 };

size_t sim_place_words(const struct sim_warp *w, const struct sim_op *op, uint32_t lane, char *out,
                       size_t bytes)
{
    const struct sim_grid *grid = w->block->grid;
    const struct sim_function *f = sim_code_of(grid->program, op)->source;
    char place[256] = "";

    if (op->statement < f->statement_count) {
        struct sim_loc loc = f->statements[op->statement].loc;
        const struct sim_module *m = grid->program->module;
        if (loc.line && loc.file < m->file_count && m->files[loc.file])
            snprintf(place, sizeof(place), " (%s:%u)", m->files[loc.file], loc.line);
    }
    int n = snprintf(out, bytes, "kernel %s, PTX line %u%s, block (%u,%u,%u), thread (%u,%u,%u): ",
                     grid->entry->name, op->line, place, w->block->index[0], w->block->index[1],
                     w->block->index[2], (uint32_t)sim_special_value(w, SIM_SR_TID_X, lane),
                     (uint32_t)sim_special_value(w, SIM_SR_TID_Y, lane),
                     (uint32_t)sim_special_value(w, SIM_SR_TID_Z, lane));
    return n < 0 ? bytes : (size_t)n;
}

enum sim_next sim_fault(struct sim_warp *w, const struct sim_op *op, uint32_t lane, int code,
                        const char *fmt, ...)
{
    struct sim_grid *grid = w->block->grid;
    va_list args;
    int none = 0;

    if (!atomic_compare_exchange_strong(&grid->fault, &none, code))
        return SIM_FAULT; // only the first fault is reported
    size_t n = sim_place_words(w, op, lane, grid->report, sizeof(grid->report));
    if (n >= sizeof(grid->report))
        return SIM_FAULT;
    va_start(args, fmt);
    vsnprintf(grid->report + n, sizeof(grid->report) - n, fmt, args);
    va_end(args);
    return SIM_FAULT;
}

// The threads of a block that are at the same instruction.
struct stand {
    struct sim_warp *w; // warp of the first thread
    const struct sim_op *op;
    uint32_t lane, count;
    bool waits; // at a barrier; otherwise they are about to retry an instruction, or were preempted
};

enum { STANDS = 64, MOST_REPORTED = 6 };

// Locates a lane. A blocked lane has already advanced past its instruction; a retrying lane has
// not.
static struct stand stand_of(struct sim_warp *w, uint32_t lane)
{
    bool waits = (w->blocked & ~w->ready) >> lane & 1;
    const struct sim_op *op = w->lane_frame[lane]->code->ops + w->lane_pc[lane] - waits;

    return (struct stand){ w, op, lane, 1, waits };
}

static const char *verb_of(const struct stand *s, bool deadlock)
{
    if (deadlock || s->waits)
        return s->count == 1 ? "waits at" : "wait at";
    return s->count == 1 ? "is at" : "are at";
}

static size_t collect(const struct sim_cluster *cluster, struct stand stands[STANDS],
                      uint32_t *more)
{
    size_t count = 0;

    *more = 0;
    for (uint32_t b = 0; b < cluster->count; b++) {
        struct sim_block *block = cluster->blocks[b];
        for (uint32_t i = 0; i < block->warp_count; i++) {
            for (uint32_t m = block->warps[i].alive; m; m &= m - 1) {
                struct stand s = stand_of(&block->warps[i], (uint32_t)__builtin_ctz(m));
                size_t at = 0;
                while (at < count && !(stands[at].op == s.op && stands[at].waits == s.waits &&
                                       stands[at].w->block == block))
                    at++;
                if (at < count)
                    stands[at].count++;
                else if (count < STANDS)
                    stands[count++] = s;
                else
                    ++*more;
            }
        }
    }
    return count;
}

void sim_fault_standing(const struct sim_cluster *cluster, bool deadlock, const char *what)
{
    struct stand stands[STANDS];
    uint32_t more;
    size_t count = collect(cluster, stands, &more), n = 0;
    char who[768] = "";

    if (!count)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct stand *s = &stands[i];
        const struct sim_block *block = s->w->block;
        const struct sim_statement *at = NULL;
        const struct sim_function *f = sim_code_of(block->grid->program, s->op)->source;
        char said[160];
        if (s->op->statement < f->statement_count)
            at = &f->statements[s->op->statement];
        int length = snprintf(
            said, sizeof(said),
            "%s%u thread%s from (%u,%u,%u) of block (%u,%u,%u) %s %s%s%s in line "
            "%u",
            i ? "; " : "", s->count, SIM_S(s->count),
            (uint32_t)sim_special_value(s->w, SIM_SR_TID_X, s->lane),
            (uint32_t)sim_special_value(s->w, SIM_SR_TID_Y, s->lane),
            (uint32_t)sim_special_value(s->w, SIM_SR_TID_Z, s->lane), block->index[0],
            block->index[1], block->index[2], verb_of(s, deadlock), at ? at->word[0] : "the end",
            at && at->words > 1 ? "." : "", at && at->words > 1 ? at->word[1] : "", s->op->line);
        if (i < MOST_REPORTED && length > 0 && n + (size_t)length < sizeof(who)) {
            memcpy(who + n, said, (size_t)length + 1);
            n += (size_t)length;
        } else {
            more += s->count;
        }
    }
    char rest[32] = "";
    if (more)
        snprintf(rest, sizeof(rest), "; and %u thread%s more", more, SIM_S(more));
    sim_fault(stands[0].w, stands[0].op, stands[0].lane, deadlock ? LAUNCH_FAILED : LAUNCH_TIMEOUT,
              "%s: %s%s", what, who, rest);
}
