/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ABI between bpf/ and userspace/: the events that BPF programs write and the
 * collector reads. All structs have a fixed size; both sides compile the assertions on
 * sizes and offsets below.
 *
 * Two streams carry events out of the kernel:
 *
 * - one slot ring per CPU, a memory-mapped array of 16-byte slots, for frequent events
 *   (switches, wakeups, migrations, interrupts, system calls);
 * - one BPF ring buffer for the machine, the side ring, for rare and large events (task
 *   identity, log messages, stacks).
 *
 * Times are nanoseconds of CLOCK_MONOTONIC in both.
 */
#ifndef FXT_RECORD_EVENT_H
#define FXT_RECORD_EVENT_H

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
#define FXR_ASSERT(what) static_assert(what, #what)
#else
#define FXR_ASSERT(what) _Static_assert(what, #what)
#endif
typedef unsigned long long fxr_u64;
typedef unsigned int fxr_u32;
typedef int fxr_s32;
typedef long long fxr_s64;
typedef short fxr_s16;
typedef unsigned short fxr_u16;
typedef unsigned char fxr_u8;

#include "fxt_record/event_table.h"

/* ----------------------------------------------------------------- phases */

/*
 * The events that programs may emit now: one word, mapped into the collector, which every
 * program checks first. A recording thus starts and ends at one instant for all programs,
 * however long attaching and detaching take.
 */
enum fxr_phase {
	FXR_PHASE_NONE = 0, /* nothing: until all programs are attached, and after the end */
	FXR_PHASE_NAMES = 1, /* only task identity: before the start */
	FXR_PHASE_ALL = 2,
};

/* ------------------------------------------------------------ categories */

/*
 * The categories by which events are counted. Their numbers are stable only within one
 * recording.
 */
enum fxr_category {
#define FXR_CATEGORY_NUMBER(id, name, description, by_default) FXR_CATEGORY_##id,
	FXR_CATEGORY_TABLE(FXR_CATEGORY_NUMBER)
#undef FXR_CATEGORY_NUMBER
	FXR_CATEGORY_OTHER, /* category unknown to the collector; no program uses it */
};
#define FXR_CATEGORIES FXR_CATEGORY_OTHER            /* number of categories in the table */
#define FXR_CATEGORY_COUNTS (FXR_CATEGORY_OTHER + 1) /* size of an array by category */

/* Size of the per-category arrays in struct fxr_ring_control. */
#define FXR_CATEGORY_ROOM 32
FXR_ASSERT((int)FXR_CATEGORY_COUNTS <= FXR_CATEGORY_ROOM);

/* ------------------------------------------------------------- slot ring */

/*
 * One event. `commit` is written last: a reader that finds the expected lap in it also
 * finds the body.
 *
 * commit, by bits:
 *
 * - 0..43: low bits of the time. They wrap after 4.8 hours; a ring is drained many times a
 *   second.
 * - 44..51: type (enum fxr_slot_type).
 * - 52..55: lap, (position / slots + 1) modulo 16. An uncommitted slot still has the
 *   previous lap.
 * - 56..63: extra, bits 64 to 71 of the body (slot_body.h).
 */
struct fxr_slot {
	fxr_u64 commit;
	fxr_u64 body;
};
FXR_ASSERT(sizeof(struct fxr_slot) == 16);

#define FXR_TIME_BITS 44
#define FXR_TIME_MASK ((1ULL << FXR_TIME_BITS) - 1)
#define FXR_TYPE_SHIFT 44
#define FXR_TYPE_MASK 0xffULL
#define FXR_LAP_SHIFT 52
#define FXR_LAP_MASK 0xfULL
#define FXR_EXTRA_SHIFT 56

/* The kernel's PID_MAX_LIMIT is 1 << 22. */
#define FXR_TID_BITS 22
#define FXR_TID_MASK ((1ULL << FXR_TID_BITS) - 1)

/*
 * The followed tasks, one byte per thread id, in pages that are mapped into the collector.
 * Fork always writes the byte of a new task, so a stale value of a reused id has no
 * effect.
 */
