// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Category `wait`: what a thread slept for.
 *
 * Most sleeps are short and are not kept. So the start of a sleep stores the time, and what
 * only the thread's own address space has: the words of a futex, the time asked for, the
 * descriptors of poll. Everything else stays in place while the thread sleeps and is read
 * at its wakeup, if the sleep was long. The event precedes the wakeup's own event, so a
 * reader knows a sleep completely when it ends.
 *
 * All addresses may be stale or hostile: they are read by helpers that fail, each loop and
 * each text has a limit, and what does not fit together is left out.
 */
#include "common.h"
#include "context.h"
#include "filter.h"
#include "id_table.h"
#include "ring.h"
#include "task_state.h"
#include "wait_types.h"

/* This object's own walk of mappings, a lane for each CPU. */
#define VMA_WALKS_TYPE BPF_MAP_TYPE_PERCPU_ARRAY
#define vma_walks wait_vma_walks
#define vma_walk_step wait_vma_walk_step
#include "vma.h"

#include "fxt_record/long_event.h"

const volatile fxr_u32 wait_min_units = 0; /* shorter sleeps are not recorded; 1024 ns each */
const volatile fxr_u8 wait_has_registers = 0; /* bpf_task_pt_regs() exists (5.15) */
/* enum fxr_wait_call, by number of the system call. */
const volatile fxr_u8 wait_calls[FXR_WAIT_CALLS] = {};

/* include/linux/sched.h */
#define TASK_STOPPED 0x04
#define TASK_TRACED 0x08

#define STACK_BYTES_BEFORE_5_15 16384 /* size of a kernel stack on x86 without KASAN */

#define UNKNOWN_TIME (~0ULL)
#define NO_OFFSET (~0ULL)

/*
 * When threads fell asleep, by thread id: the time in units of 1024 ns, which wraps after
 * 18 minutes, with the lowest bit set and two bits of the thread id above it. An id above
 * 2^20 shares its word with others: then the sleep of one of them is not recorded. Even
 * numbers stand for no time.
 */
#define SINCE_SHIFT 10
#define SINCE_MASK 0x3fffffffu
#define SINCE_UNKNOWN 0u /* asleep since before the recording, or never seen */
#define SINCE_AWAKE 2u
#define SINCE_PAGE_SHIFT 12
#define SINCE_ID_BITS 20

struct since_page {
	u32 since[1 << SINCE_PAGE_SHIFT];
};

/* The loader sets max_entries. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct since_page);
} wait_since SEC(".maps");

#define NOTE_WORDS 16

/*
 * What the start of a sleep read from the thread's address space. Threads whose ids differ
 * by a multiple of WAIT_NOTES share an entry; the last one has it.
 */
struct wait_note {
	u64 owner; /* thread id << 32 | its word in wait_since */
	u64 asked; /* ns */
	u32 peer;
	u32 is_address_space; /* `peer` has the lock of the address space, 0: not known */
	u64 words[NOTE_WORDS];
};
#define WAIT_NOTES 4096

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WAIT_NOTES);
	__type(key, u32);
	__type(value, struct wait_note);
} wait_notes SEC(".maps");

/*
 * The last page fault of a thread in its own code, by thread id. A thread that is in no system
 * call and waits in the fault handler is in this one.
 */
struct wait_fault {
	u32 tid;
	u32 pad;
	u64 address;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WAIT_NOTES);
	__type(key, u32);
	__type(value, struct wait_fault);
} wait_faults SEC(".maps");

/*
 * The last request of a thread that a limit of its cgroup held back, by thread id. The thread's
 * next sleep is for that one, if it is in the same system call or fault and is for I/O.
 */
struct wait_throttled {
	u32 tid;
	s32 call;
	u64 argument; /* the first one of the call */
	u64 sleeps;   /* voluntary switches of the thread until then */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WAIT_NOTES);
	__type(key, u32);
	__type(value, struct wait_throttled);
} wait_throttled SEC(".maps");

#define TEXT_AT (FXR_WAIT_FRAMES * 8)
/* Reads of a name may begin at any byte of the text that is sent. */
#define NAME_BYTES 256

/* The event under construction. Programs run with interrupts off here. */
struct wait_scratch {
	struct fxr_wait_long fields;
	/* The thread. Kept here because global functions take numbers, not pointers. */
	u64 task;
	u64 arguments[5]; /* of the system call */
	u64 file;         /* that the thread waits for; 0: none */
	u32 text_bytes;
	u32 events;       /* that the thread waits for, as in poll */
	u8 data[TEXT_AT + FXR_WAIT_TEXT_BYTES + 1 + NAME_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wait_scratch);
} wait_scratch SEC(".maps");

/* The thread that sent the last stop signal, by process. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, u32);
} wait_stoppers SEC(".maps");

static __always_inline struct wait_scratch *this_scratch(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&wait_scratch, &zero);
}

static __always_inline u32 *since_of(u32 tid)
{
	u32 index = tid & ((1 << SINCE_ID_BITS) - 1);
	u32 page_number = index >> SINCE_PAGE_SHIFT;
	struct since_page *page = bpf_map_lookup_elem(&wait_since, &page_number);

	return page ? &page->since[index & ((1 << SINCE_PAGE_SHIFT) - 1)] : NULL;
}

static __always_inline u32 since_word(u32 tid, u64 now)
{
	return ((tid >> SINCE_ID_BITS) << 30) | ((u32)(now >> SINCE_SHIFT) & SINCE_MASK) | 1;
}

static __always_inline struct wait_note *note_of(u32 tid)
{
	u32 index = tid % WAIT_NOTES;

	return bpf_map_lookup_elem(&wait_notes, &index);
}

/* ------------------------------------------------------------ system calls */

/* The same as call_of() without bpf_task_pt_regs(); any task. */
static __always_inline s32 call_on_stack(struct task_struct *task, u64 *arguments)
{
#if defined(__TARGET_ARCH_x86)
	struct pt_regs___args *registers = (void *)BPF_CORE_READ(task, stack) +
					   STACK_BYTES_BEFORE_5_15 -
					   bpf_core_type_size(struct pt_regs);

	if ((BPF_CORE_READ(registers, cs) & 3) != 3) /* no registers of user mode */
		return -1;
	arguments[0] = BPF_CORE_READ(registers, di);
	arguments[1] = BPF_CORE_READ(registers, si);
	arguments[2] = BPF_CORE_READ(registers, dx);
	arguments[3] = BPF_CORE_READ(registers, r10);
	arguments[4] = BPF_CORE_READ(registers, r8);
	return BPF_CORE_READ(registers, orig_ax);
#else
	return -1;
#endif
}

