/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the frames of CPython of the current thread, see include/fxt_record/python.h. Only
 * stack.bpf.c includes it. See unwind.h for lanes.
 *
 * All memory is the process's, and may contain anything: each step reads a fixed number of
 * bytes, and the number of steps is limited. What cannot be read ends the list.
 *
 * A code object may be freed, and another one be made at its address. So its id is a hash
 * with the interpreter's own number of the code object, which no other has (3.12 and later).
 * Without that number it is a hash of what the object contains: addresses of its texts and
 * lines, the texts' own hashes and lengths, and its first line.
 */
#ifndef FXR_PYTHON_H
#define FXR_PYTHON_H

#include "common.h"
#include "ring.h"
#include "unwind.h"

#include "fxt_record/long_event.h"
#include "fxt_record/python.h"

/* include/uapi/linux/bpf.h */
#define BPF_NOEXIST 1

#define PYTHON_AT_ONCE 16     /* frames in one loop */
#define PYTHON_THREADS 512    /* that a search visits */
#define PYTHON_THREADS_AT_ONCE 32
#define PYTHON_TEXT_WORDS 10  /* of a text that are read for its id */
#define PYTHON_TEXT_LENGTH 2  /* struct PyASCIIObject, in words */
#define PYTHON_TEXT_HASH 3
#define PYTHON_TEXT_HEAD 4
#define PYTHON_PIECE 1024      /* bytes of frames per read, a power of 2 */
#define PAGE_BYTES 4096

/* Frames of a sleeping thread. By thread id; the loader sets max_entries. */
struct python_thread {
	u64 frames;
	u64 frame[FXR_STACK_FRAMES + 1];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct python_thread);
} python_threads SEC(".maps");

#define PYTHON_PLACES 4096 /* a power of 2 */

/*
 * Where a thread has its frames. Programs on several CPUs may write an entry at once. Then
 * `check` contradicts the rest.
 */
struct python_place {
	u64 check;
	u64 thread; /* its PyThreadState; 0: none, as long as the list of threads begins with `first` */
	u64 first;
};

/* By the low bits of the thread id. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PYTHON_PLACES);
	__type(key, u32);
	__type(value, struct python_place);
} python_places SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FXR_PYTHON_LAYOUTS);
	__type(key, u32);
	__type(value, struct fxr_python_layout);
} python_layouts SEC(".maps");

/* Code objects that the collector knows, with the python_age of sending. */
struct known_ids python_codes SEC(".maps");

/* The collector changes it when it has forgotten code objects. */
fxr_u32 python_age = 0;

/* The frames that are read, by lane. */
struct python_state {
	struct fxr_python_layout layout;
	u64 next;   /* the frame to read */
	u64 cframe; /* of the run */
	u64 owner;  /* identifies the process */
	u64 number; /* hash of the frames */
	u64 file;   /* address and hash of a text */
	u64 file_hash;
	u64 thread;      /* of the search */
	u64 interpreter;
	u64 text_hash;
	u64 code_hash;
	u32 is_found;
	u32 frames;
	u32 runs;
	u32 mark_run; /* while native frames are marked: the next run and frame */
	u32 mark_frame;
	u64 frame[FXR_STACK_FRAMES + 1];
	u64 code[FXR_STACK_FRAMES + 1]; /* address */
	u64 run[FXR_STACK_FRAMES + 1];  /* an address in the stack, in the native frame of the run */
	u64 code_word[FXR_PYTHON_CODE_BYTES / 8];
	u64 piece_begin; /* frames of a thread are side by side (3.11), the caller's below */
	u64 piece_size;
	u64 piece[PYTHON_PIECE / 8];
	u32 at; /* of the frame in the piece, in words */
	u64 text[PYTHON_TEXT_WORDS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct python_state);
} python_states SEC(".maps");

static __always_inline struct python_state *python_of(u32 lane)
{
	return bpf_map_lookup_elem(&python_states, &lane);
}

/* Reads a word of the process; 0 if it is not present. */
static __always_inline u64 user_word(u64 address)
{
	u64 word = 0;

	if (bpf_probe_read_user(&word, sizeof(word), (void *)address))
		return 0;
	return word;
}

/*
 * Reads the frame at `address`. In versions that keep frames side by side it also reads the
 * part of its page below the frame: one larger read is cheaper than several small ones.
 */
