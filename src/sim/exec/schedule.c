// Schedules lanes of a warp, warps of a block, blocks of a grid, and grids on worker threads.
//
// A worker runs a unit, which is a cluster or a single block. The unit's warps take turns. Within a
// warp, the lanes at the same instruction run together until they diverge, meet others, or exhaust
// their quantum while others wait. If a unit runs for long, perhaps because it waits for another
// block, it is suspended, and the worker begins another unit or resumes one that it suspended
// before.
#include "sim/check/check.h"
#include "handlers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    QUANTUM = 1024,      // number of branches before other lanes or other warps run
    PATIENCE = 64,       // rounds of a unit's warps before other units run
    MAX_RESIDENT = 4096, // maximum number of units that a worker may have begun, unless the grid is
                         // cooperative
    RESIDENT_BYTES = 256 << 20,
    MAX_WORKERS = 256,
    WAIT_ROUNDS = 32,      // rounds for which mbarrier.try_wait may block
    MAX_STALLED = 1 << 19, // number of consecutive rounds with nothing but failed waits that counts
                           // as a deadlock
};

struct sim_unit {
    struct sim_unit *next;
    struct sim_cluster cluster;
    struct sim_block blocks[];
};

// The lanes of a warp

// Returns true if all 32 lanes are at the same instruction. The loop has no branches, for speed.
static bool stand_together(const struct sim_warp *w)
{
    uint32_t pcs = 0;
    uintptr_t frames = 0;

    for (uint32_t lane = 0; lane < SIM_WARP; lane++) {
        pcs |= w->lane_pc[lane] ^ w->lane_pc[0];
        frames |= (uintptr_t)w->lane_frame[lane] ^ (uintptr_t)w->lane_frame[0];
    }
    return !pcs && !frames;
}

// Chooses the lanes to run next: finds the lowest instruction among the lanes of `fresh` that are
// deepest in calls, and takes all lanes of `runnable` at that instruction.
static void choose(struct sim_warp *w, uint32_t fresh, uint32_t runnable)
{
    struct sim_frame *frame = NULL;
    uint32_t pc = 0, group = 0;

    if (fresh == SIM_ALL_LANES && stand_together(w)) {
        w->active = fresh;
        w->frame = w->lane_frame[0];
        w->f = w->frame->f;
        w->pc = w->lane_pc[0];
        return;
    }
    for (uint32_t m = fresh; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        struct sim_frame *f = w->lane_frame[lane];
        if (!frame || f->depth > frame->depth ||
            (f->depth == frame->depth && w->lane_pc[lane] < pc)) {
            frame = f;
            pc = w->lane_pc[lane];
        }
    }
    for (uint32_t m = runnable; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (w->lane_frame[lane] == frame && w->lane_pc[lane] == pc)
            group |= UINT32_C(1) << lane;
    }
    w->active = group;
    w->yielded &= ~group;
    w->frame = frame;
    w->f = frame->f;
    w->pc = pc;
}

// Returns the first instruction at or after `pc` in the running frame at which other lanes wait;
// UINT32_MAX if there is none.
static uint32_t next_meeting(const struct sim_warp *w, uint32_t others, uint32_t pc)
{
    uint32_t next = UINT32_MAX;

    for (uint32_t m = others; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (w->lane_frame[lane] == w->frame && w->lane_pc[lane] >= pc && w->lane_pc[lane] < next)
            next = w->lane_pc[lane];
    }
    return next;
}

