// Peer access between contexts that cucore has enabled; the driver has no query for it.
#ifndef CUCORE_DEVICE_PEERS_H
#define CUCORE_DEVICE_PEERS_H

#include "context.h"

// True if cuc_context_enable_peer_access() gave a context access to another one's allocations.
// context.c.
bool cuc__context_has_peer(const cuc_context *context, const cuc_context *peer);

#endif
