/* SPDX-License-Identifier: BSD-2-Clause */
/* The strings of trace points and their indexes, which last as long as the process. They are
 * copied, because their module may be unloaded before the next session needs them. */
#include <string.h>

#include "fxt_provider/internal.h"

static struct {
  uint32_t places[FXT_MAX_STRINGS]; /* as in shared memory */
  uint32_t count;                   /* of assigned indexes, without 0 */
  uint32_t bytes;                   /* of the strings */
  uint8_t strings[FXT_STRING_BYTES] __attribute__((aligned(8)));
} own;

static uint32_t entry_bytes(size_t bytes) {
  return (uint32_t)((sizeof(uint32_t) + bytes + 7) & ~(size_t)7);
}

static void share(uint8_t* memory, uint32_t index, uint32_t place) {
  const uint32_t offset = (place & ~FXT_STRING_IS_CATEGORY) - 1;
  uint32_t bytes;
  memcpy(&bytes, own.strings + offset, sizeof bytes);
  memcpy(memory + fxt_strings_offset() + offset, own.strings + offset, entry_bytes(bytes));
  uint32_t* places = (uint32_t*)(memory + fxt_places_offset());
  __atomic_store_n(&places[index], place, __ATOMIC_RELEASE);
  /* Keeps the maximum, because threads may arrive in any order. */
  struct fxt_buffer_header* header = (struct fxt_buffer_header*)memory;
  uint32_t seen = __atomic_load_n(&header->strings, __ATOMIC_RELAXED);
  while (seen <= index && !__atomic_compare_exchange_n(&header->strings, &seen, index + 1, false,
                                                       __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

/* Adds `amount` to the counter. False, without a change, if that exceeds `limit`. */
static bool take(uint32_t* counter, uint32_t amount, uint32_t limit, uint32_t* before) {
  *before = __atomic_load_n(counter, __ATOMIC_RELAXED);
  do {
    if (amount > limit - *before) return false;
  } while (!__atomic_compare_exchange_n(counter, before, *before + amount, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  return true;
}

uint16_t fxt_strings_add(const char* text, size_t bytes, bool is_category) {
  uint32_t offset;
  uint32_t count;
  if (!take(&own.bytes, entry_bytes(bytes), FXT_STRING_BYTES, &offset)) return 0;
  if (!take(&own.count, 1, FXT_MAX_STRINGS - 1, &count)) return 0;
  const uint32_t index = count + 1;
  const uint32_t size = (uint32_t)bytes;
  memcpy(own.strings + offset, &size, sizeof size);
  memcpy(own.strings + offset + sizeof size, text, bytes);
  const uint32_t place = (offset + 1) | (is_category ? FXT_STRING_IS_CATEGORY : 0);
  /* Sequential consistency: either fxt_strings_share() sees this string, or this thread sees the
   * session's memory. */
  __atomic_store_n(&own.places[index], place, __ATOMIC_SEQ_CST);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  uint8_t* const memory = fxt_session_memory();
  if (memory != NULL) share(memory, index, place);
  return (uint16_t)index;
}

void fxt_strings_share(uint8_t* memory) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  const uint32_t count = __atomic_load_n(&own.count, __ATOMIC_SEQ_CST);
  for (uint32_t index = 1; index <= count; ++index) {
    const uint32_t place = __atomic_load_n(&own.places[index], __ATOMIC_SEQ_CST);
    if (place != 0) share(memory, index, place);
  }
}
