/* SPDX-License-Identifier: BSD-2-Clause */
/* Ids that are unique among the processes of a machine, for flows and asynchronous spans. */
#include "fxt_provider/internal.h"

static uint64_t last_nonce;

/* The pid makes ids unique across processes, because flows cross processes. */
void fxt_nonce_begin(uint32_t pid) { last_nonce = (uint64_t)pid << 32; }

FXT_PROVIDER_API uint64_t fxt_provider_nonce(void) {
  return __atomic_add_fetch(&last_nonce, 1, __ATOMIC_RELAXED);
}