static __always_inline int read_frame(struct python_state *python, u64 address)
{
	u64 below = address - python->piece_begin;
	u64 size;

	if (below >= python->piece_size || below % 8) {
		below = 0;
		if (python->layout.frames_are_adjacent) {
			below = address % PAGE_BYTES & ~7ULL;
			if (below > PYTHON_PIECE - FXR_PYTHON_FRAME_BYTES)
				below = PYTHON_PIECE - FXR_PYTHON_FRAME_BYTES;
		}
		size = CUT_SIZE(below + python->layout.frame_bytes, PYTHON_PIECE);
		python->piece_begin = address - below;
		python->piece_size = size;
		if (bpf_probe_read_user(python->piece, size, (void *)python->piece_begin)) {
			python->piece_size = 0;
			return -1;
		}
	}
	python->at = below / 8;
	return 0;
}

/* The aligned word at `offset` in the frame that was read. */
static __always_inline u64 frame_word(const struct python_state *python, u32 offset)
{
	return python->piece[(python->at + offset / 8) % (PYTHON_PIECE / 8)];
}

static __always_inline u8 frame_byte(const struct python_state *python, u32 offset)
{
	return frame_word(python, offset) >> offset % 8 * 8;
}

static __always_inline u64 code_word(const struct python_state *python, u32 offset)
{
	u32 index = (offset - FXR_PYTHON_CODE_BEGIN) / 8;

	return index < FXR_PYTHON_CODE_BYTES / 8 ? python->code_word[index] : 0;
}

/*
 * Hashes a str into the state: its length, its hash if it has one, and the first characters.
 * Interned texts, as names of functions are, have a hash.
 */
__noinline int python_hash_text(u32 lane, u64 address)
{
	struct python_state *python = python_of(lane);
	u64 head, hash, left;

	if (!python)
		return 0;
	if (bpf_probe_read_user(python->text, (PYTHON_TEXT_HEAD + 1) * sizeof(u64), (void *)address))
		__builtin_memset(python->text, 0, sizeof(python->text));
	head = (u32)python->text[PYTHON_TEXT_HEAD];
	hash = mix(address, python->text[PYTHON_TEXT_LENGTH]);
	hash = mix(hash, python->text[PYTHON_TEXT_HASH]);
	/* Without a hash the first characters; what lies behind the text may change. */
	if (python->text[PYTHON_TEXT_HASH] == ~0ULL) {
		u64 first = python->layout.text_bytes / 8;

		/* The object may be the last one before unmapped memory. */
		if (bpf_probe_read_user(python->text, sizeof(python->text), (void *)address))
			__builtin_memset(python->text + PYTHON_TEXT_HEAD + 1, 0,
					 sizeof(python->text) - (PYTHON_TEXT_HEAD + 1) * sizeof(u64));
		left = python->text[PYTHON_TEXT_LENGTH];
		for (u32 i = PYTHON_TEXT_HEAD + 1; i < PYTHON_TEXT_WORDS; i++) {
			u64 word = python->text[i];

			if (i < first || !left)
				continue;
			if (left < 8)
				word &= (1ULL << left * 8) - 1;
			left -= left < 8 ? left : 8;
			hash = mix(hash, word);
		}
	}
	python->text_hash = mix(hash, head);
	return 0;
}

/* Visits one thread in the list. Returns nonzero at the end of the search. */
__noinline int python_visit_thread(u32 lane, u64 id)
{
	struct python_state *python = python_of(lane);

	if (!python)
		return 1;
	if (!python->thread) {
		if (!python->interpreter)
			return 1;
		python->interpreter =
			user_word(python->interpreter + python->layout.next_interpreter);
		if (!python->interpreter)
			return 1;
		python->thread = user_word(python->interpreter + python->layout.threads);
		return 0;
	}
	if (user_word(python->thread + python->layout.thread_id) == id) {
		python->is_found = true;
		return 1;
	}
	python->thread = user_word(python->thread + python->layout.next_thread);
	return 0;
}

__noinline int python_visit_threads(u32 lane, u64 id)
{
	KEEP_LOOP
	for (u32 i = 0; i < PYTHON_THREADS_AT_ONCE; i++) {
		if (python_visit_thread(lane, id))
			return 1;
	}
	return 0;
}

static __always_inline u64 place_check(const struct python_state *python, u32 tid, u64 thread,
				       u64 first)
{
	return mix(mix(mix(python->owner, tid), thread), first);
}