// Runs a warp until its lanes wait, have ended or have used up their quantum. Returns false after a
// fault.
static bool run_warp(struct sim_warp *w)
{
    uint32_t budget = QUANTUM;
    uint64_t instructions = 0;

    w->yielded = 0;
    for (;;) {
        uint32_t runnable = w->alive & ~w->blocked;
        uint32_t fresh = runnable & ~w->yielded;
        if (!fresh)
            break;
        choose(w, fresh, runnable);

        const uint32_t active = w->active, others = runnable & ~active;
        const uint32_t lanes = (uint32_t)__builtin_popcount(active);
        const struct sim_frame *frame = w->frame;
        const struct sim_op *ops = frame->code->ops;
        const struct sim_op *op = ops + w->pc, *start = op, *stop = NULL;
        unsigned char *f = w->f;
        enum sim_next next;
        uint32_t mask;

        if (others) {
            uint32_t meeting = next_meeting(w, others, w->pc);
            stop = meeting == UINT32_MAX ? NULL : ops + meeting;
        }
        for (;;) {
            mask = active;
            if (op->guard != SIM_NO_GUARD) {
                uint32_t guard;
                memcpy(&guard, f + op->guard, sizeof(guard));
                mask &= guard ^ op->guard_flip;
            }
            next = mask ? op->run(w, op, mask) : SIM_NEXT;
            if (next == SIM_NEXT) {
                op++;
                if (op == stop)
                    break;
                continue;
            }
            if (next != SIM_JUMP)
                break;
            instructions += (uint64_t)(op - start + 1) * lanes;
            ops = w->frame->code->ops;
            f = w->f;
            start = op = ops + w->pc;
            // After a branch, let other lanes run, unless the group is still at a lower instruction
            // than they are.
            if (!--budget || (others && (!stop || w->frame != frame || op >= stop)))
                break;
        }
        instructions += (uint64_t)(op - start) * lanes;
        if (next == SIM_NEXT || next == SIM_JUMP) {
            sim_place(w, active, (uint32_t)(op - ops));
        } else if (next == SIM_WAIT) {
            sim_place(w, active, (uint32_t)(op - ops) + 1);
            instructions += lanes;
        } else if (next == SIM_RETRY) {
            sim_place(w, active & ~mask, (uint32_t)(op - ops) + 1);
            sim_place(w, mask, (uint32_t)(op - ops));
            w->yielded |= mask;
        } else if (next == SIM_REGROUP) {
            instructions += lanes;
            budget -= budget != 0;
        } else {
            w->instructions += instructions;
            return false;
        }
        if (!budget) {
            w->yielded |= active;
            budget = QUANTUM;
        }
    }
    w->instructions += instructions;
    return true;
}

// Blocks

static void unit_free(struct sim_unit *unit)
{
    if (!unit)
        return;
    for (uint32_t i = 0; i < unit->cluster.count; i++) {
        struct sim_block *block = &unit->blocks[i];
        for (uint32_t n = 0; block->warps && n < block->warp_count; n++) {
            struct sim_warp *w = &block->warps[n];
            free(w->local);
            // After a fault, lanes may still be in calls. Discard their frames, except the entry's.
            for (uint32_t lane = 0; lane < SIM_WARP; lane++) {
                struct sim_frame *frame = w->lane_frame[lane];
                while (frame && frame != w->entry) {
                    struct sim_frame *caller = frame->caller;
                    frame->lanes &= ~(UINT32_C(1) << lane);
                    if (!frame->lanes)
                        sim_frame_drop(w, frame);
                    frame = caller;
                }
            }
            if (w->entry)
                sim_frame_drop(w, w->entry);
        }
        free(block->warps);
        free(block->shared);
        free(block->mbarriers);
        sim_check_block_free(block);
    }
    free(unit->cluster.blocks);
    free(unit);
}

static struct sim_unit *unit_new(struct sim_worker *worker, uint32_t count)
{
    struct sim_grid *grid = worker->grid;
    uint32_t threads = grid->block[0] * grid->block[1] * grid->block[2];
    uint32_t warps = (threads + SIM_WARP - 1) / SIM_WARP;
    uint32_t shared = grid->entry->dynamic_at + grid->shared_bytes;
    struct sim_unit *unit = calloc(1, sizeof(*unit) + count * sizeof(unit->blocks[0]));