#define FXR_FOLLOWED_SHIFT 12
#define FXR_FOLLOWED_PAGES (1u << (FXR_TID_BITS - FXR_FOLLOWED_SHIFT))
struct fxr_followed_page {
	fxr_u8 tasks[1 << FXR_FOLLOWED_SHIFT];
};

/* The bodies are laid out by slot_body.h. */
enum fxr_slot_type {
	FXR_SLOT_NONE = 0,
#define FXR_SLOT_NUMBER(id, name, shape, body) FXR_SLOT_##id,
	FXR_SLOT_TABLE(FXR_SLOT_NUMBER)
#undef FXR_SLOT_NUMBER
	FXR_SLOT_TYPES, /* count, including NONE */
};
FXR_ASSERT(FXR_SLOT_TYPES <= FXR_TYPE_MASK + 1);

/* The state of an outgoing task, numbered like the kernel's sched_switch event. */
enum fxr_task_state {
	FXR_STATE_RUNNABLE = 0,        /* R */
	FXR_STATE_INTERRUPTIBLE = 1,   /* S */
	FXR_STATE_UNINTERRUPTIBLE = 2, /* D */
	FXR_STATE_STOPPED = 3,         /* T */
	FXR_STATE_TRACED = 4,          /* t */
	FXR_STATE_DEAD = 5,            /* X */
	FXR_STATE_ZOMBIE = 6,          /* Z */
	FXR_STATE_PARKED = 7,          /* P */
	FXR_STATE_IDLE = 8,            /* I */
	FXR_STATE_PREEMPTED = 9,       /* R+ */
	FXR_STATE_WOKEN = 10,          /* W: slept, and woken before its state could be read */
	FXR_STATE_THROTTLED = 11,      /* Rq: runnable, and the quota of its cgroup is used up */
};

/*
 * Control block of a CPU's ring, memory-mapped into the collector. The producer writes the
 * first cache line, the collector the second. The rest is touched only at a loss or a
 * side-ring event.
 */
struct fxr_ring_control {
	fxr_u64 head; /* slots claimed since the start */
	fxr_u64 gap;  /* nonzero: some `pending` count is not emitted yet */
	fxr_u64 busy; /* a claim is in progress (kernels without atomic fetch) */
	/* x86: address of this CPU's preemption count; 0: not looked up yet */
	fxr_u64 preempt_count;
	/* See bpf/net_rx.h. Both are a thread id, or 0 for none; a raiser may be FXR_RAISED_BY_MANY. */
	fxr_u64 net_rx_raiser; /* raised the NET_RX softirq that is pending */
	fxr_u64 net_rx_sender; /* raised the NET_RX softirq that runs */
	fxr_u64 pad0[2];
	fxr_u64 tail; /* slots consumed since the start; written by the collector */
	fxr_u64 pad1[7];
	fxr_u64 pending[FXR_CATEGORY_ROOM];       /* lost, and not yet emitted as a loss slot */
	fxr_u64 pending_since[FXR_CATEGORY_ROOM]; /* time of the first of them, ns */
	fxr_u64 dropped[FXR_CATEGORY_ROOM];       /* lost since the start */
	fxr_u64 side_events; /* side-ring events emitted since the start */
	fxr_u64 substituted;     /* events that a stand-in program sent because its original was skipped */
	fxr_u64 pad2[6];
};
FXR_ASSERT(offsetof(struct fxr_ring_control, tail) == 64);
FXR_ASSERT(offsetof(struct fxr_ring_control, pending) == 128);
FXR_ASSERT(offsetof(struct fxr_ring_control, side_events) == 896);
FXR_ASSERT(sizeof(struct fxr_ring_control) == 960);

/* Value of preempt_count if the address cannot be found. */
#define FXR_PREEMPT_COUNT_HIDDEN 1ULL

/* No single thread raised it: an interrupt, another softirq or several threads did. */
#define FXR_RAISED_BY_MANY (1ULL << 32)