/* Finds the PyThreadState of the thread `tid`, whose pthread_self() is `id`; 0: none. */
static __always_inline u64 python_find_thread(u32 lane, struct python_state *python, u32 tid,
					      u64 runtime, u64 id)
{
	u32 index = tid % PYTHON_PLACES;
	struct python_place *place = bpf_map_lookup_elem(&python_places, &index);
	u64 interpreter, thread, first;

	if (!place)
		return 0;
	thread = READ_ONCE(place->thread);
	first = READ_ONCE(place->first);
	if (READ_ONCE(place->check) != place_check(python, tid, thread, first)) {
		thread = 0;
		first = 0;
	}
	if (thread && user_word(thread + python->layout.thread_id) == id)
		return thread;
	interpreter = user_word(runtime + python->layout.interpreters);
	if (!interpreter)
		return 0;
	if (!thread && first &&
	    first == mix(interpreter, user_word(interpreter + python->layout.threads)))
		return 0;
	first = mix(interpreter, user_word(interpreter + python->layout.threads));
	python->interpreter = interpreter;
	python->thread = user_word(interpreter + python->layout.threads);
	python->is_found = false;
	KEEP_LOOP
	for (u32 i = 0; i < PYTHON_THREADS / PYTHON_THREADS_AT_ONCE; i++) {
		if (python_visit_threads(lane, id))
			break;
	}
	thread = READ_ONCE(python->is_found) ? python->thread : 0;
	WRITE_ONCE(place->first, first);
	WRITE_ONCE(place->thread, thread);
	WRITE_ONCE(place->check, place_check(python, tid, thread, first));
	return thread;
}

/* The address of the code object of the frame in `python`; 0: the frame has none. */
static __always_inline u64 python_instruction(const struct python_state *python, u64 code)
{
	const struct fxr_python_layout *layout = &python->layout;
	u64 word = frame_word(python, layout->frame_instruction);
	u64 index;

	if (layout->code_instructions)
		index = (word - code - layout->code_instructions) / 2;
	else
		index = (u64)(u32)(word >> layout->frame_instruction % 8 * 8) *
			(layout->index_bytes & 3) / 2;
	return index < FXR_PYTHON_NO_INSTRUCTION ? index : FXR_PYTHON_NO_INSTRUCTION;
}

/* The current frame is the last one of its run. */
static __always_inline void python_end_run(struct python_state *python, u64 place)
{
	u32 run = READ_ONCE(python->runs), frame = READ_ONCE(python->frames);

	if (!frame || frame > FXR_STACK_FRAMES || run >= FXR_STACK_FRAMES)
		return;
	frame--;
	if (frame >= FXR_STACK_FRAMES)
		return;
	python->frame[frame] |= FXR_PYTHON_RUN_END;
	python->run[run] = place;
	WRITE_ONCE(python->runs, run + 1);
}

/*
 * Hashes the code object at `code` by what it contains, into the state's code_hash. Returns
 * nonzero if it is not present.
 */
__noinline int python_hash_code(u32 lane, u64 code)
{
	struct python_state *python = python_of(lane);
	const struct fxr_python_layout *layout;
	u64 file, hash;

	if (!python || bpf_probe_read_user(python->code_word, FXR_PYTHON_CODE_BYTES,
					   (void *)(code + FXR_PYTHON_CODE_BEGIN)))
		return -1;
	layout = &python->layout;
	file = code_word(python, layout->code_file);
	if (file != python->file) {
		python_hash_text(lane, file);
		python->file = file;
		python->file_hash = python->text_hash;
	}
	python_hash_text(lane, code_word(python, layout->code_name));
	hash = mix(mix(1, python->file_hash), python->text_hash);
	hash = mix(hash, code_word(python, layout->code_lines));
	python->code_hash = mix(hash, code_word(python, layout->code_first_line));
	return 0;
}

/* The same by the interpreter's number of the code object, if it has one. */
static __always_inline int hash_code(u32 lane, struct python_state *python, u64 code)
{
	u32 number = 0;

	if (python->layout.code_number) {
		if (bpf_probe_read_user(&number, sizeof(number),
					(void *)(code + python->layout.code_number)))
			return -1;
		python->code_hash = number;
	}
	return number ? 0 : python_hash_code(lane, code);
}