/* Returns the number of the system call that the thread is in, -1 for none. */
static __always_inline s32 call_of(struct task_struct *task, u64 *arguments)
{
	struct pt_regs___args *registers;

	if (task->flags & (PF_IO_WORKER | PF_USER_WORKER | PF_KTHREAD))
		return -1;
	if (!wait_has_registers)
		return call_on_stack(task, arguments);
	registers = (void *)bpf_task_pt_regs(task);
#if defined(__TARGET_ARCH_x86)
	arguments[0] = registers->di;
	arguments[1] = registers->si;
	arguments[2] = registers->dx;
	arguments[3] = registers->r10;
	arguments[4] = registers->r8;
	return registers->orig_ax;
#elif defined(__TARGET_ARCH_arm64)
	arguments[0] = BPF_CORE_READ(registers, orig_x0);
	arguments[1] = BPF_CORE_READ(registers, regs[1]);
	arguments[2] = BPF_CORE_READ(registers, regs[2]);
	arguments[3] = BPF_CORE_READ(registers, regs[3]);
	arguments[4] = BPF_CORE_READ(registers, regs[4]);
	return BPF_CORE_READ(registers, syscallno);
#endif
}

static __always_inline bool is_compat(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return (task->thread_info.status & TS_COMPAT) != 0;
#else
	return false;
#endif
}

static __always_inline u32 kind_of_call(s32 call)
{
	u32 number = call;

	if (number >= FXR_WAIT_CALLS)
		return FXR_CALL_OTHER;
	/* The verifier does not see that the mask changes nothing; the compiler does. */
	asm volatile("" : "+r"(number));
	return wait_calls[number & (FXR_WAIT_CALLS - 1)];
}

/* ----------------------------------------------------- the start of a sleep */

/* Reads a struct timespec; `unit` is ns of its second word: 1000 for a struct timeval. */
static __always_inline u64 read_time(u64 place, u32 unit)
{
	s64 time[2];

	if (!place || bpf_probe_read_user(time, sizeof(time), (void *)place) || time[0] < 0 ||
	    time[0] > 0x1ffffffff || time[1] < 0 || time[1] > 1000000000)
		return UNKNOWN_TIME;
	return time[0] * 1000000000 + time[1] * unit;
}

static __always_inline u64 until(u64 time, u64 now)
{
	if (time == UNKNOWN_TIME)
		return time;
	return time > now ? time - now : 0;
}

#define CLOCK_MONOTONIC 1
#define TIMER_ABSTIME 1

/* include/uapi/linux/futex.h */
#define FUTEX_WAIT 0
#define FUTEX_LOCK_PI 6
#define FUTEX_WAIT_BITSET 9
#define FUTEX_WAIT_REQUEUE_PI 11
#define FUTEX_LOCK_PI2 13
#define FUTEX_COMMAND 0x7f
#define FUTEX_CLOCK_REALTIME 256

#define FUTEX_BYTES 24 /* the head of a pthread_mutex_t, up to its kind */

/* Whether the timeout is an absolute time of the monotonic clock. Others are not compared. */
static __always_inline u64 futex_time(const u64 *arguments, u64 now)
{
	u32 command = arguments[1] & FUTEX_COMMAND;

	if (command == FUTEX_WAIT)
		return read_time(arguments[3], 1);
	if (command == FUTEX_LOCK_PI || arguments[1] & FUTEX_CLOCK_REALTIME)
		return UNKNOWN_TIME;
	return until(read_time(arguments[3], 1), now);
}

/* include/uapi/asm-generic/fcntl.h, fs.h */
#define F_SETLKW 7
#define F_OFD_SETLKW 38
#define F_UNLCK 2
#define SEEK_SET 0
#define MAX_LOCKS 8

struct user_lock {
	short type;
	short whence;
	u32 pad;
	s64 start;
	s64 length;
};

/*
 * Returns the process that holds a lock which overlaps the range; 0: none found among the
 * first MAX_LOCKS. A process that holds the lock itself does not wait for it.
 */
__noinline u32 lock_holder(u64 file, u64 is_posix, u64 start, u64 end, u32 own)
{
	struct inode *inode = BPF_CORE_READ((struct file *)file, f_inode);
	struct file_lock_context *context = BPF_CORE_READ(inode, i_flctx);
	u64 head, at;

	if (!context)
		return 0;
	head = (u64)context + (is_posix ? bpf_core_field_offset(context->flc_posix) :
					  bpf_core_field_offset(context->flc_flock));
	at = (u64)BPF_CORE_READ((struct list_head *)head, next);
	for (int i = 0; i < MAX_LOCKS && at && at != head; i++) {
		u64 first, last;
		u32 pid;

		if (bpf_core_type_exists(struct file_lock_core)) {
			struct file_lock *lock =
				(void *)at - bpf_core_field_offset(((struct file_lock *)0)->c) -
				bpf_core_field_offset(((struct file_lock_core *)0)->flc_list);

			pid = BPF_CORE_READ(lock, c.flc_pid);
			first = BPF_CORE_READ(lock, fl_start);
			last = BPF_CORE_READ(lock, fl_end);
		} else {
			struct file_lock___old *lock =
				(void *)at -
				bpf_core_field_offset(((struct file_lock___old *)0)->fl_list);

			pid = BPF_CORE_READ(lock, fl_pid);
			first = BPF_CORE_READ(lock, fl_start);
			last = BPF_CORE_READ(lock, fl_end);
		}
		/* For a lock of an open file description: the process that took it. */
		if (pid <= FXR_TID_MASK && pid && (!is_posix || pid != own) && first <= end &&
		    last >= start)
			return pid;
		at = (u64)BPF_CORE_READ((struct list_head *)at, next);
	}
	return 0;
}

__noinline u64 file_at(u64 task, u32 descriptor)
{
	struct fdtable *table = BPF_CORE_READ((struct task_struct___wait *)task, files, fdt);
	struct file **files;
	u64 file = 0;

	if (!table || descriptor >= BPF_CORE_READ(table, max_fds))
		return 0;
	files = BPF_CORE_READ(table, fd);
	bpf_probe_read_kernel(&file, sizeof(file), files + descriptor);
	return file;
}

/* For the current thread, which is about to wait for a lock. */
static __always_inline u32 find_lock_holder(u32 kind, const u64 *arguments)
{
	struct user_lock lock = {};
	u64 file, start = 0, end = 0x7fffffffffffffff;

	if (kind == FXR_CALL_FCNTL) {
		if ((arguments[1] != F_SETLKW && arguments[1] != F_OFD_SETLKW) ||
		    bpf_probe_read_user(&lock, sizeof(lock), (void *)arguments[2]) ||
		    lock.whence != SEEK_SET || lock.start < 0 || lock.length < 0)
			return 0;
		start = lock.start;
		if (lock.length)
			end = start + lock.length - 1;
	}
	file = file_at(bpf_get_current_task(), arguments[0]);
	if (!file)
		return 0;
	return lock_holder(file, kind == FXR_CALL_FCNTL, start, end,
			   bpf_get_current_pid_tgid() >> 32);
}

#define MAX_LOCK_WAITERS 8
#define OWNER_IS_READER 1UL /* RWSEM_READER_OWNED, kernel/locking/rwsem.c */
#define OWNER_FLAGS 7UL

/*
 * Whether `task` waits for the lock of its own address space. It is among the last of the queue,
 * when it falls asleep. Sets the writer that has the lock.
 */
