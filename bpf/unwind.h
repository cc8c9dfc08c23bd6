/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unwinds the user half of a stack by the tables of include/fxt_record/unwind.h. Only
 * stack.bpf.c includes it.
 *
 * A lane is a place for the state of one program at a time. Each CPU has one for the
 * programs of tracepoints, which run with interrupts off, and one for samples, which may
 * interrupt these (NMI). Samples change no map but arrays: all others have locks.
 *
 * Some functions are global and not inlined: the verifier checks each once, and not again
 * for each of the 127 frames. Their arguments are numbers, so each looks its state up.
 *
 * How a stack unwinds is determined by the pc and sp at its start, the tables, and a few
 * words of the stack: the return addresses and the saved frame pointers that a rule
 * used. The places of these words are kept. A stack with the same start whose words are
 * the same has the same frames, and needs no look-up in the tables.
 */
#ifndef FXR_UNWIND_H
#define FXR_UNWIND_H

#include "common.h"

#include "unwind_machine.h"
#include "vma.h"

#include "fxt_record/unwind.h"

#define FIRST_ADDRESS 4096 /* nothing is mapped below it */
#define RANGE_STEPS 13     /* log2 of FXR_UNWIND_MAX_RANGES, and one */
#define ROW_STEPS 13       /* log2 of FXR_UNWIND_PAGE, and one */
#define STACK_PIECE 512    /* bytes of stack per read */
#define KNOWN_PIECE 2048   /* the same where the extent of a known stack is that large */
#define UNWIND_PLACES 256  /* words of a stack that determine how it unwinds; a power of 2 */
#define PLACE_IS_FRAME 0x8000
#define FRAMES_AT_ONCE 16  /* in one loop: the verifier follows each round of nested ones once */
#define SEARCH_WORDS 256   /* of the stack, for the return address of code without a table */
#define SEARCH_AT_ONCE 16
#define SEARCH_ROUNDS 24   /* with words that turn out to be no code */
#define FRAME_BYTES (1 << 20) /* the largest frame, and distance of a frame pointer */

/* The fields that a known stack needs come first: each cache line that is not hot counts. */
struct unwind_state {
	/* The frame that is unwound. */
	u64 pc;
	u64 sp;
	u64 bp;
	u64 key;
	u64 number; /* hash of the frames */
	u64 check;  /* sum of the hashes of all words that determine how it unwinds; then check_shape() */
	u32 frames;
	u32 places;
	u8 is_known;       /* the process has ranges */
	u8 is_stale;       /* it has mappings that are not among the ranges */
	u8 is_by_shape;    /* the places are those of the shape */
	u8 end;            /* enum fxr_stack_end, when it is finished */
	u8 is_return;      /* pc is a return address */
	u8 bp_lost;
	u8 is_guess;       /* frames may be missing or wrong */
	u8 is_new;         /* a frame is of a mapping or file that is not known yet */

	/* The stack pointer and frame pointer at the start, and what identifies the stack. */
	u64 first_sp;
	u64 first_bp;
	u64 link; /* the register with the return address: x30, or rdi in vfork() on x86 */
	u64 first_ax;
	u64 call; /* number of the system call */
	u64 process; /* of the ranges and tables, for unwind_rules; 0: not to be kept */

	/* The process whose stack was unwound last: most often this one, which saves a look-up. */
	u32 kept_tgid; /* 0: none */
	u32 kept_age;  /* unwind_processes_age */
	struct fxr_unwind_process kept;

	/* See struct fxr_unwind_process. */
	u64 python; /* 0, too, where the process is not known */

	/* The mapping that was used last. */
	u32 module;
	u32 search_low;
	u32 search_high;
	u64 range_start;
	u64 range_size;
	u64 range_offset;

	u64 bp_place;  /* where bp was read; 0: still the register */
	struct fxr_unwind_rule rule; /* of the frame */
	u64 word;                    /* what unwind_word() read */
	u64 cfa;                     /* what unwind_search() found */
	u64 target;                  /* what unwind_return_at() read */
	int found;                   /* how; see enum */
	int by_frame;
	u64 search_end;
	u64 search_bp;

	u32 extent;        /* bytes from first_sp up to the farthest place */
	u8 needs_bp;       /* the first bp determines how it unwinds */
	u8 is_uncacheable;
	u8 has_link_frame; /* the second frame is the link register */
	u8 sp_lost;        /* sp is only the least that it may be */

	/* The bytes of the stack that were read last. */
	u64 piece_begin;
	u64 piece_size;
	u64 piece[KNOWN_PIECE / 8];

	u64 frame[FXR_STACK_FRAMES + 1]; /* a power of 2 */
	u16 place[UNWIND_PLACES]; /* words from first_sp up; PLACE_IS_FRAME: a return address */
};

static __always_inline u64 mix(u64 number, u64 word)
{
	number = (number ^ word) * 0x9e3779b97f4a7c15;
	return number ^ number >> 32;
}

/* By lane. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct unwind_state);
} unwind_states SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fxr_unwind_process);
} unwind_processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fxr_unwind_range);
} unwind_ranges SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fxr_unwind_module);
} unwind_modules SEC(".maps");

/* Modules of files. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct fxr_unwind_file);
	__type(value, u32);
} unwind_files SEC(".maps");

struct unwind_chunk {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, FXR_UNWIND_CHUNK_BLOCKS);
	__type(key, u32);
	__uint(value_size, sizeof(struct fxr_unwind_block));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(values, struct unwind_chunk);
} unwind_words SEC(".maps");

/*
 * Rules that were found, by place: stacks that were never seen consist of frames that were.
 * A rule is looked up again when a table comes or goes, and with each unwind_use_time.
 */
struct unwind_kept_rule {
	u64 key;
	struct fxr_unwind_rule rule;
};

#define UNWIND_RULES 256 /* a power of 2 */

struct unwind_kept_rules {
	struct unwind_kept_rule rule[UNWIND_RULES];
};