/* Reads the next frame. Returns nonzero at the end of the list. */
__noinline int python_read_frame(u32 lane)
{
	struct python_state *python = python_of(lane);
	const struct fxr_python_layout *layout;
	u64 frame, code, id;
	u32 count;

	if (!python)
		return 1;
	layout = &python->layout;
	frame = python->next;
	count = READ_ONCE(python->frames);
	if (!frame || count >= FXR_STACK_FRAMES)
		return 1;
	if (read_frame(python, frame))
		return 1;
	python->next = frame_word(python, layout->frame_previous);
	if (layout->runs == FXR_PYTHON_RUN_BY_OWNER &&
	    frame_byte(python, layout->frame_run) == FXR_PYTHON_OWNED_BY_C_STACK) {
		python_end_run(python, frame);
		return 0;
	}
	code = frame_word(python, layout->frame_code);
	if (hash_code(lane, python, code))
		return 1;
	id = mix(mix(python->owner, code), python->code_hash);
	id &= (1ULL << FXR_PYTHON_ID_BITS) - 1;
	if (count >= FXR_STACK_FRAMES)
		return 1;
	python->code[count] = code;
	python->frame[count] = id << FXR_PYTHON_ID_SHIFT |
			       python_instruction(python, code) << 1;
	WRITE_ONCE(python->frames, count + 1);
	python->number = mix(python->number, python->frame[count]);
	if (layout->runs == FXR_PYTHON_RUN_EACH ||
	    (layout->runs == FXR_PYTHON_RUN_BY_FLAG && frame_byte(python, layout->frame_run))) {
		python_end_run(python, 0);
		python->number = mix(python->number, FXR_PYTHON_RUN_END);
	}
	return 0;
}

__noinline int python_read_frames(u32 lane)
{
	KEEP_LOOP
	for (u32 i = 0; i < PYTHON_AT_ONCE; i++) {
		if (python_read_frame(lane))
			return 1;
	}
	return 0;
}

/* Sets the state up for the current process. Returns NULL if it has no interpreter. */
static __always_inline struct python_state *python_begin(u32 lane, const struct unwind_state *user)
{
	struct python_state *python = python_of(lane);
	u32 number = (u32)user->python - 1;
	struct fxr_python_layout *layout = bpf_map_lookup_elem(&python_layouts, &number);

	if (!python)
		return NULL;
	python->number = 0;
	python->frames = 0;
	if (!layout)
		return NULL;
	python->layout = *layout;
	python->runs = 0;
	python->file = 0;
	python->file_hash = 0;
	python->piece_size = 0;
	python->owner = mix(mix(1, user->kept.arguments), bpf_get_current_pid_tgid() >> 32);
	return python;
}

/*
 * Reads the frames of the current thread, which has `tid`, after its native ones. The frames
 * and their hash are in the lane's state; the hash is 0 without frames. The hash of the native
 * frames becomes that of both.
 */
__noinline int python_stack(u32 lane, u32 tid)
{
	struct unwind_state *user = state_of(lane);
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct python_state *python;
	u64 id, thread, place;

	if (!user || !bpf_core_field_exists(task->thread.fsbase))
		return 0;
	python = python_begin(lane, user);
	if (!python)
		return 0;
	id = BPF_CORE_READ(task, thread.fsbase);
	thread = python_find_thread(lane, python, tid, user->kept.python_runtime, id);
	if (!thread)
		return 0;
	python->cframe = python->layout.thread_cframe ?
				 user_word(thread + python->layout.thread_cframe) :
				 0;
	place = python->layout.thread_frame ? thread + python->layout.thread_frame :
					      python->cframe + python->layout.cframe_frame;
	python->next = user_word(place);
	if (!python->next)
		return 0;
	/* With another age the code objects are sent again. */
	python->number = mix(1, READ_ONCE(python_age));
	KEEP_LOOP
	for (u32 i = 0; i <= FXR_STACK_FRAMES / PYTHON_AT_ONCE; i++) {
		if (python_read_frames(lane))
			break;
	}
	if (READ_ONCE(python->frames))
		user->number = mix(user->number, python->number);
	else
		python->number = 0;
	return 0;
}

#define MARKS_AT_ONCE 16

/*
 * Marks native frames that contain an address of a run, from the one on whose return address
 * is at place number `first`. Returns nonzero if there are no more.
 */
