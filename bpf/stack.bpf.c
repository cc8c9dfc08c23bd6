// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Category `stack`: call stacks of threads that sleep (part `off`), of their wakers (part
 * `wake`) and of running threads, by samples (part `on`).
 *
 * Most sleeps are short and need no stack, so the start of a sleep does as little as
 * possible. The kernel half of a sleeper's stack does not change and can be unwound from
 * outside. It is unwound at the end of the sleep, and only if the sleep was long. The user
 * half is readable only in its own address space, so it is taken at the start, into a
 * buffer of the thread.
 *
 * Threads sleep in the same places again and again. Unwinding the kernel half costs most,
 * sending the frames comes next. The return addresses in the kernel stack, with their
 * places, determine how it unwinds: they are hashed first, and a stack that was already
 * sent is sent by id only. Finding those addresses is most of the remaining cost. So each
 * thread caches their places for its last sleeps, and checking those places is enough.
 */
#include "common.h"
#include "context.h"
#include "filter.h"
#include "python.h"
#include "ring.h"
#include "stack_halves.h"
#include "task_state.h"
#include "unwind.h"

const volatile fxr_u64 stack_min_ns = 0; /* shorter sleeps are not recorded */
const volatile fxr_u8 stack_wants_off = 0;

#define KNOWN_SLEEPS 2 /* per thread; a power of 2 */

/* A stack that was sent, with what identifies it. */
struct known_sleep {
	u64 user_number;
	u64 number;
	u32 age; /* stack_age when it was sent */
	struct kernel_half kernel;
};

struct stack_sleep {
	u64 since; /* ns; 0: the thread runs, or its sleep is not recorded */
	u64 user_number; /* hash of the user frames and their end */
	u32 user_bytes;
	u8 user_end;     /* enum fxr_stack_end */
	u8 has_python;   /* see python_threads */
	u64 user[FXR_STACK_FRAMES];
	struct known_sleep known[KNOWN_SLEEPS];
};

/* By thread id. The loader sets max_entries. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stack_sleep);
} sleeps SEC(".maps");

/* Both halves of a stack: user, frames of Python, kernel. */
struct frames {
	u64 frame[3 * FXR_STACK_FRAMES];
};

#define HALF_BYTES (FXR_STACK_FRAMES * sizeof(u64))

/* Stacks that the collector knows, with the stack_age of sending. */
struct known_ids known_stacks SEC(".maps");

/* Entries of an earlier age are invalid. The collector writes it. */
fxr_u32 stack_age = 0;

/* By lane. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct frames);
} stack_scratch SEC(".maps");

#define KERNEL_HALVES 32 /* per CPU; a power of 2 */
#define KERNEL_FRAMES 32 /* a system call that waits has about 10 */

/* Kernel halves that were unwound. Many stacks have the same one. */
struct kernel_frames {
	u64 number; /* kernel_number() */
	u64 bytes;
	u64 frame[KERNEL_FRAMES];
};

struct kernel_halves {
	struct kernel_frames half[KERNEL_HALVES];
};

/* By CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct kernel_halves);
} kernel_halves SEC(".maps");

/* Never written: the initial values of a thread's entries. */
static struct stack_sleep no_sleep;
static struct python_thread no_python_thread;

static __always_inline void send_again(struct fxr_stack_long stack)
{
	struct fxr_stack_again_long fields = {.kind = stack.kind,
					      .tid = stack.tid,
					      .tgid = stack.tgid,
					      .away = stack.away,
					      .id = stack.id};
	struct fxr_long *event = long_reserve(FXR_LONG_SIZE(stack_again, 0), FXR_CATEGORY_STACK);

	if (!event)
		return;
	fxr_pack_stack_again(event, fields, 0);
	side_submit(event);
}

/*
 * Sends `bytes` bytes of `frames` in the smallest event size that holds them. Returns
 * false if there is no room.
 */
static __always_inline bool send_stack(struct fxr_stack_long fields, struct frames *frames,
				       u64 bytes)
{
	struct fxr_long *event;

	/* Ring buffer reservations need a constant size. */
#define TRY(room)                                                                       \
	if (bytes <= (room)) {                                                          \
		event = long_reserve(FXR_LONG_SIZE(stack, room), FXR_CATEGORY_STACK);   \
		if (!event)                                                             \
			return false;                                                         \
		bytes = CUT_SIZE(bytes, room);                                          \
		fxr_pack_stack(event, fields, bytes);                                   \
		bpf_probe_read_kernel(fxr_stack_bytes(event), bytes, frames);           \
		side_submit(event);                                                     \
		return true;                                                                 \
	}
	TRY(16 * 8)
	TRY(32 * 8)
	TRY(64 * 8)
	TRY(2 * HALF_BYTES)
	TRY(3 * HALF_BYTES)
#undef TRY
	return false;
}

