// Branches, calls, exits and barriers.
#include "builtin.h"
#include "sim/check/check.h"
#include "sim/check/check_race.h"
#include "handlers.h"
#include "sim/machine/code.h"
#include "warp.h"

#include <string.h>
#include <time.h>

// Handlers for ops that the decoder adds

enum sim_next sim_run_special(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    uint64_t value = sim_special_value(w, op->extra, 0);

    if (op->extra == SIM_SR_CLOCK64 || op->extra == SIM_SR_GLOBALTIMER)
        SIM_LANES(mask, i, SIM_R64(w, op->o[0])[i] = value);
    else
        SIM_LANES(mask, i, SIM_R32(w, op->o[0])[i] = (uint32_t)value);
    return SIM_NEXT;
}

// Reports the use of an undefined register.
enum sim_next sim_run_undefined(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const struct sim_code *code = sim_code_of(w->block->grid->program, op);

    return mask ? sim_found(w, op, (uint32_t)__builtin_ctz(mask), SIM_CHECK_INIT,
                            "uses register %s, whose value is undefined",
                            code->source->registers[op->extra].name)
                : SIM_NEXT;
}

enum sim_next sim_run_not(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    (void)mask;
    SIM_RP(w, op->o[0]) = ~SIM_RP(w, op->o[1]);
    return SIM_NEXT;
}

// Extracts the low part of wider registers: 64 bits if `wide`, otherwise 32.
enum sim_next sim_run_narrow(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    if (op->wide)
        SIM_LANES(mask, i, SIM_R64(w, op->o[0])[i] = SIM_R64(w, op->o[1])[i]);
    else
        SIM_LANES(mask, i, SIM_R32(w, op->o[0])[i] = (uint32_t)SIM_R64(w, op->o[1])[i]);
    return SIM_NEXT;
}

// Extends 32 bits (64 if bit 0 of `wide` is set) to 64 bits (128 if bit 1 is set). `extra`:
// sign-extends.
enum sim_next sim_run_widen(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    SIM_LANES(mask, i,
              uint64_t low = op->wide & 1 ? SIM_R64(w, op->o[1])[i]
                             : op->extra  ? (uint64_t)(int64_t)SIM_RS32(w, op->o[1])[i]
                                          : SIM_R32(w, op->o[1])[i];
              SIM_R64(w, op->o[0])[i] = low; if (op->wide & 2) SIM_R64(w, op->o[0])[i + SIM_WARP] =
                                                 op->extra && low >> 63 ? UINT64_MAX : 0);
    return SIM_NEXT;
}

enum sim_next sim_run_offset(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    if (op->wide)
        SIM_LANES(mask, i,
                  SIM_R64(w, op->o[0])[i] = SIM_R64(w, op->o[1])[i] + (uint64_t)op->offset);
    else
        SIM_LANES(mask, i,
                  SIM_R32(w, op->o[0])[i] = SIM_R32(w, op->o[1])[i] + (uint32_t)op->offset);
    return SIM_NEXT;
}

// Branches

enum sim_next sim_run_bra(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    if (mask == w->active) {
        w->pc = op->extra;
        return SIM_JUMP;
    }
    sim_place(w, mask, op->extra);
    sim_place(w, w->active & ~mask, SIM_PC(w, op) + 1);
    return SIM_REGROUP;
}

enum sim_next sim_run_brx(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const struct sim_targets *targets = op->data;
    const uint32_t *index = SIM_R32(w, op->o[0]);

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (index[lane] >= targets->count)
            return sim_fault(w, op, lane, 719, "branch by index %u, the table has %u labels",
                             index[lane], targets->count);
        w->lane_pc[lane] = targets->at[index[lane]];
    }
    sim_place(w, w->active & ~mask, SIM_PC(w, op) + 1);
    return SIM_REGROUP;
}

// Calls

static unsigned char *passed_at(struct sim_frame *frame, const struct sim_passed *p, uint32_t lane)
{
    if (p->in_register)
        return frame->f + p->at + lane * (p->bytes <= 4 ? 4 : 8);
    return frame->param + (size_t)lane * frame->code->param_bytes + p->at;
}

