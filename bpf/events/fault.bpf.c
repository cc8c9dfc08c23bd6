// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Category `fault`: page faults at their start, and the waits of major faults.
 *
 * A fault does not know at its start whether it will wait, and its end has no tracepoint.
 * So the last fault of each CPU is kept. When its thread switches out to wait for I/O,
 * that is the start of the wait. The perf software event for major faults fires at the end
 * of the fault.
 */
#include "common.h"
#include "filter.h"
#include "ring.h"
#include "task_state.h"

/* arch/x86/include/asm/trap_pf.h */
#define FAULT_PRESENT 1
#define FAULT_WRITE 2

/* The last fault of a CPU. */
struct last_fault {
	u64 address;
	u64 registers; /* address of the interrupted context's pt_regs */
	u64 ip;        /* instruction pointer in them */
	u32 tid;       /* 0: none, or its wait was already emitted */
	u32 in_kernel;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct last_fault);
} last_faults SEC(".maps");

/*
 * Faults whose threads left the CPU without waiting for I/O, by thread id: preempted, or
 * asleep for a lock. They may go on, and wait for I/O, on another CPU.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u32);
	__type(value, struct last_fault);
} suspended_faults SEC(".maps");

#define KERNEL_FRAMES 48

struct kernel_frames {
	u64 frame[KERNEL_FRAMES];
};

/* Used with interrupts off. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct kernel_frames);
} fault_scratch SEC(".maps");

static __always_inline struct fxr_payload describe(u64 address, u64 code)
{
	struct fxr_fault_user_body body = {
		.tid = bpf_get_current_pid_tgid(),
		.address = address,
		.write = (code & FAULT_WRITE) != 0,
		.present = (code & FAULT_PRESENT) != 0,
	};

	return fxr_pack_fault_user(body);
}

/*
 * Returns true if the interrupted code had interrupts off. Such a fault cannot wait;
 * programs that read stacks cause them.
 */
static __always_inline bool interrupts_are_off(struct pt_regs *registers)
{
#if defined(__TARGET_ARCH_x86)
	return !(registers->flags & 0x200);
#else
	return false;
#endif
}

/* `registers` is a tracepoint argument, so it can be read directly. */
static __always_inline u64 own_ip(struct pt_regs *registers)
{
#if defined(__TARGET_ARCH_x86)
	return registers->ip;
#else
	return 0; /* no page-fault tracepoints on this architecture */
#endif
}

static __always_inline u64 interrupted_ip(struct pt_regs *registers)
{
#if defined(__TARGET_ARCH_x86)
	return BPF_CORE_READ(registers, ip);
#else
	return 0;
#endif
}

static __always_inline int on_fault(enum claim claim, enum fxr_slot_type type, u64 address,
				    struct pt_regs *registers, u64 code)
{
	struct last_fault *last;
	u32 zero = 0;

	if (!current_selected())
		return 0;
	last = bpf_map_lookup_elem(&last_faults, &zero);
	if (last && !(type == FXR_SLOT_FAULT_KERNEL && interrupts_are_off(registers))) {
		last->address = address;
		last->registers = (u64)registers;
		last->ip = own_ip(registers);
		last->tid = bpf_get_current_pid_tgid();
		last->in_kernel = type == FXR_SLOT_FAULT_KERNEL;
	}
	emit_slot(claim, FXR_CATEGORY_FAULT, type, describe(address, code));
	return 0;
}

SLOT_PROGRAM(page_fault_user, on_fault(claim, FXR_SLOT_FAULT_USER, address, regs, code),
	     u64 address, struct pt_regs *regs, u64 code)

SLOT_PROGRAM(page_fault_kernel, on_fault(claim, FXR_SLOT_FAULT_KERNEL, address, regs, code),
	     u64 address, struct pt_regs *regs, u64 code)

