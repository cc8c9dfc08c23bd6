/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unwind tables: how the BPF programs find the caller of a user function.
 *
 * A module is the code of one file. Its table is made from .eh_frame once and shared by
 * all processes. Places of code are offsets in the file. The table occupies consecutive words of one large array:
 *
 *   index  one word per page of FXR_UNWIND_PAGE bytes of code, and one more: the first
 *          row of the page, counted from the module's first row
 *   rows   one word each, by address: offset in the page (12 bits), number of the rule
 *          that holds from there on (20 bits). Each page begins with a row.
 *   rules  FXR_UNWIND_RULE_WORDS words each
 *
 * A process has a list of its executable mappings, sorted by address.
 */
#ifndef FXT_RECORD_UNWIND_H
#define FXT_RECORD_UNWIND_H

#include "fxt_record/event.h"

#define FXR_UNWIND_PAGE_SHIFT 12
#define FXR_UNWIND_PAGE (1U << FXR_UNWIND_PAGE_SHIFT)
#define FXR_UNWIND_RULE_BITS 20
#define FXR_UNWIND_MAX_RULES (1U << FXR_UNWIND_RULE_BITS)
#define FXR_UNWIND_MAX_RANGES 4096 /* executable mappings per process */

/* An element of the array of words. The kernel rounds smaller elements up. */
#define FXR_UNWIND_BLOCK_WORDS 1024
struct fxr_unwind_block {
	fxr_u32 word[FXR_UNWIND_BLOCK_WORDS];
};
/* The array is in chunks, which the collector makes when they are needed. */
#define FXR_UNWIND_CHUNK_BLOCKS 256
#define FXR_UNWIND_CHUNK_WORDS (FXR_UNWIND_BLOCK_WORDS * FXR_UNWIND_CHUNK_BLOCKS)

/*
 * How the canonical frame address (CFA) is computed. That is the stack pointer of the
 * caller after the return. `sp` and `bp` are rsp and rbp, or sp and x29 on 64-bit ARM.
 */
enum fxr_unwind_kind {
	FXR_UNWIND_NONE = 0,          /* no table for this code */
	FXR_UNWIND_UNSUPPORTED = 1,   /* a rule that is none of these */
	FXR_UNWIND_END = 2,           /* the thread's entry: no caller */
	FXR_UNWIND_SP = 3,            /* sp + offset */
	FXR_UNWIND_BP = 4,            /* bp + offset */
	FXR_UNWIND_SP_DEREF = 5,      /* word at (sp + offset), + add */
	FXR_UNWIND_BP_DEREF = 6,      /* word at (bp + offset), + add */
	FXR_UNWIND_PLT = 7,           /* sp + offset, 8 more from byte `add` of 16 on */
	FXR_UNWIND_SIGNAL = 8,        /* the kernel's signal frame at sp + offset */
	FXR_UNWIND_FRAME_POINTER = 9, /* code without tables: by frame pointer */
	FXR_UNWIND_ABSENT = 10,       /* the table is not loaded */
	FXR_UNWIND_RETURN_IN_DI = 11, /* sp + offset; di has the return address, as in vfork() */
	FXR_UNWIND_CLONE = 12,        /* after clone(): sp + offset, or the entry of the new thread */
	FXR_UNWIND_JIT = 13,          /* code of no file */
	FXR_UNWIND_RETURN_IN_LINK = 14, /* no table; x30 has the return address. No table has it */
};

/* The location of the caller's bp. */
enum fxr_unwind_bp {
	FXR_UNWIND_BP_SAME = 0,   /* unchanged */
	FXR_UNWIND_BP_AT_CFA = 1, /* word at CFA + bp_offset */
	FXR_UNWIND_BP_AT_BP = 2,  /* word at bp + bp_offset */
	FXR_UNWIND_BP_LOST = 3,   /* not known; a later rule that needs it ends the stack */
};