__noinline int python_mark_some(u32 lane, u32 first)
{
	struct unwind_state *user = state_of(lane);
	struct python_state *python = python_of(lane);
	u32 frame, next;
	u64 slot, run;

	if (!user || !python)
		return 1;
	for (u32 i = 0; i < MARKS_AT_ONCE; i++) {
		u16 place = user->place[(first + i) % UNWIND_PLACES];

		if (first + i >= READ_ONCE(user->places))
			return 1;
		if (!(place & PLACE_IS_FRAME))
			continue;
		/* The frame is below its return address. */
		slot = user->first_sp + (u64)(place & ~PLACE_IS_FRAME) * 8;
		next = READ_ONCE(python->mark_run);
		frame = READ_ONCE(python->mark_frame);
		run = python->run[next % (FXR_STACK_FRAMES + 1)];
		if (next < READ_ONCE(python->runs) && run < slot) {
			user->frame[frame % (FXR_STACK_FRAMES + 1)] |= FXR_PYTHON_MARK;
			WRITE_ONCE(python->mark_run, next + 1);
		}
		WRITE_ONCE(python->mark_frame, frame + 1);
	}
	return 0;
}

/* The same for the native frames whose code is the evaluation loop. */
__noinline int python_mark_code(u32 lane, u32 first)
{
	struct unwind_state *user = state_of(lane);

	if (!user)
		return 1;
	for (u32 i = 0; i < MARKS_AT_ONCE; i++) {
		u64 address = user->frame[(first + i) % (FXR_STACK_FRAMES + 1)];

		if (first + i >= READ_ONCE(user->frames))
			return 1;
		if (address - user->kept.python_loop < user->kept.python_loop_bytes)
			user->frame[(first + i) % (FXR_STACK_FRAMES + 1)] |= FXR_PYTHON_MARK;
	}
	return 0;
}

/* Reads the addresses of runs that are in C frames, from `first` on. Returns nonzero at the end. */
__noinline int python_read_runs(u32 lane, u32 first)
{
	struct python_state *python = python_of(lane);

	if (!python)
		return 1;
	for (u32 i = 0; i < PYTHON_AT_ONCE; i++) {
		if (first + i >= READ_ONCE(python->runs) || !python->cframe)
			return 1;
		python->run[(first + i) % (FXR_STACK_FRAMES + 1)] = python->cframe;
		python->cframe = user_word(python->cframe + python->layout.cframe_previous);
	}
	return 0;
}

/* Marks the native frames of the evaluation loop, after python_stack(). */
__noinline int python_mark(u32 lane)
{
	struct unwind_state *user = state_of(lane);
	struct python_state *python = python_of(lane);
	struct unwind_shape *shape;

	if (!user || !python)
		return 0;
	if (!python->layout.thread_cframe && python->layout.runs == FXR_PYTHON_RUN_EACH) {
		KEEP_LOOP
		for (u32 i = 0; i < FXR_STACK_FRAMES; i += MARKS_AT_ONCE) {
			if (python_mark_code(lane, i))
				break;
		}
		return 0;
	}
	if (user->is_by_shape) {
		shape = shape_of(user->key);
		if (!shape)
			return 0;
		user->places = READ_ONCE(shape->places);
		bpf_probe_read_kernel(user->place, sizeof(user->place), shape->place);
		/* Another CPU may have replaced it. */
		if (READ_ONCE(shape->key) != user->key || READ_ONCE(shape->check) != user->check)
			return 0;
	}
	if (python->layout.cframe_previous) {
		KEEP_LOOP
		for (u32 i = 0; i < FXR_STACK_FRAMES; i += PYTHON_AT_ONCE) {
			if (python_read_runs(lane, i))
				break;
		}
	}
	python->mark_run = 0;
	python->mark_frame = 0;
	KEEP_LOOP
	for (u32 i = 0; i < UNWIND_PLACES; i += MARKS_AT_ONCE) {
		if (python_mark_some(lane, i))
			break;
	}
	return 0;
}

/* Reads the head of a str into the state, and the bytes of its characters. */
static __always_inline u64 read_text_head(struct python_state *python, u64 address, u64 *characters)
{
	u64 head;

	if (bpf_probe_read_user(python->text, (PYTHON_TEXT_HEAD + 1) * sizeof(u64), (void *)address))
		return 0;
	head = python->text[PYTHON_TEXT_HEAD];
	/* Only compact ones have their characters behind the head. */
	if (!(head & 0x20))
		return 0;
	*characters = address + (head & 0x40 ? python->layout.text_bytes :
					       python->layout.wide_text_bytes);
	return python->text[PYTHON_TEXT_LENGTH] * (head >> 2 & 7);
}

