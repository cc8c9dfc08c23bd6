/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes records into the block of the calling thread, without blocking, locking, allocation or
 * system calls. */
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fxt_provider/internal.h"

enum {
  EVENT_RECORD = 4,
  THREAD_REFERENCE = 1,
  INLINE_STRING = 0x8000,
  /* Limit of all strings and blobs of one record. */
  MAX_TEXT_BYTES = 15 * 1024,
  MAX_BLOB_BYTES = 12 * 1024,
  /* A thread that found no free block searches again only after this number of lost records,
   * because a search costs more than a loss. */
  RECORDS_PER_SEARCH = 64,
};

struct writer {
  uint64_t* next;
  uint64_t* end;
  uint64_t* begin;
  struct fxt_block* block; /* null: none */
  uint64_t session;        /* number of the block's session */
  uint32_t state;          /* of the last write */
  uint32_t busy;           /* nonzero while a record is written */
  uint32_t clock;
  uint32_t until_search;
};
static __thread struct writer own __attribute__((tls_model("initial-exec")));

static struct {
  pthread_once_t once;
  pthread_key_t key;
  bool has_key;
} leaving = {PTHREAD_ONCE_INIT, 0, false};

static inline uint64_t read_clock(uint32_t clock) {
  if (clock == FXT_CLOCK_COUNTER) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
  }
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Does nothing if the block's session has ended. */
static void give_up_block(struct writer* writer) {
  const struct fxt_session* session = fxt_session_of(writer->state);
  if (writer->block != NULL && writer->session == session->number &&
      fxt_session_memory() == session->memory) {
    __atomic_store_n(&writer->block->state, FXT_BLOCK_FULL, __ATOMIC_RELEASE);
  }
  writer->block = NULL;
  writer->next = writer->end = NULL;
}

static void leave(void* unused) {
  (void)unused;
  give_up_block(&own);
  own = (struct writer){0};
}

static void make_key(void) { leaving.has_key = pthread_key_create(&leaving.key, leave) == 0; }

void fxt_writer_forget(void) { own = (struct writer){0}; }

static void lose(uint32_t state) {
  const struct fxt_session* session = fxt_session_of(state);
  __atomic_fetch_add(&fxt_header_of(session)->lost, 1, __ATOMIC_RELAXED);
}

