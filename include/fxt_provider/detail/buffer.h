/* SPDX-License-Identifier: BSD-2-Clause */
/* Layout of the memory that a provider shares with the recorder. The recorder creates it and fixes
 * the size of each part; the provider writes records into it. C11 and C++17. Offsets are those of
 * x86-64 and 64-bit ARM, little-endian.
 *
 *   header | enabled categories | places of strings | strings | descriptors of blocks | blocks
 *
 * Records are FXT event records. Their timestamps are ticks of the clock that the header names, and
 * their strings are indexes of the table here. Their thread reference is always 1, the thread of
 * the block. One thread owns a block at a time, so that threads never share a cache line. The first
 * `committed` bytes of a block are whole records; the rest is undefined. */
#ifndef FXT_PROVIDER_DETAIL_BUFFER_H_
#define FXT_PROVIDER_DETAIL_BUFFER_H_

#include <stddef.h>
#include <stdint.h>

#define FXT_BUFFER_MAGIC UINT64_C(0x0031767270747866) /* "fxtprv1" */

enum {
  FXT_BLOCK_BYTES = 16384,
  FXT_HEADER_BYTES = 4096,
  /* Names of enabled categories, each with a NUL; empty: all are enabled. */
  FXT_CATEGORIES_BYTES = 12288,
  /* Index 0 is the empty string. */
  FXT_MAX_STRINGS = 32768,
  FXT_STRING_BYTES = 1 << 20,
  FXT_MIN_BLOCKS = 4,
  FXT_MAX_BLOCKS = 1 << 16,
  /* Largest record. */
  FXT_MAX_RECORD_BYTES = FXT_BLOCK_BYTES
};

/* The policy for a full block. */
enum fxt_buffer_mode {
  FXT_MODE_ONESHOT = 0,   /* it stays; when all are full, records are lost */
  FXT_MODE_CIRCULAR = 1,  /* the oldest is overwritten */
  FXT_MODE_STREAMING = 2, /* the recorder frees it; until then records are lost */
};

enum fxt_buffer_clock {
  FXT_CLOCK_MONOTONIC = 0, /* clock_gettime(CLOCK_MONOTONIC), ns */
  FXT_CLOCK_COUNTER = 1,   /* the CPU's time stamp counter */
};

/* Event types of this memory only; the recorder converts them. */
enum {
  FXT_EVENT_BLOB = 14,  /* one argument: the bytes. Payload: the blob's type */
  FXT_EVENT_ALERT = 15, /* an instant that is also an alert */
};

struct fxt_buffer_header {
  /* Written by the recorder, before the provider receives the memory. */
  uint64_t magic;
  uint64_t bytes; /* of the whole memory */
  uint32_t blocks;
  uint32_t mode;  /* enum fxt_buffer_mode */
  uint32_t clock; /* enum fxt_buffer_clock */
  uint32_t categories_bytes;
  /* Written by the provider; each group on its own cache line. */
  uint8_t pad1[64 - 32];
  uint64_t tickets; /* blocks taken so far */
  uint8_t pad2[64 - 8];
  uint64_t lost; /* records that found no room */
  uint8_t pad3[64 - 8];
  uint32_t strings;      /* indexes below this may have a string */
  uint32_t acknowledged; /* starts and stops that the provider has followed */
};

enum fxt_block_state {
  FXT_BLOCK_FREE = 0,
  FXT_BLOCK_OWNED = 1, /* a thread writes to it */
  FXT_BLOCK_FULL = 2,  /* no thread writes to it any more */
};

struct fxt_block {
  uint32_t state;     /* enum fxt_block_state */
  uint32_t tid;       /* of the owner, in the provider's pid namespace */
  uint64_t sequence;  /* ticket of the owner plus 1; 0 while the owner changes */
  uint32_t committed; /* bytes of whole records */
  uint8_t pad[64 - 20];
};

/* A string: its length in bytes, and the bytes. Its place is its offset among the strings plus 1;
 * bit 31 marks the name of a category. 0: undefined. */
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
