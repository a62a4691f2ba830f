// Records the peer access that cucore has enabled, because the driver has no query for it.
#ifndef CUCORE_DEVICE_PEERS_H
#define CUCORE_DEVICE_PEERS_H

#include "context.h"

// Returns true if cuc_context_enable_peer_access() has given `context` access to the allocations of
// `peer`. Defined in context.c.
bool cuc__context_has_peer(const cuc_context *context, const cuc_context *peer);

#endif
