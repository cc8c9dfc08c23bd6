/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the two halves of a stack.
 *
 * The user half of the current task is unwound by tables, see unwind.h.
 *
 * For the kernel half of a switched-out task, this code finds the return addresses and
 * their places. They determine the frames that an unwinder would yield.
 */
#ifndef FXR_STACK_HALVES_H
#define FXR_STACK_HALVES_H

#include "common.h"
#include "context.h"
#include "unwind.h"

#include "fxt_record/long_event.h"

/* include/uapi/linux/bpf.h */
#define BPF_F_USER_STACK (1ULL << 8)

#define PF_IO_WORKER 0x00000010   /* include/linux/sched.h */
#define PF_USER_WORKER 0x00004000
#define PF_KTHREAD 0x00200000

/* bpf_task_pt_regs() (5.15) and bpf_get_current_task_btf() (5.11) exist. */
const volatile fxr_u8 has_task_registers = 0;

#define REGISTER(name) registers->name
#define READ_REGISTER(name) BPF_CORE_READ(registers, name)

/*
 * Reads the current task's user registers, at its last entry into the kernel. For a sample
 * in user code that entry is the interrupt. Returns false where the stack cannot be unwound here. That needs
 * a 64-bit process, and no pending uretprobes: these replace return addresses on the
 * stack, which only the kernel can undo.
 */
static __always_inline bool read_user_registers(struct unwind_state *state)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct pt_regs *registers;

	if (!bpf_core_field_exists(task->utask))
		return false;
	if (has_task_registers) {
		task = (struct task_struct *)bpf_get_current_task_btf();
		if (task->flags & (PF_IO_WORKER | PF_USER_WORKER | PF_KTHREAD))
			return false;
		if (unlikely(task->utask) && BPF_CORE_READ(task, utask, return_instances))
			return false;
		registers = (struct pt_regs *)bpf_task_pt_regs(task);
		if (!IS_USER_64(REGISTER))
			return false;
		READ_REGISTERS(state, REGISTER);
		return true;
	}
	if (BPF_CORE_READ(task, flags) & (PF_IO_WORKER | PF_USER_WORKER | PF_KTHREAD))
		return false;
	if (BPF_CORE_READ(task, utask) && BPF_CORE_READ(task, utask, return_instances))
		return false;
	/* They end where the kernel stack begins. */
	registers = BPF_CORE_READ(task, stack) + STACK_BYTES -
		    bpf_core_type_size(struct pt_regs);
	if (!IS_USER_64(READ_REGISTER) || !HAS_REGISTERS(READ_REGISTER))
		return false;
	READ_REGISTERS(state, READ_REGISTER);
	return true;
}

/* Keeps what the collector knows of a process in the state. Returns false if it knows nothing. */
static __always_inline bool keep_process(struct unwind_state *state, u32 tgid)
{
	/* Read first: a later change has another age. */
	u32 age = READ_ONCE(unwind_processes_age);
	struct fxr_unwind_process *process;
	u64 version;

	if (likely(state->kept_tgid == tgid && state->kept_age == age))
		return true;
	state->kept_tgid = 0;
	process = bpf_map_lookup_elem(&unwind_processes, &tgid);
	if (!process)
		return false;
	version = READ_ONCE(process->version);
	state->kept = *process;
	/* The element may have been replaced meanwhile. */
	if (version != READ_ONCE(process->version) || READ_ONCE(state->kept.version) != version)
		return false;
	state->kept_tgid = tgid;
	state->kept_age = age;
	return true;
}

/* Sets the state's mappings to those of the current process. */
static __always_inline void find_process(struct unwind_state *state)
{
	struct task_struct *task;
	u64 arguments, code_pages;

	state->is_known = false;
	state->is_stale = false;
	state->process = 0;
	state->key = 0;
	state->python = 0;
	if (!keep_process(state, bpf_get_current_pid_tgid() >> 32))
		return;
	if (has_task_registers) {
		task = (struct task_struct *)bpf_get_current_task_btf();
		arguments = task->mm->arg_start;
		code_pages = task->mm->exec_vm;
	} else {
		task = (struct task_struct *)bpf_get_current_task();
		arguments = BPF_CORE_READ(task, mm, arg_start);
		code_pages = BPF_CORE_READ(task, mm, exec_vm);
	}
	if (state->kept.arguments != arguments)
		return;
	state->is_stale = state->kept.code_pages != code_pages;
	state->is_known = true;
	state->key = mix(mix(1, state->kept.version), READ_ONCE(unwind_tables_age));
	if (!state->is_stale)
		state->process = mix(state->key, READ_ONCE(unwind_use_time)) | 1;
	state->python = state->kept.python;
}

/*
 * Unwinds the current task's user stack. Its frames, innermost first, their number, their
 * hash and the reason of the end are in the lane's state, which is returned; NULL: none.
 */
static __always_inline struct unwind_state *user_stack(void *ctx, u32 lane)
{
	struct unwind_state *state = state_of(lane);
	long bytes;

	if (!state)
		return NULL;
	if (read_user_registers(state)) {
		find_process(state);
		unwind_user_stack(lane);
		return state;
	}
	state->python = 0;
	bytes = bpf_get_stack(ctx, state->frame, sizeof(state->frame), BPF_F_USER_STACK);
	state->frames = bytes > 0 ? bytes / sizeof(u64) : 0;
	/* Without a frame there are no user registers, as while a program is executed. */
	state->end = state->frames ? FXR_STACK_END_UNKNOWN : FXR_STACK_END_ENTRY;
	unwind_number_frames(lane);
	return state;
}