static __always_inline struct frames *scratch(u32 lane)
{
	return bpf_map_lookup_elem(&stack_scratch, &lane);
}

/* An exiting thread has no user half any more: nothing is missing. */
static __always_inline u8 end_without_user_half(u32 flags)
{
	return flags & PF_KTHREAD ? FXR_STACK_END_UNKNOWN : FXR_STACK_END_ENTRY;
}

/* Stores the frames of Python that were read, and makes them known. Returns their number. */
__noinline int keep_python(u32 lane, u32 tid)
{
	struct python_state *python = python_of(lane);
	struct python_thread *thread;

	if (!python || !python->number)
		return 0;
	thread = bpf_map_lookup_elem(&python_threads, &tid);
	if (!thread) {
		bpf_map_update_elem(&python_threads, &tid, &no_python_thread, BPF_NOEXIST);
		thread = bpf_map_lookup_elem(&python_threads, &tid);
		if (!thread)
			return 0;
	}
	python_mark(lane);
	python_send_codes(lane);
	bpf_probe_read_kernel(thread->frame, sizeof(thread->frame), python->frame);
	thread->frames = python->frames;
	return thread->frames;
}

/* Copies the frames of Python of a sleeper to byte `at` of the scratch. Returns their bytes. */
__noinline int copy_python(u32 tid, u64 at)
{
	struct python_thread *thread = bpf_map_lookup_elem(&python_threads, &tid);
	struct frames *frames = scratch(task_lane());
	u64 bytes;

	if (!thread || !frames)
		return 0;
	bytes = CUT_SIZE(READ_ONCE(thread->frames) * sizeof(u64), HALF_BYTES);
	at = CUT_SIZE(at, HALF_BYTES);
	if (bpf_probe_read_kernel((void *)frames + at, bytes, thread->frame))
		return 0;
	return bytes;
}

/* Sleeps without a stack: the kernel did not report that their threads ran again. */
fxr_u64 unended_sleeps = 0;

/* Counts the thread's last sleep if it is one of these. */
static __always_inline void count_unended(const struct stack_sleep *sleep, u64 now)
{
	if (unlikely(sleep->since) && stack_wants_off && now - sleep->since >= stack_min_ns)
		__sync_fetch_and_add(&unended_sleeps, 1);
}

/* Runs in the context of `task`, which goes to sleep. */
static __always_inline void fall_asleep(void *ctx, struct task_struct *task, u64 now)
{
	struct fxr_ring_control *ring;
	struct unwind_state *user;
	struct stack_sleep *sleep;
	u32 tid = task->pid;
	u64 bytes;
	u32 cpu;

	sleep = bpf_map_lookup_elem(&sleeps, &tid);
	if (unlikely(!sleep)) {
		bpf_map_update_elem(&sleeps, &tid, &no_sleep, BPF_NOEXIST);
		sleep = bpf_map_lookup_elem(&sleeps, &tid);
		if (!sleep) {
			ring = this_ring(&cpu);
			if (ring)
				count_drop(ring, FXR_CATEGORY_STACK);
			return;
		}
	}
	count_unended(sleep, now);
	user = stack_wants_off && task->mm ? user_stack(ctx, task_lane()) : NULL;
	if (!user) {
		sleep->user_bytes = 0;
		sleep->user_number = 0;
		sleep->has_python = false;
		sleep->user_end = stack_wants_off ? end_without_user_half(task->flags) :
						    FXR_STACK_END_UNKNOWN;
		sleep->since = now;
		return;
	}
	if (unlikely(user->python))
		python_stack(task_lane(), tid);
	if (sleep->user_number != user->number) {
		sleep->has_python = user->python && keep_python(task_lane(), tid);
		bytes = CUT_SIZE(READ_ONCE(user->frames) * sizeof(u64), HALF_BYTES);
		bpf_probe_read_kernel(sleep->user, bytes, user->frame);
		sleep->user_bytes = bytes;
		sleep->user_number = user->number;
		sleep->user_end = user->end;
	}
	sleep->since = now;
}

/*
 * Writes the kernel frames of a switched-out task to `to`, which has HALF_BYTES. `number` is
 * kernel_number(). Returns their bytes.
 */