/* By lane. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct unwind_kept_rules);
} unwind_rules SEC(".maps");

/*
 * Stacks and the places of their words. Programs on several CPUs may write an entry at
 * once. Then `check` contradicts the places, and the entry is not used.
 */
struct unwind_shape {
	u64 key;
	u64 check;  /* check_shape() */
	u64 bp;
	u64 number; /* of the stack, without its end */
	u16 places;
	u32 extent; /* bytes from the stack pointer up to the farthest place */
	u8 end;
	u8 needs_bp;
	u16 place[UNWIND_PLACES];
	u8 has_link_frame;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct unwind_shape);
} unwind_shapes SEC(".maps");

const volatile fxr_u32 unwind_shape_mask = 0; /* entries - 1 */

/* The collector changes it after every change of unwind_processes. */
fxr_u32 unwind_processes_age = 0;
/* The collector changes it with every table that comes or goes. */
fxr_u32 unwind_tables_age = 0;
/* The module of the vDSO, which is the same in all 64-bit processes. */
fxr_u32 unwind_vdso = FXR_UNWIND_NO_FILE;
/* The collector's time, for fxr_unwind_module.used. */
fxr_u32 unwind_use_time = 0;

/* The lanes of samples begin with this one. */
const volatile fxr_u32 first_sample_lane = 0;

/* The lane of the programs of tracepoints. */
static __always_inline u32 task_lane(void)
{
	return bpf_get_smp_processor_id();
}

static __always_inline u32 sample_lane(void)
{
	return first_sample_lane + bpf_get_smp_processor_id();
}

/*
 * Ids that were sent, to be sent without their contents from then on. An entry has one id,
 * combined with the age of sending. Ids are hashes.
 */
struct known_ids {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
};

const volatile fxr_u32 known_ids_mask = 0; /* entries - 1 */

static __always_inline u64 *known_entry(void *ids, u64 id)
{
	u32 index = id >> 1 & known_ids_mask; /* the lowest bit may be set in all */

	return bpf_map_lookup_elem(ids, &index);
}

static __always_inline bool is_known(void *ids, u64 id, u32 age)
{
	u64 *known = known_entry(ids, id);

	return known && READ_ONCE(*known) == mix(id, age);
}

static __always_inline void set_known(void *ids, u64 id, u32 age)
{
	u64 *known = known_entry(ids, id);

	if (known)
		WRITE_ONCE(*known, mix(id, age));
}

static __always_inline struct unwind_state *state_of(u32 lane)
{
	return bpf_map_lookup_elem(&unwind_states, &lane);
}

/* Reads the user's stack from `address` on. Returns nonzero if it is not present. */
static __always_inline int read_piece(struct unwind_state *state, u64 address)
{
	u64 begin = address - 64;

	/* What lies below the first stack pointer may be unmapped. */
	if (begin < state->first_sp || begin > address)
		begin = address;
	state->piece_begin = begin;
	state->piece_size = STACK_PIECE;
	if (!bpf_probe_read_user(state->piece, STACK_PIECE, (void *)begin))
		return 0;
	/* The memory above may be unmapped. */
	state->piece_begin = address;
	state->piece_size = 8;
	if (!bpf_probe_read_user(state->piece, 8, (void *)address))
		return 0;
	state->piece_size = 0;
	return -1;
}

__noinline int unwind_read_piece(u32 lane, u64 address)
{
	struct unwind_state *state = state_of(lane);

	return state ? read_piece(state, address) : -1;
}

static __always_inline bool has_word(const struct unwind_state *state, u64 address)
{
	u64 place = address - state->piece_begin;

	return place + 8 <= state->piece_size && place < KNOWN_PIECE;
}

/* The word at `address`, which the piece has. */
static __always_inline bool take_word(struct unwind_state *state, u64 address, u64 *word)
{
	u64 place = address - state->piece_begin;

	if (place > KNOWN_PIECE - 8)
		return false;
	asm volatile("" : "+r"(place));
	if (place > KNOWN_PIECE - 8)
		return false;
	*word = *(u64 *)((void *)state->piece + place);
	return true;
}

static __always_inline bool stack_word(u32 lane, struct unwind_state *state, u64 address, u64 *word)
{
	if (!has_word(state, address) && unwind_read_piece(lane, address))
		return false;
	return take_word(state, address, word);
}

/*
 * Reads a word of the user's stack into the state. Returns nonzero if it is not present.
 * Functions can call one another only eight deep, so this calls none.
 */
__noinline int unwind_word(u32 lane, u64 address)
{
	struct unwind_state *state = state_of(lane);
	u64 word;

	if (!state || (!has_word(state, address) && read_piece(state, address)) ||
	    !take_word(state, address, &word))
		return -1;
	state->word = word;
	return 0;
}

static __always_inline struct fxr_unwind_block *table_block(u32 index)
{
	u32 number = index / FXR_UNWIND_CHUNK_WORDS;
	void *chunk = bpf_map_lookup_elem(&unwind_words, &number);

	if (!chunk)
		return NULL;
	number = index % FXR_UNWIND_CHUNK_WORDS / FXR_UNWIND_BLOCK_WORDS;
	return bpf_map_lookup_elem(chunk, &number);
}

static __always_inline bool table_word(u32 index, u32 *word)
{
	struct fxr_unwind_block *block = table_block(index);

	if (!block)
		return false;
	*word = block->word[index % FXR_UNWIND_BLOCK_WORDS];
	return true;
}

