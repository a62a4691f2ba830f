#include "peers.h"

#include "foreign.h"
#include "support.h"

#include <cucore/error.h>
#include <cucore/system.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PEERS = 16 };

// Child processes, each started once because imports take seconds. They exit when this program
// ends, which closes their input.
static struct peer {
    char name[32];
    bench_child *child; // NULL: see `reason`
    char reason[512];   // why the peer is missing; not a failure
    char told[64];      // the last case for which the peer was reported missing
} started[MAX_PEERS];

static void start(struct peer *p)
{
    char script[PATH_MAX];
    const char *asked = getenv("CUCORE_PYTHON");
    const char *const command[] = { asked && *asked ? asked : "python3", script, p->name, NULL };
    char called[64];

    snprintf(called, sizeof(called), "bench_peers.py %s", p->name);
    if (!bench_find_file(script, sizeof(script), "bench_peers.py"))
        snprintf(p->reason, sizeof(p->reason),
                 "%.400s is not there: cucore is not installed as a "
                 "whole",
                 script);
    else if (bench_child_start(&p->child, called, command, NULL) < 0)
        snprintf(p->reason, sizeof(p->reason), "%s", cuc_error_message());
}

// Returns NULL if the table is full.
static struct peer *find(const char *name)
{
    for (size_t i = 0; i < MAX_PEERS; i++) {
        if (!started[i].name[0]) {
            snprintf(started[i].name, sizeof(started[i].name), "%s", name);
            start(&started[i]);
        }
        if (strcmp(started[i].name, name) == 0)
            return &started[i];
    }
    return NULL;
}

static json_t *make_request(cuc_bench_state *state, uint32_t mode, const char *suite,
                            const char *name, json_t *axes)
{
    cuc_device *device = cuc_bench_state_device(state);
    char seed[32];

    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)cuc_bench_state_seed(state));
    return json_pack("{s:s, s:s, s:s, s:O, s:s, s:s, s:b, s:{s:s, s:i, s:b}}", "do", "point",
                     "suite", suite, "case", name, "axes", axes, "seed", seed, "mode",
                     cuc_bench_mode_name(mode), "quick", cuc_bench_state_is_quick(state), "device",
                     "name", cuc_device_name(device), "ordinal", cuc_device_ordinal(device),
                     "simulated", cuc_driver_is_simulated());
}

// Report a missing peer once per case, not at each point.
static cuc_status tell_missing(cuc_bench_state *state, struct peer *p, const char *name)
{
    if (strcmp(p->told, name) == 0)
        return CUC_OK;
    snprintf(p->told, sizeof(p->told), "%s", name);
    return cuc_bench_state_skip_subject(state, p->name, p->reason);
}

static cuc_status add(cuc_bench_state *state, struct peer *p, uint32_t flags, uint32_t mode,
                      const char *name, json_t *request)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    json_t *answer;

    subject.name = p->name;
    subject.modes = mode;
    subject.flags = flags;
    if (!p->child)
        return tell_missing(state, p, name);
    if (bench_foreign_add(state, &subject, p->child, json_incref(request), &answer) < 0)
        return bench_failed_subject(state, p->name, mode);
    if (bench_answer(answer, "skipped") && json_is_true(json_object_get(answer, "everywhere"))) {
        snprintf(p->reason, sizeof(p->reason), "%s", bench_answer(answer, "skipped"));
        snprintf(p->told, sizeof(p->told), "%s", name);
        bench_child_end(p->child);
        p->child = NULL;
    }
    json_decref(answer);
    return CUC_OK;
}

cuc_status bench_peers_add(cuc_bench_state *state, const char *const *names, uint32_t mode,
                           const char *suite, const char *name, json_t *axes)
{
    json_t *known = axes ? axes : json_object();
    json_t *request = make_request(state, mode, suite, name, known);
    cuc_status st = request ? CUC_OK : bench_no_memory("a request");

    json_decref(known);
    for (size_t i = 0; names[i] && st >= 0; i++) {
        struct peer *p = find(names[i]);
        st = p ? add(state, p, 0, mode, name, request) : bench_no_memory("another peer");
    }
    json_decref(request);
    return st;
}

cuc_status bench_peer_add(cuc_bench_state *state, const char *peer, uint32_t flags, uint32_t mode,
                          const char *suite, const char *name, json_t *axes)
{
    json_t *request = make_request(state, mode, suite, name, axes);
    struct peer *p = find(peer);
    cuc_status st = request && p ? add(state, p, flags, mode, name, request)
                                 : bench_no_memory("another peer");

    json_decref(axes);
    json_decref(request);
    return st;
}