static void copy_passed(struct sim_frame *to, const struct sim_passed *dst, struct sim_frame *from,
                        const struct sim_passed *src, uint32_t count, uint32_t mask)
{
    for (uint32_t i = 0; i < count; i++) {
        if (dst[i].at == SIM_NO_OPERAND || src[i].at == SIM_NO_OPERAND)
            continue;
        uint32_t bytes = dst[i].bytes < src[i].bytes ? dst[i].bytes : src[i].bytes;
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            memcpy(passed_at(to, &dst[i], lane), passed_at(from, &src[i], lane), bytes);
        }
    }
}

// Returns the frame of another group of lanes that has executed the same call and is still in it.
// The groups can then reconverge there. NULL if there is none.
static struct sim_frame *find_call(const struct sim_warp *w, const struct sim_code *code,
                                   uint32_t return_pc)
{
    for (uint32_t m = w->alive & ~w->active; m; m &= m - 1) {
        struct sim_frame *frame = w->lane_frame[__builtin_ctz(m)];
        while (frame && frame->depth > w->frame->depth + 1)
            frame = frame->caller;
        if (frame && frame->caller == w->frame && frame->return_pc == return_pc &&
            frame->code == code)
            return frame;
    }
    return NULL;
}

static bool enter(struct sim_warp *w, const struct sim_op *op, uint32_t mask,
                  const struct sim_code *code)
{
    const struct sim_call *call = op->data;
    uint32_t return_pc = SIM_PC(w, op) + 1;
    struct sim_frame *frame = w->active == w->alive ? NULL : find_call(w, code, return_pc);

    if (!frame) {
        frame = sim_frame_push(w, op, (uint32_t)__builtin_ctz(mask), code, w->frame, return_pc);
        if (!frame)
            return false;
    }
    frame->lanes |= mask;
    uint32_t count = call->argument_count < code->argument_count ? call->argument_count
                                                                 : code->argument_count;
    copy_passed(frame, code->arguments, w->frame, call->arguments, count, mask);
    for (uint32_t m = mask; m; m &= m - 1)
        w->lane_frame[__builtin_ctz(m)] = frame;
    return true;
}

static void run_in(struct sim_warp *w, struct sim_frame *frame, uint32_t pc)
{
    w->frame = frame;
    w->f = frame->f;
    w->pc = pc;
}

enum sim_next sim_run_call(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const struct sim_call *call = op->data;

    if (!enter(w, op, mask, call->code))
        return SIM_FAULT;
    if (mask == w->active) {
        run_in(w, w->lane_frame[__builtin_ctz(mask)], 0);
        return SIM_JUMP;
    }
    sim_place(w, mask, 0);
    sim_place(w, w->active & ~mask, SIM_PC(w, op) + 1);
    return SIM_REGROUP;
}

enum sim_next sim_run_call_indirect(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const struct sim_call *call = op->data;
    const struct sim_program *program = w->block->grid->program;
    const uint64_t *target = SIM_R64(w, call->target);
    uint32_t pc = SIM_PC(w, op);

    for (uint32_t left = mask; left;) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), set = 0;
        uint64_t address = target[lane], index = (address & ~SIM_WINDOW_CODE) - 1;
        for (uint32_t m = left; m; m &= m - 1)
            if (target[__builtin_ctz(m)] == address)
                set |= m & (0 - m);
        left &= ~set;
        if (SIM_WINDOW(address) != SIM_WINDOW(SIM_WINDOW_CODE) ||
            index >= program->module->function_count ||
            !program->module->functions[index].is_defined ||
            program->module->functions[index].is_entry)
            return sim_fault(w, op, lane, 718, "call of 0x%llx, which is not a function",
                             (unsigned long long)address);
        const struct sim_code *code = &program->codes[index];
        if (code->argument_count != call->argument_count)
            return sim_fault(w, op, lane, 718, "call of %s with %u arguments, it takes %u",
                             code->name, call->argument_count, code->argument_count);
        if (!enter(w, op, set, code))
            return SIM_FAULT;
        sim_place(w, set, 0);
    }
    sim_place(w, w->active & ~mask, pc + 1);
    return SIM_REGROUP;
}

