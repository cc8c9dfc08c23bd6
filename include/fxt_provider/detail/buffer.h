/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that a program shares with the recorder. The recorder makes it and knows how large
 * each part is; the program writes records into it. C11 and C++17. Offsets are those of x86-64 and
 * 64-bit ARM, little-endian.
 *
 *   header | wanted categories | places of strings | strings | descriptors of blocks | blocks
 *
 * Records are those of the Fuchsia Trace Format (events), whose times are ticks of the clock that
 * the header names, whose strings are indexes of the table here, and whose thread is that of the
 * block: its reference is 1. A block belongs to one thread at a time, so that threads never write
 * to the same cache line. What is in a block up to `committed` is whole records; nobody looks at
 * what follows. */
#ifndef FXT_PROVIDER_DETAIL_BUFFER_H_
#define FXT_PROVIDER_DETAIL_BUFFER_H_

#include <stddef.h>
#include <stdint.h>

#define FXT_BUFFER_MAGIC UINT64_C(0x0031767270747866) /* "fxtprv1" */

enum {
  FXT_BLOCK_BYTES = 16384,
  FXT_HEADER_BYTES = 4096,
  /* Names of categories, a NUL behind each; none: all are wanted. */
  FXT_CATEGORIES_BYTES = 12288,
  /* Index 0 is the empty string. */
  FXT_MAX_STRINGS = 32768,
  FXT_STRING_BYTES = 1 << 20,
  FXT_MIN_BLOCKS = 4,
  FXT_MAX_BLOCKS = 1 << 16,
  /* Of one record. */
  FXT_MAX_RECORD_BYTES = FXT_BLOCK_BYTES
};

/* What becomes of a block that is full. */
enum fxt_buffer_mode {
  FXT_MODE_ONESHOT = 0,   /* it stays; when all are full, records are lost */
  FXT_MODE_CIRCULAR = 1,  /* the oldest is written anew */
  FXT_MODE_STREAMING = 2, /* the recorder empties it; until then records are lost */
};

enum fxt_buffer_clock {
  FXT_CLOCK_MONOTONIC = 0, /* clock_gettime(CLOCK_MONOTONIC), ns */
  FXT_CLOCK_COUNTER = 1,   /* the CPU's time stamp counter */
};

/* Types of events that only these records have; the recorder makes others of them. */
enum {
  FXT_EVENT_BLOB = 14,  /* its name, and one argument: the bytes. Payload: the blob's type */
  FXT_EVENT_ALERT = 15, /* an instant that is an alert as well */
};

struct fxt_buffer_header {
  /* Written by the recorder, before the program has it. */
  uint64_t magic;
  uint64_t bytes; /* of everything */
  uint32_t blocks;
  uint32_t mode;  /* enum fxt_buffer_mode */
  uint32_t clock; /* enum fxt_buffer_clock */
  uint32_t categories_bytes;
  /* Written by the program. Each part on a cache line of its own. */
  uint8_t pad1[64 - 32];
  uint64_t tickets; /* blocks that were taken so far */
  uint8_t pad2[64 - 8];
  uint64_t lost; /* records for which there was no room */
  uint8_t pad3[64 - 8];
  uint32_t strings;      /* indexes below this may have a string */
  uint32_t acknowledged; /* starts and stops that the program has followed */
};

enum fxt_block_state {
  FXT_BLOCK_FREE = 0,
  FXT_BLOCK_OWNED = 1, /* a thread writes to it */
  FXT_BLOCK_FULL = 2,  /* no thread does any more */
};

struct fxt_block {
  uint32_t state;     /* enum fxt_block_state */
  uint32_t tid;       /* of the thread, as it knows itself */
  uint64_t sequence;  /* how many blocks were taken before, plus 1; 0 while it changes hands */
  uint32_t committed; /* bytes of whole records */
  uint8_t pad[64 - 20];
};

/* A string: its length in bytes, and the bytes. Its place is the offset among the strings, plus 1;
 * bit 31 says that it names a category. 0: there is none. */
#define FXT_STRING_IS_CATEGORY UINT32_C(0x80000000)
struct fxt_string {
  uint32_t bytes;
  char text[4];
};

static inline uint64_t fxt_categories_offset(void) { return FXT_HEADER_BYTES; }
static inline uint64_t fxt_places_offset(void) {
  return fxt_categories_offset() + FXT_CATEGORIES_BYTES;
}
static inline uint64_t fxt_strings_offset(void) {
  return fxt_places_offset() + FXT_MAX_STRINGS * sizeof(uint32_t);
}
static inline uint64_t fxt_descriptors_offset(void) {
  return fxt_strings_offset() + FXT_STRING_BYTES;
}
static inline uint64_t fxt_blocks_offset(uint32_t blocks) {
  return fxt_descriptors_offset() + ((blocks * sizeof(struct fxt_block) + 4095) & ~UINT64_C(4095));
}
static inline uint64_t fxt_buffer_bytes(uint32_t blocks) {
  return fxt_blocks_offset(blocks) + (uint64_t)blocks * FXT_BLOCK_BYTES;
}

#endif