/* Finds the mapping of `address` in the process's list. */
__noinline int unwind_find_range(u32 lane, u64 address)
{
	struct unwind_state *state = state_of(lane);
	struct fxr_unwind_range *range;
	u32 index;

	if (!state)
		return -1;
	state->search_low = 0;
	state->search_high = state->kept.count;
	/* The last range that begins at or below the address is at low - 1. */
	for (u32 i = 0; i < RANGE_STEPS; i++) {
		u32 low = READ_ONCE(state->search_low), high = READ_ONCE(state->search_high);
		u32 middle = low + (high - low) / 2;

		if (low >= high)
			break;
		index = state->kept.first + middle;
		range = bpf_map_lookup_elem(&unwind_ranges, &index);
		if (!range)
			return -1;
		if (range->start <= address)
			WRITE_ONCE(state->search_low, middle + 1);
		else
			WRITE_ONCE(state->search_high, middle);
	}
	index = READ_ONCE(state->search_low);
	if (!index)
		return -1;
	index += state->kept.first - 1;
	range = bpf_map_lookup_elem(&unwind_ranges, &index);
	if (!range || address - range->start >= range->size)
		return -1;
	state->range_start = range->start;
	state->range_size = range->size;
	state->range_offset = range->offset;
	state->module = range->module;
	return 0;
}

/* Finds the mapping of `address` in the kernel's tree. Returns nonzero if it has no code there. */
__noinline int unwind_find_vma(u32 lane, u64 address)
{
	struct unwind_state *state = state_of(lane);
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	struct fxr_unwind_file file = {};
	struct vm_area_struct *vma;
	struct inode *inode;
	u64 start, size;
	u32 *module;

	if (!state)
		return -1;
	vma = mm ? vma_of(mm, lane, address) : NULL;
	if (!vma || BPF_CORE_READ(vma, vm_mm) != mm ||
	    !(BPF_CORE_READ(vma, vm_flags) & VM_EXEC))
		return -1;
	start = BPF_CORE_READ(vma, vm_start);
	size = BPF_CORE_READ(vma, vm_end) - start;
	if (address - start >= size)
		return -1;
	state->range_start = start;
	state->range_size = size;
	state->range_offset = BPF_CORE_READ(vma, vm_pgoff) << PAGE_SHIFT;
	state->module = FXR_UNWIND_NO_FILE;
	inode = BPF_CORE_READ(vma, vm_file, f_inode);
	if (!inode) {
		if (bpf_core_field_exists(mm->context.vdso) &&
		    (u64)BPF_CORE_READ(mm, context.vdso) == start)
			state->module = READ_ONCE(unwind_vdso);
		return 0;
	}
	read_file(inode, &file);
	module = bpf_map_lookup_elem(&unwind_files, &file);
	state->module = module ? *module : FXR_UNWIND_NEW_FILE;
	return 0;
}

enum {
	CODE_FOUND = 0,
	CODE_ABSENT = 1,      /* nothing executable is mapped there */
	CODE_NOT_KNOWN = 2,
};

/* Finds the mapping of `address`. */
__noinline int unwind_find_code(u32 lane, u64 address)
{
	struct unwind_state *state = state_of(lane);

	if (!state)
		return CODE_NOT_KNOWN;
	if (address - state->range_start < state->range_size)
		return CODE_FOUND;
	if (state->is_known) {
		if (!unwind_find_range(lane, address))
			return CODE_FOUND;
		if (!state->is_stale)
			return CODE_ABSENT;
	}
	/* The kernel's mappings may change while the list stays the same. */
	state->is_uncacheable = true;
	if (!HAS_VMA_TREE)
		return CODE_NOT_KNOWN;
	return unwind_find_vma(lane, address) ? CODE_ABSENT : CODE_FOUND;
}

/* Finds the rule of the code at `address`, in the state's range. */
__noinline int unwind_find_rule(u32 lane, u64 address)
{
	struct unwind_state *state = state_of(lane);
	struct fxr_unwind_module *module;
	struct fxr_unwind_block *block;
	u32 number, row = 0, first = 0, place, index;
	u64 offset, page;

	if (!state)
		return -1;
	number = state->module;
	state->rule.kind = FXR_UNWIND_FRAME_POINTER;
	if (number == FXR_UNWIND_NO_TABLE)
		return 0;
	state->rule.kind = FXR_UNWIND_JIT;
	if (number == FXR_UNWIND_NO_FILE)
		return 0;
	state->rule.kind = FXR_UNWIND_ABSENT;
	if (number == FXR_UNWIND_NEW_FILE) {
		state->is_new = true;
		return 0;
	}
	module = bpf_map_lookup_elem(&unwind_modules, &number);
	if (!module)
		return 0;
	if (module->used != READ_ONCE(unwind_use_time))
		module->used = READ_ONCE(unwind_use_time);
	if (!READ_ONCE(module->pages))
		return 0;
	offset = address - state->range_start + state->range_offset;
	page = (offset >> FXR_UNWIND_PAGE_SHIFT) - module->first_page;
	state->rule.kind = FXR_UNWIND_NONE;
	if (page >= module->pages)
		return 0;
	index = module->index + (u32)page;
	if (!table_word(index, &first) || !table_word(index + 1, &row))
		return 0;
	place = offset % FXR_UNWIND_PAGE;
	state->search_low = first;
	state->search_high = row;
	for (u32 i = 0; i < ROW_STEPS; i++) {
		u32 low = READ_ONCE(state->search_low), high = READ_ONCE(state->search_high);
		u32 middle = low + (high - low) / 2;

		if (low >= high)
			break;
		if (!table_word(module->rows + middle, &row))
			return 0;
		if (row >> FXR_UNWIND_RULE_BITS <= place)
			WRITE_ONCE(state->search_low, middle + 1);
		else
			WRITE_ONCE(state->search_high, middle);
	}
	row = READ_ONCE(state->search_low);
	if (row == first || !table_word(module->rows + row - 1, &row))
		return 0;
	index = module->rules + row % FXR_UNWIND_MAX_RULES * (u32)FXR_UNWIND_RULE_WORDS;
	block = table_block(index);
	if (!block)
		return 0;
	index = index % FXR_UNWIND_BLOCK_WORDS & ~(u32)(FXR_UNWIND_RULE_WORDS - 1);
	state->rule = *(struct fxr_unwind_rule *)(block->word + index);
	return 0;
}