enum sim_next sim_run_call_builtin(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const struct sim_call *call = op->data;
    uint32_t stride = w->frame->code->param_bytes;
    unsigned char packed[SIM_WARP][64];
    unsigned char *results = call->result_count ? w->frame->param + call->results[0].at : NULL;

    // The arguments are .param variables anywhere in the frame. Copy them to where the callee's
    // declaration expects them.
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), at = 0;
        for (uint32_t i = 0; i < call->argument_count; i++) {
            const struct sim_passed *p = &call->arguments[i];
            uint32_t align = p->bytes < 8 ? p->bytes : 8;
            at = align ? (at + align - 1) & ~(align - 1) : at;
            if (at + p->bytes > sizeof(packed[0]))
                return sim_fault(w, op, lane, 719, "%s has too many arguments", call->name);
            memcpy(packed[lane] + at, passed_at(w->frame, p, lane), p->bytes);
            at += p->bytes;
        }
    }
    return sim_builtin_call(call->name, w, op, mask, packed[0], sizeof(packed[0]), results, stride);
}

static void leave_frame(struct sim_warp *w, struct sim_frame *frame, uint32_t lanes)
{
    frame->lanes &= ~lanes;
    if (!frame->lanes)
        sim_frame_drop(w, frame);
}

enum sim_next sim_run_ret(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    struct sim_frame *frame = w->frame, *caller = frame->caller;

    if (!caller)
        return sim_run_exit(w, op, mask);
    uint32_t pc = frame->return_pc;
    const struct sim_call *call = caller->code->ops[pc - 1].data;
    uint32_t count = call->result_count < frame->code->result_count ? call->result_count
                                                                    : frame->code->result_count;
    copy_passed(caller, call->results, frame, frame->code->results, count, mask);
    for (uint32_t m = mask; m; m &= m - 1)
        w->lane_frame[__builtin_ctz(m)] = caller;
    sim_place(w, w->active & ~mask, SIM_PC(w, op) + 1);
    leave_frame(w, frame, mask);
    if (mask == w->active) {
        run_in(w, caller, pc);
        return SIM_JUMP;
    }
    sim_place(w, mask, pc);
    return SIM_REGROUP;
}

// Exits

void sim_lanes_exit(struct sim_warp *w, uint32_t lanes)
{
    struct sim_block *block = w->block;

    if (sim_checks & SIM_CHECK_BARRIER)
        sim_check_barrier_exit(w, lanes);
    // The lanes run together, so their frames are the same.
    for (uint32_t m = w->frame->caller ? lanes : 0; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        struct sim_frame *frame = w->lane_frame[lane];
        while (frame->caller) {
            struct sim_frame *caller = frame->caller;
            leave_frame(w, frame, UINT32_C(1) << lane);
            frame = caller;
        }
        w->lane_frame[lane] = frame;
    }
    // A thread that exits after its arrival counts neither as arrived nor as expected.
    block->cluster->arrived -= (uint32_t)__builtin_popcount(lanes & w->cluster_arrived);
    w->cluster_arrived &= ~lanes;
    w->alive &= ~lanes;
    block->alive -= (uint32_t)__builtin_popcount(lanes);
    for (uint32_t open = block->open; open; open &= open - 1)
        sim_barrier_settle(block, (uint32_t)__builtin_ctz(open));
    if (block->cluster->arrived)
        sim_cluster_settle(block->cluster);
}

enum sim_next sim_run_exit(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    if (sim_race_on() && !sim_race_exit(w, op, mask))
        return SIM_FAULT;
    sim_place(w, w->active & ~mask, SIM_PC(w, op) + 1);
    sim_lanes_exit(w, mask);
    return SIM_REGROUP;
}

static enum sim_next run_trap(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    return sim_fault(w, op, (uint32_t)__builtin_ctz(mask), 719, "trap");
}

static enum sim_next run_nothing(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    (void)w;
    (void)op;
    (void)mask;
    return SIM_NEXT;
}

// Puts lanes to sleep, which lets others run once. The host thread itself sleeps only if all lanes
// of all its blocks are asleep (schedule.c).
static enum sim_next run_nanosleep(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t ns = SIM_R32(w, op->o[0])[__builtin_ctz(m)];
        w->sleep_ns = ns < w->sleep_ns ? ns : w->sleep_ns;
    }
    w->asleep |= mask;
    sim_place(w, w->active, SIM_PC(w, op) + 1);
    w->yielded |= w->active;
    return SIM_REGROUP;
}

// Barriers within a block

static void wake(struct sim_block *block, uint32_t index)
{
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct sim_warp *w = &block->warps[i];
        if (w->waiting[index] && sim_race_on())
            sim_race_pass(w, index);
        w->blocked &= ~w->waiting[index];
        w->waiting[index] = 0;
    }
}