/* Returns true if the current task, at a switch, is still in this fault. */
static __always_inline bool is_at(void *ctx, struct last_fault *fault)
{
	struct kernel_frames *frames;
	u32 zero = 0;
	long bytes;

	/* A new kernel entry, and the calls it makes, overwrite the saved registers. */
	if (interrupted_ip((struct pt_regs *)fault->registers) != fault->ip)
		return false;
	if (!fault->in_kernel)
		return true;
	/* In a system call the registers may be stale: the call continues after the fault. */
	frames = bpf_map_lookup_elem(&fault_scratch, &zero);
	if (!frames)
		return false;
	bytes = bpf_get_stack(ctx, frames, sizeof(*frames), 0);
	for (u32 i = 0; i < KERNEL_FRAMES; i++) {
		if ((long)(i * sizeof(u64)) >= bytes)
			return false;
		/*
		 * The interrupted instruction itself; a call would return to the one after
		 * it.
		 */
		if (frames->frame[i] == fault->ip)
			return true;
	}
	return false;
}

static __always_inline bool waits_for_io(struct task_struct *task)
{
	if (!bpf_core_field_exists(task->in_iowait))
		return true;
	return BPF_CORE_READ_BITFIELD_PROBED(task, in_iowait);
}

static __always_inline int on_switch(enum claim claim, void *ctx, struct task_struct *prev,
				     bool preempt, u32 state)
{
	struct fxr_fault_wait_body body = {.tid = prev->pid};
	struct last_fault *last;
	bool is_blocked = !preempt && state & TASK_UNINTERRUPTIBLE;
	bool is_last, waits;
	u32 zero = 0;

	last = bpf_map_lookup_elem(&last_faults, &zero);
	if (!body.tid || !last)
		return 0;
	is_last = last->tid == body.tid;
	waits = is_blocked && waits_for_io(prev);
	if (!is_last) {
		if (!waits)
			return 0;
		last = bpf_map_lookup_elem(&suspended_faults, &body.tid);
		if (!last || !last->tid)
			return 0;
	}
	if ((preempt || is_blocked) && is_at(ctx, last)) {
		if (waits) {
			body.address = last->address;
			emit_slot(claim, FXR_CATEGORY_FAULT, FXR_SLOT_FAULT_WAIT,
				  fxr_pack_fault_wait(body));
		} else {
			bpf_map_update_elem(&suspended_faults, &body.tid, last, BPF_ANY);
		}
	} else if (!is_last) {
		return 0;
	}
	/*
	 * The thread may have its next fault on another CPU and come back in the middle of
	 * that one.
	 */
	last->tid = 0;
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(fault_sched_switch, bool preempt, struct task_struct *prev)
{
	return on_switch(CLAIM_FETCH, ctx, prev, preempt, SWITCH_STATE());
}

SEC("tp_btf/sched_switch")
int BPF_PROG(fault_sched_switch_flag, bool preempt, struct task_struct *prev)
{
	return on_switch(CLAIM_FLAG, ctx, prev, preempt, SWITCH_STATE());
}

/* struct bpf_perf_event_data of include/uapi/linux/bpf_perf_event.h */
struct sample_context {
#if defined(__TARGET_ARCH_x86)
	u64 registers[21];
#else
	u64 registers[34];
#endif
	u64 period;
	u64 address;
};

static __always_inline int on_major(enum claim claim, u64 address)
{
	struct fxr_fault_major_body body = {
		.tid = bpf_get_current_pid_tgid(),
		.address = address,
	};

	if (!current_selected())
		return 0;
	emit_slot(claim, FXR_CATEGORY_FAULT, FXR_SLOT_FAULT_MAJOR, fxr_pack_fault_major(body));
	return 0;
}

SEC("perf_event")
int page_fault_major(struct sample_context *ctx)
{
	return on_major(CLAIM_FETCH, ctx->address);
}

SEC("perf_event")
int page_fault_major_flag(struct sample_context *ctx)
{
	return on_major(CLAIM_FLAG, ctx->address);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