    if (!unit)
        return NULL;
    unit->cluster.count = count;
    unit->cluster.blocks = calloc(count, sizeof(struct sim_block *));
    if (!unit->cluster.blocks)
        goto fail;
    for (uint32_t i = 0; i < count; i++) {
        struct sim_block *block = &unit->blocks[i];
        unit->cluster.blocks[i] = block;
        block->grid = grid;
        block->cluster = &unit->cluster;
        block->cluster_rank = i;
        block->threads = threads;
        block->warp_count = warps;
        block->shared_bytes = grid->shared_bytes ? shared : grid->entry->shared_bytes;
        block->warps = calloc(warps, sizeof(struct sim_warp));
        size_t reserved_at = ((size_t)shared + 1023) & ~(size_t)1023;
        block->shared = aligned_alloc(1024, reserved_at + SIM_RESERVED_BYTES);
        if (!block->warps || !block->shared)
            goto fail;
        memset(block->shared, 0, reserved_at + SIM_RESERVED_BYTES);
        block->reserved = block->shared + reserved_at;
        if (!sim_check_block_new(block))
            goto fail;
        for (uint32_t n = 0; n < warps; n++) {
            struct sim_warp *w = &block->warps[n];
            uint32_t left = threads - n * SIM_WARP;
            w->block = block;
            w->index = n;
            w->exists = left >= SIM_WARP ? SIM_ALL_LANES : (UINT32_C(1) << left) - 1;
            w->worker = worker;
            w->caches = worker->caches;
            if (grid->stack_bytes) {
                w->local = calloc(SIM_WARP, grid->stack_bytes);
                if (!w->local)
                    goto fail;
            }
        }
    }
    return unit;
fail:
    unit_free(unit);
    return NULL;
}

// Computes the first block of a grid's unit number `index`, and the unit's size in blocks.
static void place_unit(const struct sim_grid *grid, uint32_t count, uint64_t index,
                       uint32_t first[3], uint32_t size[3])
{
    uint32_t across[3];

    for (int i = 0; i < 3; i++) {
        size[i] = count > 1 && grid->cluster[i] ? grid->cluster[i] : 1;
        across[i] = grid->grid[i] / size[i];
    }
    first[0] = (uint32_t)(index % across[0]) * size[0];
    first[1] = (uint32_t)(index / across[0] % across[1]) * size[1];
    first[2] = (uint32_t)(index / across[0] / across[1]) * size[2];
}

// Starts unit number `index` of the grid.
static bool unit_begin(struct sim_unit *unit, uint64_t index)
{
    uint32_t count = unit->cluster.count;
    const struct sim_grid *grid = unit->blocks[0].grid;
    uint32_t size[3], first[3];

    place_unit(grid, count, index, first, size);
    unit->cluster.arrived = unit->cluster.patience = unit->cluster.stalled = 0;
    unit->cluster.waits = false;
    for (uint32_t n = 0; n < count; n++) {
        struct sim_block *block = &unit->blocks[n];
        block->index[0] = first[0] + n % size[0];
        block->index[1] = first[1] + n / size[0] % size[1];
        block->index[2] = first[2] + n / size[0] / size[1];
        block->alive = block->threads;
        memset(block->barriers, 0, sizeof(block->barriers));
        block->open = 0;
        if (block->mbarriers)
            memset(block->mbarriers, 0, (block->shared_bytes / 512 + 1) * sizeof(uint64_t));
        sim_check_block_begin(block);
        for (uint32_t i = 0; i < block->warp_count; i++) {
            struct sim_warp *w = &block->warps[i];
            w->alive = w->exists;
            w->blocked = w->yielded = w->ready = w->cluster_arrived = w->carry = 0;
            w->patience = 0;
            w->try_failed = SIM_ALL_LANES; // until the cluster's `patience` grows
            memset(w->waiting, 0, sizeof(w->waiting));
            memset(w->stack_top, 0, sizeof(w->stack_top));
            if (!sim_frame_enter(w))
                return false;
        }
    }
    return true;
}

uint64_t sim_timeout;

static uint64_t nanoseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

enum outcome { ENDED, SUSPENDED, ASLEEP, FAULTED };

// Returns true if no lane can continue before a sleeping lane wakes. Must be called at the end of a
// round, since a warp that ran late may have released an earlier one from a barrier.
static bool all_sleep(const struct sim_unit *unit)
{
    for (uint32_t b = 0; b < unit->cluster.count; b++) {
        for (uint32_t i = 0; i < unit->blocks[b].warp_count; i++) {
            const struct sim_warp *w = &unit->blocks[b].warps[i];
            if (w->alive & ~w->blocked & ~w->asleep)
                return false;
        }
    }
    return true;
}