static __always_inline bool waits_for_address_space(struct task_struct *task, u32 *writer)
{
	struct mm_struct___lock *mm = (void *)task->mm;
	struct rw_semaphore *lock;
	u64 head, at;

	if (!mm || !bpf_core_field_exists(mm->mmap_lock))
		return false;
	lock = (void *)mm + bpf_core_field_offset(mm->mmap_lock);
	if (bpf_core_field_exists(lock->wait_list)) {
		head = (u64)lock + bpf_core_field_offset(lock->wait_list);
		at = (u64)BPF_CORE_READ(lock, wait_list.prev);
	} else {
		struct rw_semaphore___first *other = (void *)lock;

		if (!bpf_core_field_exists(other->first_waiter))
			return false;
		/* The last one is before the first one. */
		head = (u64)BPF_CORE_READ(other, first_waiter);
		if (!head)
			return false;
		at = (u64)BPF_CORE_READ((struct rwsem_waiter *)head, list.prev);
		if (BPF_CORE_READ((struct rwsem_waiter *)head, task) == task)
			at = head;
	}
	for (int i = 0; i < MAX_LOCK_WAITERS; i++) {
		struct rwsem_waiter *waiter = (void *)at;

		if (!at || (at == head && bpf_core_field_exists(lock->wait_list)))
			return false;
		if (BPF_CORE_READ(waiter, task) == task) {
			u64 owner = BPF_CORE_READ(lock, owner.counter);

			*writer = 0;
			if (owner & ~OWNER_FLAGS && !(owner & OWNER_IS_READER))
				*writer = BPF_CORE_READ(
					(struct task_struct *)(owner & ~OWNER_FLAGS), pid);
			return true;
		}
		if (at == head)
			return false;
		at = (u64)BPF_CORE_READ(waiter, list.prev);
	}
	return false;
}

/* The same for the start of a sleep in D. */
static __always_inline void note_address_space(struct task_struct *task, u32 since)
{
	struct wait_note *note;
	u32 writer = 0;

	if (!waits_for_address_space(task, &writer))
		return;
	note = note_of(task->pid);
	if (!note)
		return;
	note->owner = (u64)task->pid << 32 | since;
	note->asked = UNKNOWN_TIME;
	note->is_address_space = 1;
	note->peer = writer;
}

#define POLL_BYTES 8 /* a struct pollfd */
#define SELECT_BITS 64

/* Runs in the context of `task`, which goes to sleep. */
static __always_inline void note_arguments(struct task_struct *task, u32 since, u64 now)
{
	u64 arguments[5];
	s32 call = call_of(task, arguments);
	u32 kind = kind_of_call(call);
	struct wait_note *note;
	u64 count;

	if (kind < FXR_CALL_FUTEX || kind == FXR_CALL_WAIT4 || kind == FXR_CALL_WAITID ||
	    kind == FXR_CALL_SIGNAL || kind == FXR_CALL_EPOLL_WAIT || is_compat(task))
		return;
	if (kind == FXR_CALL_FCNTL && arguments[1] != F_SETLKW && arguments[1] != F_OFD_SETLKW)
		return;
	note = note_of(task->pid);
	if (!note)
		return;
	note->owner = (u64)task->pid << 32 | since;
	note->asked = UNKNOWN_TIME;
	note->peer = 0;
	note->is_address_space = 0;
	note->words[0] = 0;
	switch (kind) {
	case FXR_CALL_FUTEX:
		if (arguments[3])
			note->asked = futex_time(arguments, now);
		if (bpf_probe_read_user(note->words, FUTEX_BYTES, (void *)arguments[0]))
			bpf_probe_read_user(note->words, sizeof(u32), (void *)arguments[0]);
		break;
	case FXR_CALL_FUTEX_WAIT:
		if (bpf_probe_read_user(note->words, FUTEX_BYTES, (void *)arguments[0]))
			bpf_probe_read_user(note->words, sizeof(u32), (void *)arguments[0]);
		break;
	case FXR_CALL_NANOSLEEP:
		note->asked = read_time(arguments[0], 1);
		break;
	case FXR_CALL_CLOCK_NANOSLEEP:
		if (!(arguments[1] & TIMER_ABSTIME))
			note->asked = read_time(arguments[2], 1);
		else if (arguments[0] == CLOCK_MONOTONIC)
			note->asked = until(read_time(arguments[2], 1), now);
		break;
	case FXR_CALL_POLL:
	case FXR_CALL_PPOLL:
		if (kind == FXR_CALL_PPOLL)
			note->asked = read_time(arguments[2], 1);
		count = CUT_SIZE(arguments[1] * POLL_BYTES, sizeof(note->words));
		if (bpf_probe_read_user(note->words, count, (void *)arguments[0]))
			note->owner = 0;
		break;
	case FXR_CALL_SELECT:
	case FXR_CALL_PSELECT:
		note->asked = read_time(arguments[4], kind == FXR_CALL_SELECT ? 1000 : 1);
		note->words[1] = 0;
		if (arguments[1])
			bpf_probe_read_user(note->words, sizeof(u64), (void *)arguments[1]);
		if (arguments[2])
			bpf_probe_read_user(note->words + 1, sizeof(u64), (void *)arguments[2]);
		break;
	case FXR_CALL_EPOLL_PWAIT2:
		note->asked = read_time(arguments[3], 1);
		break;
	case FXR_CALL_SIGTIMEDWAIT:
		note->asked = read_time(arguments[2], 1);
		break;
	case FXR_CALL_FLOCK:
	case FXR_CALL_FCNTL:
		note->peer = find_lock_holder(kind, arguments);
		break;
	}
}

SEC("tp_btf/sched_switch")
int BPF_PROG(wait_sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	u32 state = SWITCH_STATE();
	u32 tid = prev->pid;
	u32 *since;
	u64 now;

	if (READ_ONCE(phase) != FXR_PHASE_ALL || !tid)
		return 0;
	since = since_of(tid);
	if (!since)
		return 0;
	/* A waker has changed the state already (before 5.18): a short sleep. */
	if (preempt || !state || state & (TASK_DEAD | TASK_WAKING) ||
	    (filter_is_on && !task_selected(prev))) {
		WRITE_ONCE(*since, SINCE_AWAKE);
		return 0;
	}
	now = bpf_ktime_get_ns();
	WRITE_ONCE(*since, since_word(tid, now));
	note_arguments(prev, since_word(tid, now), now);
	/* After that: what it needs of a call is known for as long as it sleeps in S. */
	if (state & TASK_UNINTERRUPTIBLE && !(state & TASK_NOLOAD) && !(prev->flags & PF_KTHREAD))
		note_address_space(prev, since_word(tid, now));
	return 0;
}

