/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the unwinder has to know of the machine: registers, and instructions of code without
 * a table.
 *
 * Calls of 64-bit ARM leave the return address in the link register, x30. A function that
 * calls others saves it with x29 in a frame record anywhere in its frame, so a frame pointer
 * does not determine the caller's stack pointer. Return addresses may have an
 * authentication code in the bits above those of addresses.
 */
#ifndef FXR_UNWIND_MACHINE_H
#define FXR_UNWIND_MACHINE_H

#include "common.h"

#include "fxt_record/unwind.h"

/*
 * READ_REGISTERS() sets the state's registers by the macro `get`. IS_USER_64() says whether
 * they are those of a 64-bit process; HAS_REGISTERS() whether there are registers at all,
 * where only their place is known.
 */
#if defined(__TARGET_ARCH_x86)

#define HAS_LINK 0
#define PAGE_SHIFT 12
#define STACK_BYTES 16384        /* size of a kernel stack */
#define USER_ADDRESS_BITS 47
#define USER_CODE(word) (word)
#define USER_CODE_64 0x33        /* segments of 64-bit programs, arch/x86/include/asm/segment.h */
#define USER_DATA 0x2b
#define CALL_EXECVE 59           /* arch/x86/entry/syscalls/syscall_64.tbl */
#define CALL_EXECVEAT 322

#define SIGNAL_BP FXR_UNWIND_SIGNAL_BP
#define SIGNAL_SP FXR_UNWIND_SIGNAL_SP
#define SIGNAL_PC FXR_UNWIND_SIGNAL_PC

#define IS_USER_64(get) (get(cs) == USER_CODE_64)
#define HAS_REGISTERS(get) (get(ss) == USER_DATA)
#define READ_REGISTERS(state, get)            \
	do {                                  \
		(state)->pc = get(ip);        \
		(state)->sp = get(sp);        \
		(state)->bp = get(bp);        \
		(state)->link = get(di);      \
		(state)->first_ax = get(ax);  \
		(state)->call = get(orig_ax); \
	} while (0)

/* The byte at `back` bytes before the end of the eight in `code`. */
#define CODE_BYTE(code, back) ((u8)((code) >> (64 - 8 * (back))))

/* "call" with an operand of each length: e8, or ff with 2 in the middle of the second byte. */
static __always_inline bool is_after_call(u64 address)
{
	u64 code;
	u8 second;

	if (bpf_probe_read_user(&code, sizeof(code), (void *)(address - sizeof(code))))
		return false;
	if (CODE_BYTE(code, 5) == 0xe8)
		return true;
	second = CODE_BYTE(code, 1);
	if (CODE_BYTE(code, 2) == 0xff &&
	    ((second & 0xf8) == 0xd0 || ((second & 0xf8) == 0x10 && (second & 6) != 4)))
		return true;
	second = CODE_BYTE(code, 2);
	if (CODE_BYTE(code, 3) == 0xff &&
	    (second == 0x14 || ((second & 0xf8) == 0x50 && second != 0x54)))
		return true;
	if (CODE_BYTE(code, 4) == 0xff && CODE_BYTE(code, 3) == 0x54)
		return true;
	second = CODE_BYTE(code, 5);
	if (CODE_BYTE(code, 6) == 0xff &&
	    (second == 0x15 || ((second & 0xf8) == 0x90 && second != 0x94)))
		return true;
	return CODE_BYTE(code, 7) == 0xff && CODE_BYTE(code, 6) == 0x94;
}

#elif defined(__TARGET_ARCH_arm64)

/* Pages may be of 4, 16 or 64 KiB. */
extern const volatile fxr_u32 page_shift;
/* The bits that addresses of user code may have: the kernel may use 39, 48 or 52. */
extern const volatile fxr_u64 user_code_mask;

#define HAS_LINK 1
#define PAGE_SHIFT page_shift
#define STACK_BYTES (PAGE_SHIFT > 14 ? 1ULL << PAGE_SHIFT : 16384) /* size of a kernel stack */
#define USER_ADDRESS_BITS 52
#define USER_CODE(word) ((word) & user_code_mask)
#define PSR_MODE_BITS 0x1f       /* arch/arm64/include/uapi/asm/ptrace.h; 0: user mode, 64 bits */
#define CALL_EXECVE 221          /* include/uapi/asm-generic/unistd.h */
#define CALL_EXECVEAT 281

/* struct rt_sigframe, arch/arm64/kernel/signal.c: the registers follow 312 bytes. */
#define SIGNAL_REGISTER(number) (312 + 8 * (number))
#define SIGNAL_BP SIGNAL_REGISTER(29)
#define SIGNAL_LINK SIGNAL_REGISTER(30)
#define SIGNAL_SP SIGNAL_REGISTER(31)
#define SIGNAL_PC SIGNAL_REGISTER(32)

#define IS_USER_64(get) ((get(pstate) & PSR_MODE_BITS) == 0)
#define HAS_REGISTERS(get) (get(pc) != 0)
#define READ_REGISTERS(state, get)                \
	do {                                      \
		(state)->pc = get(pc);            \
		(state)->sp = get(sp);            \
		(state)->bp = get(regs[29]);      \
		(state)->link = get(regs[30]);    \
		(state)->first_ax = get(regs[0]); \
		(state)->call = get(syscallno);   \
	} while (0)

/* The instruction at `address`; 0, which is none, if it cannot be read. */
static __always_inline u32 instruction_at(u64 address)
{
	u32 code;

	return bpf_probe_read_user(&code, sizeof(code), (void *)address) ? 0 : code;
}

static __always_inline bool is_branch_with_link(u32 code)
{
	return (code & 0xfc000000) == 0x94000000; /* bl */
}

static __always_inline bool is_after_call(u64 address)
{
	u32 code = instruction_at(address - 4);

	return is_branch_with_link(code) || (code & 0xfffffc1f) == 0xd63f0000 || /* blr */
	       (code & 0xfefff800) == 0xd63f0800; /* blraa and the like */
}

/* Stubs of the PLT have at most six instructions. */
#define STUB_BYTES 24

/* The call before `link` leads to code that begins a few instructions before `pc`. */
static __always_inline bool is_stub_called_before(u64 link, u64 pc)
{
	u32 code = instruction_at(link - 4);
	s64 distance = (s64)((u64)code << 38) >> 36; /* 26 bits, in instructions */

	return is_branch_with_link(code) && pc - (link - 4 + distance) < STUB_BYTES;
}

/*
 * "mov x8, #139; svc #0": handlers of signals return to it. The kernel's own describes its
 * frame in comments only, for unwinders recognise these instructions.
 */
static __always_inline bool is_signal_return(u64 address)
{
	return instruction_at(address) == 0xd2801168 && instruction_at(address + 4) == 0xd4000001;
}

#endif

#endif