/* A ring counts as full this many slots early, so that nested claims still fit. */
#define FXR_RING_SLACK 64

/* ------------------------------------------------------------- side ring */

enum fxr_side_type {
	FXR_SIDE_POKE = 1,   /* header only: a slot ring reached its wakeup mark */
	FXR_SIDE_FORK = 2,   /* struct fxr_task */
	FXR_SIDE_EXEC = 3,   /* struct fxr_exec */
	FXR_SIDE_RENAME = 4, /* struct fxr_rename */
	FXR_SIDE_EXIT = 5,   /* struct fxr_exit */
	FXR_SIDE_LOG = 6,    /* struct fxr_log */
	FXR_SIDE_SLOT = 7,   /* struct fxr_side_slot: a slot whose ring was busy */
	FXR_SIDE_CGROUP = 8, /* struct fxr_cgroup */
	FXR_SIDE_LONG = 9,   /* struct fxr_long: an event that does not fit a slot */
};

/* The task is not selected: the event only names it and is not recorded. */
#define FXR_SIDE_NAMES_ONLY 1u

struct fxr_side_header {
	fxr_u64 time; /* ns */
	fxr_u8 type;  /* enum fxr_side_type */
	fxr_u8 flags; /* FXR_SIDE_NAMES_ONLY */
	fxr_u16 cpu;
	fxr_u32 size; /* of the whole event, bytes */
};
FXR_ASSERT(sizeof(struct fxr_side_header) == 16);

#define FXR_COMM_BYTES 16
#define FXR_FULL_NAME_BYTES 64
#define FXR_FILENAME_BYTES 128
/* 4 KiB, plus room for the end of a UTF-8 character */
#define FXR_CMDLINE_BYTES 4104
#define FXR_LOG_BYTES 1024

#define FXR_TASK_KTHREAD 1u

/* The identity of a task: at fork, or from the task snapshot. */
struct fxr_task {
	struct fxr_side_header header;
	fxr_u32 tid;
	fxr_u32 tgid;
	fxr_u32 ppid; /* tgid of the real parent */
	fxr_u32 uid;
	fxr_u32 flags; /* FXR_TASK_* */
	fxr_s32 priority;
	fxr_u32 creator; /* tid that forked it; 0 in the snapshot */
	fxr_u32 pad;
	fxr_u64 cgroup;     /* id in the default hierarchy */
	fxr_u64 start_time; /* ns of CLOCK_BOOTTIME */
	char comm[FXR_COMM_BYTES];
	/* of a kernel thread whose name comm truncates, else empty */
	char full_name[FXR_FULL_NAME_BYTES];
};
FXR_ASSERT(sizeof(struct fxr_task) == 144);

struct fxr_exec {
	struct fxr_side_header header;
	fxr_u32 tid;
	fxr_u32 tgid;
	fxr_u32 old_tid; /* differs from tid if a non-leader thread called exec */
	fxr_u32 uid;
	fxr_u32 cmdline_size; /* bytes of cmdline; arguments end with NUL */
	fxr_u32 cmdline_length; /* of the whole command line; above cmdline_size: truncated, or not read */
	fxr_u64 cgroup;
	char comm[FXR_COMM_BYTES];
	char filename[FXR_FILENAME_BYTES];
	char cmdline[]; /* at most FXR_CMDLINE_BYTES, bounded by header.size */
};
FXR_ASSERT(sizeof(struct fxr_exec) == 192);

struct fxr_rename {
	struct fxr_side_header header;
	fxr_u32 tid;
	fxr_u32 tgid;
	fxr_u32 uid; /* current value; its changes have no event */
	fxr_u32 pad;
	char comm[FXR_COMM_BYTES];
	char full_name[FXR_FULL_NAME_BYTES];
};
FXR_ASSERT(sizeof(struct fxr_rename) == 112);