/*
 * Adds a word at `place`, with PLACE_IS_FRAME, to the sum of hashes that is the state's
 * `check`. The processor hashes the words of a sum side by side; a hash of hashes makes it
 * wait for each.
 */
static __always_inline u64 add_word(u64 check, u64 word, u64 place)
{
	return check + mix(word, place << 48);
}

/* The word at `address`, which is `word`, determines how the stack unwinds. */
__noinline int unwind_keep_place(u32 lane, u64 address, u64 word, u64 is_frame)
{
	struct unwind_state *state = state_of(lane);
	u64 offset;
	u32 count;
	u16 place;

	if (!state)
		return 0;
	offset = address - state->first_sp;
	count = READ_ONCE(state->places);
	place = offset / 8;
	if (offset % 8 || offset / 8 >= PLACE_IS_FRAME || count >= UNWIND_PLACES) {
		state->is_uncacheable = true;
		return 0;
	}
	if (is_frame)
		place |= PLACE_IS_FRAME;
	state->place[count] = place;
	WRITE_ONCE(state->places, count + 1);
	if (state->extent < offset + 8)
		state->extent = offset + 8;
	state->check = add_word(state->check, word, place);
	return 0;
}

/* A rule uses bp. Returns nonzero if it is not known. */
__noinline int unwind_use_bp(u32 lane)
{
	struct unwind_state *state = state_of(lane);

	if (!state || state->bp_lost)
		return -1;
	if (!state->bp_place)
		state->needs_bp = true;
	else
		unwind_keep_place(lane, state->bp_place, state->bp, false);
	return 0;
}

static __always_inline int finish(struct unwind_state *state, u8 end)
{
	state->end = end;
	return 1;
}

static __always_inline bool add_frame(struct unwind_state *state, u64 address)
{
	u32 count = READ_ONCE(state->frames);

	if (count >= FXR_STACK_FRAMES)
		return false;
	state->frame[count] = address;
	WRITE_ONCE(state->frames, count + 1);
	state->number = mix(state->number, address);
	return true;
}

static __always_inline int to_interrupted(u32 lane, struct unwind_state *state, u64 place)
{
	/* The signal's stack may be another one. */
	state->is_uncacheable = true;
	state->end = FXR_STACK_END_UNREADABLE;
	if (unwind_word(lane, place + SIGNAL_BP))
		return 1;
	state->bp = state->word;
	if (unwind_word(lane, place + SIGNAL_SP))
		return 1;
	state->sp = state->word;
	if (unwind_word(lane, place + SIGNAL_PC))
		return 1;
	state->pc = state->word;
#if HAS_LINK
	if (unwind_word(lane, place + SIGNAL_LINK))
		return 1;
	state->link = state->word;
#endif
	state->bp_place = 0;
	state->bp_lost = false;
	state->is_return = false;
	return add_frame(state, state->pc) ? 0 : finish(state, FXR_STACK_END_DEEP);
}

/* The innermost function has its return address in a register. */
static __always_inline int to_caller_by_di(struct unwind_state *state)
{
	if (READ_ONCE(state->frames) != 1)
		return finish(state, FXR_STACK_END_RULE);
	/* What identifies a stack does not have that register. */
	state->is_uncacheable = true;
	state->pc = state->link;
	state->sp += state->rule.offset;
	state->is_return = true;
	return add_frame(state, state->pc) ? 0 : finish(state, FXR_STACK_END_DEEP);
}

/* The code has no rule, or its rule is not known. */
static __always_inline bool has_no_rule(u32 kind)
{
	return kind == FXR_UNWIND_NONE || kind == FXR_UNWIND_ABSENT || kind == FXR_UNWIND_JIT;
}

static __always_inline bool uses_bp(u32 kind)
{
	return kind == FXR_UNWIND_BP || kind == FXR_UNWIND_BP_DEREF ||
	       kind == FXR_UNWIND_FRAME_POINTER || has_no_rule(kind);
}

static __always_inline bool may_be_frame_pointer(u64 word, u64 sp)
{
	return word >= sp && word - sp < FRAME_BYTES && word % 8 == 0;
}

enum {
	NO_RETURN = 0,
	RETURN_ABOVE_FRAME = 1, /* below it is a saved frame pointer */
	RETURN_AFTER_CALL = 2,
};

/* Only return addresses behind a call, above any word. */
#define ANY_FRAME_POINTER 1

/*
 * Says whether the word of the stack at `place`, then the state's target, may be a return
 * address; with `bp` nonzero only one behind a call, above that word. The caller looks
 * whether it is one of code.
 */
__noinline int unwind_return_at(u32 lane, u64 place, u64 bp)
{
	struct unwind_state *state = state_of(lane);
	u64 word;

	if (!state || unwind_word(lane, place))
		return NO_RETURN;
	word = USER_CODE(state->word);
	if (word < FIRST_ADDRESS || word >> USER_ADDRESS_BITS || word - state->sp < FRAME_BYTES)
		return NO_RETURN;
	state->target = word;
	if (is_after_call(word)) {
		if (bp && bp != ANY_FRAME_POINTER &&
		    (unwind_word(lane, place - 8) || state->word != bp))
			return NO_RETURN;
		return RETURN_AFTER_CALL;
	}
	if (bp || unwind_word(lane, place - 8) || !may_be_frame_pointer(state->word, place + 8))
		return NO_RETURN;
	return RETURN_ABOVE_FRAME;
}

/* The same, and the target is code. */
static __always_inline int return_at(u32 lane, struct unwind_state *state, u64 place)
{
	int found = unwind_return_at(lane, place, 0);

	if (found && unwind_find_code(lane, state->target - 1) != CODE_FOUND)
		return NO_RETURN;
	return found;
}

/*
 * Looks for a return address in words from the state's cfa - 8 on, below `end`. Calls keep
 * the stack aligned to 16 bytes. Sets the state's cfa behind it, or to where to go on.
 */
