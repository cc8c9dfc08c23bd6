/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packs and unpacks long events. Generated for each line of FXR_LONG_TABLE: struct
 * fxr_NAME_long with its fields; FXR_LONG_SIZE(NAME, bytes), the size to reserve;
 * fxr_pack_NAME and fxr_unpack_NAME.
 */
#ifndef FXT_RECORD_LONG_EVENT_H
#define FXT_RECORD_LONG_EVENT_H

#include "fxt_record/event.h"
#include "fxt_record/slot_body.h"

/* Returns whether the fields and bytes fit header.size bytes, which are readable. */
FXR_INLINE int fxr_long_is_whole(const struct fxr_long *event)
{
	fxr_u64 room = event->header.size;

	return room >= sizeof(*event) + 8ULL * event->words &&
	       room - sizeof(*event) - 8ULL * event->words >= event->bytes;
}

/* The `bytes` bytes after the fields. */
FXR_INLINE const void *fxr_long_bytes(const struct fxr_long *event)
{
	return event->data + event->words;
}

#define FXR_LONG_MEMBER(body, type, field) type field;
#define FXR_LONG_PLACE(body, type, field) FXR_##body##_##field##_WORD,
#define FXR_LONG_PACK(body, type, field) \
	event->data[FXR_##body##_##field##_WORD] = (fxr_u64)fields.field;
#define FXR_LONG_UNPACK(body, type, field) \
	fields->field = (type)event->data[FXR_##body##_##field##_WORD];

/*
 * fxr_pack_NAME fills all but the header, the category and the bytes, which go to
 * fxr_NAME_bytes(event). fxr_unpack_NAME returns 0 for another type or a malformed event.
 */
#define FXR_DEFINE_LONG(id, name, body)                                                       \
	struct fxr_##name##_long {                                                            \
		body(FXR_LONG_MEMBER, name)                                                   \
	};                                                                                    \
	enum { body(FXR_LONG_PLACE, name) FXR_##name##_WORDS };                               \
	FXR_ASSERT((int)FXR_##name##_WORDS < 256);                                            \
	FXR_INLINE void *fxr_##name##_bytes(struct fxr_long *event)                           \
	{                                                                                     \
		return event->data + FXR_##name##_WORDS;                                      \
	}                                                                                     \
	FXR_INLINE void fxr_pack_##name(struct fxr_long *event, struct fxr_##name##_long fields, \
					fxr_u32 bytes)                                        \
	{                                                                                     \
		event->type = FXR_LONG_##id;                                                  \
		event->words = FXR_##name##_WORDS;                                            \
		event->bytes = bytes;                                                         \
		body(FXR_LONG_PACK, name)                                                     \
	}                                                                                     \
	FXR_INLINE int fxr_unpack_##name(const struct fxr_long *event,                        \
					 struct fxr_##name##_long *fields)                    \
	{                                                                                     \
		if (event->type != FXR_LONG_##id || event->words != FXR_##name##_WORDS ||     \
		    !fxr_long_is_whole(event))                                                \
			return 0;                                                             \
		body(FXR_LONG_UNPACK, name)                                                   \
		return 1;                                                                     \
	}
#define FXR_LONG_SIZE(name, most_bytes) \
	(sizeof(struct fxr_long) + 8ULL * FXR_##name##_WORDS + (most_bytes))

FXR_LONG_TABLE(FXR_DEFINE_LONG)

#endif