/* blk_throtl_bio() has returned whether it keeps the request of the current thread for later. */
SEC("fxr_return/blk_throtl_bio")
int BPF_PROG(wait_blk_throttle, void *bio, u64 is_kept)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct wait_throttled *throttled;
	u64 arguments[5] = {};
	s32 call;
	u32 tid = bpf_get_current_pid_tgid();
	u32 index = tid % WAIT_NOTES;

	/* A bool: the other bits of its register mean nothing. */
	if (!(is_kept & 0xff) || BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return 0;
	throttled = bpf_map_lookup_elem(&wait_throttled, &index);
	if (!throttled)
		return 0;
	if (wait_has_registers)
		call = call_of(bpf_get_current_task_btf(), arguments);
	else
		call = call_on_stack(task, arguments);
	throttled->tid = tid;
	throttled->call = call;
	throttled->argument = arguments[0];
	throttled->sleeps = BPF_CORE_READ((struct task_struct___wait *)task, nvcsw);
	return 0;
}

SEC("tp_btf/page_fault_user")
int BPF_PROG(wait_page_fault_user, u64 address)
{
	u32 tid = bpf_get_current_pid_tgid();
	u32 index = tid % WAIT_NOTES;
	struct wait_fault *fault = bpf_map_lookup_elem(&wait_faults, &index);

	if (fault) {
		fault->tid = tid;
		fault->address = address;
	}
	return 0;
}

/* ---------------------------------------------------------------- its wakeup */

/* include/uapi/linux/stat.h */
#define S_IFMT 0170000
#define S_IFIFO 0010000
#define S_IFCHR 0020000
#define S_IFDIR 0040000
#define S_IFBLK 0060000
#define S_IFREG 0100000
#define S_IFSOCK 0140000

/* include/uapi/linux/magic.h */
#define ANON_INODE_FS_MAGIC 0x09041934
#define PIPEFS_MAGIC 0x50495045
#define FUSE_SUPER_MAGIC 0x65735546
#define PID_FS_MAGIC 0x50494446

#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define SOCK_STREAM 1
#define IPPROTO_TCP 6
#define TCP_LISTEN 10
#define RCV_SHUTDOWN 1
#define POLLIN 1
#define FMODE_READ 1
#define FMODE_WRITE 2

#define MAX_NAMES 32 /* names and mounts of a path */

/* Appends the name at this address, with its NUL. Returns false when the text is full. */
static __always_inline bool append_name(struct wait_scratch *scratch, const void *name)
{
	u32 at = READ_ONCE(scratch->text_bytes);
	long bytes;

	if (at >= FXR_WAIT_TEXT_BYTES)
		return false;
	bytes = bpf_probe_read_kernel_str(scratch->data + TEXT_AT + at, NAME_BYTES, name);
	if (bytes <= 1)
		return false;
	if (at + bytes > FXR_WAIT_TEXT_BYTES + 1)
		return false;
	WRITE_ONCE(scratch->text_bytes, at + bytes);
	return true;
}

/* Appends the names of the path up to the root of the process, the last one first. */
__noinline int append_path(u64 task, u64 address)
{
	struct file *file = (struct file *)address;
	struct fs_struct *fs = BPF_CORE_READ((struct task_struct___wait *)task, fs);
	struct dentry *root = BPF_CORE_READ(fs, root.dentry);
	struct vfsmount *root_mount = BPF_CORE_READ(fs, root.mnt);
	struct dentry *at = BPF_CORE_READ(file, f_path.dentry);
	struct vfsmount *mount = BPF_CORE_READ(file, f_path.mnt);
	struct dentry *top = BPF_CORE_READ(mount, mnt_root);
	struct wait_scratch *scratch = this_scratch();

	if (!scratch)
		return 0;
	for (int i = 0; i < MAX_NAMES; i++) {
		struct dentry *parent;

		if (at == root && mount == root_mount) {
			scratch->fields.flags |= FXR_WAIT_PATH_ROOTED;
			return 0;
		}
		if (at == top) {
			struct mount *whole =
				(void *)mount - bpf_core_field_offset(((struct mount *)0)->mnt);
			struct mount *upper = BPF_CORE_READ(whole, mnt_parent);

			if (!upper || upper == whole) {
				if (i)
					return 0;
			} else {
				at = BPF_CORE_READ(whole, mnt_mountpoint);
				mount = (void *)upper +
					bpf_core_field_offset(((struct mount *)0)->mnt);
				top = BPF_CORE_READ(mount, mnt_root);
				continue;
			}
		}
		if (!append_name(scratch, BPF_CORE_READ(at, d_name.name)))
			break;
		parent = BPF_CORE_READ(at, d_parent);
		if (parent == at)
			return 0;
		at = parent;
	}
	scratch->fields.flags |= FXR_WAIT_PATH_CUT;
	return 0;
}

/*
 * Names the file that is mapped at this address of the thread's process. Returns 1 if there
 * is one.
 */
__noinline u32 describe_mapping(u64 task, u64 address)
{
	struct mm_struct *mm = BPF_CORE_READ((struct task_struct *)task, mm);
	struct wait_scratch *scratch = this_scratch();
	struct vm_area_struct *vma;
	struct file *file;
	u64 begin;

	if (!scratch || !mm || !HAS_VMA_TREE)
		return 0;
	vma = vma_of(mm, 0, address);
	if (!vma)
		return 0;
	/* The tree may have changed under the walk. */
	begin = BPF_CORE_READ(vma, vm_start);
	if (BPF_CORE_READ(vma, vm_mm) != mm || address < begin ||
	    address >= BPF_CORE_READ(vma, vm_end))
		return 0;
	file = BPF_CORE_READ(vma, vm_file);
	if (!file)
		return 0;
	scratch->fields.offset = address - begin + (BPF_CORE_READ(vma, vm_pgoff) << PAGE_SHIFT);
	scratch->fields.device = BPF_CORE_READ(file, f_inode, i_sb, s_dev);
	scratch->fields.flags |= FXR_WAIT_MAPPED;
	append_path(task, (u64)file);
	return 1;
}

static __always_inline bool append_unix_path(struct wait_scratch *scratch, struct sock *sock)
{
	struct unix_address *address = BPF_CORE_READ((struct unix_sock *)sock, addr);
	u32 length;

	if (!address)
		return false;
	length = BPF_CORE_READ(address, len);
	if (length <= 2 || length > 110)
		return false;
	length -= 2; /* the family */
	length = CUT_SIZE(length, 108);
	/* An abstract name begins with a NUL, which is sent. */
	if (bpf_probe_read_kernel(scratch->data + TEXT_AT, length,
				  (void *)address + bpf_core_field_offset(address->name) + 2))
		return false;
	scratch->text_bytes = length;
	return true;
}

