/* SPDX-License-Identifier: BSD-2-Clause */
/* The interfaces between the sources of libfxt-provider. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fxt_provider/detail/buffer.h"
#include "fxt_provider/provider.h"

/* Values of fxt_provider_state. OFF: nothing is recorded. ASK: not registered yet, also in a child
 * of fork(). Other values are even, and each start of tracing has another one. */
enum { FXT_STATE_OFF = 0, FXT_STATE_ASK = 1 };

/* The memory of one session. The fields are copies of the header, which is read once. */
struct fxt_session {
  uint8_t* memory; /* null: none */
  uint64_t number; /* unique among the sessions of this process */
  uint64_t bytes;
  uint32_t blocks;
  uint32_t mode;
  uint32_t clock;
  uint32_t categories_bytes;
};

static inline struct fxt_buffer_header* fxt_header_of(const struct fxt_session* session) {
  return (struct fxt_buffer_header*)session->memory;
}
static inline struct fxt_block* fxt_blocks_of(const struct fxt_session* session) {
  return (struct fxt_block*)(session->memory + fxt_descriptors_offset());
}
static inline uint64_t* fxt_block_words(const struct fxt_session* session, uint32_t block) {
  return (uint64_t*)(session->memory + fxt_blocks_offset(session->blocks) +
                     (uint64_t)block * FXT_BLOCK_BYTES);
}

/* session.c */

/* Returns the session of a state. */
const struct fxt_session* fxt_session_of(uint32_t state);
/* Maps the memory of `fd`, which the caller keeps. False if it is not valid. */
bool fxt_session_begin(int fd);
/* Enables writing. Each start of tracing has a new state. */
void fxt_session_start(void);
void fxt_session_stop(void);
/* Disables writing and replaces the memory by anonymous pages, which late writers still reach. */
void fxt_session_end(void);
/* True if the session records this category. */
bool fxt_session_wants(const struct fxt_session* session, const char* category);
/* The shared memory of the current session, or null. */
uint8_t* fxt_session_memory(void);
void fxt_set_state(uint32_t state);
/* Called at the start of the process; fxt_session_forget() in the child of a fork. */
void fxt_session_make_state(void);
void fxt_session_forget(void);

/* nonce.c */

/* Sets the process's part of what fxt_provider_nonce() returns. */
void fxt_nonce_begin(uint32_t pid);

/* strings.c */

/* Assigns an index to the text for the life of the process. Returns 0 if the table is full.
 * Lock-free; neither allocates nor makes a system call. */
uint16_t fxt_strings_add(const char* text, size_t bytes, bool is_category);
/* Copies all strings into shared memory. */
void fxt_strings_share(uint8_t* memory);

/* writer.c */

/* Called in the child of a fork: drops the thread's block. */
void fxt_writer_forget(void);

/* client.c */

/* Connects and starts the thread, once per process. */
void fxt_client_begin(void);