void sim_barrier_settle(struct sim_block *block, uint32_t index)
{
    struct sim_barrier *b = &block->barriers[index];
    bool complete = b->expected == SIM_ALL_THREADS ? b->waiting == block->alive
                                                   : b->arrived >= b->expected;

    if (!b->expected || !complete)
        return;
    if (sim_checks & SIM_CHECK_BARRIER)
        sim_check_barrier_complete(block, index);
    wake(block, index);
    if (sim_race_on())
        sim_race_complete(block, index);
    block->open &= ~(UINT32_C(1) << index);
    *b = (struct sim_barrier){ .result = b->reduction };
}

enum {
    ARRIVE = 1, // continues without waiting
    RED_POPC,
    RED_AND,
    RED_OR,
    BARRIER_KIND = 7,
    ALIGNED = 8, // all lanes of a warp must execute it together
};

// Returns the lanes of a mask that have the same value as the first one.
static uint32_t same_value(const uint32_t *value, uint32_t mask)
{
    uint32_t same = 0, first = value[__builtin_ctz(mask)];

    for (uint32_t m = mask; m; m &= m - 1)
        if (value[__builtin_ctz(m)] == first)
            same |= m & (0 - m);
    return same;
}

// Arrives at barrier o[0], which expects o[1] threads or, without that operand, the whole block.
static enum sim_next arrive(struct sim_warp *w, const struct sim_op *op, uint32_t lanes,
                            uint32_t at, uint32_t count_at)
{
    struct sim_block *block = w->block;
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    uint32_t index = at == SIM_NO_OPERAND ? 0 : SIM_R32(w, at)[first];
    uint32_t count = count_at == SIM_NO_OPERAND ? SIM_ALL_THREADS : SIM_R32(w, count_at)[first];

    if (index > 15)
        return sim_fault(w, op, first, 719, "barrier %u, a block has 0 to 15", index);
    if (count != SIM_ALL_THREADS && (count == 0 || count % SIM_WARP))
        return sim_fault(w, op, first, 719,
                         "barrier %u for %u thread%s, the count must be a multiple of 32", index,
                         count, SIM_S(count));
    if (count != SIM_ALL_THREADS && count > block->warp_count * SIM_WARP)
        return sim_fault(w, op, first, 719, "barrier %u for %u thread%s, the block has %u", index,
                         count, SIM_S(count), block->threads);
    struct sim_barrier *b = &block->barriers[index];
    if (b->expected && b->expected != count)
        return sim_fault(w, op, first, 719,
                         "barrier %u for %d threads, others wait at it for %d (-1: all)", index,
                         (int)count, (int)b->expected);
    if (sim_checks & SIM_CHECK_BARRIER && op->extra & ALIGNED &&
        !sim_check_barrier_come(w, op, lanes, index))
        return SIM_FAULT;
    if (sim_race_on())
        sim_race_arrive(w, index, false);
    b->expected = count;
    block->open |= UINT32_C(1) << index;
    b->arrived += (uint32_t)__builtin_popcount(lanes);
    // A barrier counts whole warps: exited lanes arrive together with the lowest live lane.
    if (lanes & (w->alive & (0 - w->alive)))
        b->arrived += (uint32_t)(SIM_WARP - __builtin_popcount(w->alive));
    if ((op->extra & BARRIER_KIND) != ARRIVE) {
        b->waiting += (uint32_t)__builtin_popcount(lanes);
        w->blocked |= lanes;
        w->waiting[index] |= lanes;
    }
    return SIM_NEXT;
}

static enum sim_next run_barrier(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    uint32_t at = op->o[0], count_at = op->o[1];

    for (uint32_t left = mask, set; left; left &= ~set) {
        set = at == SIM_NO_OPERAND ? left : same_value(SIM_R32(w, at), left);
        if (arrive(w, op, set, at, count_at) == SIM_FAULT)
            return SIM_FAULT;
    }
    for (uint32_t open = w->block->open; open; open &= open - 1)
        sim_barrier_settle(w->block, (uint32_t)__builtin_ctz(open));
    if (w->blocked & mask)
        return SIM_WAIT;
    if (w->active == w->alive)
        return SIM_NEXT;
    // The arrival may have woken other lanes of this warp, so regroup.
    sim_place(w, w->active, SIM_PC(w, op) + 1);
    return SIM_REGROUP;
}

static void nothing(struct sim_warp *w, const struct sim_party *party)
{
    (void)w;
    (void)party;
}