static __always_inline u64 kernel_frames_of(struct task_struct *task, u64 number, void *to)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct kernel_halves *halves = bpf_map_lookup_elem(&kernel_halves, &cpu);
	struct kernel_frames *half;
	u64 bytes;
	long got;

	if (!halves)
		return 0;
	half = &halves->half[number % KERNEL_HALVES];
	if (number && half->number == number) {
		bytes = CUT_SIZE(half->bytes, sizeof(half->frame));
		bpf_probe_read_kernel(to, bytes, half->frame);
		return bytes;
	}
	got = bpf_get_task_stack(task, to, HALF_BYTES, 0);
	bytes = got > 0 ? got : 0;
	if (number && bytes && bytes <= sizeof(half->frame)) {
		half->number = number;
		half->bytes = bytes;
		bpf_probe_read_kernel(half->frame, CUT_SIZE(bytes, sizeof(half->frame)), to);
	}
	return bytes;
}

static __always_inline void run_again(struct task_struct *task, u64 now)
{
	struct fxr_stack_long fields = {.kind = FXR_STACK_OFF};
	struct frames *frames;
	struct known_sleep *known;
	struct stack_sleep *sleep;
	u32 tid = task->pid;
	u64 user_bytes, user, kernel, bytes;
	u32 age;

	sleep = bpf_map_lookup_elem(&sleeps, &tid);
	if (!sleep || !sleep->since)
		return;
	fields.away = now - sleep->since;
	sleep->since = 0;
	if (!stack_wants_off || fields.away < stack_min_ns)
		return;
	frames = scratch(task_lane());
	if (!frames)
		return;
	user_bytes = CUT_SIZE(sleep->user_bytes, HALF_BYTES);
	fields.tid = tid;
	fields.tgid = task->tgid;
	fields.user_frames = user_bytes / sizeof(u64);
	age = READ_ONCE(stack_age);
	fields.end = sleep->user_end;
	user = sleep->user_number;
	known = &sleep->known[user % KNOWN_SLEEPS];
	if (known->user_number == user && known->age == age &&
	    unwinds_alike(task, &known->kernel)) {
		fields.id = known->number;
		send_again(fields);
		return;
	}
	kernel = kernel_number(task, &known->kernel);
	if (kernel)
		fields.id = mix(kernel, user) | 1;
	known->user_number = user;
	known->number = fields.id;
	known->age = age;
	if (fields.id && is_known(&known_stacks, fields.id, age)) {
		send_again(fields);
		return;
	}
	bpf_probe_read_kernel(frames, user_bytes, sleep->user);
	if (unlikely(sleep->has_python)) {
		u64 python_bytes = CUT_SIZE((u64)copy_python(tid, user_bytes), HALF_BYTES);

		fields.python_frames = python_bytes / sizeof(u64);
		user_bytes += python_bytes;
	}
	bytes = kernel_frames_of(task, kernel, (void *)frames + user_bytes);
	if (!send_stack(fields, frames, user_bytes + bytes))
		known->kernel.words = 0;
	else if (fields.id)
		set_known(&known_stacks, fields.id, age);
}

/*
 * Takes the user half of the current thread, with its frames of Python, to the begin of the
 * lane's scratch. Sets the fields of that half. Returns its bytes.
 */
static __always_inline u64 copy_user_half(const struct unwind_state *user, u32 lane,
					  struct frames *frames, struct fxr_stack_long *fields)
{
	struct python_state *python = NULL;
	u64 user_bytes, python_bytes = 0;