__noinline int unwind_search_some(u32 lane, u64 end, u64 bp)
{
	struct unwind_state *state = state_of(lane);
	u64 place;
	int found;

	if (!state)
		return NO_RETURN;
	place = state->cfa - 8;
	for (u32 i = 0; i < SEARCH_AT_ONCE; i++) {
		if (place + i * 16 >= end)
			break;
		found = unwind_return_at(lane, place + i * 16, bp);
		if (found) {
			state->cfa = place + i * 16 + 8;
			return found;
		}
	}
	state->cfa = place + SEARCH_AT_ONCE * 16 + 8;
	return NO_RETURN;
}

/*
 * Looks for the return address of code without a frame pointer. If the frame pointer
 * leads to one, only below it: a frame that has saved bp and not changed it lies below the
 * one that bp belongs to. Code of a compiler is called by such code, or by a stub that has
 * a frame pointer. Returns nonzero to go on.
 */
__noinline int unwind_search_next(u32 lane)
{
	struct unwind_state *state = state_of(lane);
	int found;

	if (!state || state->cfa - 8 >= state->search_end)
		return 0;
	found = unwind_search_some(lane, state->search_end, state->search_bp);
	if (found && unwind_find_code(lane, state->target - 1) == CODE_FOUND &&
	    (state->rule.kind != FXR_UNWIND_JIT || state->module == FXR_UNWIND_NO_FILE)) {
		state->found = found;
		return 0;
	}
	if (found)
		state->cfa += 16;
	return 1;
}

/*
 * Finds the return address of a function without a rule. Code of just-in-time compilers
 * has frame pointers (V8), or saves the caller's below each return address and uses the
 * register otherwise (HotSpot). Hand-written assembly may have no frame at all. Sets
 * `found`, the CFA and the rule of bp. Returns nonzero if the stack is to be searched.
 */
__noinline int unwind_search(u32 lane)
{
	struct unwind_state *state = state_of(lane);
	u64 sp, bp;

	if (!state)
		return 0;
	sp = state->sp;
	bp = unwind_use_bp(lane) ? 0 : state->bp;
	state->rule.bp_offset = -16;
	/* The innermost function may have no frame yet. */
	if (!HAS_LINK && !state->is_return) {
		state->found = return_at(lane, state, sp);
		state->cfa = sp + 8;
		state->rule.bp = FXR_UNWIND_BP_SAME;
		if (state->found == RETURN_AFTER_CALL)
			return 0;
		state->found = return_at(lane, state, sp + 8);
		state->cfa = sp + 16;
		state->rule.bp = FXR_UNWIND_BP_AT_CFA;
		if (state->found == RETURN_AFTER_CALL && !unwind_word(lane, sp) && state->word == bp)
			return 0;
	}
	state->rule.bp = FXR_UNWIND_BP_AT_CFA;
	state->by_frame = NO_RETURN;
	if (may_be_frame_pointer(bp, sp))
		state->by_frame = return_at(lane, state, bp + 8);
	/* As the kernel does: the frame pointer leads to code, whatever is below the address. */
	if (!state->by_frame && bp >= FIRST_ADDRESS && !unwind_word(lane, bp + 8) &&
	    unwind_find_code(lane, USER_CODE(state->word) - 1) == CODE_FOUND)
		state->by_frame = RETURN_ABOVE_FRAME;
	state->found = NO_RETURN;
	state->search_bp = state->by_frame ? bp : 0;
	/* Code that does not call as compilers do has no frames as theirs either. */
	if (!state->by_frame && state->rule.kind == FXR_UNWIND_JIT && state->is_return &&
	    !is_after_call(state->pc))
		state->search_bp = ANY_FRAME_POINTER;
	state->search_end = state->by_frame ? bp : sp + SEARCH_WORDS * 8;
	state->cfa = sp + 16 - sp % 16;
	return 1;
}

/* After the search. */
__noinline int unwind_search_end(u32 lane)
{
	struct unwind_state *state = state_of(lane);

	if (!state)
		return 0;
	if (!state->found && state->by_frame) {
		state->found = state->by_frame;
		state->cfa = state->search_bp + 16;
	} else if (state->found && state->rule.kind != FXR_UNWIND_JIT &&
		   (unwind_word(lane, state->cfa - 16) ||
		    !may_be_frame_pointer(state->word, state->cfa))) {
		/* Assembly without a frame may have left bp as it was. */
		state->rule.bp = FXR_UNWIND_BP_SAME;
	}
	return 0;
}

/* Returns true if the function has not changed the link register. */
static __always_inline bool returns_to_link(const struct unwind_state *state)
{
	return HAS_LINK && state->rule.return_place == FXR_UNWIND_RETURN_IN_REGISTER;
}

/* Where the frame with this CFA has its return address. */
static __always_inline u64 return_place(const struct unwind_state *state, u64 cfa)
{
	if (HAS_LINK && state->rule.return_place == FXR_UNWIND_RETURN_AT_CFA)
		return cfa + state->rule.return_offset;
	return cfa - 8;
}

/*
 * The CFA of a function whose sp is not known. If it saves bp below its return address, bp
 * points there as long as it calls others, or is the caller's if it has no frame pointer. At
 * the least possible sp it is its own. 0: not known.
 */
static __always_inline u64 cfa_of_record(u32 lane, struct unwind_state *state)
{
	u64 cfa = state->bp - state->rule.bp_offset;

	state->end = FXR_STACK_END_RULE;
	if (state->rule.kind != FXR_UNWIND_SP || state->rule.bp != FXR_UNWIND_BP_AT_CFA ||
	    returns_to_link(state) || return_place(state, cfa) != state->bp + 8 ||
	    unwind_use_bp(lane))
		return 0;
	if (state->bp != state->sp)
		state->is_guess = true;
	return cfa;
}

/* Goes on to the caller of a function that has not changed the link register. */
static __always_inline int to_caller_by_link(struct unwind_state *state)
{
	/* What was called has changed it. */
	if (state->is_return)
		return finish(state, FXR_STACK_END_RULE);
	state->pc = USER_CODE(state->link);
	state->is_return = true;
	state->has_link_frame = true;
	if (!state->pc)
		return finish(state, FXR_STACK_END_ENTRY);
	return add_frame(state, state->pc) ? 0 : finish(state, FXR_STACK_END_DEEP);
}