static enum sim_next run_warp_sync(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    return sim_sync(w, op, mask, 0, nothing);
}

// Runs barrier.red: lanes arrive at the barrier and, once woken, execute the instruction again to
// fetch the result. o[0]: destination, o[1]: barrier, o[2]: thread count or none, o[3]: value.
static enum sim_next run_barrier_red(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    struct sim_block *block = w->block;
    uint32_t back = mask & w->ready, come = mask & ~w->ready, kind = op->extra & BARRIER_KIND;
    uint32_t value = SIM_RP(w, op->o[3]);

    for (uint32_t m = back; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint32_t result = block->barriers[SIM_R32(w, op->o[1])[lane] & 15].result;
        if (kind == RED_POPC) {
            SIM_R32(w, op->o[0])[lane] = result;
        } else {
            uint32_t *p = &SIM_RP(w, op->o[0]);
            *p = (*p & ~(UINT32_C(1) << lane)) | (uint32_t)(result != 0) << lane;
        }
    }
    w->ready &= ~back;
    sim_place(w, w->active & ~come, SIM_PC(w, op) + 1);
    sim_place(w, come, SIM_PC(w, op));
    for (uint32_t left = come, set; left; left &= ~set) {
        set = same_value(SIM_R32(w, op->o[1]), left);
        uint32_t index = SIM_R32(w, op->o[1])[__builtin_ctz(set)];
        if (arrive(w, op, set, op->o[1], op->o[2]) == SIM_FAULT)
            return SIM_FAULT;
        struct sim_barrier *b = &block->barriers[index];
        bool first = b->waiting == (uint32_t)__builtin_popcount(set);
        if (kind == RED_POPC)
            b->reduction += (uint32_t)__builtin_popcount(value & set);
        else if (kind == RED_AND)
            b->reduction = (first || b->reduction) && (value & set) == set;
        else
            b->reduction = b->reduction || (value & set);
        w->ready |= set;
        sim_barrier_settle(block, index);
    }
    return SIM_REGROUP;
}

// Cluster barrier

void sim_cluster_settle(struct sim_cluster *cluster)
{
    uint32_t alive = 0;

    for (uint32_t i = 0; i < cluster->count; i++)
        alive += cluster->blocks[i]->alive;
    if (cluster->arrived < alive)
        return;
    cluster->arrived = 0;
    if (sim_race_on())
        sim_race_complete(cluster->blocks[0], SIM_BARRIER_CLUSTER);
    for (uint32_t i = 0; i < cluster->count; i++) {
        struct sim_block *block = cluster->blocks[i];
        wake(block, SIM_BARRIER_CLUSTER);
        for (uint32_t n = 0; n < block->warp_count; n++)
            block->warps[n].cluster_arrived = 0;
    }
}

enum { CLUSTER_ARRIVE, CLUSTER_WAIT, RELAXED = 16 }; // and ALIGNED

static enum sim_next run_cluster(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    bool arrives = (op->extra & BARRIER_KIND) == CLUSTER_ARRIVE;

    if (sim_checks & SIM_CHECK_BARRIER && op->extra & ALIGNED &&
        !sim_check_barrier_come(w, op, mask,
                                arrives ? SIM_STEP_CLUSTER_ARRIVE : SIM_STEP_CLUSTER_WAIT))
        return SIM_FAULT;
    if (arrives) {
        uint32_t rearrived = mask & w->cluster_arrived;
        if (rearrived)
            return sim_fault(w, op, (uint32_t)__builtin_ctz(rearrived), 719,
                             "barrier.cluster.arrive a second time without a wait");
        if (sim_race_on())
            sim_race_arrive(w, SIM_BARRIER_CLUSTER, op->extra & RELAXED);
        w->cluster_arrived |= mask;
        w->block->cluster->arrived += (uint32_t)__builtin_popcount(mask);
        sim_cluster_settle(w->block->cluster);
        return SIM_NEXT;
    }
    // Lanes that have arrived must wait until the phase is complete.
    uint32_t wait = mask & w->cluster_arrived;
    if (!wait) {
        if (sim_race_on())
            sim_race_pass(w, SIM_BARRIER_CLUSTER);
        return SIM_NEXT;
    }
    w->blocked |= wait;
    w->waiting[SIM_BARRIER_CLUSTER] |= wait;
    return SIM_WAIT;
}

// Rows

