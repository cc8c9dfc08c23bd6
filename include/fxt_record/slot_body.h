/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packs and unpacks slots. Generated for each slot type of event_table.h: struct
 * fxr_NAME_body with its fields; fxr_pack_NAME and fxr_unpack_NAME; and the bit offset of
 * each field, FXR_NAME_FIELD_AT (as in FXR_switch_next_tid_AT).
 */
#ifndef FXT_RECORD_SLOT_BODY_H
#define FXT_RECORD_SLOT_BODY_H

#include "fxt_record/event.h"

#ifdef __cplusplus
#define FXR_INLINE constexpr inline __attribute__((always_inline))
#else
#define FXR_INLINE static inline __attribute__((always_inline))
#endif

#define FXR_BODY_BITS 64
#define FXR_EXTRA_BITS 8

/* A packed body: fxr_slot.body and the 8 bits after it. */
struct fxr_payload {
	fxr_u64 body;
	fxr_u64 extra;
};

/* Uses the low bits of the time and of the lap. */
FXR_INLINE fxr_u64 fxr_pack_commit(fxr_u64 type, fxr_u64 extra, fxr_u64 time, fxr_u64 lap)
{
	return (time & FXR_TIME_MASK) | type << FXR_TYPE_SHIFT |
	       (lap & FXR_LAP_MASK) << FXR_LAP_SHIFT | extra << FXR_EXTRA_SHIFT;
}

/* A value of enum fxr_slot_type, if it is valid. */
FXR_INLINE fxr_u32 fxr_type_of(fxr_u64 commit)
{
	return (fxr_u32)((commit >> FXR_TYPE_SHIFT) & FXR_TYPE_MASK);
}

FXR_INLINE fxr_u64 fxr_extra_of(fxr_u64 commit)
{
	return commit >> FXR_EXTRA_SHIFT;
}

/* Reads the field of `bits` bits at bit `at`; all arguments but the payload are constants. */
FXR_INLINE fxr_u64 fxr_unpack_field(fxr_u64 body, fxr_u64 extra, unsigned int at, unsigned int bits,
				    int is_signed)
{
	fxr_u64 value = at < FXR_BODY_BITS ? body >> at : extra >> (at - FXR_BODY_BITS);

	if (at < FXR_BODY_BITS && at + bits > FXR_BODY_BITS)
		value |= extra << (FXR_BODY_BITS - at);
	if (is_signed)
		return (fxr_u64)((fxr_s64)(value << (64 - bits)) >> (64 - bits));
	return bits < 64 ? value & ((1ULL << bits) - 1) : value;
}

/* An unsigned value must fit its field; a signed one is truncated. */
FXR_INLINE void fxr_pack_field(struct fxr_payload *payload, fxr_u64 value, unsigned int at,
			       unsigned int bits, int is_signed)
{
	if (is_signed && bits < 64)
		value &= (1ULL << bits) - 1;
	if (at < FXR_BODY_BITS)
		payload->body |= value << at;
	if (at >= FXR_BODY_BITS)
		payload->extra |= value << (at - FXR_BODY_BITS);
	else if (at + bits > FXR_BODY_BITS)
		payload->extra |= value >> (FXR_BODY_BITS - at);
}

#define FXR_FIELD_MEMBER(body, type, field, bits, role) type field;
/* A field begins after the end of the previous one, which is the preceding enumerator. */
#define FXR_FIELD_PLACE(body, type, field, bits, role) \
	FXR_##body##_##field##_AT, FXR_##body##_##field##_END = FXR_##body##_##field##_AT + (bits) - 1,
#define FXR_FIELD_IS_SIGNED(type) ((type)-1 < (type)1)
#define FXR_FIELD_PACK(body, type, field, bits, role)                                           \
	fxr_pack_field(&payload, (fxr_u64)fields.field, FXR_##body##_##field##_AT, bits, \
		       FXR_FIELD_IS_SIGNED(type));
#define FXR_FIELD_UNPACK(body, type, field, bits, role)                                      \
	fields.field = (type)fxr_unpack_field(word, extra, FXR_##body##_##field##_AT, bits, \
					      FXR_FIELD_IS_SIGNED(type));

#define FXR_DEFINE_BODY(id, name, shape, body)                                             \
	struct fxr_##name##_body {                                                         \
		body(FXR_FIELD_MEMBER, name)                                               \
	};                                                                                 \
	enum { body(FXR_FIELD_PLACE, name) FXR_##name##_BITS };                            \
	FXR_ASSERT((int)FXR_##name##_BITS <= FXR_BODY_BITS + FXR_EXTRA_BITS);              \
	FXR_INLINE struct fxr_payload fxr_pack_##name(struct fxr_##name##_body fields)     \
	{                                                                                  \
		struct fxr_payload payload = {0, 0};                                       \
		body(FXR_FIELD_PACK, name) return payload;                                 \
	}                                                                                  \
	FXR_INLINE struct fxr_##name##_body fxr_unpack_##name(fxr_u64 word, fxr_u64 extra) \
	{                                                                                  \
		struct fxr_##name##_body fields;                                           \
		body(FXR_FIELD_UNPACK, name) return fields;                                \
	}

FXR_SLOT_TABLE(FXR_DEFINE_BODY)

#endif