/* The location of the return address. */
enum fxr_unwind_return {
	FXR_UNWIND_RETURN_BELOW_CFA = 0,   /* the word below the CFA: always so on x86-64 */
	FXR_UNWIND_RETURN_AT_CFA = 1,      /* word at CFA + return_offset */
	FXR_UNWIND_RETURN_IN_REGISTER = 2, /* x30, which the frame has not changed (64-bit ARM) */
};

struct fxr_unwind_rule {
	fxr_u8 kind; /* enum fxr_unwind_kind */
	fxr_u8 bp;   /* enum fxr_unwind_bp */
	fxr_s16 bp_offset; /* bytes */
	fxr_s32 offset;    /* bytes */
	fxr_s32 add;       /* bytes */
	fxr_s16 return_offset; /* bytes */
	fxr_u8 return_place;   /* enum fxr_unwind_return */
	fxr_u8 unused;
};
#define FXR_UNWIND_RULE_WORDS (sizeof(struct fxr_unwind_rule) / sizeof(fxr_u32))
FXR_ASSERT(sizeof(struct fxr_unwind_rule) == 16);

/*
 * Numbers of ranges that are no module's: a file without a table, a file that is not known
 * yet, and code of no file, which just-in-time compilers make.
 */
#define FXR_UNWIND_NO_TABLE 0U
#define FXR_UNWIND_NEW_FILE 0xfffffffeU
#define FXR_UNWIND_NO_FILE 0xffffffffU

/* By module number. */
struct fxr_unwind_module {
	fxr_u32 pages;      /* 0: the table is not loaded */
	fxr_u32 first_page; /* of the table, in the file */
	/* Positions in the array of words; a rule's is a multiple of FXR_UNWIND_RULE_WORDS. */
	fxr_u32 index;
	fxr_u32 rows;
	fxr_u32 rules;
	fxr_u32 used; /* the programs write the collector's time of use here */
};
FXR_ASSERT(sizeof(struct fxr_unwind_module) == 24);

/* An executable mapping. */
struct fxr_unwind_range {
	fxr_u64 start;
	fxr_u64 size;   /* bytes */
	fxr_u64 offset; /* of `start` in the file */
	fxr_u32 module;
	fxr_u32 unused;
};
FXR_ASSERT(sizeof(struct fxr_unwind_range) == 32);

/*
 * What identifies a file as long as its contents stay the same. The programs look the
 * modules of mappings up by it that the list of a process does not have yet.
 */
struct fxr_unwind_file {
	fxr_u64 inode;
	fxr_u64 size;      /* bytes */
	fxr_u64 changed_s; /* time of the last change of its contents or inode: seconds, ns */
	fxr_u32 changed_ns;
	fxr_u32 device; /* major << 20 | minor */
};
FXR_ASSERT(sizeof(struct fxr_unwind_file) == 32);

/* By process id: its mappings are ranges first .. first + count - 1. */
struct fxr_unwind_process {
	fxr_u64 version; /* no other list of mappings has or had it */
	fxr_u32 first;
	fxr_u32 count;
	/*
	 * Address of the program's arguments, random with each exec: the mappings of
	 * another program are not used.
	 */
	fxr_u64 arguments;
	/*
	 * Pages of the mappings that are executable and not writable. If the kernel counts
	 * others, there are mappings that the list does not have.
	 */
	fxr_u64 code_pages;
	/* CPython: the number of its layout and 1, the address of _PyRuntime, and the evaluation
	 * loop. 0: none. */
	fxr_u64 python;
	fxr_u64 python_runtime;
	fxr_u64 python_loop;
	fxr_u64 python_loop_bytes;
};

/* The kernel's signal frame on x86-64: offsets of the interrupted registers. */
#define FXR_UNWIND_SIGNAL_BP 120
#define FXR_UNWIND_SIGNAL_SP 160
#define FXR_UNWIND_SIGNAL_PC 168

#endif