static enum outcome unit_run(struct sim_unit *unit, uint32_t patience)
{
    struct sim_grid *grid = unit->blocks[0].grid;

    for (uint32_t round = 0; round < patience; round++) {
        struct sim_cluster *cluster = &unit->cluster;
        uint64_t done = 0;
        uint32_t alive = 0, asleep = 0;
        bool looked = false;
        cluster->waits = false;
        for (uint32_t b = 0; b < unit->cluster.count; b++) {
            struct sim_block *block = &unit->blocks[b];
            for (uint32_t i = 0; block->alive && i < block->warp_count; i++) {
                struct sim_warp *w = &block->warps[i];
                if (!(w->alive & ~w->blocked))
                    continue;
                uint64_t before = w->instructions;
                w->looked = false;
                w->asleep = 0;
                w->sleep_ns = UINT32_MAX;
                if (!run_warp(w))
                    return FAULTED;
                asleep |= w->asleep;
                done += w->instructions - before;
                looked = looked || w->looked;
            }
            alive += block->alive;
        }
        if (!alive)
            return ENDED;
        if (atomic_load_explicit(&grid->fault, memory_order_relaxed))
            return FAULTED;
        if (grid->deadline && nanoseconds() > grid->deadline) {
            char what[64];
            snprintf(what, sizeof(what), "timeout: it has run for more than %g s",
                     1e-9 * (double)sim_timeout);
            sim_fault_standing(cluster, false, what);
            return FAULTED;
        }
        // If all lanes wait, and some of them at mbarrier.try_wait, report failure to those. A loop
        // around try_wait returns to it in the same round. If the loop also reads global memory, it
        // may be waiting for another block, another grid or the host, so this is not a deadlock.
        if (looked)
            cluster->stalled = 0;
        bool loops = !done && cluster->waits && ++cluster->stalled < MAX_STALLED;
        if (!done && !loops) {
            sim_fault_standing(cluster, true, "deadlock");
            return FAULTED;
        }
        if (loops || (cluster->waits && round % WAIT_ROUNDS == WAIT_ROUNDS - 1))
            cluster->patience++;
        if (asleep && all_sleep(unit))
            return ASLEEP;
    }
    return SUSPENDED;
}

// Returns the shortest sleep of the unit's lanes, up to a limit: the thread must check for
// timeouts, and other threads may wait for it.
static uint32_t sleep_of(const struct sim_unit *unit)
{
    enum { MOST = 1000000 }; // ns
    uint32_t least = MOST;

    for (uint32_t b = 0; b < unit->cluster.count; b++) {
        for (uint32_t i = 0; i < unit->blocks[b].warp_count; i++) {
            const struct sim_warp *w = &unit->blocks[b].warps[i];
            if (w->asleep && w->sleep_ns < least)
                least = w->sleep_ns;
        }
    }
    return least;
}

// Grids

struct job {
    struct job *next;
    struct sim_grid *grid;
    _Atomic uint64_t next_unit;
    uint64_t units;
    uint64_t max_resident;
    uint32_t unit_blocks;
    uint32_t helpers; // pool threads that are working on it
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct job *jobs;
    uint32_t threads; // threads started
    bool started;
} pool = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0, false
};

static void out_of_memory(struct sim_grid *grid)
{
    int none = 0;
    if (atomic_compare_exchange_strong(&grid->fault, &none, 2))
        snprintf(grid->report, sizeof(grid->report), "kernel %s: no host memory for a block",
                 grid->entry->name);
}

static struct sim_unit *next_unit(struct sim_worker *worker, struct job *job)
{
    bool has_suspended = worker->suspended != NULL;
    struct sim_unit *unit;