__noinline int describe_socket(u64 address)
{
	struct socket *socket =
		(struct socket *)BPF_CORE_READ((struct file *)address, private_data);
	struct sock *sock = BPF_CORE_READ(socket, sk);
	struct wait_scratch *scratch = this_scratch();
	u32 family, protocol;

	if (!scratch || !sock)
		return 0;
	family = BPF_CORE_READ(sock, __sk_common.skc_family);
	protocol = BPF_CORE_READ(sock, sk_protocol);
	scratch->fields.device = family | (u32)(BPF_CORE_READ(sock, sk_type) & 0xff) << 8 |
				 protocol << 16;
	if (BPF_CORE_READ(sock, __sk_common.skc_state) == TCP_LISTEN)
		scratch->fields.flags |= FXR_WAIT_LISTENS;
	if (family == AF_UNIX) {
		/* A client has no name of its own. */
		if (!append_unix_path(scratch, sock)) {
			struct sock *peer = BPF_CORE_READ((struct unix_sock *)sock, peer);

			if (peer)
				append_unix_path(scratch, peer);
		}
		return 0;
	}
	if (family != AF_INET && family != AF_INET6)
		return 0;
	scratch->fields.offset = BPF_CORE_READ(sock, __sk_common.skc_net.net, ns.inum);
	scratch->fields.ports =
		(u32)BPF_CORE_READ(sock, __sk_common.skc_num) << 16 |
		__builtin_bswap16(BPF_CORE_READ(sock, __sk_common.skc_dport));
	if (family == AF_INET) {
		BPF_CORE_READ_INTO((u32 *)(scratch->data + TEXT_AT), sock,
				   __sk_common.skc_rcv_saddr);
		BPF_CORE_READ_INTO((u32 *)(scratch->data + TEXT_AT + 4), sock,
				   __sk_common.skc_daddr);
		scratch->text_bytes = 8;
	} else if (bpf_core_field_exists(sock->__sk_common.skc_v6_daddr)) {
		BPF_CORE_READ_INTO((struct in6_addr *)(scratch->data + TEXT_AT), sock,
				   __sk_common.skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO((struct in6_addr *)(scratch->data + TEXT_AT + 16), sock,
				   __sk_common.skc_v6_daddr);
		scratch->text_bytes = 32;
	}
	return 0;
}

/* The kinds that a file has by itself, whatever reads it. */
static __always_inline u32 kind_of_inode(struct inode *inode)
{
	u64 magic = BPF_CORE_READ(inode, i_sb, s_magic);

	if (magic == ANON_INODE_FS_MAGIC)
		return FXR_WAIT_ANONYMOUS;
	if (magic == PIPEFS_MAGIC)
		return FXR_WAIT_PIPE;
	if (magic == PID_FS_MAGIC)
		return FXR_WAIT_PIDFD;
	switch (BPF_CORE_READ(inode, i_mode) & S_IFMT) {
	case S_IFREG:
		return FXR_WAIT_FILE;
	case S_IFDIR:
		return FXR_WAIT_DIRECTORY;
	case S_IFCHR:
		return FXR_WAIT_CHARACTER;
	case S_IFBLK:
		return FXR_WAIT_BLOCK;
	case S_IFIFO:
		return FXR_WAIT_FIFO;
	case S_IFSOCK:
		return FXR_WAIT_SOCKET;
	}
	return FXR_WAIT_NOTHING;
}

/* The names that the kernel gives files of anonymous inodes. */
struct file_name {
	char text[16];
};

static __always_inline bool file_is_named(struct file *file, const char *name, u32 bytes)
{
	struct file_name found = {};

	bpf_probe_read_kernel_str(found.text, sizeof(found.text),
				  BPF_CORE_READ(file, f_path.dentry, d_name.name));
	for (u32 i = 0; i < bytes; i++)
		if (found.text[i] != name[i])
			return false;
	return true;
}
#define IS_NAMED(file, name) file_is_named(file, name, sizeof(name))

/* Fills in what is known of the file, but for its kind's own state. */
__noinline int describe_file(u64 task, u64 address)
{
	struct file *file = (struct file *)address;
	struct wait_scratch *scratch = this_scratch();
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	u32 kind;

	if (!scratch || !inode)
		return 0;
	kind = kind_of_inode(inode);
	scratch->file = address;
	scratch->fields.kind = kind;
	scratch->fields.object = BPF_CORE_READ(inode, i_ino);
	if (kind == FXR_WAIT_SOCKET)
		return describe_socket(address);
	if (kind == FXR_WAIT_ANONYMOUS) {
		append_name(scratch, BPF_CORE_READ(file, f_path.dentry, d_name.name));
		/* All anonymous inodes have one number. */
		scratch->fields.object = 0;
		if (IS_NAMED(file, "[eventfd]")) {
			struct eventfd_ctx *context = BPF_CORE_READ(file, private_data);

			scratch->fields.object = BPF_CORE_READ(context, id);
		}
		return 0;
	}
	if (kind == FXR_WAIT_PIPE || kind == FXR_WAIT_PIDFD)
		return 0;
	if (kind == FXR_WAIT_CHARACTER || kind == FXR_WAIT_BLOCK)
		scratch->fields.device = BPF_CORE_READ(inode, i_rdev);
	else
		scratch->fields.device = BPF_CORE_READ(inode, i_sb, s_dev);
	if (BPF_CORE_READ(inode, i_sb, s_magic) == FUSE_SUPER_MAGIC)
		scratch->fields.flags |= FXR_WAIT_FUSE;
	return append_path(task, address);
}

/*
 * Returns 1 if the file is ready for what the thread waits for, 0 if it is not or that is
 * not known. For files that were not ready when the thread fell asleep: the thread that wakes it
 * made them ready.
 */
__noinline u32 is_ready(u64 address, u32 events)
{
	struct file *file = (struct file *)address;
	u32 kind = kind_of_inode(BPF_CORE_READ(file, f_inode));
	void *data = BPF_CORE_READ(file, private_data);

	if (kind == FXR_WAIT_PIPE || kind == FXR_WAIT_FIFO) {
		struct pipe_inode_info *pipe = data;
		u32 mode = BPF_CORE_READ(file, f_mode) & (FMODE_READ | FMODE_WRITE);
		u32 used = BPF_CORE_READ(pipe, head) - BPF_CORE_READ(pipe, tail);

		if (mode == FMODE_READ)
			return used != 0 || !BPF_CORE_READ(pipe, writers);
		return mode == FMODE_WRITE && used < BPF_CORE_READ(pipe, max_usage);
	}
	if (!(events & POLLIN))
		return 0;
	if (kind == FXR_WAIT_SOCKET) {
		struct sock *sock = BPF_CORE_READ((struct socket *)data, sk);

		if (BPF_CORE_READ(sock, sk_receive_queue.qlen) ||
		    BPF_CORE_READ(sock, sk_shutdown) & RCV_SHUTDOWN)
			return 1;
		return BPF_CORE_READ(sock, sk_protocol) == IPPROTO_TCP &&
		       BPF_CORE_READ(sock, __sk_common.skc_state) == TCP_LISTEN &&
		       BPF_CORE_READ((struct inet_connection_sock *)sock,
				     icsk_accept_queue.rskq_accept_head);
	}
	if (kind != FXR_WAIT_ANONYMOUS)
		return 0;
	if (IS_NAMED(file, "[eventfd]"))
		return BPF_CORE_READ((struct eventfd_ctx *)data, count) != 0;
	if (IS_NAMED(file, "[timerfd]"))
		return BPF_CORE_READ((struct timerfd_ctx *)data, ticks) != 0;
	return 0;
}

/* The first descriptor that epoll has found ready. */
__noinline int describe_epoll(u64 task, u64 address)
{
	struct file *file = (struct file *)address;
	struct wait_scratch *scratch = this_scratch();
	struct eventpoll *poll;
	struct epitem *item;
	u64 head, first;

	if (!scratch || !IS_NAMED(file, "[eventpoll]"))
		return 0;
	poll = BPF_CORE_READ(file, private_data);
	head = (u64)poll + bpf_core_field_offset(poll->rdllist);
	first = (u64)BPF_CORE_READ(poll, rdllist.next);
	if (!first || first == head)
		return 0;
	item = (void *)first - bpf_core_field_offset(((struct epitem *)0)->rdllink);
	address = (u64)BPF_CORE_READ(item, ffd.file);
	if (!address)
		return 0;
	scratch->text_bytes = 0;
	scratch->fields.flags |= FXR_WAIT_READY;
	return describe_file(task, address);
}

#define MAX_POLLED NOTE_WORDS

/* Describes the first of the descriptors that is ready, or the only one. */
__noinline int describe_polled(u64 task, u32 tid, u64 count)
{
	struct wait_scratch *scratch = this_scratch();
	struct wait_note *note = note_of(tid);
	u64 found = 0;

	if (!scratch || !note)
		return 0;
	for (u32 i = 0; i < MAX_POLLED && !found; i++) {
		u64 word = note->words[i];
		u64 file;

		if (i >= count)
			break;
		if ((s32)word < 0) /* a descriptor that poll ignores */
			continue;
		file = file_at(task, word);
		if (!file)
			continue;
		if (count == 1 || is_ready(file, word >> 32 & 0xffff)) {
			found = file;
			scratch->events = word >> 32 & 0xffff;
		}
	}
	if (!found)
		return 0;
	if (count != 1)
		scratch->fields.flags |= FXR_WAIT_READY;
	return describe_file(task, found);
}

static __always_inline u32 lowest_bit(u64 set)
{
	u32 bit = 0;

	set &= -set;
	bit |= (set & 0xaaaaaaaaaaaaaaaa) ? 1 : 0;
	bit |= (set & 0xcccccccccccccccc) ? 2 : 0;
	bit |= (set & 0xf0f0f0f0f0f0f0f0) ? 4 : 0;
	bit |= (set & 0xff00ff00ff00ff00) ? 8 : 0;
	bit |= (set & 0xffff0000ffff0000) ? 16 : 0;
	bit |= (set & 0xffffffff00000000) ? 32 : 0;
	return bit;
}

/* The same for select: descriptors below 64, those to be read first. */
__noinline int describe_selected(u64 task, u64 readable, u64 writable)
{
	struct wait_scratch *scratch = this_scratch();
	bool is_alone = !(readable & (readable - 1)) && !(writable & (writable - 1)) &&
			(!readable || !writable || readable == writable);
	u64 found = 0;

	if (!scratch)
		return 0;
	for (u32 i = 0; i < MAX_POLLED && !found; i++) {
		u64 left = readable ? readable : writable;
		u32 events = readable ? POLLIN : 0;
		u64 file;

		if (!left)
			break;
		file = file_at(task, lowest_bit(left));
		if (readable)
			readable &= readable - 1;
		else
			writable &= writable - 1;
		if (file && (is_alone || is_ready(file, events))) {
			found = file;
			scratch->events = events;
		}
	}
	if (!found)
		return 0;
	if (!is_alone)
		scratch->fields.flags |= FXR_WAIT_READY;
	return describe_file(task, found);
}

/* Returns the thread with this id in the namespace of `task`; `own`: only of its process. */
__noinline u32 thread_with_id(u64 task, u32 id, u32 own)
{
	struct task_struct *waiter = (struct task_struct *)task;
	struct task_struct *found;

	if (!id || id > FXR_TID_MASK)
		return 0;
	found = (struct task_struct *)find_task(waiter, id);
	if (!found || (own && BPF_CORE_READ(found, tgid) != BPF_CORE_READ(waiter, tgid)))
		return 0;
	return BPF_CORE_READ(found, pid);
}

/* pthread_mutex_t of glibc on 64-bit machines: lock, count, owner, users, kind */
#define MUTEX_CONTENDED 2 /* the value of `lock` that waiters wait for */
#define MUTEX_KINDS 0x383 /* normal to adaptive, shared between processes, elision */
#define MUTEX_ROBUST 0x10
#define FUTEX_WAITERS 0x80000000
#define FUTEX_TID_MASK 0x3fffffff

static __always_inline u32 futex_owner(u64 task, const struct wait_note *note, u32 command,
				       u32 value)
{
	u32 word = note->words[0];
	u32 owner = note->words[1], users = note->words[1] >> 32;
	u32 kind = note->words[2];

	if (command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2)
		return thread_with_id(task, word & FUTEX_TID_MASK, 0);
	if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET)
		return 0;
	if (word != value || !users || users > FXR_TID_MASK)
		return 0;
	if (value == MUTEX_CONTENDED && !(kind & ~MUTEX_KINDS))
		return thread_with_id(task, owner, !(kind & 0x80));
	if (value & FUTEX_WAITERS && kind & MUTEX_ROBUST && (word & FUTEX_TID_MASK) == owner)
		return thread_with_id(task, owner, !(kind & 0x80));
	return 0;
}

