// Selects the enabled checks and reports their findings.
#include "check.h"
#include "base/array.h"
#include "sim/machine/code.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCH_FAILED = 719 };

uint32_t sim_checks;
void (*sim_check_report)(const char *report);

static const struct {
    const char *word;
    uint32_t checks;
} words[] = {
    { "init", SIM_CHECK_INIT },
    { "race", SIM_CHECK_RACE },
    { "async", SIM_CHECK_ASYNC },
    { "barrier", SIM_CHECK_BARRIER },
    { "all", SIM_CHECK_ACCESS | SIM_CHECK_BARRIER },
    { "error", SIM_CHECK_ERROR },
};
enum { WORDS = CUC_LENGTH(words) };

bool sim_checks_read(const char *list, char *why, size_t why_bytes)
{
    uint32_t checks = 0;

    while (*list) {
        size_t length = strcspn(list, ", "), i = 0;
        while (i < WORDS &&
               !(strlen(words[i].word) == length && strncmp(words[i].word, list, length) == 0))
            i++;
        if (length && i == WORDS) {
            int n = snprintf(why, why_bytes, "%.*s is not a check: the words are",
                             length < 40 ? (int)length : 40, list);
            for (i = 0; i < WORDS && n > 0 && (size_t)n < why_bytes; i++)
                n += snprintf(why + n, why_bytes - (size_t)n, "%s %s", i ? "," : "", words[i].word);
            return false;
        }
        checks |= length ? words[i].checks : 0;
        list += length + (list[length] != '\0');
    }
    sim_checks = checks;
    return true;
}

// Findings

static const char *word_of(uint32_t check)
{
    size_t i = 0;

    while (i + 1 < WORDS && words[i].checks != check)
        i++;
    return words[i].word;
}

// Code locations that have been reported: a hash table from which nothing is removed.
struct place {
    uint64_t program; // serial number of the program, from 1
    uint32_t entry, line, check;
};

static struct {
    pthread_mutex_t lock;
    struct place *places;
    size_t count, capacity;           // a power of two
    uint64_t found[32], reported[32]; // indexed by the check's bit
} findings = { .lock = PTHREAD_MUTEX_INITIALIZER };

static size_t slot_of(const struct place *places, size_t capacity, const struct place *p)
{
    uint64_t hash = (p->program * 31 + p->entry) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ (hash >> 29) ^ (uint64_t)p->line << 5 ^ p->check) * UINT64_C(0xbf58476d1ce4e5b9);
    size_t at = (hash >> 32) & (capacity - 1);

    while (places[at].program &&
           (places[at].program != p->program || places[at].entry != p->entry ||
            places[at].line != p->line || places[at].check != p->check))
        at = (at + 1) & (capacity - 1);
    return at;
}

static bool grow(void)
{
    size_t capacity = findings.capacity ? 2 * findings.capacity : 64;
    struct place *places = calloc(capacity, sizeof(*places));

    if (!places)
        return false;
    for (size_t i = 0; i < findings.capacity; i++)
        if (findings.places[i].program)
            places[slot_of(places, capacity, &findings.places[i])] = findings.places[i];
    free(findings.places);
    findings.places = places;
    findings.capacity = capacity;
    return true;
}

// Returns true the first time it is called for a code location. If out of memory, always returns
// true.
static bool is_new(const struct place *p)
{
    if (findings.count >= findings.capacity / 2 && !grow())
        return true;
    size_t at = slot_of(findings.places, findings.capacity, p);
    if (findings.places[at].program)
        return false;
    findings.places[at] = *p;
    findings.count++;
    return true;
}

enum sim_next sim_found(struct sim_warp *w, const struct sim_op *op, uint32_t lane, uint32_t check,
                        const char *fmt, ...)
{
    const struct sim_grid *grid = w->block->grid;
    struct place place = { grid->program->serial, grid->entry->index, op->line, check };
    char what[512], report[sizeof(grid->report)];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    if (sim_checks & SIM_CHECK_ERROR) {
        pthread_mutex_lock(&findings.lock);
        findings.found[__builtin_ctz(check)]++;
        pthread_mutex_unlock(&findings.lock);
        return sim_fault(w, op, lane, LAUNCH_FAILED, "%s (check: %s)", what, word_of(check));
    }
    pthread_mutex_lock(&findings.lock);
    findings.found[__builtin_ctz(check)]++;
    bool first = is_new(&place);
    findings.reported[__builtin_ctz(check)] += first;
    if (first && sim_check_report) {
        size_t n = sim_place_words(w, op, lane, report, sizeof(report));
        if (n < sizeof(report))
            snprintf(report + n, sizeof(report) - n, "%s (check: %s)", what, word_of(check));
        sim_check_report(report);
    }
    pthread_mutex_unlock(&findings.lock);
    return SIM_NEXT;
}

uint64_t sim_findings(uint32_t check, uint64_t *places)
{
    pthread_mutex_lock(&findings.lock);
    uint64_t found = findings.found[__builtin_ctz(check)];
    *places = findings.reported[__builtin_ctz(check)];
    pthread_mutex_unlock(&findings.lock);
    return found;
}

// Accesses and blocks

bool sim_check_access(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                      struct sim_block *owner, uint64_t at, uint32_t bytes, enum sim_access access)
{
    if (access == SIM_BOUNDS)
        return true;
    if (sim_checks & SIM_CHECK_INIT &&
        !sim_check_init_access(w, op, lane, owner, at, bytes, access))
        return false;
    return !owner || !(sim_checks & (SIM_CHECK_RACE | SIM_CHECK_ASYNC)) ||
           sim_check_race_access(w, op, lane, owner, (uint32_t)at, bytes, access);
}

bool sim_check_block_new(struct sim_block *block)
{
    return (!(sim_checks & SIM_CHECK_INIT) || sim_check_init_new(block)) &&
           (!(sim_checks & (SIM_CHECK_RACE | SIM_CHECK_ASYNC)) || sim_check_race_new(block)) &&
           (!(sim_checks & SIM_CHECK_BARRIER) || sim_check_barrier_new(block));
}

void sim_check_block_begin(struct sim_block *block)
{
    if (sim_checks & SIM_CHECK_INIT)
        sim_check_init_begin(block);
    if (sim_checks & (SIM_CHECK_RACE | SIM_CHECK_ASYNC))
        sim_check_race_begin(block);
    if (sim_checks & SIM_CHECK_BARRIER)
        sim_check_barrier_begin(block);
}

void sim_check_block_free(struct sim_block *block)
{
    sim_check_init_free(block);
    sim_check_race_free(block);
    sim_check_barrier_free(block);
}
