// The same work in Python: PyTorch, Triton, CuPy, cuda.core and Numba, each in its own process
// (tools/cucore/bench_peers.py, which describes the requests), beside a point's subjects.
#ifndef CUCORE_BENCH_CASES_PEERS_H
#define CUCORE_BENCH_CASES_PEERS_H

#include <cucore/bench.h>

#include <jansson.h>

// Let these peers, NULL-terminated, measure a case in a mode. A peer that is missing or unable
// becomes a skipped subject with the reason; one that fails, a failed subject. `axes` identifies
// the point and is taken over; NULL is none.
cuc_status bench_peers_add(cuc_bench_state *state, const char *const *names, uint32_t mode,
                           const char *suite, const char *name, json_t *axes);
// Add one peer with subject flags: CUC_BENCH_PEER makes it the reference of the others.
cuc_status bench_peer_add(cuc_bench_state *state, const char *peer, uint32_t flags, uint32_t mode,
                          const char *suite, const char *name, json_t *axes);

#endif
