/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Trace contexts of threads as OpenTelemetry's proposal 4947 lays them out: the thread-local
 * variable `otel_thread_ctx_v1` of a program or library points to a record with the ids of
 * the trace and the span that the thread works for. The collector finds the variable of each
 * process, the BPF programs read it.
 */
#ifndef FXT_RECORD_THREAD_CONTEXT_H
#define FXT_RECORD_THREAD_CONTEXT_H

#include "fxt_record/event.h"

#define FXR_THREAD_CONTEXT_VARIABLE "otel_thread_ctx_v1"

/* The head of a record. */
struct fxr_thread_context {
	fxr_u8 trace_id[16];
	fxr_u8 span_id[8];
	fxr_u8 valid; /* 1: it is */
	fxr_u8 trace_flags;
	fxr_u16 attributes_bytes;
};
FXR_ASSERT(sizeof(struct fxr_thread_context) == 28);
/* Both ids. */
#define FXR_THREAD_CONTEXT_ID_BYTES 24

/* See symbols::ThreadVariable::Model. */
enum fxr_thread_variable_model {
	FXR_THREAD_VARIABLE_NONE = 0,
	FXR_THREAD_VARIABLE_OFFSET,
	FXR_THREAD_VARIABLE_OFFSET_IN_SLOT,
	FXR_THREAD_VARIABLE_DESCRIPTOR,
	FXR_THREAD_VARIABLE_INDEX,
	FXR_THREAD_VARIABLE_MODULE_IN_SLOT,
};

/* The location of the variable in a process. */
struct fxr_thread_variable {
	fxr_u64 arguments; /* address of the program's arguments, random with each exec */
	fxr_u64 slot;      /* address */
	fxr_s64 add;
	fxr_u32 model;     /* enum fxr_thread_variable_model */
	/* 1: the C library is musl, whose table of a thread's blocks has no second words. */
	fxr_u32 is_musl;
};
FXR_ASSERT(sizeof(struct fxr_thread_variable) == 32);
#define FXR_THREAD_CONTEXT_PROCESSES 4096

#endif