#if HAS_LINK
/*
 * Code without a table: sets the rule if the code itself shows it. The link register of
 * an innermost function has its return address if that is in another mapping, which the
 * function did not call from, or follows a call of the stub at pc.
 */
__noinline int unwind_find_link(u32 lane)
{
	struct unwind_state *state = state_of(lane);
	u64 link, start;

	if (!state)
		return 0;
	if (state->is_return) {
		if (!state->sp_lost && is_signal_return(state->pc)) {
			state->rule.kind = FXR_UNWIND_SIGNAL;
			state->rule.offset = 0;
		}
		return 0;
	}
	link = USER_CODE(state->link);
	/* Its frame record is complete. */
	if (!unwind_word(lane, state->bp + 8) && USER_CODE(state->word) == link)
		return 0;
	start = state->range_start;
	if (is_stub_called_before(link, state->pc)) {
		state->rule.kind = FXR_UNWIND_RETURN_IN_LINK;
	} else if (is_after_call(link) && unwind_find_code(lane, link - 1) == CODE_FOUND &&
		   state->range_start != start) {
		state->rule.kind = FXR_UNWIND_RETURN_IN_LINK;
		state->sp_lost = true;
	}
	return 0;
}
#endif

/*
 * Computes the CFA by the state's rule. Returns it, or 0 at the end of the stack. The
 * reason of that end is in state->end.
 */
static __always_inline u64 find_cfa(u32 lane, struct unwind_state *state)
{
	u32 kind = state->rule.kind;
	u64 base = state->sp;

	if (has_no_rule(kind)) {
		if (kind == FXR_UNWIND_ABSENT ||
		    (kind == FXR_UNWIND_NONE && state->found == RETURN_ABOVE_FRAME))
			state->is_guess = true;
		if (state->found)
			return state->cfa;
		state->end = kind == FXR_UNWIND_JIT || state->bp_lost || state->bp ?
				     FXR_STACK_END_NO_TABLE :
				     FXR_STACK_END_ENTRY;
		return 0;
	}
	if (uses_bp(kind)) {
		state->end = FXR_STACK_END_RULE;
		if (unwind_use_bp(lane))
			return 0;
		base = state->bp;
	}
	if (HAS_LINK && state->sp_lost && (kind == FXR_UNWIND_SP || kind == FXR_UNWIND_SP_DEREF))
		return cfa_of_record(lane, state);
	switch (kind) {
	case FXR_UNWIND_SP:
	case FXR_UNWIND_BP:
		return base + state->rule.offset;
	case FXR_UNWIND_PLT:
		return base + state->rule.offset + (state->pc % 16 >= (u32)state->rule.add ? 8 : 0);
	case FXR_UNWIND_SP_DEREF:
	case FXR_UNWIND_BP_DEREF:
		state->end = FXR_STACK_END_UNREADABLE;
		base += state->rule.offset;
		if (unwind_word(lane, base))
			return 0;
		unwind_keep_place(lane, base, state->word, false);
		return state->word + state->rule.add;
	case FXR_UNWIND_CLONE:
		state->end = FXR_STACK_END_ENTRY;
		return state->first_ax || state->is_return ? base + state->rule.offset : 0;
	case FXR_UNWIND_FRAME_POINTER:
		/* The ABI marks the outermost frame by a frame pointer of 0. */
		state->end = base ? FXR_STACK_END_NO_TABLE : FXR_STACK_END_ENTRY;
		if (base < FIRST_ADDRESS)
			return 0;
		state->rule.bp = FXR_UNWIND_BP_AT_CFA;
		state->rule.bp_offset = -16;
		return base + 16;
	case FXR_UNWIND_END:
		state->end = FXR_STACK_END_ENTRY;
		return 0;
	default:
		state->end = FXR_STACK_END_RULE;
		return 0;
	}
}

/* What follows for a frame with another kind of rule depends on its mapping. */
static __always_inline bool may_be_kept(u32 kind)
{
	return kind != FXR_UNWIND_FRAME_POINTER && !has_no_rule(kind);
}

/* Finds the rule of the frame. Returns nonzero if its code is not mapped. */
__noinline int unwind_find_frame(u32 lane)
{
	struct unwind_state *state = state_of(lane);
	struct unwind_kept_rules *rules = bpf_map_lookup_elem(&unwind_rules, &lane);
	struct unwind_kept_rule *kept;
	u64 address, key;

	if (!state || !rules)
		return 1;
	address = state->pc - (state->is_return ? 1 : 0);
	key = mix(state->process, address);
	kept = &rules->rule[key % UNWIND_RULES];
	if (state->process && kept->key == key) {
		state->rule = kept->rule;
		return 0;
	}
	state->rule.kind = FXR_UNWIND_FRAME_POINTER;
	if (HAS_LINK)
		state->rule.return_place = FXR_UNWIND_RETURN_BELOW_CFA;
	switch (unwind_find_code(lane, address)) {
	case CODE_FOUND:
		unwind_find_rule(lane, address);
		if (state->process && may_be_kept(state->rule.kind)) {
			kept->rule = state->rule;
			kept->key = key;
		}
		return 0;
	case CODE_ABSENT:
		return finish(state, FXR_STACK_END_UNMAPPED);
	default:
		state->is_guess = true;
		state->is_new = true;
		return 0;
	}
}

