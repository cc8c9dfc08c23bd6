/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The two halves of a stack.
 *
 * The user's, of the current task, by frame pointers: the same addresses that
 * bpf_get_stack() has, for less. That helper reads each word by itself, and takes
 * a page fault at the outermost frame, whose pointer to the next one is 0. Here a
 * piece of the stack is read at once, with the frames that are in it, and nothing is
 * read where nothing can be.
 *
 * The kernel's, of a task that does not run: not its frames, but what decides which they
 * are, the addresses of code in it and their places.
 */
#ifndef FXR_STACK_HALVES_H
#define FXR_STACK_HALVES_H

#include "common.h"
#include "context.h"

#include "fxt_record/long_event.h"

/* include/uapi/linux/bpf.h */
#define BPF_F_USER_STACK (1ULL << 8)

#define STACK_PIECE 512          /* bytes read at once */
#define USER_FRAME 16            /* bytes: where the next frame is, and the address to return to */
#define FIRST_ADDRESS 4096       /* below it nothing is mapped */
#define USER_CODE_64 0x33        /* code segment of 64-bit programs, arch/x86/include/asm/segment.h */
#define PF_IO_WORKER 0x00000010   /* include/linux/sched.h */
#define PF_USER_WORKER 0x00004000
#define PF_KTHREAD 0x00200000

/* There is bpf_task_pt_regs() (5.15), and so bpf_get_current_task_btf() (5.11). */
const volatile fxr_u8 has_task_registers = 0;

/*
 * The current task's, where its stack can be read here: on x86, of a 64-bit process
 * that has no probes at returns of functions (these put an address of their own in
 * place of the one to return to, which the kernel takes back out); else NULL.
 */
static __always_inline struct pt_regs *user_registers(void)
{
#if defined(__TARGET_ARCH_x86)
	struct pt_regs *registers;
	struct task_struct *task = NULL;

	if (!has_task_registers || !bpf_core_field_exists(task->utask))
		return NULL;
	task = (struct task_struct *)bpf_get_current_task_btf();
	if (task->utask || task->flags & (PF_IO_WORKER | PF_USER_WORKER | PF_KTHREAD))
		return NULL;
	registers = (struct pt_regs *)bpf_task_pt_regs(task);
	return registers->cs == USER_CODE_64 ? registers : NULL;
#else
	return NULL;
#endif
}

/*
 * Puts the current task's frames, innermost first, into `frame`, which has room for
 * FXR_STACK_FRAMES, and returns their number of bytes. `piece` is STACK_PIECE bytes of
 * scratch memory.
 */
static __always_inline u64 user_stack(void *ctx, u64 *frame, u64 *piece)
{
	long bytes;
#if defined(__TARGET_ARCH_x86)
	struct pt_regs *registers = user_registers();

	if (registers) {
		u64 begin = 0, size = 0, next;
		u32 i;

		frame[0] = registers->ip;
		next = registers->bp;
		for (i = 1; i < FXR_STACK_FRAMES; i++) {
			u64 place = next - begin;

			if (next < FIRST_ADDRESS)
				break;
			if (place + USER_FRAME > size || place > STACK_PIECE) {
				size = STACK_PIECE;
				if (bpf_probe_read_user(piece, STACK_PIECE, (void *)next)) {
					/* What is above it may not be there. */
					size = USER_FRAME;
					if (bpf_probe_read_user(piece, USER_FRAME, (void *)next))
						break;
				}
				begin = next;
				place = 0;
			}
			place = CUT_SIZE(place, STACK_PIECE - USER_FRAME);
			next = *(u64 *)((void *)piece + place);
			frame[i] = *(u64 *)((void *)piece + place + 8);
		}
		return i * sizeof(u64);
	}
#endif
	bytes = bpf_get_stack(ctx, frame, FXR_STACK_FRAMES * sizeof(u64), BPF_F_USER_STACK);
	return bytes > 0 ? bytes : 0;
}

/*
 * The code of the function that all system calls come through, from and size; 0: not
 * known. What is further out in the stack says nothing, and it is at a random distance.
 */
const volatile fxr_u64 syscall_code = 0;
const volatile fxr_u64 syscall_code_bytes = 0;

#define KNOWN_WORDS 16 /* addresses of code in a stack: a system call that waits has some 10 */

/* What has to be the same in the kernel's half for it to unwind the same. */
struct kernel_half {
	u16 words;          /* 0: not known */
	u16 bytes;          /* from the stack's end up to the last of them */
	u8 at[KNOWN_WORDS]; /* in words from the stack's end */
	u64 word[KNOWN_WORDS];
};

#define STACK_BYTES 16384 /* of a task's, on x86 */
#define WORDS 64          /* read at once */
#define MOST_WORDS 256

static __always_inline u64 mix(u64 number, u64 word)
{
	number = (number ^ word) * 0x9e3779b97f4a7c15;
	return number ^ number >> 32;
}

/* Addresses of code, with the kernel's data and small negative numbers. */
static __always_inline bool may_be_code(u64 word)
{
	return word >> 31 == 0x1ffffffff;
}

/* The word at this address of the kernel; 0 if there is none. A helper takes ten times as long. */
static __always_inline u64 kernel_word(u64 place)
{
	struct timespec64 *word = rdonly_cast(place, timespec64_id);

	return word->tv_sec;
}

/* The bytes in use of the kernel's stack of `task`, which does not run, from `at`; 0: not known. */
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

/* Whether all addresses of code are where they were in `half`. */
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

/*
 * A number that is the same for stacks of the kernel that unwind alike, of a task that
 * does not run; 0: none. What decides goes into `half`, if there is room for it.
 */
static __always_inline u64 kernel_number(struct task_struct *task, struct kernel_half *half,
					 u64 *words)
{
	u64 at, left = kernel_stack(task, &at), number = 1;
	u32 count;

	/* Counted there and not here, where the verifier would go through all its values. */
	half->words = 0;
	for (u32 from = 0; left && from < MOST_WORDS; from += WORDS) {
		u64 size = CUT_SIZE(left, WORDS * 8);

		if (bpf_probe_read_kernel(words, size, (void *)at))
			break;
		at += size;
		left -= size;
		for (u32 i = 0; i < WORDS; i++) {
			u64 word = words[i];

			/* What was in memory behind the stack's top. */
			if (i * 8 >= size)
				break;
			if (!may_be_code(word))
				continue;
			number = mix(number, word ^ (u64)(from + i) << 32);
			count = READ_ONCE(half->words);
			if (count < KNOWN_WORDS) {
				half->at[count] = from + i;
				half->word[count] = word;
				half->bytes = (from + i + 1) * 8;
			}
			WRITE_ONCE(half->words, count + 1);
			if (word - syscall_code < syscall_code_bytes) {
				left = 0;
				break;
			}
		}
		if (!left) {
			if (READ_ONCE(half->words) > KNOWN_WORDS)
				half->words = 0;
			return number;
		}
	}
	half->words = 0;
	return 0;
}

#endif
