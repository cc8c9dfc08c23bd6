/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames of CPython: how the BPF programs find and send them.
 *
 * A thread's interpreter frames form a list in the memory of the process. Each frame has a
 * code object, which has the names and lines of a function, and the instruction that it
 * executes. The programs send each code object once and afterwards only its id.
 *
 * The evaluation loop of the interpreter, a native function, executes one frame or several
 * that call one another. They are one run. It takes the place of the native frame of the
 * evaluation loop, which the programs mark.
 */
#ifndef FXT_RECORD_PYTHON_H
#define FXT_RECORD_PYTHON_H

#include "fxt_record/event.h"

/* How the frames of a run end. */
enum fxr_python_runs {
	FXR_PYTHON_RUN_EACH = 0,     /* each frame is a run (3.9, 3.10) */
	FXR_PYTHON_RUN_BY_FLAG = 1,  /* the outermost frame has a flag (3.11) */
	FXR_PYTHON_RUN_BY_OWNER = 2, /* a frame on the C stack follows, which is no function's (3.12) */
};

#define FXR_PYTHON_OWNED_BY_C_STACK 3 /* enum _frameowner */

/* Bytes of a code object that the programs read, from FXR_PYTHON_CODE_BEGIN on. */
#define FXR_PYTHON_CODE_BEGIN 32
#define FXR_PYTHON_CODE_BYTES 128
#define FXR_PYTHON_FRAME_BYTES 112 /* at most, of a frame */

/* Offsets of the structures of an interpreter, bytes. */
struct fxr_python_layout {
	fxr_u32 interpreters;       /* _PyRuntime: the first interpreter */
	fxr_u32 next_interpreter;   /* PyInterpreterState: the next one */
	fxr_u32 threads;            /* PyInterpreterState: its first thread */
	fxr_u32 next_thread;        /* PyThreadState: the next one */
	fxr_u32 thread_id;          /* PyThreadState: pthread_self() */
	fxr_u32 thread_frame;       /* PyThreadState: the innermost frame; 0: `cframe_frame` */
	fxr_u32 thread_cframe;      /* PyThreadState: the C frame; 0: none */
	fxr_u32 cframe_frame;       /* _PyCFrame: the innermost frame */
	fxr_u32 cframe_previous;    /* _PyCFrame: that of the next run; 0 with RUN_BY_OWNER */
	fxr_u32 frame_bytes;        /* to read of a frame */
	fxr_u32 frame_previous;     /* the caller's frame */
	fxr_u32 frame_code;         /* PyCodeObject */
	fxr_u32 frame_instruction;  /* an address, or with `code_instructions` 0 an index (s32) */
	fxr_u32 frame_run;          /* the byte of the flag or owner */
	fxr_u32 runs;               /* enum fxr_python_runs */
	fxr_u32 index_bytes;        /* with an index: bytes of what it counts */
	fxr_u32 code_instructions;  /* PyCodeObject: the first instruction; 0: see above */
	fxr_u32 code_traceable;     /* PyCodeObject: earlier instructions belong to no call yet; 0: none do */
	fxr_u32 code_first_line;    /* PyCodeObject, s32 */
	fxr_u32 code_file;          /* PyCodeObject: str */
	fxr_u32 code_name;          /* PyCodeObject: str */
	fxr_u32 code_lines;         /* PyCodeObject: bytes */
	fxr_u32 text_bytes;         /* of the head of an ASCII str */
	fxr_u32 wide_text_bytes;    /* of the head of another str */
	fxr_u32 minor;              /* of the version, 3.x: the format of the lines */
	fxr_u32 code_number;        /* PyCodeObject: a number that no other has, u32; 0: none */
	fxr_u32 frames_are_adjacent; /* a caller's frame is below that of its callee, mostly */
	fxr_u32 unused;
};
FXR_ASSERT(sizeof(struct fxr_python_layout) == 112);
#define FXR_PYTHON_LAYOUTS 16

/*
 * A frame as the programs send it: id of the code object, the instruction in units of two
 * bytes, and whether it is the outermost one of its run. The highest two bits are 0.
 */
#define FXR_PYTHON_RUN_END 1ULL
#define FXR_PYTHON_INSTRUCTION_BITS 17
#define FXR_PYTHON_NO_INSTRUCTION ((1U << FXR_PYTHON_INSTRUCTION_BITS) - 1)
#define FXR_PYTHON_ID_BITS 44
#define FXR_PYTHON_ID_SHIFT (1 + FXR_PYTHON_INSTRUCTION_BITS)

/* In the address of a native frame: it is one of the evaluation loop. */
#define FXR_PYTHON_MARK (1ULL << 62)

/* Bytes of a code object's texts that are sent, and of its lines. */
#define FXR_PYTHON_NAME_BYTES 256
#define FXR_PYTHON_FILE_BYTES 512
#define FXR_PYTHON_LINES_BYTES 32768

#endif