/* include/uapi/linux/wait.h */
#define P_PID 1

static __always_inline void describe_child(struct wait_scratch *scratch, struct task_struct *task,
					   s32 child, bool in_interrupt)
{
	struct task_struct *current;

	scratch->fields.kind = FXR_WAIT_CHILD;
	if (child > 0) {
		scratch->fields.peer = thread_with_id(READ_ONCE(scratch->task), child, 0);
		return;
	}
	/* Any child: an exiting child wakes its parent itself. */
	current = (struct task_struct *)bpf_get_current_task();
	if (!in_interrupt && BPF_CORE_READ(current, real_parent, tgid) == task->tgid)
		scratch->fields.peer = BPF_CORE_READ(current, tgid);
}

static __always_inline void describe_descriptor(struct wait_scratch *scratch, u64 descriptor)
{
	u64 task = READ_ONCE(scratch->task);
	u64 file = file_at(task, descriptor);

	scratch->events = POLLIN;
	if (file)
		describe_file(task, file);
}

static __always_inline u64 milliseconds(u64 argument)
{
	s32 time = argument;

	return time < 0 ? UNKNOWN_TIME : (u64)time * 1000000;
}

static __always_inline void describe_call(struct wait_scratch *scratch, struct task_struct *task,
					  u32 since, bool in_interrupt)
{
	u64 *arguments = scratch->arguments;
	u32 kind = kind_of_call(scratch->fields.call);
	struct wait_note *note = note_of(task->pid);
	u64 address = READ_ONCE(scratch->task);
	bool noted;
	u64 count;

	if (!note)
		return;
	noted = note->owner == ((u64)task->pid << 32 | since);
	if (noted)
		scratch->fields.asked = note->asked;
	switch (kind) {
	case FXR_CALL_READ_WRITE:
	case FXR_CALL_READ_WRITE_AT:
	case FXR_CALL_DESCRIPTOR:
		describe_descriptor(scratch, arguments[0]);
		if (kind == FXR_CALL_DESCRIPTOR || (scratch->fields.kind != FXR_WAIT_FILE &&
						    scratch->fields.kind != FXR_WAIT_BLOCK))
			return;
		if (kind == FXR_CALL_READ_WRITE_AT) {
			scratch->fields.offset = arguments[3];
		} else {
			struct file *file = (struct file *)READ_ONCE(scratch->file);

			scratch->fields.offset = BPF_CORE_READ(file, f_pos);
		}
		return;
	case FXR_CALL_FLOCK:
	case FXR_CALL_FCNTL:
		describe_descriptor(scratch, arguments[0]);
		scratch->file = 0; /* its content is not what the thread waits for */
		if (kind == FXR_CALL_FCNTL && arguments[1] != F_SETLKW &&
		    arguments[1] != F_OFD_SETLKW)
			return;
		scratch->fields.flags |= FXR_WAIT_FILE_LOCK;
		if (noted)
			scratch->fields.peer = note->peer;
		return;
	case FXR_CALL_FUTEX:
	case FXR_CALL_FUTEX_WAIT:
		scratch->fields.kind = FXR_WAIT_FUTEX;
		scratch->fields.object = arguments[0];
		describe_mapping(address, arguments[0]);
		if (!noted)
			return;
		scratch->fields.peer =
			kind == FXR_CALL_FUTEX ?
				futex_owner(address, note, arguments[1] & FUTEX_COMMAND,
					    arguments[2]) :
				futex_owner(address, note, FUTEX_WAIT, arguments[1]);
		return;
	case FXR_CALL_NANOSLEEP:
	case FXR_CALL_CLOCK_NANOSLEEP:
		scratch->fields.kind = FXR_WAIT_SLEEP;
		return;
	case FXR_CALL_POLL:
	case FXR_CALL_PPOLL:
		if (kind == FXR_CALL_POLL)
			scratch->fields.asked = milliseconds(arguments[2]);
		count = arguments[1];
		scratch->fields.kind = count ? FXR_WAIT_DESCRIPTORS : FXR_WAIT_SLEEP;
		if (noted)
			describe_polled(address, task->pid, count);
		return;
	case FXR_CALL_SELECT:
	case FXR_CALL_PSELECT:
		scratch->fields.kind = arguments[0] ? FXR_WAIT_DESCRIPTORS : FXR_WAIT_SLEEP;
		/* Sets of up to 64 descriptors are noted whole. */
		if (noted && arguments[0] && arguments[0] <= SELECT_BITS) {
			u64 mask = ~0ULL >> ((64 - arguments[0]) & 63);

			describe_selected(address, note->words[0] & mask,
					  note->words[1] & mask);
		}
		return;
	case FXR_CALL_EPOLL_WAIT:
	case FXR_CALL_EPOLL_PWAIT2:
		if (kind == FXR_CALL_EPOLL_WAIT)
			scratch->fields.asked = milliseconds(arguments[3]);
		describe_descriptor(scratch, arguments[0]);
		if (scratch->file)
			describe_epoll(address, scratch->file);
		return;
	case FXR_CALL_WAIT4:
		describe_child(scratch, task, arguments[0], in_interrupt);
		return;
	case FXR_CALL_WAITID:
		describe_child(scratch, task, arguments[0] == P_PID ? arguments[1] : 0,
			       in_interrupt);
		return;
	case FXR_CALL_SIGNAL:
	case FXR_CALL_SIGTIMEDWAIT:
		scratch->fields.kind = FXR_WAIT_SIGNAL;
		return;
	}
}

