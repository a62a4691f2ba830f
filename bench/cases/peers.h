// The same work by Python: PyTorch, Triton, CuPy, cuda.core, Numba, each in a process of its own
// (tools/cucore/bench_peers.py, which says how requests go), beside the subjects of a point.
#ifndef CUCORE_BENCH_CASES_PEERS_H
#define CUCORE_BENCH_CASES_PEERS_H

#include <cucore/bench.h>

#include <jansson.h>

// Have these peers, NULL at the end, measure a case in a mode. One that is not installed, or cannot
// do that, is a subject that is skipped, with the reason; one that fails is a subject that failed.
// `axes` names the point to them, and is taken over; NULL is none.
cuc_status bench_peers_add(cuc_bench_state *state, const char *const *names, uint32_t mode,
                           const char *suite, const char *name, json_t *axes);
// One peer, and flags of its subject: CUC_BENCH_PEER where the others are compared with it.
cuc_status bench_peer_add(cuc_bench_state *state, const char *peer, uint32_t flags, uint32_t mode,
                          const char *suite, const char *name, json_t *axes);

#endif
