/* SPDX-License-Identifier: BSD-2-Clause */
/* The shared memory of a session, from its begin to its end. */
#include "fxt_provider/internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A late thread may still write to the addresses of an ended session. They are reused only after
 * this number of further sessions. */
enum { SESSIONS = 4 };

static struct {
  struct fxt_session sessions[SESSIONS];
  uint64_t reserved[SESSIONS]; /* size of the address range, bytes */
  uint32_t current;            /* index into sessions */
  uint32_t number;             /* of the current state */
  uint64_t begun;              /* count of sessions */
  uint8_t* shared;             /* memory of the current session, or null */
  char categories[SESSIONS][FXT_CATEGORIES_BYTES];
} process;

static const uint32_t before_all = FXT_STATE_ASK;
static uint32_t* writable_state;

FXT_PROVIDER_API const uint32_t* fxt_provider_state = &before_all;

/* MADV_WIPEONFORK zeroes the state in every child, even after a raw clone(), so that a child never
 * writes into its parent's memory. */
void fxt_session_make_state(void) {
  if (writable_state != NULL) return;
  const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
  void* page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  madvise(page, bytes, MADV_WIPEONFORK);
  writable_state = page;
  __atomic_store_n(&fxt_provider_state, (const uint32_t*)writable_state, __ATOMIC_RELEASE);
}

void fxt_set_state(uint32_t state) {
  if (writable_state != NULL) __atomic_store_n(writable_state, state, __ATOMIC_RELEASE);
}

uint8_t* fxt_session_memory(void) { return __atomic_load_n(&process.shared, __ATOMIC_SEQ_CST); }

/* Bits 1 and 2 of a state are the session's index. */
const struct fxt_session* fxt_session_of(uint32_t state) {
  return &process.sessions[(state >> 1) % SESSIONS];
}

/* Reuses the slot's address range if it is large enough. */
static void* map(int fd, uint64_t bytes, uint32_t slot) {
  void* const before = process.sessions[slot].memory;
  const bool fits = before != NULL && process.reserved[slot] >= bytes;
  void* const memory = mmap(fits ? before : NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | (fits ? MAP_FIXED : 0), fd, 0);
  if (memory == MAP_FAILED) return NULL;
  if (!fits) process.reserved[slot] = bytes;
  return memory;
}

bool fxt_session_begin(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0 || status.st_size < (off_t)fxt_buffer_bytes(FXT_MIN_BLOCKS)) {
    return false;
  }
  const uint32_t slot = (process.current + 1) % SESSIONS;
  uint8_t* const memory = map(fd, (uint64_t)status.st_size, slot);
  if (memory == NULL) return false;
  const struct fxt_buffer_header* header = (const struct fxt_buffer_header*)memory;
  struct fxt_session* const session = &process.sessions[slot];
  session->memory = memory;
  session->number = ++process.begun;
  session->bytes = (uint64_t)status.st_size;
  session->blocks = header->blocks;
  session->mode = header->mode;
  session->clock = header->clock;
  if (header->magic != FXT_BUFFER_MAGIC || session->blocks < FXT_MIN_BLOCKS ||
      session->blocks > FXT_MAX_BLOCKS || fxt_buffer_bytes(session->blocks) > session->bytes ||
      (session->clock != FXT_CLOCK_MONOTONIC && session->clock != FXT_CLOCK_COUNTER)) {
    return false;
  }
  process.current = slot;
  __atomic_store_n(&process.shared, memory, __ATOMIC_SEQ_CST);
  return true;
}

void fxt_session_start(void) {
  if (process.shared == NULL) return;
  struct fxt_session* const session = &process.sessions[process.current];
  const struct fxt_buffer_header* header = fxt_header_of(session);
  const uint32_t bytes = header->categories_bytes;
  session->categories_bytes = bytes < FXT_CATEGORIES_BYTES ? bytes : 0;
  memcpy(process.categories[process.current], session->memory + fxt_categories_offset(),
         session->categories_bytes);
  /* A new state makes every trace point check its category again. */
  ++process.number;
  if (process.number >= UINT32_MAX >> 4) process.number = 1;
  fxt_set_state(process.number << 3 | process.current << 1);
  __atomic_fetch_add(&fxt_header_of(session)->acknowledged, 1, __ATOMIC_RELEASE);
}

void fxt_session_stop(void) {
  fxt_set_state(FXT_STATE_OFF);
  if (process.shared == NULL) return;
  struct fxt_buffer_header* header = fxt_header_of(&process.sessions[process.current]);
  __atomic_fetch_add(&header->acknowledged, 1, __ATOMIC_RELEASE);
}

void fxt_session_end(void) {
  fxt_set_state(FXT_STATE_OFF);
  if (process.shared == NULL) return;
  __atomic_store_n(&process.shared, NULL, __ATOMIC_SEQ_CST);
  const struct fxt_session* session = &process.sessions[process.current];
  mmap(session->memory, process.reserved[process.current], PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void fxt_session_forget(void) {
  process.shared = NULL;
  for (uint32_t slot = 0; slot < SESSIONS; ++slot) {
    struct fxt_session* const session = &process.sessions[slot];
    if (session->memory != NULL) munmap(session->memory, process.reserved[slot]);
    memset(session, 0, sizeof *session);
    process.reserved[slot] = 0;
  }
}

bool fxt_session_wants(const struct fxt_session* session, const char* category) {
  /* Blobs have no category. */
  if (session->categories_bytes == 0 || category[0] == '\0') return true;
  const char* next = process.categories[session - process.sessions];
  const char* const end = next + session->categories_bytes;
  while (next < end) {
    const size_t bytes = strnlen(next, (size_t)(end - next));
    if (strlen(category) == bytes && memcmp(category, next, bytes) == 0) return true;
    next += bytes + 1;
  }
  return false;
}
