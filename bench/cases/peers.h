// Measures the same work in Python beside a point's subjects: PyTorch, Triton, CuPy, cuda.core and
// Numba, each in its own process. tools/cucore/bench_peers.py describes the requests.
#ifndef CUCORE_BENCH_CASES_PEERS_H
#define CUCORE_BENCH_CASES_PEERS_H

#include <cucore/bench.h>

#include <jansson.h>

// Let these peers, a NULL-terminated list, measure a case in a mode. A missing or unable peer
// becomes a skipped subject with the reason; a failing peer becomes a failed subject. `axes`
// identifies the point; the call takes it over. NULL means no axes.
cuc_status bench_peers_add(cuc_bench_state *state, const char *const *names, uint32_t mode,
                           const char *suite, const char *name, json_t *axes);
// Add one peer with subject flags; CUC_BENCH_PEER makes it the reference for the others.
cuc_status bench_peer_add(cuc_bench_state *state, const char *peer, uint32_t flags, uint32_t mode,
                          const char *suite, const char *name, json_t *axes);

#endif