	if (unlikely(user->python)) {
		python = python_of(lane);
		if (python && python->number) {
			python_mark(lane);
			python_send_codes(lane);
		} else {
			python = NULL;
		}
	}
	user_bytes = CUT_SIZE(READ_ONCE(user->frames) * sizeof(u64), HALF_BYTES);
	bpf_probe_read_kernel(frames, user_bytes, user->frame);
	if (python) {
		python_bytes = CUT_SIZE(READ_ONCE(python->frames) * sizeof(u64), HALF_BYTES);
		bpf_probe_read_kernel((void *)frames + user_bytes, python_bytes, python->frame);
	}
	fields->user_frames = user_bytes / sizeof(u64);
	fields->python_frames = python_bytes / sizeof(u64);
	fields->end = user->end;
	return user_bytes + python_bytes;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(stack_sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	u32 state = SWITCH_STATE();
	u64 now;

	if (READ_ONCE(phase) != FXR_PHASE_ALL)
		return 0;
	now = bpf_ktime_get_ns();
	if (!preempt && state && prev->pid) {
		u32 tid = prev->pid;

		if (state & TASK_DEAD) {
			struct stack_sleep *sleep = bpf_map_lookup_elem(&sleeps, &tid);

			if (sleep)
				count_unended(sleep, now);
			bpf_map_delete_elem(&sleeps, &tid);
			bpf_map_delete_elem(&python_threads, &tid);
		} else if (!filter_is_on || task_selected(prev)) {
			fall_asleep(ctx, prev, now);
		}
	}
	if (next->pid)
		run_again(next, now);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(stack_sched_waking, struct task_struct *task)
{
	struct fxr_stack_long fields = {.kind = FXR_STACK_WAKE};
	struct fxr_ring_control *ring;
	struct frames *frames;
	struct stack_sleep *sleep;
	struct task_struct *waker;
	struct unwind_state *user;
	u32 tid = task->pid;
	u64 user_bytes = 0;
	u64 id;
	long bytes;
	u32 cpu;

	if (READ_ONCE(phase) != FXR_PHASE_ALL)
		return 0;
	/* Only selected tasks have an entry. */
	sleep = bpf_map_lookup_elem(&sleeps, &tid);
	if (!sleep || !sleep->since)
		return 0;
	fields.away = bpf_ktime_get_ns() - sleep->since;
	if ((s64)fields.away < (s64)stack_min_ns)
		return 0;
	ring = this_ring(&cpu);
	frames = scratch(task_lane());
	if (!ring || !frames)
		return 0;
	fields.woken_tid = tid;
	/* An interrupted task is not the waker. */
	if (!in_interrupt_context(ring, cpu)) {
		id = bpf_get_current_pid_tgid();
		fields.tid = (u32)id;
		fields.tgid = id >> 32;
		waker = (struct task_struct *)bpf_get_current_task();
		user = BPF_CORE_READ(waker, mm) ? user_stack(ctx, task_lane()) : NULL;
		if (!user) {
			fields.end = end_without_user_half(BPF_CORE_READ(waker, flags));
		} else {
			if (unlikely(user->python))
				python_stack(task_lane(), (u32)id);
			user_bytes = copy_user_half(user, task_lane(), frames, &fields);
		}
	}
	bytes = bpf_get_stack(ctx, (void *)frames + user_bytes, HALF_BYTES, 0);
	if (bytes < 0)
		bytes = 0;
	send_stack(fields, frames, user_bytes + bytes);
	return 0;
}

/* Hashes `count` kernel frames of the scratch. */
__noinline u64 sampled_kernel_number(u32 lane, u32 count)
{
	struct frames *frames = scratch(lane);
	u64 number = FXR_STACK_ON;

	if (!frames)
		return 0;
	for (u32 i = 0; i < FXR_STACK_FRAMES; i++) {
		if (i >= count)
			break;
		number = mix(number, frames->frame[2 * FXR_STACK_FRAMES + i]);
	}
	return number;
}

/*
 * A sample of the running thread, in an interrupt or an NMI. Programs of perf events do not
 * nest on a CPU.
 */
SEC("perf_event")
int stack_sample(void *ctx)
{
	struct fxr_stack_long fields = {.kind = FXR_STACK_ON};
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct unwind_state *user;
	struct frames *frames;
	u64 id = bpf_get_current_pid_tgid();
	u32 lane = sample_lane();
	u32 age = READ_ONCE(stack_age);
	u64 kernel_bytes, user_bytes;
	void *kernel;
	long bytes;

	fields.tid = (u32)id;
	fields.tgid = id >> 32;
	if (READ_ONCE(phase) != FXR_PHASE_ALL || !fields.tid || !current_selected())
		return 0;
	frames = scratch(lane);
	if (!frames)
		return 0;
	/* None if user code was interrupted. */
	kernel = (void *)frames + 2 * HALF_BYTES;
	bytes = bpf_get_stack(ctx, kernel, HALF_BYTES, 0);
	kernel_bytes = CUT_SIZE(bytes > 0 ? bytes : 0, HALF_BYTES);
	fields.id = sampled_kernel_number(lane, kernel_bytes / sizeof(u64));
	user = BPF_CORE_READ(task, mm) ? user_stack(ctx, lane) : NULL;
	if (user) {
		if (unlikely(user->python))
			python_stack(lane, fields.tid);
		fields.id = mix(fields.id, user->number);
	}
	fields.id |= 1;
	if (is_known(&known_stacks, fields.id, age)) {
		send_again(fields);
		return 0;
	}
	if (user) {
		user_bytes = copy_user_half(user, lane, frames, &fields);
	} else {
		user_bytes = 0;
		fields.end = end_without_user_half(BPF_CORE_READ(task, flags));
	}
	bpf_probe_read_kernel((void *)frames + user_bytes, kernel_bytes, kernel);
	if (send_stack(fields, frames, user_bytes + kernel_bytes))
		set_known(&known_stacks, fields.id, age);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
