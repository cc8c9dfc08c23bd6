/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the two halves of a stack.
 *
 * The user half of the current task is unwound by frame pointers and yields the same
 * addresses as bpf_get_stack(), at a lower cost. That helper reads each word separately
 * and takes a page fault at the outermost frame, whose frame pointer is 0. This code reads
 * a piece of the stack at once, with the frames in it, and skips addresses that cannot be
 * mapped.
 *
 * For the kernel half of a switched-out task, this code finds the return addresses and
 * their places. They determine the frames that an unwinder would yield.
 */
#ifndef FXR_STACK_HALVES_H
#define FXR_STACK_HALVES_H

#include "common.h"
#include "context.h"

#include "fxt_record/long_event.h"

/* include/uapi/linux/bpf.h */
#define BPF_F_USER_STACK (1ULL << 8)

#define STACK_PIECE 512          /* bytes per read */
#define USER_FRAME 16            /* bytes: next frame pointer and return address */
#define FIRST_ADDRESS 4096       /* nothing is mapped below it */
#define USER_CODE_64 0x33        /* code segment of 64-bit programs, arch/x86/include/asm/segment.h */
#define PF_IO_WORKER 0x00000010   /* include/linux/sched.h */
#define PF_USER_WORKER 0x00004000
#define PF_KTHREAD 0x00200000

/* bpf_task_pt_regs() (5.15) and bpf_get_current_task_btf() (5.11) exist. */
const volatile fxr_u8 has_task_registers = 0;

/*
 * Returns the current task's user registers where its stack can be unwound here, else
 * NULL. That needs x86, a 64-bit process, and no uretprobes: these replace return
 * addresses on the stack, which only the kernel can undo.
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
 * Stores the current task's user frames, innermost first, in `frame`, which holds
 * FXR_STACK_FRAMES. Returns their size in bytes. `piece` is STACK_PIECE bytes of scratch
 * memory.
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
					/* The memory above the frame may be unmapped. */
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
 * Address and size of the system call entry function; 0: not known. Frames further out
 * carry no information and sit at a random offset.
 */
const volatile fxr_u64 syscall_code = 0;
const volatile fxr_u64 syscall_code_bytes = 0;

#define KNOWN_WORDS 16 /* return addresses per stack; a system call that waits has about 10 */

/* The return addresses of a kernel stack and their places. */
struct kernel_half {
	u16 words;          /* 0: not known */
	u16 bytes;          /* from the stack pointer up to the last of them */
	u8 at[KNOWN_WORDS]; /* offsets from the stack pointer, in words */
	u64 word[KNOWN_WORDS];
};

#define STACK_BYTES 16384 /* size of a kernel stack on x86 */
#define WORDS 64          /* words per read */
#define MAX_WORDS 256

static __always_inline u64 mix(u64 number, u64 word)
{
	number = (number ^ word) * 0x9e3779b97f4a7c15;
	return number ^ number >> 32;
}

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

/*
 * Hashes the return addresses of a switched-out task's kernel stack and their places; 0:
 * no hash. Stores them in `half` if they fit.
 */
static __always_inline u64 kernel_number(struct task_struct *task, struct kernel_half *half,
					 u64 *words)
{
	u64 at, left = kernel_stack(task, &at), number = 1;
	u32 count;

	/*
	 * The count lives in memory, so that the verifier does not track each of its
	 * values.
	 */
	half->words = 0;
	for (u32 from = 0; left && from < MAX_WORDS; from += WORDS) {
		u64 size = CUT_SIZE(left, WORDS * 8);

		if (bpf_probe_read_kernel(words, size, (void *)at))
			break;
		at += size;
		left -= size;
		for (u32 i = 0; i < WORDS; i++) {
			u64 word = words[i];

			/* Beyond the bytes that were read. */
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