struct fxr_exit {
	struct fxr_side_header header;
	fxr_u32 tid;
	fxr_u32 tgid;
	fxr_s32 exit_code; /* as wait(2) reports it */
	fxr_u32 uid;       /* current value; its changes have no event */
};
FXR_ASSERT(sizeof(struct fxr_exit) == 32);

/* A task moved to another cgroup. */
struct fxr_cgroup {
	struct fxr_side_header header;
	fxr_u32 tid;
	fxr_u32 tgid;
	fxr_u64 cgroup;
};
FXR_ASSERT(sizeof(struct fxr_cgroup) == 32);

struct fxr_log {
	struct fxr_side_header header;
	fxr_u32 tid;    /* of the task that prints; 0: an interrupt */
	fxr_u32 length; /* of the kernel's text; above FXR_LOG_BYTES: truncated */
	char text[FXR_LOG_BYTES];
};
FXR_ASSERT(sizeof(struct fxr_log) == 1048);

struct fxr_side_slot {
	struct fxr_side_header header;
	struct fxr_slot slot;
};
FXR_ASSERT(sizeof(struct fxr_side_slot) == 32);

enum fxr_long_type {
	FXR_LONG_NONE = 0,
#define FXR_LONG_NUMBER(id, name, body) FXR_LONG_##id,
	FXR_LONG_TABLE(FXR_LONG_NUMBER)
#undef FXR_LONG_NUMBER
};

/*
 * An event that is longer than a slot: `words` fields, then `bytes` bytes, packed by
 * long_event.h. It is ordered among the slots by its time. header.size may be larger,
 * because ring buffer reservations have a constant size.
 */
struct fxr_long {
	struct fxr_side_header header;
	fxr_u16 type;    /* enum fxr_long_type */
	fxr_u8 category; /* enum fxr_category */
	fxr_u8 words;
	fxr_u32 bytes;
	fxr_u64 data[];
};
FXR_ASSERT(sizeof(struct fxr_long) == 24);

/* ---------------------------------------------------------------- stacks */

enum fxr_stack_kind {
	FXR_STACK_OFF = 0,  /* where a thread slept; sent when it runs again */
	FXR_STACK_WAKE = 1, /* of the waker */
	FXR_STACK_ON = 2,   /* sampled while the thread runs */
};

/* Why the user half of a stack has no further frame. */
enum fxr_stack_end {
	FXR_STACK_END_UNKNOWN = 0,    /* the kernel unwound it by frame pointers */
	FXR_STACK_END_ENTRY = 1,      /* none missing: this is the thread's entry */
	FXR_STACK_END_NO_TABLE = 2,   /* the code has no unwind table */
	FXR_STACK_END_RULE = 3,       /* the table's rule is not supported */
	FXR_STACK_END_UNMAPPED = 4,   /* not in an executable mapping */
	FXR_STACK_END_UNREADABLE = 5, /* stack memory that is not present */
	FXR_STACK_END_DEEP = 6,       /* more frames than FXR_STACK_FRAMES */
	FXR_STACK_END_NEW = 7,        /* the process's mappings are not known yet */
	FXR_STACK_ENDS
};

/* Frames of each half of a stack, perf's limit. Outer frames are cut. */
#define FXR_STACK_FRAMES 127

/* ---------------------------------------------------------------- probes */

/*
 * The attach cookie of a probe's program: the probe number, and a flag that asks for the
 * return value.
 */
#define FXR_MAX_PROBES 1024
#define FXR_PROBE_WANTS_VALUE 1024ULL
#define FXR_PROBE_FRAME_BITS 40
/* The limit of systemtap's sys/sdt.h. */
#define FXR_PROBE_ARGUMENTS 12
/* Reads of memory from a register to a value: pointers that are followed. */
#define FXR_PROBE_STEPS 6
/* Bytes of a text, with its terminating zero. */
#define FXR_PROBE_TEXT_BYTES 256
/* Texts of one event. */
#define FXR_PROBE_TEXTS 4
#define FXR_PROBE_COMPARISONS 8

