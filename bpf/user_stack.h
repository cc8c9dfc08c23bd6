/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user half of the current task's stack, by frame pointers: the same addresses
 * that bpf_get_stack() has, for less. That helper reads each word by itself, and takes
 * a page fault at the outermost frame, whose pointer to the next one is 0. Here a
 * piece of the stack is read at once, with the frames that are in it, and nothing is
 * read where nothing can be.
 */
#ifndef FXR_USER_STACK_H
#define FXR_USER_STACK_H

#include "common.h"

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

#endif
