/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the trace context of the current thread (include/fxt_record/thread_context.h). All
 * addresses come from the process, which may put anything there. Reading faults no page in.
 * Included by one source file.
 */
#ifndef FXR_THREAD_CONTEXT_H
#define FXR_THREAD_CONTEXT_H

#include "wait_types.h"

#include "fxt_record/thread_context.h"

/* Processes in the map. The collector writes it. */
fxr_u32 thread_context_processes = 0;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, FXR_THREAD_CONTEXT_PROCESSES);
	__type(key, u32); /* tgid */
	__type(value, struct fxr_thread_variable);
} thread_contexts SEC(".maps");

#if defined(__TARGET_ARCH_x86)

#define MAX_MODULES 65536

static __always_inline bool read_words(u64 *words, u32 count, u64 address)
{
	return !bpf_probe_read_user(words, count * sizeof(*words), (void *)address);
}

/* Returns the address of the block of a module of the C library at `pointer`; 0: the thread has none. */
static __noinline u64 module_block(u64 pointer, u64 module, u32 is_musl)
{
	u64 table, modules, block;

	/* Both C libraries have the table's address in the second word. */
	if (!module || module > MAX_MODULES || !read_words(&table, 1, pointer + 8))
		return 0;
	if (!read_words(&modules, 1, is_musl ? table : table - 16) || module > modules ||
	    !read_words(&block, 1, table + module * (is_musl ? 8 : 16)))
		return 0;
	return block + 1 > 1 ? block : 0; /* glibc: ~0 if it was never accessed */
}

static __always_inline u64 variable_address(const struct fxr_thread_variable *variable, u64 pointer)
{
	u64 words[2] = {};
	u64 block;

	if (variable->model == FXR_THREAD_VARIABLE_OFFSET)
		return pointer + variable->add;
	if (!read_words(words, 2, variable->slot))
		return 0;
	switch (variable->model) {
	case FXR_THREAD_VARIABLE_OFFSET_IN_SLOT:
		return words[0] ? pointer + words[0] + variable->add : 0;
	case FXR_THREAD_VARIABLE_DESCRIPTOR:
		if (!words[0])
			return 0; /* not relocated yet */
		/* Blocks of fixed offsets are below the thread pointer. */
		if ((s64)words[1] < 0)
			return pointer + words[1] + variable->add;
		if (!read_words(words, 2, words[1]))
			return 0;
		break;
	case FXR_THREAD_VARIABLE_INDEX:
		break;
	case FXR_THREAD_VARIABLE_MODULE_IN_SLOT:
		words[1] = 0;
		break;
	default:
		return 0;
	}
	block = module_block(pointer, words[0], variable->is_musl);
	return block ? block + words[1] + variable->add : 0;
}

/* Returns false if the thread has no context. */
static __noinline bool read_thread_context(struct fxr_thread_context *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct fxr_thread_variable *variable;
	u32 tgid = task->tgid;
	u64 address, record;

	variable = bpf_map_lookup_elem(&thread_contexts, &tgid);
	if (!variable || !context || task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER))
		return false;
	/* Another program was executed, or another process has the number. */
	if (BPF_CORE_READ(task, mm, arg_start) != variable->arguments)
		return false;
	address = variable_address(variable, task->thread.fsbase);
	if (!address || !read_words(&record, 1, address) || !record ||
	    bpf_probe_read_user(context, sizeof(*context), (void *)record))
		return false;
	return context->valid == 1 && (((u64 *)context->trace_id)[0] || ((u64 *)context->trace_id)[1]);
}

#else
static __always_inline bool read_thread_context(struct fxr_thread_context *context)
{
	return false;
}
#endif

#endif
