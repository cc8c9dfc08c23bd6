/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace points: lookup of their category and strings. */
#include <stdlib.h>
#include <string.h>

#include "fxt_provider/internal.h"

enum { MAX_CATEGORY_BYTES = 100, MAX_NAME_BYTES = 2000 };

static uint16_t index_of(const char* text, size_t limit, bool is_category) {
  const size_t bytes = strnlen(text, limit);
  return bytes == 0 ? 0 : fxt_strings_add(text, bytes, is_category);
}

/* Threads may run this concurrently. Each assigns valid indexes, so it does not matter whose stay.
 */
static bool assign_indexes(struct fxt_site* site) {
  if (__atomic_load_n(&site->known, __ATOMIC_ACQUIRE) != 0) return true;
  const uint16_t category = index_of(site->category, MAX_CATEGORY_BYTES, true);
  const uint16_t name = index_of(site->name, MAX_NAME_BYTES, false);
  if ((category == 0 && site->category[0] != '\0') || (name == 0 && site->name[0] != '\0')) {
    return false;
  }
  for (uint32_t i = 0; i < site->key_count && i < FXT_MAX_ARGUMENTS; ++i) {
    const uint16_t key = index_of(site->keys[i], MAX_NAME_BYTES, false);
    if (key == 0 && site->keys[i][0] != '\0') return false;
    __atomic_store_n(&site->key_index[i], key, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&site->category_index, category, __ATOMIC_RELAXED);
  __atomic_store_n(&site->name_index, name, __ATOMIC_RELAXED);
  __atomic_store_n(&site->known, 1, __ATOMIC_RELEASE);
  return true;
}

FXT_PROVIDER_API int fxt_provider_look(struct fxt_site* site) {
  uint32_t state = __atomic_load_n(fxt_provider_state, __ATOMIC_ACQUIRE);
  if (state == FXT_STATE_ASK) {
    fxt_client_begin();
    state = __atomic_load_n(fxt_provider_state, __ATOMIC_ACQUIRE);
  }
  if (state == FXT_STATE_OFF || state == FXT_STATE_ASK) return 0;
  const struct fxt_session* session = fxt_session_of(state);
  const bool wanted = fxt_session_wants(session, site->category);
  if (wanted && !assign_indexes(site)) {
    /* The string table is full. */
    __atomic_fetch_add(&fxt_header_of(session)->lost, 1, __ATOMIC_RELAXED);
    return 0;
  }
  __atomic_store_n(&site->seen, state | (wanted ? 1 : 0), __ATOMIC_RELEASE);
  return wanted;
}

FXT_PROVIDER_API struct fxt_site* fxt_site_make(const char* category, const char* name,
                                                const char* const* keys, uint32_t key_count) {
  if (key_count > FXT_MAX_ARGUMENTS) return NULL;
  size_t bytes =
      sizeof(struct fxt_site) + key_count * sizeof(char*) + strlen(category) + 1 + strlen(name) + 1;
  for (uint32_t i = 0; i < key_count; ++i) bytes += strlen(keys[i]) + 1;
  struct fxt_site* const site = calloc(1, bytes);
  if (site == NULL) return NULL;
  const char** const copies = (const char**)(site + 1);
  char* next = (char*)(copies + key_count);
  site->category = next;
  next = stpcpy(next, category) + 1;
  site->name = next;
  next = stpcpy(next, name) + 1;
  for (uint32_t i = 0; i < key_count; ++i) {
    copies[i] = next;
    next = stpcpy(next, keys[i]) + 1;
  }
  site->keys = copies;
  site->key_count = key_count;
  return site;
}

FXT_PROVIDER_API int fxt_site_is_enabled(struct fxt_site* site) { return fxt_site_enabled(site); }

FXT_PROVIDER_API void fxt_site_write(struct fxt_site* site, uint32_t type, uint64_t payload,
                                     const struct fxt_value* values) {
  if (fxt_site_enabled(site)) fxt_provider_write(site, type, payload, values);
}