enum fxr_probe_kind {
	FXR_PROBE_NUMBER = 0,
	FXR_PROBE_TEXT = 1,   /* the value is the address of a zero-terminated text */
	FXR_PROBE_SLICE = 2,  /* the value is the address of a text, the next operand its bytes */
};

/*
 * How a program reads one value. It begins with a register; each step reads the memory at
 * the value plus an offset. Then `addend` is added, and `bits` bits from bit `shift` up
 * are the result.
 */
struct fxr_probe_operand {
	fxr_u16 source; /* offset of the register in the program's context; for USDT the argument's number */
	fxr_u8 kind;    /* enum fxr_probe_kind */
	fxr_u8 steps;   /* at most FXR_PROBE_STEPS */
	fxr_u8 bytes;   /* of the last step: 1 to 8; the others read 8 */
	fxr_u8 shift;   /* 0 to 63 */
	fxr_u8 bits;    /* 1 to 64 */
	fxr_u8 is_signed;
	fxr_s32 offsets[FXR_PROBE_STEPS];
	fxr_s32 addend;
	fxr_u32 text_bytes; /* of a text that has a limit of its own, with a zero; at most FXR_PROBE_TEXT_BYTES */
};
FXR_ASSERT(sizeof(struct fxr_probe_operand) == 40);

enum fxr_probe_test {
	FXR_PROBE_EQUAL = 0,
	FXR_PROBE_DIFFERENT = 1,
	FXR_PROBE_LESS = 2,
	FXR_PROBE_AT_MOST = 3,
	FXR_PROBE_GREATER = 4,
	FXR_PROBE_AT_LEAST = 5,
	FXR_PROBE_HAS_BITS = 6, /* any bit of `value` is set */
};

struct fxr_probe_comparison {
	struct fxr_probe_operand operand;
	fxr_u64 value;
	fxr_u8 test;     /* enum fxr_probe_test; signed if the operand is */
	fxr_u8 ends_and; /* the next one is joined by `or` */
	fxr_u8 reserved[6];
};
FXR_ASSERT(sizeof(struct fxr_probe_comparison) == 56);

/* Instructions of a probe with arguments or a filter; a map has it by probe number. */
struct fxr_probe_spec {
	fxr_u32 operand_count;
	fxr_u32 comparison_count; /* 0: every call is recorded */
	fxr_u8 sends_operands;    /* on entry, as PROBE_VALUES; otherwise PROBE_ENTRY */
	fxr_u8 sends_result;      /* on return, a text, as PROBE_VALUES before PROBE_RETURN */
	fxr_u8 is_entry_only;
	fxr_u8 text_count;        /* of the operands */
	fxr_u32 reserved;
	struct fxr_probe_operand operands[FXR_PROBE_ARGUMENTS];
	struct fxr_probe_operand result[2];
	struct fxr_probe_comparison comparisons[FXR_PROBE_COMPARISONS];
};

/*
 * The bytes of an event with values: FXR_PROBE_ARGUMENTS of 8 bytes, then texts of
 * FXR_PROBE_TEXT_BYTES in the order of their operands. The value of a text is its length;
 * that of a text which could not be read is its address.
 */
#define FXR_PROBE_VALUES_BYTES (8 * FXR_PROBE_ARGUMENTS)
#define FXR_PROBE_EVENT_BYTES(texts) (FXR_PROBE_VALUES_BYTES + (texts) * FXR_PROBE_TEXT_BYTES)

/* The calls of filtered probes that passed their filter, see bpf/probe_values.h. */
struct fxr_probe_call {
	fxr_u32 tid;
	fxr_u32 probe;
	fxr_u64 frame;
};

/* -------------------------------------------------------------- counters */

/* Limit of --counters. */
#define FXR_MAX_COUNTERS 8
#define FXR_MAX_COUNT ((1ULL << 46) - 1) /* largest count in a counter slot */

/* --------------------------------------- kinds of events of the kernel itself */

