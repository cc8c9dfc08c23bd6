// SPDX-License-Identifier: BSD-2-Clause
// Publishes trace contexts of threads as OpenTelemetry's proposal 4947 lays them out. A part of the
// program or a library, see traced.c.
#include <stdint.h>
#include <string.h>

struct record {
  uint8_t trace_id[16];
  uint8_t span_id[8];
  uint8_t valid;
  uint8_t trace_flags;
  uint16_t attributes_bytes;
};

#ifndef kilobytes
#define kilobytes 0
#endif
// Fills the room of fixed offsets.
__attribute__((visibility("default"))) __thread char traced_large[kilobytes * 1024 + 1];
// Other variables before it, so that its offset is not that of the block.
__attribute__((visibility("default"))) __thread char traced_padding[72] = "padding";
__attribute__((visibility("default"))) __thread void* otel_thread_ctx_v1;

static __thread struct record own_record;

// Publishes these ids. `valid` is 1 for a valid context.
__attribute__((visibility("default"))) void traced_publish(const uint8_t* ids, uint8_t valid) {
  otel_thread_ctx_v1 = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  memcpy(own_record.trace_id, ids, 16);
  memcpy(own_record.span_id, ids + 16, 8);
  own_record.valid = valid;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  otel_thread_ctx_v1 = &own_record;
}

// Publishes any pointer; null: no context.
__attribute__((visibility("default"))) void traced_point(void* pointer) {
  traced_padding[0] = traced_large[0] = 0;
  otel_thread_ctx_v1 = pointer;
}