/* The thread at the other end, where it is the one that made the file ready. */
static __always_inline void find_other_end(struct wait_scratch *scratch, bool in_interrupt)
{
	u32 kind = scratch->fields.kind;
	bool has_other = kind == FXR_WAIT_PIPE || kind == FXR_WAIT_FIFO ||
			 kind == FXR_WAIT_ANONYMOUS ||
			 (kind == FXR_WAIT_SOCKET && (scratch->fields.device & 0xff) == AF_UNIX);

	if (in_interrupt || !scratch->file || !has_other)
		return;
	/* Since 7.x a timerfd whose time has passed is ready within the call that sets it. */
	if (kind == FXR_WAIT_ANONYMOUS && !IS_NAMED((struct file *)scratch->file, "[eventfd]"))
		return;
	if (is_ready(scratch->file, scratch->events))
		scratch->fields.peer = bpf_get_current_pid_tgid();
}

static __always_inline void send_wait(struct wait_scratch *scratch, u64 frame_bytes)
{
	/* The frames end where the text begins. */
	u64 text_bytes = CUT_SIZE(scratch->text_bytes, FXR_WAIT_TEXT_BYTES + 1);
	u64 bytes = text_bytes + frame_bytes;
	struct fxr_long *event;

	/* Ring buffer reservations need a constant size. */
#define TRY(room)                                                                           \
	if (bytes <= (room)) {                                                              \
		event = long_reserve(FXR_LONG_SIZE(wait, room), FXR_CATEGORY_WAIT);         \
		if (!event)                                                                 \
			return;                                                             \
		bytes = CUT_SIZE(bytes, room);                                              \
		fxr_pack_wait(event, scratch->fields, bytes);                               \
		bpf_probe_read_kernel(fxr_wait_bytes(event), bytes,                         \
				      scratch->data + (frame_bytes ? 0 : TEXT_AT));         \
		side_submit(event);                                                         \
		return;                                                                     \
	}
	TRY(8)
	TRY(64)
	TRY(192)
	TRY(TEXT_AT + FXR_WAIT_TEXT_BYTES + 1)
#undef TRY
}

/* The thread waits in D. Returns true if it waits for the lock of its address space. */
static __always_inline bool describe_blocked(struct wait_scratch *scratch,
					     struct task_struct *task, u32 since)
{
	struct wait_note *note = note_of(task->pid);
	u32 index = (u32)task->pid % WAIT_NOTES;
	struct wait_fault *fault;

	if (note && note->owner == ((u64)task->pid << 32 | since) && note->is_address_space) {
		scratch->fields.kind = FXR_WAIT_ADDRESS_SPACE;
		scratch->fields.peer = note->peer;
		return true;
	}
	if (scratch->fields.call >= 0)
		return false;
	fault = bpf_map_lookup_elem(&wait_faults, &index);
	if (!fault || fault->tid != (u32)task->pid)
		return false;
	scratch->fields.flags |= FXR_WAIT_FAULT;
	scratch->fields.object = fault->address;
	describe_mapping(READ_ONCE(scratch->task), fault->address);
	return false;
}