enum fxr_block_kind {
	FXR_BLOCK_INSERT = 0, /* into the I/O scheduler's queue */
	FXR_BLOCK_ISSUE = 1,  /* to the device */
	FXR_BLOCK_COMPLETE = 2,
	FXR_BLOCK_MERGE = 3, /* absorbed by another request */
};
#define FXR_DISK_NAME_BYTES 32

enum fxr_wait_kind {
	FXR_WAIT_NOTHING = 0,   /* the call is all that is known */
	FXR_WAIT_FILE = 1,      /* files have a text: names of the path, the last one first */
	FXR_WAIT_DIRECTORY = 2,
	FXR_WAIT_CHARACTER = 3, /* a character device */
	FXR_WAIT_BLOCK = 4,     /* a block device */
	FXR_WAIT_FIFO = 5,
	FXR_WAIT_PIPE = 6,
	FXR_WAIT_ANONYMOUS = 7, /* text: the kernel's name of it, as in [eventfd] */
	/* `device` is family, type << 8 and protocol << 16. The text is the local, then the
	 * remote address of an Internet socket, or the path of a Unix socket. */
	FXR_WAIT_SOCKET = 8,
	FXR_WAIT_FUTEX = 9,
	FXR_WAIT_SLEEP = 10,
	FXR_WAIT_CHILD = 11,
	FXR_WAIT_SIGNAL = 12,   /* waits for a signal */
	FXR_WAIT_STOP = 13,     /* stopped by a signal; `peer` sent it */
	FXR_WAIT_TRACER = 14,   /* stopped for its tracer, `peer` */
	FXR_WAIT_DESCRIPTORS = 15, /* of poll or select; none is known to be ready */
	FXR_WAIT_PIDFD = 16,
	FXR_WAIT_ADDRESS_SPACE = 17, /* for the lock of its address space; `peer` has it */
};

#define FXR_WAIT_COMPAT 1u       /* a call through the 32-bit table */
#define FXR_WAIT_PATH_CUT 2u     /* outer directories are missing */
#define FXR_WAIT_PATH_ROOTED 4u  /* the path begins at the root of the process */
#define FXR_WAIT_READY 8u        /* the descriptor of several that became ready */
#define FXR_WAIT_FILE_LOCK 16u   /* waits for a lock of the file; `peer` holds it */
#define FXR_WAIT_LISTENS 32u     /* a listening socket */
#define FXR_WAIT_NO_CALL 64u     /* the thread is in no system call: a fault, a return to it */
/* The address in `object` is of a file that is mapped there: `offset` and the text are of that. */
#define FXR_WAIT_MAPPED 128u
#define FXR_WAIT_FUSE 256u       /* a file of a file system that a process serves */
#define FXR_WAIT_FAULT 512u      /* `object` is the address of a page fault */
#define FXR_WAIT_THROTTLED 1024u /* its request was held back by a limit of its cgroup */
#define FXR_WAIT_TEXT_BYTES 255
#define FXR_WAIT_FRAMES 16

/* How a system call names the object that it waits for. The collector fills the table by number. */
enum fxr_wait_call {
	FXR_CALL_OTHER = 0,
	FXR_CALL_DESCRIPTOR,    /* argument 0 */
	FXR_CALL_READ_WRITE,    /* the same, at the file's position */
	FXR_CALL_READ_WRITE_AT, /* the same, at the offset in argument 3 */
	FXR_CALL_FUTEX,
	FXR_CALL_FUTEX_WAIT,    /* the call of 6.7 */
	FXR_CALL_NANOSLEEP,
	FXR_CALL_CLOCK_NANOSLEEP,
	FXR_CALL_POLL,
	FXR_CALL_PPOLL,
	FXR_CALL_SELECT,
	FXR_CALL_PSELECT,
	FXR_CALL_EPOLL_WAIT,
	FXR_CALL_EPOLL_PWAIT2,
	FXR_CALL_WAIT4,
	FXR_CALL_WAITID,
	FXR_CALL_FLOCK,
	FXR_CALL_FCNTL,
	FXR_CALL_SIGNAL,        /* pause, rt_sigsuspend */
	FXR_CALL_SIGTIMEDWAIT,
};
/* Calls from here up are FXR_CALL_OTHER. */
#define FXR_WAIT_CALLS 512