/* Goes on to the caller's frame, by the rule. Returns nonzero at the end. */
__noinline int unwind_next_frame(u32 lane)
{
	struct unwind_state *state = state_of(lane);
	u64 cfa, bp_place, place, word;
	u32 bp_rule;

	if (!state)
		return 1;
	if (state->rule.kind == FXR_UNWIND_SIGNAL)
		return to_interrupted(lane, state, state->sp + state->rule.offset);
	if (!HAS_LINK && state->rule.kind == FXR_UNWIND_RETURN_IN_DI)
		return to_caller_by_di(state);
	if (HAS_LINK && state->rule.kind == FXR_UNWIND_RETURN_IN_LINK)
		return to_caller_by_link(state);
	cfa = find_cfa(lane, state);
	if (!cfa)
		return 1;
	if (state->rule.kind == FXR_UNWIND_FRAME_POINTER || has_no_rule(state->rule.kind))
		state->end = FXR_STACK_END_NO_TABLE;
	else
		state->end = FXR_STACK_END_UNREADABLE;
	/*
	 * Each frame has at least its return address, if that is not in a register. A frame
	 * pointer may lead to another stack.
	 */
	if (cfa < FIRST_ADDRESS || (cfa - (returns_to_link(state) ? 0 : 8) < state->sp &&
				    !uses_bp(state->rule.kind)))
		return 1;
	bp_rule = state->rule.bp;
	bp_place = (bp_rule == FXR_UNWIND_BP_AT_CFA ? cfa : state->bp) + state->rule.bp_offset;
	if (bp_rule == FXR_UNWIND_BP_AT_BP && unwind_use_bp(lane))
		return finish(state, FXR_STACK_END_RULE);
	if (bp_rule == FXR_UNWIND_BP_LOST)
		state->bp_lost = true;
	if (bp_rule == FXR_UNWIND_BP_AT_CFA || bp_rule == FXR_UNWIND_BP_AT_BP) {
		if (unwind_word(lane, bp_place))
			return 1;
		state->bp = state->word;
		state->bp_place = bp_place;
		state->bp_lost = false;
	}
	if (HAS_LINK)
		state->sp_lost = state->rule.kind == FXR_UNWIND_FRAME_POINTER ||
				 has_no_rule(state->rule.kind);
	if (returns_to_link(state)) {
		state->sp = cfa;
		return to_caller_by_link(state);
	}
	place = return_place(state, cfa);
	if (unwind_word(lane, place))
		return 1;
	word = state->word;
	state->pc = USER_CODE(word);
	state->sp = cfa;
	state->is_return = true;
	unwind_keep_place(lane, place, word, state->pc != 0);
	if (!state->pc)
		return finish(state, FXR_STACK_END_ENTRY);
	return add_frame(state, state->pc) ? 0 : finish(state, FXR_STACK_END_DEEP);
}

static __always_inline struct unwind_shape *shape_of(u64 key)
{
	u32 index = key >> 1 & unwind_shape_mask; /* the lowest bit is set */

	return bpf_map_lookup_elem(&unwind_shapes, &index);
}

#define PLACES_AT_ONCE 32

/*
 * Takes the words at the shape's next places. Returns nonzero if there are no more. This
 * takes most of the time of a known stack, so it calls nothing and needs few registers.
 */
__noinline int unwind_known_words(u32 lane)
{
	struct unwind_state *state = state_of(lane);
	struct unwind_shape *shape;
	u32 at, end, frames;
	u64 check;

	if (!state)
		return 1;
	shape = shape_of(state->key);
	if (!shape)
		return 1;
	at = state->places;
	end = READ_ONCE(shape->places);
	frames = state->frames;
	check = state->check;
	KEEP_LOOP
	for (u32 i = 0; i < PLACES_AT_ONCE && at < end; i++, at++) {
		u64 place = READ_ONCE(shape->place[at % UNWIND_PLACES]);
		u64 word = state->piece[place % (KNOWN_PIECE / 8)];

		check = add_word(check, word, place);
		state->frame[frames % (FXR_STACK_FRAMES + 1)] = USER_CODE(word);
		frames += place / PLACE_IS_FRAME;
	}
	state->places = at;
	state->frames = frames;
	state->check = check;
	return at >= end;
}

/* The same for a stack that is too large for one read. */
__noinline int unwind_known_distant_words(u32 lane)
{
	struct unwind_state *state = state_of(lane);
	struct unwind_shape *shape;
	u64 word = 0;

	if (!state)
		return 1;
	shape = shape_of(state->key);
	if (!shape)
		return 1;
	KEEP_LOOP
	for (u32 i = 0; i < PLACES_AT_ONCE; i++) {
		u32 at = READ_ONCE(state->places), frames = READ_ONCE(state->frames);
		u64 place = READ_ONCE(shape->place[at % UNWIND_PLACES]);

		if (at >= READ_ONCE(shape->places) ||
		    !stack_word(lane, state, state->first_sp + place % PLACE_IS_FRAME * 8, &word))
			return 1;
		state->check = add_word(state->check, word, place);
		state->frame[frames % (FXR_STACK_FRAMES + 1)] = USER_CODE(word);
		state->frames = frames + place / PLACE_IS_FRAME;
		state->places = at + 1;
	}
	return 0;
}

/* Hash of the words of a stack and of what the shape says about it. */
static __always_inline u64 check_shape(u64 words, u64 number, u8 end)
{
	return mix(words, number) ^ end;
}

/* Returns nonzero if the stack is a known one. */
static __always_inline bool unwind_known(u32 lane, struct unwind_state *state)
{
	struct unwind_shape *shape = shape_of(state->key);
	u64 extent, number;
	u8 end;

	if (!shape || shape->key != state->key || (shape->needs_bp && shape->bp != state->first_bp))
		return false;
	state->places = 0;
	if (HAS_LINK && shape->has_link_frame)
		add_frame(state, USER_CODE(state->link));
	extent = READ_ONCE(shape->extent);
	if (extent <= KNOWN_PIECE) {
		extent = CUT_SIZE(extent, KNOWN_PIECE);
		if (bpf_probe_read_user(state->piece, extent, (void *)state->first_sp))
			return false;
		KEEP_LOOP
		for (u32 i = 0; i < UNWIND_PLACES / PLACES_AT_ONCE; i++) {
			if (unwind_known_words(lane))
				break;
		}
	} else {
		KEEP_LOOP
		for (u32 i = 0; i < UNWIND_PLACES / PLACES_AT_ONCE; i++) {
			if (unwind_known_distant_words(lane))
				break;
		}
	}
	number = READ_ONCE(shape->number);
	end = READ_ONCE(shape->end);
	state->check = check_shape(state->check, number, end);
	if (state->check != shape->check || state->frames > FXR_STACK_FRAMES)
		return false;
	state->number = number;
	state->end = end;
	return true;
}