/* Whether the thread, in D, waits for a request that a limit of its cgroup held back. */
static __always_inline bool waits_for_throttled(struct wait_scratch *scratch,
						struct task_struct *task)
{
	struct task_struct___wait *sleeper = (void *)task;
	u32 index = (u32)task->pid % WAIT_NOTES;
	struct wait_throttled *throttled = bpf_map_lookup_elem(&wait_throttled, &index);

	return throttled && throttled->tid == (u32)task->pid &&
	       throttled->sleeps + 1 == BPF_CORE_READ(sleeper, nvcsw) &&
	       throttled->call == scratch->fields.call &&
	       (throttled->call < 0 || throttled->argument == scratch->arguments[0]) &&
	       BPF_CORE_READ_BITFIELD_PROBED(sleeper, in_iowait);
}

static __always_inline void on_wakeup(void *ctx, struct task_struct *task, u32 since,
				      bool is_on_cpu)
{
	struct wait_scratch *scratch = this_scratch();
	u32 state = previous_state(task);
	bool is_blocked = (state & TASK_IDLE) == TASK_UNINTERRUPTIBLE;
	bool is_kernel_thread = (task->flags & PF_KTHREAD) != 0;
	struct fxr_ring_control *ring;
	u64 frame_bytes = 0;
	bool in_interrupt;
	long bytes;
	u32 cpu;

	/* Kernel threads are in no call, and rest in S. */
	if (!scratch || (is_kernel_thread && !is_blocked))
		return;
	ring = this_ring(&cpu);
	if (!ring)
		return;
	/* In an unknown context the current thread is not named as a peer. */
	in_interrupt = in_interrupt_context(ring, cpu) || !context_is_known(ring);
	__builtin_memset(&scratch->fields, 0, sizeof(scratch->fields));
	WRITE_ONCE(scratch->task, (u64)task);
	scratch->text_bytes = 0;
	scratch->file = 0;
	scratch->events = 0;
	scratch->fields.tid = task->pid;
	scratch->fields.state = state;
	scratch->fields.asked = UNKNOWN_TIME;
	scratch->fields.offset = NO_OFFSET;
	scratch->fields.call = call_of(task, scratch->arguments);
	if (scratch->fields.call < 0 && wait_has_registers)
		scratch->fields.flags |= FXR_WAIT_NO_CALL;
	if (state & TASK_STOPPED) {
		u32 tgid = task->tgid;
		u32 *sender = bpf_map_lookup_elem(&wait_stoppers, &tgid);

		scratch->fields.kind = FXR_WAIT_STOP;
		if (sender)
			scratch->fields.peer = *sender;
	} else if (state & TASK_TRACED) {
		struct task_struct___wait *traced = (void *)task;

		scratch->fields.kind = FXR_WAIT_TRACER;
		scratch->fields.peer = BPF_CORE_READ(traced, parent, tgid);
	} else if (is_compat(task)) {
		scratch->fields.flags |= FXR_WAIT_COMPAT;
	} else if (is_blocked && !is_kernel_thread && describe_blocked(scratch, task, since)) {
	} else if (scratch->fields.call >= 0) {
		describe_call(scratch, task, since, in_interrupt);
		find_other_end(scratch, in_interrupt);
	}
	if (is_blocked && waits_for_throttled(scratch, task))
		scratch->fields.flags |= FXR_WAIT_THROTTLED;
	/* Until it has left its CPU its stack is that of an earlier sleep. */
	if (is_blocked && !is_on_cpu) {
		bytes = bpf_get_task_stack(task, scratch->data, TEXT_AT, 0);
		if (bytes > 0) {
			/* Unused ones are 0. */
			frame_bytes = TEXT_AT;
			scratch->fields.frames = bytes / sizeof(u64);
		}
	}
	send_wait(scratch, frame_bytes);
}

static __always_inline bool has_left_queue(struct task_struct *task)
{
	struct task_struct___wait *woken = (void *)task;
	struct sched_entity___delayed *entity = (void *)&task->se;

	if (!bpf_core_field_exists(woken->on_rq))
		return false;
	if (!BPF_CORE_READ_BITFIELD_PROBED(woken, on_rq))
		return true;
	/* Asleep, but in the queue until its turn would come. */
	return bpf_core_field_exists(entity->sched_delayed) &&
	       BPF_CORE_READ_BITFIELD_PROBED(entity, sched_delayed);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(wait_sched_waking, struct task_struct *task)
{
	struct task_struct___wait *woken = (void *)task;
	u32 tid = task->pid;
	u32 *since, word;
	bool is_on_cpu;

	if (READ_ONCE(phase) != FXR_PHASE_ALL)
		return 0;
	since = since_of(tid);
	if (!since)
		return 0;
	word = READ_ONCE(*since);
	if (word == SINCE_AWAKE)
		return 0;
	if (word & 1) {
		u32 away = (u32)(bpf_ktime_get_ns() >> SINCE_SHIFT) - (word & SINCE_MASK);

		if (word >> 30 != tid >> SINCE_ID_BITS)
			return 0;
		if ((away & SINCE_MASK) + 1 < wait_min_units) {
			WRITE_ONCE(*since, SINCE_AWAKE);
			return 0;
		}
	}
	/*
	 * A thread that is about to sleep can be woken while it is still on its CPU. Its
	 * entry is that of an earlier sleep. One that has left the run queue sleeps already:
	 * its CPU has not finished the switch, which lasts where a hypervisor takes it away.
	 */
	if (bpf_core_field_exists(woken->on_cpu)) {
		/* The size of the field differs since 7.x. */
		is_on_cpu = BPF_CORE_READ_BITFIELD_PROBED(woken, on_cpu) != 0;
	} else {
		is_on_cpu = bpf_get_current_task() == (u64)task;
	}
	if (is_on_cpu && !(word & 1 && has_left_queue(task)))
		return 0;
	WRITE_ONCE(*since, SINCE_AWAKE);
	if (!filter_is_on || task_selected(task))
		on_wakeup(ctx, task, word, is_on_cpu);
	return 0;
}

/* include/uapi/asm-generic/signal.h: SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU */
#define FIRST_STOP_SIGNAL 19
#define LAST_STOP_SIGNAL 22

SEC("tp_btf/signal_generate")
int BPF_PROG(wait_signal_generate, int signal, u64 info, struct task_struct *task)
{
	struct task_struct *sender = (struct task_struct *)bpf_get_current_task();
	struct fxr_ring_control *ring;
	u32 tgid = task->tgid, tid = 0;
	u32 cpu;

	if (signal < FIRST_STOP_SIGNAL || signal > LAST_STOP_SIGNAL)
		return 0;
	ring = this_ring(&cpu);
	/* A kernel thread passes on what was typed at a terminal. */
	if (ring && !in_interrupt_context(ring, cpu) && context_is_known(ring) &&
	    !(BPF_CORE_READ(sender, flags) & PF_KTHREAD))
		tid = bpf_get_current_pid_tgid();
	bpf_map_update_elem(&wait_stoppers, &tgid, &tid, BPF_ANY);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