    if (!has_suspended || worker->resident < job->max_resident) {
        uint64_t index = atomic_fetch_add_explicit(&job->next_unit, 1, memory_order_relaxed);
        if (index < job->units) {
            unit = worker->free_units;
            if (unit)
                worker->free_units = unit->next;
            else
                unit = unit_new(worker, job->unit_blocks);
            if (!unit || !unit_begin(unit, index)) {
                unit_free(unit);
                out_of_memory(worker->grid);
                return NULL;
            }
            worker->resident++;
            return unit;
        }
    }
    if (!has_suspended)
        return NULL;
    unit = worker->suspended;
    worker->suspended = unit->next;
    if (!worker->suspended)
        worker->suspended_end = &worker->suspended;
    return unit;
}

bool sim_cancel_unit(struct sim_worker *worker, uint32_t first[3])
{
    struct job *job = worker->job;
    uint32_t size[3];
    uint64_t index;

    if (worker->grid->cooperative)
        return false;
    index = atomic_fetch_add_explicit(&job->next_unit, 1, memory_order_relaxed);
    if (index >= job->units)
        return false;
    place_unit(worker->grid, job->unit_blocks, index, first, size);
    return true;
}

static uint64_t unit_instructions(struct sim_unit *unit)
{
    uint64_t sum = 0;

    for (uint32_t b = 0; b < unit->cluster.count; b++) {
        for (uint32_t i = 0; i < unit->blocks[b].warp_count; i++) {
            sum += unit->blocks[b].warps[i].instructions;
            unit->blocks[b].warps[i].instructions = 0;
        }
    }
    return sum;
}

// Runs one thread's share of a grid.
static void work(struct job *job, uint32_t index)
{
    struct sim_grid *grid = job->grid;
    const struct sim_program *program = grid->program;
    struct sim_worker worker = { .grid = grid, .job = job, .index = index };
    uint64_t instructions = 0;
    struct sim_unit *unit;

    worker.suspended_end = &worker.suspended;
    worker.caches = calloc(program->cache_count + 1, sizeof(*worker.caches));
    worker.free_frames = calloc(program->module->function_count + 1, sizeof(*worker.free_frames));
    if (!worker.caches || !worker.free_frames) {
        out_of_memory(grid);
        free(worker.caches);
        free(worker.free_frames);
        return;
    }
    while (!atomic_load_explicit(&grid->fault, memory_order_relaxed) &&
           (unit = next_unit(&worker, job)) != NULL) {
        // Blocks of a cooperative grid wait for one another. Begin all of them before any block
        // runs for long, and let no block spin for long while others have yet to arrive.
        enum outcome how = unit_run(unit, grid->cooperative ? 1 : PATIENCE);
        instructions += unit_instructions(unit);
        worker.asleep = how == ASLEEP ? worker.asleep + 1 : 0;
        if (worker.asleep >= worker.resident && worker.asleep) {
            // If all units sleep, the thread sleeps too, so kernels that wait for the host use no
            // CPU time.
            nanosleep(&(struct timespec){ .tv_nsec = sleep_of(unit) }, NULL);
            worker.asleep = 0;
        }
        if (how == SUSPENDED || how == ASLEEP) {
            unit->next = NULL;
            *worker.suspended_end = unit;
            worker.suspended_end = &unit->next;
        } else if (how == ENDED) {
            unit->next = worker.free_units;
            worker.free_units = unit;
            worker.resident--;
        } else {
            unit_free(unit);
        }
    }
    while ((unit = worker.suspended) != NULL) {
        worker.suspended = unit->next;
        unit_free(unit);
    }
    while ((unit = worker.free_units) != NULL) {
        worker.free_units = unit->next;
        unit_free(unit);
    }
    sim_frames_free(&worker);
    free(worker.free_frames);
    free(worker.caches);
    atomic_fetch_add_explicit(&grid->instructions, instructions, memory_order_relaxed);
}

static bool has_work(const struct job *job)
{
    return atomic_load_explicit(&job->next_unit, memory_order_relaxed) < job->units &&
           !atomic_load_explicit(&job->grid->fault, memory_order_relaxed);
}

static void *serve(void *index)
{
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        struct job *job = pool.jobs;
        while (job && !has_work(job))
            job = job->next;
        if (!job) {
            pthread_cond_wait(&pool.work, &pool.lock);
            continue;
        }
        job->helpers++;
        pthread_mutex_unlock(&pool.lock);
        work(job, (uint32_t)(uintptr_t)index);
        pthread_mutex_lock(&pool.lock);
        if (!--job->helpers)
            pthread_cond_broadcast(&pool.done);
    }
    return NULL;
}

