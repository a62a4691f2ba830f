// Peer access between contexts, as cucore enabled it: the driver does not tell.
#ifndef CUCORE_DEVICE_PEERS_H
#define CUCORE_DEVICE_PEERS_H

#include "context.h"

// Whether cuc_context_enable_peer_access() let a context reach what another one allocates.
// context.c.
bool cuc__context_has_peer(const cuc_context *context, const cuc_context *peer);

#endif