enum fxr_request_side {
	FXR_REQUEST_NO_SIDE = 0, /* both ends of a socketpair; no requests */
	FXR_REQUEST_SERVER = 1,  /* it accepted the connection */
	FXR_REQUEST_CLIENT = 2,
};

/* How a system call passes the buffer of received bytes. The collector fills the table by number. */
enum fxr_request_call {
	FXR_REQUEST_CALL_NONE = 0,
	FXR_REQUEST_CALL_BUFFER,  /* at argument 1 */
	FXR_REQUEST_CALL_VECTOR,  /* in the struct iovec at argument 1 */
	FXR_REQUEST_CALL_MESSAGE, /* in the struct msghdr at argument 1 */
};

#define FXR_CONNECTION_BYTES 112 /* of the addresses of a connection, at most */
#define FXR_CONNECTION_MASK ((1u << FXR_CONNECTION_BITS) - 1)
#define FXR_REQUEST_BYTES_MASK ((1u << FXR_REQUEST_BYTES_BITS) - 1)
#define FXR_REQUEST_TEXT_BYTES 64
/*
 * Fewer bytes do not identify a protocol: the text of the next receive continues that of the request.
 * Go's HTTP server reads one byte while it answers.
 */
#define FXR_REQUEST_LEAST_TEXT_BYTES 4
#define FXR_REQUEST_TEXT_CONTINUES 0x80000000U /* in `bytes` of a request_text */

enum fxr_ipi_kind {
	FXR_IPI_RESCHEDULE = 0,
	FXR_IPI_CALL_FUNCTION = 1,
	FXR_IPI_CALL_FUNCTION_SINGLE = 2,
};

enum fxr_lock_kind {
	FXR_LOCK_OTHER = 0,
	FXR_LOCK_SPINLOCK = 1,
	FXR_LOCK_RWLOCK_READ = 2,
	FXR_LOCK_RWLOCK_WRITE = 3,
	FXR_LOCK_RWSEM_READ = 4,
	FXR_LOCK_RWSEM_WRITE = 5,
	FXR_LOCK_MUTEX = 6,
	FXR_LOCK_RT_MUTEX = 7,
	FXR_LOCK_PERCPU_RWSEM_READ = 8,
	FXR_LOCK_PERCPU_RWSEM_WRITE = 9,
};

/* ---------------------------------------------------------------- clocks */

/* The kernel's clocks, outside any time namespace; ns. */
struct fxr_clocks {
	fxr_u64 before;   /* CLOCK_MONOTONIC */
	fxr_u64 boottime; /* CLOCK_BOOTTIME, read between the other two */
	fxr_u64 after;    /* CLOCK_MONOTONIC */
};
FXR_ASSERT(sizeof(struct fxr_clocks) == 24);

/* ---------------------------------------------------------------- contexts */

/* A sample of a CPU's preemption count, used to verify the meaning of its bits. */
struct fxr_context_sample {
	fxr_u32 preempt_count;
	fxr_u32 tid; /* of the current task; 0: the idle task */
};
FXR_ASSERT(sizeof(struct fxr_context_sample) == 8);

/* ---------------------------------------------------------------- symbols */

/* A query of the kernel's symbols, see find_symbol in bpf/probe.bpf.c. */
#define FXR_SYMBOL_BYTES 512
struct fxr_symbol_query {
	fxr_u64 address; /* to be looked up; 0: by name, and set to the address found */
	char name[FXR_SYMBOL_BYTES]; /* ends with 0 */
	char text[FXR_SYMBOL_BYTES]; /* "name+0xOFFSET/0xSIZE", then " [module]" for a module's */
};
FXR_ASSERT(sizeof(struct fxr_symbol_query) == 1032);

#endif