static uint32_t thread_count(void)
{
    const char *text = getenv("CUCORE_SIM_THREADS");
    long n = text && *text ? strtol(text, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);

    return n < 1 ? 1 : n > MAX_WORKERS ? MAX_WORKERS : (uint32_t)n;
}

// Holds the lock across fork(). The child has no pool threads, and starts its own.
static void before_fork(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void after_fork_parent(void)
{
    pthread_mutex_unlock(&pool.lock);
}

static void after_fork_child(void)
{
    pool.threads = 0;
    pool.jobs = NULL;
    pthread_cond_init(&pool.work, NULL);
    pthread_cond_init(&pool.done, NULL);
    pthread_mutex_unlock(&pool.lock);
}

// Starts threads. The caller holds the lock. If some threads cannot be started, the pool works
// without them.
static void start_threads(uint32_t wanted)
{
    if (!pool.started)
        pthread_atfork(before_fork, after_fork_parent, after_fork_child);
    pool.started = true;
    while (pool.threads + 1 < wanted) {
        pthread_t thread;
        uintptr_t index = pool.threads + 1;
        if (pthread_create(&thread, NULL, serve, (void *)index) != 0)
            return;
        pthread_detach(thread);
        pool.threads++;
    }
}

// Returns the stack size of a lane, which is the size that the entry's calls need. If they may need
// more than can be computed, it is at least the configured size.
static uint32_t stack_of(const struct sim_grid *grid)
{
    enum { DEFAULT = 1024 };
    uint32_t counted = grid->entry->stack_bytes;
    uint32_t limit = grid->stack_limit ? grid->stack_limit : DEFAULT;

    return grid->entry->deep && counted < limit ? (limit + 15) & ~UINT32_C(15) : counted;
}

int sim_grid_run(struct sim_grid *grid)
{
    bool clustered = grid->cluster[0] != 0;
    uint32_t blocks = clustered ? grid->cluster[0] * grid->cluster[1] * grid->cluster[2] : 1;
    uint64_t units = (uint64_t)grid->grid[0] * grid->grid[1] * grid->grid[2] /
                     (blocks ? blocks : 1);
    uint32_t warps = (grid->block[0] * grid->block[1] * grid->block[2] + SIM_WARP - 1) / SIM_WARP;
    const struct sim_code *entry = grid->entry;

    grid->stack_bytes = stack_of(grid);
    uint64_t bytes =
        (uint64_t)blocks *
        (entry->dynamic_at + grid->shared_bytes +
         (uint64_t)warps *
             (entry->frame_bytes + SIM_WARP * ((uint64_t)entry->param_bytes + grid->stack_bytes)));
    struct job job = { .grid = grid, .units = units, .unit_blocks = blocks };

    if (!warps || !units || !blocks)
        return atomic_load(&grid->fault);
    grid->deadline = sim_timeout ? nanoseconds() + sim_timeout : 0;
    job.max_resident = RESIDENT_BYTES / (bytes ? bytes : 1);
    job.max_resident = job.max_resident < 2 ? 2 : job.max_resident;
    job.max_resident = job.max_resident > MAX_RESIDENT ? MAX_RESIDENT : job.max_resident;
    if (grid->cooperative)
        job.max_resident = UINT64_MAX;

    uint32_t threads = units > 1 ? thread_count() : 1;
    if (threads == 1) {
        work(&job, 0);
        return atomic_load(&grid->fault);
    }
    pthread_mutex_lock(&pool.lock);
    start_threads(threads);
    job.next = pool.jobs;
    pool.jobs = &job;
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);

    work(&job, 0);

    pthread_mutex_lock(&pool.lock);
    for (struct job **at = &pool.jobs; *at; at = &(*at)->next) {
        if (*at == &job) {
            *at = job.next;
            break;
        }
    }
    while (job.helpers)
        pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    return atomic_load(&grid->fault);
}