/*
 * Address and size of the system call entry function; 0: not known. Frames further out
 * carry no information and sit at a random offset.
 */
fxr_u64 syscall_code = 0;
fxr_u64 syscall_code_bytes = 0;

#define KNOWN_WORDS 16 /* return addresses per stack; a system call that waits has about 10 */

/* The return addresses of a kernel stack and their places. */
struct kernel_half {
	u16 words;          /* 0: not known */
	u16 bytes;          /* from the stack pointer up to the last of them */
	u8 at[KNOWN_WORDS]; /* offsets from the stack pointer, in words */
	u64 word[KNOWN_WORDS];
};

#define WORDS 32          /* words per read */
#define MAX_WORDS 256

/* Accepts addresses of kernel text, but also kernel data and small negative numbers. */
static __always_inline bool may_be_code(u64 word)
{
	return word >> 31 == 0x1ffffffff;
}

/*
 * Reads a 64-bit kernel word; 0 if it is not mapped. A helper call takes ten times as
 * long.
 */
static __always_inline u64 kernel_word(u64 place)
{
	struct timespec64 *word = rdonly_cast(place, timespec64_id);

	return word->tv_sec;
}

/*
 * Returns the bytes in use of a switched-out task's kernel stack, from `*at` up; 0: not
 * known.
 */
static __always_inline u64 kernel_stack(struct task_struct *task, u64 *at)
{
	u64 end, bytes;

	if (!bpf_core_field_exists(task->thread.sp))
		return 0;
	*at = task->thread.sp;
	if (timespec64_id)
		end = kernel_word((u64)task + bpf_core_field_offset(task->stack));
	else
		end = (u64)BPF_CORE_READ(task, stack);
	bytes = end + STACK_BYTES - *at;
	return bytes <= STACK_BYTES ? bytes : 0;
}

/* Returns true if all return addresses in `half` are still in place. */
static __always_inline bool unwinds_alike(struct task_struct *task, const struct kernel_half *half)
{
	u64 at;

	if (!timespec64_id || !half->words || half->bytes > kernel_stack(task, &at))
		return false;
	for (u32 i = 0; i < KNOWN_WORDS; i++) {
		if (i >= READ_ONCE(half->words))
			break;
		if (kernel_word(at + half->at[i] * 8) != half->word[i])
			return false;
	}
	return true;
}

/* A kernel stack while it is hashed, by CPU. */
struct kernel_scan {
	struct kernel_half half;
	u64 number; /* hash of the addresses and their places */
	u64 size;   /* bytes in `word` */
	u64 word[WORDS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct kernel_scan);
} kernel_scans SEC(".maps");

/*
 * Takes the word at `place`, a return address. Returns nonzero at the system call's entry.
 * Global, as all that loops here, so that the verifier checks it once and not for each
 * word.
 */
__noinline int take_kernel_word(u32 cpu, u64 place, u64 word)
{
	struct kernel_scan *scan = bpf_map_lookup_elem(&kernel_scans, &cpu);
	u64 count;

	if (!scan)
		return 1;
	scan->number = mix(scan->number, word ^ place << 32);
	count = READ_ONCE(scan->half.words);
	scan->half.words = count + 1;
	if (count < KNOWN_WORDS) {
		scan->half.at[count] = place;
		scan->half.word[count] = word;
		scan->half.bytes = (place + 1) * 8;
	}
	return word - syscall_code < syscall_code_bytes;
}

/* Takes the words of a scan; the first one is at place `from`. Returns as the above. */
__noinline int take_kernel_words(u32 cpu, u64 from)
{
	struct kernel_scan *scan = bpf_map_lookup_elem(&kernel_scans, &cpu);

	if (!scan)
		return 1;
	for (u32 i = 0; i < WORDS; i++) {
		/* Beyond the bytes that were read. */
		if (i * 8 >= READ_ONCE(scan->size))
			break;
		if (may_be_code(scan->word[i]) && take_kernel_word(cpu, from + i, scan->word[i]))
			return 1;
	}
	return 0;
}

/*
 * Hashes the return addresses of a kernel stack of `left` bytes from `at` up, and keeps
 * them in the scan. Returns nonzero if there is a hash.
 */
__noinline int scan_kernel_stack(u32 cpu, u64 at, u64 left)
{
	struct kernel_scan *scan = bpf_map_lookup_elem(&kernel_scans, &cpu);

	if (!scan)
		return 0;
	scan->half.words = 0;
	scan->number = 1;
	for (u32 from = 0; left && from < MAX_WORDS; from += WORDS) {
		u64 size = CUT_SIZE(left, WORDS * 8);

		if (bpf_probe_read_kernel(scan->word, size, (void *)at))
			return 0;
		scan->size = size;
		at += size;
		left -= size;
		if (take_kernel_words(cpu, from) || !left)
			return 1;
	}
	return 0;
}

/*
 * Hashes the return addresses of a switched-out task's kernel stack and their places; 0:
 * no hash. Stores them in `half` if they fit.
 */
static __always_inline u64 kernel_number(struct task_struct *task, struct kernel_half *half)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct kernel_scan *scan = bpf_map_lookup_elem(&kernel_scans, &cpu);
	u64 at, left = kernel_stack(task, &at);

	half->words = 0;
	if (!scan || !left || !scan_kernel_stack(cpu, at, left))
		return 0;
	if (READ_ONCE(scan->half.words) <= KNOWN_WORDS)
		*half = scan->half;
	return scan->number;
}

#endif