/* Fills and sends the event of a code object, which has room for `room` bytes of lines. */
static __always_inline bool fill_code(struct fxr_long *event, struct python_state *python,
				      struct fxr_python_code_long fields, u64 lines, u64 room)
{
	void *bytes = fxr_python_code_bytes(event);
	u64 characters = 0, size;

	size = read_text_head(python, code_word(python, python->layout.code_name), &characters);
	size = CUT_SIZE(size, FXR_PYTHON_NAME_BYTES);
	fields.name_head = (u32)python->text[PYTHON_TEXT_HEAD];
	fields.name_bytes = size;
	if (bpf_probe_read_user(bytes, size, (void *)characters))
		fields.name_bytes = 0;
	size = read_text_head(python, code_word(python, python->layout.code_file), &characters);
	size = CUT_SIZE(size, FXR_PYTHON_FILE_BYTES);
	fields.file_head = (u32)python->text[PYTHON_TEXT_HEAD];
	fields.file_bytes = size;
	if (bpf_probe_read_user(bytes + FXR_PYTHON_NAME_BYTES, size, (void *)characters))
		fields.file_bytes = 0;
	size = CUT_SIZE((u64)fields.lines_bytes, room);
	if (bpf_probe_read_user(bytes + FXR_PYTHON_NAME_BYTES + FXR_PYTHON_FILE_BYTES, size,
				(void *)lines))
		size = 0;
	fields.lines_bytes = size;
	fxr_pack_python_code(event, fields,
			     FXR_PYTHON_NAME_BYTES + FXR_PYTHON_FILE_BYTES + room);
	side_submit(event);
	return true;
}

/* Sends the code object of a frame, unless the collector knows it. */
__noinline int python_send_code(u32 lane, u32 index)
{
	struct python_state *python = python_of(lane);
	struct fxr_python_code_long fields = {};
	struct fxr_long *event;
	u64 code, id, lines, size;
	u32 age;

	if (!python || index >= READ_ONCE(python->frames) || index >= FXR_STACK_FRAMES)
		return 1;
	age = READ_ONCE(python_age);
	code = python->code[index];
	id = python->frame[index] >> FXR_PYTHON_ID_SHIFT;
	if (is_known(&python_codes, id, age))
		return 0;
	if (bpf_probe_read_user(python->code_word, FXR_PYTHON_CODE_BYTES,
				(void *)(code + FXR_PYTHON_CODE_BEGIN)))
		return 0;
	fields.id = id;
	fields.tgid = bpf_get_current_pid_tgid() >> 32;
	fields.minor = python->layout.minor;
	fields.first_line = code_word(python, python->layout.code_first_line) >>
			    python->layout.code_first_line % 8 * 8;
	if (python->layout.code_traceable)
		fields.traceable = (u32)user_word(code + python->layout.code_traceable);
	lines = code_word(python, python->layout.code_lines);
	size = user_word(lines + 16);
	lines += 32;
	/* More are not sent: the lines behind them are not known. */
	fields.lines_bytes = size < FXR_PYTHON_LINES_BYTES ? size : FXR_PYTHON_LINES_BYTES;
#define TRY_CODE(room)                                                                     \
	if (fields.lines_bytes <= (room)) {                                                \
		event = long_reserve(FXR_LONG_SIZE(python_code, FXR_PYTHON_NAME_BYTES +    \
								 FXR_PYTHON_FILE_BYTES +   \
								 (room)),                  \
				     FXR_CATEGORY_STACK);                                  \
		if (event && fill_code(event, python, fields, lines, room))          \
			set_known(&python_codes, id, age);                         \
		return 0;                                                                  \
	}
	TRY_CODE(512)
	TRY_CODE(4096)
	TRY_CODE(FXR_PYTHON_LINES_BYTES)
#undef TRY_CODE
	return 0;
}

__noinline int python_send_codes(u32 lane)
{
	KEEP_LOOP
	for (u32 i = 0; i < FXR_STACK_FRAMES; i++) {
		if (python_send_code(lane, i))
			break;
	}
	return 0;
}

#endif
