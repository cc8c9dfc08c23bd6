/* SPDX-License-Identifier: BSD-2-Clause */
/* What the sources of libfxt-provider know of one another. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fxt_provider/detail/buffer.h"
#include "fxt_provider/provider.h"

/* fxt_provider_state: nobody records; nobody was asked yet (as a child of fork() is); else the
 * number of the state, which is even, and another one after each start of tracing. */
enum { FXT_STATE_OFF = 0, FXT_STATE_ASK = 1 };

/* Memory shared with a recorder, as this program uses it. What the header says was read once. */
struct fxt_session {
  uint8_t* memory; /* null: there is none */
  uint64_t number; /* no other session of this process had it */
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

/* The session that state `state` belongs to. */
const struct fxt_session* fxt_session_of(uint32_t state);
/* Takes the memory behind `fd`, which stays the caller's; false where it is none. */
bool fxt_session_begin(int fd);
/* Records may be written from now on; each start of tracing has a state of its own. */
void fxt_session_start(void);
void fxt_session_stop(void);
/* No record is written any more; threads that are about to do so meet memory of nobody. */
void fxt_session_end(void);
/* Whether records of this category are wanted. */
bool fxt_session_wants(const struct fxt_session* session, const char* category);
/* The memory that is shared now, or null. */
uint8_t* fxt_session_memory(void);
void fxt_set_state(uint32_t state);
/* At the start of the process, and in the child of a fork. */
void fxt_session_make_state(void);
void fxt_session_forget(void);

/* nonce.c */

/* What fxt_provider_nonce() returns is of this process. */
void fxt_nonce_begin(uint32_t pid);

/* strings.c */

/* An index for the text, in this process and all memory that it shares from now on; 0 when there is
 * no room. Lock-free; neither allocates nor calls the kernel. */
uint16_t fxt_strings_add(const char* text, size_t bytes, bool is_category);
/* Copies what there is into shared memory. */
void fxt_strings_share(uint8_t* memory);

/* writer.c */

/* In the child of a fork: the thread has no block. */
void fxt_writer_forget(void);

/* client.c */

/* Asks for a recorder, on a thread of its own, if that was not done in this process. */
void fxt_client_begin(void);

/* messages.c */

/* What the recorder says; see RegisterProvider of the interface description. */
enum fxt_message {
  FXT_MESSAGE_OTHER,
  FXT_MESSAGE_STARTED,
  FXT_MESSAGE_STOPPED,
  FXT_MESSAGE_ENDED,
  FXT_MESSAGE_ERROR
};
enum fxt_message fxt_read_message(const char* text);
/* The call, with its NUL; its bytes, 0 when it does not fit. */
size_t fxt_write_register(char* buffer, size_t size, const char* name);