/* Opens the block for a new owner. Readers detect the change by the sequence. */
static void open_block(struct writer* writer, const struct fxt_session* session, uint32_t index,
                       uint64_t ticket) {
  struct fxt_block* const block = &fxt_blocks_of(session)[index];
  __atomic_store_n(&block->sequence, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_store_n(&block->committed, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&block->tid, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
  __atomic_store_n(&block->sequence, ticket + 1, __ATOMIC_RELEASE);
  writer->block = block;
  writer->begin = fxt_block_words(session, index);
  writer->next = writer->begin;
  writer->end = writer->begin + FXT_BLOCK_BYTES / sizeof(uint64_t);
  writer->clock = session->clock;
  __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* Takes the oldest block that is available; at most one pass over all blocks. */
static bool take_block(struct writer* writer, const struct fxt_session* session) {
  struct fxt_buffer_header* const header = fxt_header_of(session);
  struct fxt_block* const blocks = fxt_blocks_of(session);
  for (uint32_t tries = 0; tries < session->blocks; ++tries) {
    const uint64_t ticket = __atomic_fetch_add(&header->tickets, 1, __ATOMIC_RELAXED);
    const uint32_t index = (uint32_t)(ticket % session->blocks);
    uint32_t state = __atomic_load_n(&blocks[index].state, __ATOMIC_ACQUIRE);
    const bool free =
        state == FXT_BLOCK_FREE || (state == FXT_BLOCK_FULL && session->mode == FXT_MODE_CIRCULAR);
    if (free && __atomic_compare_exchange_n(&blocks[index].state, &state, FXT_BLOCK_OWNED, false,
                                            __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      open_block(writer, session, index, ticket);
      return true;
    }
  }
  return false;
}

/* Takes a new block. False if none is available: the record is lost. */
static __attribute__((noinline)) bool make_room(struct writer* writer, uint32_t state) {
  const struct fxt_session* session = fxt_session_of(state);
  if (writer->state != state) {
    give_up_block(writer);
    writer->state = state;
    writer->session = session->number;
    writer->until_search = 0;
    pthread_once(&leaving.once, make_key);
    if (leaving.has_key) pthread_setspecific(leaving.key, &own);
  } else if (writer->until_search > 0) {
    --writer->until_search;
    return false;
  }
  give_up_block(writer);
  if (take_block(writer, session)) return true;
  writer->until_search = RECORDS_PER_SEARCH;
  return false;
}

static inline uint64_t words_of(uint64_t bytes) { return (bytes + 7) / 8; }

static inline bool has_payload(uint32_t type) {
  return type != FXT_INSTANT && type != FXT_DURATION_BEGIN && type != FXT_DURATION_END &&
         type != FXT_ALERT;
}

/* Strings are cut to the room that is left in the record. */
static inline uint32_t text_bytes(const struct fxt_value* value, uint32_t* left) {
  const uint32_t bytes = value->of.p == NULL ? 0 : value->size;
  const uint32_t taken = bytes < *left ? bytes : *left;
  *left -= taken;
  return taken;
}

static inline bool is_text(const struct fxt_value* value) {
  return value->type == FXT_STRING || value->type == FXT_BLOB;
}

static uint64_t* write_text(uint64_t* out, uint64_t head, const struct fxt_value* value,
                            uint32_t bytes) {
  const uint64_t words = words_of(bytes);
  if (value->type == FXT_STRING) {
    head |= (uint64_t)(bytes == 0 ? 0 : (INLINE_STRING | bytes)) << 32;
  } else {
    head |= (uint64_t)bytes << 32;
  }
  out[0] = head | (1 + words) << 4;
  if (words > 0) {
    out[words] = 0;
    memcpy(out + 1, value->of.p, bytes);
  }
  return out + 1 + words;
}

static inline uint64_t* write_value(uint64_t* out, uint16_t key, const struct fxt_value* value,
                                    uint32_t* text_left) {
  const uint64_t head = value->type | (uint64_t)key << 16;
  switch (value->type) {
    case FXT_INT32:
    case FXT_UINT32:
      out[0] = head | UINT64_C(1) << 4 | (uint64_t)(uint32_t)value->of.u << 32;
      return out + 1;
    case FXT_BOOL:
      out[0] = head | UINT64_C(1) << 4 | (uint64_t)(value->of.u != 0) << 32;
      return out + 1;
    case FXT_INT64:
    case FXT_UINT64:
    case FXT_DOUBLE:
    case FXT_POINTER:
    case FXT_KOID:
      out[0] = head | UINT64_C(2) << 4;
      out[1] = value->of.u;
      return out + 2;
    case FXT_STRING:
    case FXT_BLOB:
      return write_text(out, head, value, text_bytes(value, text_left));
    default: /* FXT_NULL */
      out[0] = (uint64_t)FXT_NULL | UINT64_C(1) << 4 | (uint64_t)key << 16;
      return out + 1;
  }
}

static void write_record(const struct fxt_site* site, uint32_t type, uint64_t payload,
                         const struct fxt_value* values) {
  const uint32_t state = __atomic_load_n(fxt_provider_state, __ATOMIC_ACQUIRE);
  if (state == FXT_STATE_OFF || state == FXT_STATE_ASK) return;
  struct writer* const writer = &own;
  if (writer->busy != 0) return lose(state);
  writer->busy = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);

  const uint32_t count = values == NULL ? 0 : site->key_count;
  /* An upper bound without the strings, which are added below. */
  uint64_t words = 3 + 2 * (uint64_t)count;
  uint32_t text_left = MAX_TEXT_BYTES;
  for (uint32_t i = 0; i < count; ++i) {
    if (is_text(&values[i])) words += words_of(text_bytes(&values[i], &text_left));
  }
  bool room = writer->state == state && (uint64_t)(writer->end - writer->next) >= words;
  if (__builtin_expect(!room, 0)) room = make_room(writer, state);
  if (__builtin_expect(!room, 0)) {
    lose(state);
  } else {
    uint64_t* const out = writer->next;
    uint64_t* next = out + 2;
    text_left = MAX_TEXT_BYTES;
    out[1] = read_clock(writer->clock);
    for (uint32_t i = 0; i < count; ++i) {
      next = write_value(next, site->key_index[i], &values[i], &text_left);
    }
    if (has_payload(type)) *next++ = payload;
    out[0] = EVENT_RECORD | (uint64_t)(next - out) << 4 | (uint64_t)type << 16 |
             (uint64_t)count << 20 | (uint64_t)THREAD_REFERENCE << 24 |
             (uint64_t)site->category_index << 32 | (uint64_t)site->name_index << 48;
    writer->next = next;
    /* Publishes the record: it survives the death of the process. */
    __atomic_store_n(&writer->block->committed,
                     (uint32_t)((next - writer->begin) * (ptrdiff_t)sizeof(uint64_t)),
                     __ATOMIC_RELEASE);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  writer->busy = 0;
}

/* Splits a large blob into several records. */
static void write_blob(const struct fxt_site* site, uint64_t payload,
                       const struct fxt_value* blob) {
  static const char* const no_key[] = {""};
  struct fxt_site with_key = *site;
  with_key.keys = no_key;
  with_key.key_count = 1;
  with_key.key_index[0] = 0;
  struct fxt_value piece = *blob;
  uint32_t left = blob->of.p == NULL ? 0 : blob->size;
  do {
    piece.size = left < MAX_BLOB_BYTES ? left : MAX_BLOB_BYTES;
    write_record(&with_key, FXT_BLOB_RECORD, payload, &piece);
    left -= piece.size;
    piece.of.p = (const char*)piece.of.p + piece.size;
  } while (left > 0);
}

FXT_PROVIDER_API void fxt_provider_write(const struct fxt_site* site, uint32_t type,
                                         uint64_t payload, const struct fxt_value* values) {
  if (__builtin_expect(type == FXT_BLOB_RECORD, 0)) {
    if (values != NULL) write_blob(site, payload, values);
  } else {
    write_record(site, type, payload, values);
  }
}