static __always_inline void keep_shape(struct unwind_state *state)
{
	struct unwind_shape *shape = shape_of(state->key);

	/* Memory that was not present may be the next time. */
	if (!shape || state->is_uncacheable || state->end == FXR_STACK_END_UNREADABLE)
		return;
	shape->key = 0;
	state->check = check_shape(state->check, state->number, state->end);
	shape->check = state->check;
	shape->number = state->number;
	shape->extent = state->extent;
	shape->bp = state->first_bp;
	shape->places = state->places;
	shape->end = state->end;
	shape->needs_bp = state->needs_bp;
	if (HAS_LINK)
		shape->has_link_frame = state->has_link_frame;
	bpf_probe_read_kernel(shape->place, sizeof(shape->place), state->place);
	shape->key = state->key;
}

/* The first frame is the pc. */
static __always_inline void restart(struct unwind_state *state)
{
	state->frames = 0;
	state->number = 1;
	state->check = 1;
	add_frame(state, state->pc);
}

/* Unwinds a frame. Returns nonzero at the end. */
__noinline int unwind_frame(u32 lane)
{
	struct unwind_state *state = state_of(lane);

	if (!state || unwind_find_frame(lane))
		return 1;
#if HAS_LINK
	if (has_no_rule(state->rule.kind) || state->rule.kind == FXR_UNWIND_FRAME_POINTER)
		unwind_find_link(lane);
#endif
	if (has_no_rule(READ_ONCE(state->rule.kind)) && unwind_search(lane)) {
		KEEP_LOOP
		for (u32 i = 0; i < SEARCH_ROUNDS; i++) {
			if (!unwind_search_next(lane))
				break;
		}
		unwind_search_end(lane);
	}
	return unwind_next_frame(lane);
}

/* Returns nonzero at the end. */
__noinline int unwind_frames(u32 lane)
{
	KEEP_LOOP
	for (u32 i = 0; i < FRAMES_AT_ONCE; i++) {
		if (unwind_frame(lane))
			return 1;
	}
	return 0;
}

/* What the last frame returns to is no frame. */
static __always_inline void drop_end(struct unwind_state *state)
{
	if (state->end == FXR_STACK_END_UNMAPPED && state->frames > 1)
		state->frames--;
}

__noinline int unwind_user_stack(u32 lane)
{
	struct unwind_state *state = state_of(lane);

	if (!state)
		return 0;
	state->first_sp = state->sp;
	state->first_bp = state->bp;
	state->piece_size = 0;
	state->key = mix(mix(state->key, state->pc), state->sp) | 1;
	if (HAS_LINK)
		state->key = mix(state->key, state->link) | 1;
	restart(state);
	state->is_by_shape = state->is_known && unwind_known(lane, state);
	if (state->is_by_shape)
		goto out;
	restart(state);
	state->range_size = 0;
	state->places = 0;
	state->extent = 0;
	state->bp_place = 0;
	state->bp_lost = false;
	state->is_return = false;
	state->needs_bp = false;
	if (HAS_LINK) {
		state->has_link_frame = false;
		state->sp_lost = false;
	}
	state->is_guess = false;
	state->is_new = false;
	state->is_uncacheable = false;
	state->end = FXR_STACK_END_DEEP;
	KEEP_LOOP
	for (u32 i = 0; i <= FXR_STACK_FRAMES / FRAMES_AT_ONCE; i++) {
		if (unwind_frames(lane))
			break;
	}
	/* When a new program was executed, the stack of the old one is gone. */
	if ((state->call == CALL_EXECVE || state->call == CALL_EXECVEAT) && state->frames == 1 &&
	    (state->end == FXR_STACK_END_UNMAPPED || state->end == FXR_STACK_END_UNREADABLE ||
	     state->end == FXR_STACK_END_NO_TABLE)) {
		state->frames = 0;
		state->number = 1;
		state->end = FXR_STACK_END_ENTRY;
		state->is_guess = false;
		state->is_new = false;
		state->is_uncacheable = true;
	}
	/* Frames may be missing where the entry was found by guesses. */
	if (state->is_guess && state->end == FXR_STACK_END_ENTRY)
		state->end = FXR_STACK_END_NO_TABLE;
	if (state->is_new && state->end != FXR_STACK_END_DEEP) {
		drop_end(state);
		state->end = FXR_STACK_END_NEW;
	}
	if (state->is_known)
		keep_shape(state);
out:
	drop_end(state);
	state->number = mix(state->number, state->end) | 1; /* 0: no stack */
	return 0;
}

/* Hashes frames from `first` on. Returns nonzero if there are no more. */
__noinline int unwind_number_next(u32 lane, u32 first)
{
	struct unwind_state *state = state_of(lane);
	u32 count;

	if (!state)
		return 1;
	count = READ_ONCE(state->frames);
	for (u32 i = 0; i < FRAMES_AT_ONCE; i++) {
		if (first + i >= count)
			return 1;
		state->number = mix(state->number, state->frame[(first + i) % (FXR_STACK_FRAMES + 1)]);
	}
	return 0;
}

__noinline int unwind_number_frames(u32 lane)
{
	struct unwind_state *state = state_of(lane);

	if (!state)
		return 0;
	state->number = 1;
	KEEP_LOOP
	for (u32 i = 0; i < FXR_STACK_FRAMES; i += FRAMES_AT_ONCE) {
		if (unwind_number_next(lane, i))
			break;
	}
	return 0;
}

#endif