static sim_handler *pick_bra(const struct sim_words *words, struct sim_op *op)
{
    (void)words;
    (void)op;
    return sim_run_bra;
}

static sim_handler *pick_brx(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    return sim_has(words, "idx") ? sim_run_brx : NULL;
}

static sim_handler *pick_ret(const struct sim_words *words, struct sim_op *op)
{
    (void)words;
    (void)op;
    return sim_run_ret;
}

static sim_handler *pick_exit(const struct sim_words *words, struct sim_op *op)
{
    (void)words;
    (void)op;
    return sim_run_exit;
}

static sim_handler *pick_trap(const struct sim_words *words, struct sim_op *op)
{
    (void)words;
    (void)op;
    return run_trap;
}

static sim_handler *pick_nothing(const struct sim_words *words, struct sim_op *op)
{
    (void)words;
    (void)op;
    return run_nothing;
}

static sim_handler *pick_nanosleep(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    return words->types == 1 && words->type[0] == SIM_U32 ? run_nanosleep : NULL;
}

// bar is the same as barrier with .aligned.
static uint32_t aligned(const struct sim_words *words)
{
    return strcmp(words->statement->word[0], "bar") == 0 || sim_has(words, "aligned") ? ALIGNED : 0;
}

static sim_handler *pick_barrier(const struct sim_words *words, struct sim_op *op)
{
    bool is_arrive = sim_has(words, "arrive");

    if (words->types || is_arrive == sim_has(words, "sync") ||
        (is_arrive && op->o[1] == SIM_NO_OPERAND))
        return NULL;
    op->extra = (is_arrive ? ARRIVE : 0) | aligned(words);
    return run_barrier;
}

// Picks barrier.red. The form "dawawp" has a count in o[2]. In "dawp" there is none, and the
// predicate moves to its place.
static sim_handler *pick_barrier_red(const struct sim_words *words, struct sim_op *op)
{
    if (words->types != 1)
        return NULL;
    if (sim_has(words, "popc") && words->type[0] == SIM_U32)
        op->extra = RED_POPC;
    else if (sim_has(words, "and") && words->type[0] == SIM_PRED)
        op->extra = RED_AND;
    else if (sim_has(words, "or") && words->type[0] == SIM_PRED)
        op->extra = RED_OR;
    else
        return NULL;
    op->extra |= aligned(words);
    if (op->o[3] == SIM_NO_OPERAND) {
        op->o[3] = op->o[2];
        op->o[2] = SIM_NO_OPERAND;
    }
    return run_barrier_red;
}

static sim_handler *pick_warp_sync(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    return !words->types && sim_has(words, "warp") && sim_has(words, "sync") ? run_warp_sync : NULL;
}

static sim_handler *pick_cluster(const struct sim_words *words, struct sim_op *op)
{
    if (words->types || sim_has(words, "arrive") == sim_has(words, "wait"))
        return NULL;
    op->extra = (sim_has(words, "wait") ? CLUSTER_WAIT : CLUSTER_ARRIVE) | aligned(words) |
                (sim_has(words, "relaxed") ? RELAXED : 0);
    return run_cluster;
}

const struct sim_instruction sim_control_instructions[] = {
    { "bra", "uni", "l", pick_bra },
    { "brx", "idx uni", "awl", pick_brx },
    { "ret", "uni", "", pick_ret },
    { "exit", "", "", pick_exit },
    { "trap", "", "", pick_trap },
    { "brkpt", "", "", pick_nothing },
    { "pmevent", "mask", "i", pick_nothing },
    { "nanosleep", "", "a", pick_nanosleep },
    // A grid starts only after the grids it depends on have ended, so it never waits for them.
    { "griddepcontrol", "launch_dependents wait", "", pick_nothing },
    { "bar", "sync arrive cta", "aw?aw?", pick_barrier },
    { "bar", "red popc and or cta", "dawawp", pick_barrier_red },
    { "bar", "red popc and or cta", "dawp", pick_barrier_red },
    { "bar", "warp sync", "aw", pick_warp_sync },
    { "barrier", "sync arrive cta aligned", "aw?aw?", pick_barrier },
    { "barrier", "red popc and or cta aligned", "dawawp", pick_barrier_red },
    { "barrier", "red popc and or cta aligned", "dawp", pick_barrier_red },
    { "barrier", "cluster arrive wait release relaxed acquire aligned", "", pick_cluster },
    { NULL, NULL, NULL, NULL },
};
