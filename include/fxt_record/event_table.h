/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What can be recorded: the categories, the kernel's tracepoints that they stand
 * on, the types of slots, and what is in each of them. Everything else that needs
 * one of these lists makes it from here: FOO_TABLE(X) stands for X(...) of each
 * line. docs/adding-an-event.md says how to add to them.
 */
#ifndef FXT_RECORD_EVENT_TABLE_H
#define FXT_RECORD_EVENT_TABLE_H

/* A build may bring more lines for each table, in a file that -D names; a test does. */
#ifdef FXR_MORE_EVENTS
#include FXR_MORE_EVENTS
#else
#define FXR_MORE_CATEGORIES(X)
#define FXR_MORE_TRACEPOINTS(X)
#define FXR_MORE_SLOTS(X)
#define FXR_MORE_LONGS(X)
#endif

/*
 * X(id, name, description, by default): FXR_CATEGORY_id. In the order in which
 * people read them. `lbr` and `tracepoint` stand on no tracepoint of the table.
 */
#define FXR_CATEGORY_TABLE(X)                                                       \
	X(SCHED, "sched", "context switches, wakeups and migrations", 1)            \
	X(TASK, "task", "fork, exec, exit and rename of tasks", 1)                  \
	X(LOG, "log", "kernel log messages", 1)                                     \
	X(IRQ, "irq", "hardware interrupt handlers, per CPU", 0)                    \
	X(SOFTIRQ, "softirq", "soft interrupt handlers, per CPU", 0)                \
	X(SYSCALL, "syscall", "system calls, all or syscall:NAME,NAME", 0)          \
	X(LBR, "lbr", "last branches of the CPU (Intel LBR, AMD Zen)", 0)           \
	X(STACK, "stack", "call stacks: stack:off,wake,on or all", 0)               \
	X(TRACEPOINT, "tracepoint", "any tracepoint: -e SYSTEM:NAME", 0)            \
	X(COUNTER, "counter", "what --counters counts, by runs of threads", 0)      \
	FXR_MORE_CATEGORIES(X)

/*
 * X(category, tracepoint, name, way, slot type). The program has the
 * tracepoint's name; all tracepoints of a category have to exist for it to be
 * recorded. `name` is the event's own, as in -c sched:NAME. Ways:
 *  SLOT      a slot of the type; the program has a twin, see SLOT_PROGRAM in bpf/ring.h
 *  SIDE      something on the side ring
 *  IDENTITY  the same, whatever is recorded: it tells who tasks are
 *  BESIDE    as SLOT or SIDE, where another category has its program; this one's
 *            is CATEGORY_TRACEPOINT, as in stack_sched_switch
 */
#define FXR_TRACEPOINT_TABLE(X)                                        \
	X(SCHED, sched_switch, "switch", SLOT, SWITCH)                 \
	X(SCHED, sched_waking, "waking", SLOT, WAKING)                 \
	X(SCHED, sched_wakeup_new, "wakeup_new", SLOT, WAKING)         \
	X(SCHED, sched_migrate_task, "migrate", SLOT, MIGRATE)         \
	X(TASK, sched_process_fork, "fork", IDENTITY, NONE)            \
	X(TASK, sched_process_exec, "exec", IDENTITY, NONE)            \
	X(TASK, sched_process_exit, "exit", IDENTITY, NONE)            \
	X(TASK, task_rename, "rename", IDENTITY, NONE)                 \
	X(LOG, console, "message", SIDE, NONE)                         \
	X(IRQ, irq_handler_entry, "entry", SLOT, IRQ_ENTRY)            \
	X(IRQ, irq_handler_exit, "exit", SLOT, IRQ_EXIT)               \
	X(SOFTIRQ, softirq_entry, "entry", SLOT, SOFTIRQ_ENTRY)        \
	X(SOFTIRQ, softirq_exit, "exit", SLOT, SOFTIRQ_EXIT)           \
	X(SYSCALL, sys_enter, "enter", SLOT, SYSCALL_ENTRY)            \
	X(SYSCALL, sys_exit, "exit", SLOT, SYSCALL_EXIT)               \
	X(STACK, sched_switch, "off", BESIDE, NONE)                    \
	X(STACK, sched_waking, "wake", BESIDE, NONE)                   \
	X(COUNTER, sched_switch, "run", BESIDE, COUNTER)               \
	FXR_MORE_TRACEPOINTS(X)

/*
 * X(id, name, shape, body): FXR_SLOT_id, struct fxr_name_body and what else
 * slot_body.h makes of it. Shapes:
 *  OWN      code of its own translates it
 *  INSTANT  an instant, named and of the category as its first tracepoint says,
 *           on the thread that its field `tid` names, with its SHOWN fields as
 *           arguments; nothing but the lines here is needed
 */
#define FXR_SLOT_TABLE(X)                                              \
	X(SWITCH, switch, OWN, FXR_SWITCH_BODY)                        \
	X(WAKING, waking, OWN, FXR_WAKING_BODY)                        \
	X(MIGRATE, migrate, INSTANT, FXR_MIGRATE_BODY)                 \
	X(IRQ_ENTRY, irq_entry, OWN, FXR_IRQ_ENTRY_BODY)               \
	X(IRQ_EXIT, irq_exit, OWN, FXR_IRQ_EXIT_BODY)                  \
	X(SOFTIRQ_ENTRY, softirq_entry, OWN, FXR_SOFTIRQ_BODY)         \
	X(SOFTIRQ_EXIT, softirq_exit, OWN, FXR_SOFTIRQ_BODY)           \
	X(SYSCALL_ENTRY, syscall_entry, OWN, FXR_SYSCALL_ENTRY_BODY)   \
	X(SYSCALL_EXIT, syscall_exit, OWN, FXR_SYSCALL_EXIT_BODY)      \
	X(COUNTER, counter, OWN, FXR_COUNTER_BODY)                     \
	X(LOSS, loss, OWN, FXR_LOSS_BODY)                              \
	FXR_MORE_SLOTS(X)

/*
 * F(body, type, field, bits, role), from bit 0 up; 72 bits at most, the last
 * eight of which are `extra` in the slot's commit word. Fields that are SHOWN
 * are arguments of an INSTANT, in this order. A priority is the kernel's 0..139;
 * 255 stands for -1 (a deadline task).
 */
#define FXR_SWITCH_BODY(F, body)                                                    \
	F(body, fxr_u32, prev_tid, 22, HIDDEN)                                      \
	F(body, fxr_u32, next_tid, 22, HIDDEN)                                      \
	F(body, fxr_u8, prev_priority, 8, HIDDEN)                                   \
	F(body, fxr_u8, next_priority, 8, HIDDEN)                                   \
	F(body, fxr_u8, prev_state, 4, HIDDEN) /* enum fxr_task_state */

/* waker_tid 0: an interrupt or the idle task. is_new: a new task's first wakeup. */
#define FXR_WAKING_BODY(F, body)                                                    \
	F(body, fxr_u32, woken_tid, 22, HIDDEN)                                     \
	F(body, fxr_u32, waker_tid, 22, HIDDEN)                                     \
	F(body, fxr_u8, priority, 8, HIDDEN)                                        \
	F(body, fxr_u16, target_cpu, 12, HIDDEN)                                    \
	F(body, fxr_u8, is_new, 1, HIDDEN)

/* CPUs */
#define FXR_MIGRATE_BODY(F, body)                                                   \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u32, from, 13, SHOWN)                                           \
	F(body, fxr_u32, to, 13, SHOWN)                                             \
	F(body, fxr_u8, priority, 8, HIDDEN)

#define FXR_IRQ_ENTRY_BODY(F, body) F(body, fxr_u32, irq, 32, HIDDEN)

#define FXR_IRQ_EXIT_BODY(F, body)                                                  \
	F(body, fxr_u32, irq, 32, HIDDEN)                                           \
	F(body, fxr_u32, result, 32, HIDDEN)

#define FXR_SOFTIRQ_BODY(F, body) F(body, fxr_u32, vector, 32, HIDDEN)

/* is_compat: a call by the 32-bit table. */
#define FXR_SYSCALL_ENTRY_BODY(F, body)                                             \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u32, number, 32, HIDDEN)                                        \
	F(body, fxr_u8, is_compat, 1, HIDDEN)

/* result: its low 50 bits */
#define FXR_SYSCALL_EXIT_BODY(F, body)                                              \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_s64, result, 50, HIDDEN)

/*
 * What counter number `counter` of --counters counted while a thread ran, told when
 * the run ends; it saturates. is_partial: the counter was not counting all the time.
 */
#define FXR_COUNTER_BODY(F, body)                                                   \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u8, counter, 3, HIDDEN)                                         \
	F(body, fxr_u8, is_partial, 1, HIDDEN)                                      \
	F(body, fxr_u64, count, 46, HIDDEN)

/* count saturates; the slot's time is that of the first lost event. */
#define FXR_LOSS_BODY(F, body)                                                      \
	F(body, fxr_u32, count, 32, HIDDEN)                                         \
	F(body, fxr_u8, category, 8, HIDDEN) /* enum fxr_category */

/*
 * X(id, name, body): FXR_LONG_id, an event that has more to say than a slot holds
 * (a stack, a text, the fields of any tracepoint), by way of the side ring; what
 * long_event.h makes of it. Its tracepoint's way is SIDE. The body lists its
 * fields as F(body, type, field), up to 64 bits each; bytes of any number may
 * follow them.
 */
#define FXR_LONG_TABLE(X)                                              \
	X(STACK, stack, FXR_STACK_BODY)                                \
	X(TRACEPOINT, tracepoint, FXR_TRACEPOINT_BODY)                 \
	FXR_MORE_LONGS(X)

/*
 * A call stack. Its bytes are addresses, 8 bytes each: `user_frames` of the
 * process, then those of the kernel, the innermost first in both.
 */
#define FXR_STACK_BODY(F, body)                                                     \
	F(body, fxr_u8, kind) /* enum fxr_stack_kind */                             \
	F(body, fxr_u32, tid) /* whose stack it is; 0: that of an interrupt */      \
	F(body, fxr_u32, tgid)                                                      \
	F(body, fxr_u32, woken_tid) /* of a WAKE */                                 \
	F(body, fxr_u64, away)      /* of OFF and WAKE: ns that the sleeper was away */ \
	F(body, fxr_u32, user_frames)

/*
 * An event of a tracepoint that -e asked for. Its bytes are the kernel's own record
 * of it, laid out as the tracepoint's format file says.
 */
#define FXR_TRACEPOINT_BODY(F, body)                                                \
	F(body, fxr_u32, number) /* place of the tracepoint among those asked for */ \
	F(body, fxr_u32, tid)    /* 0: the idle task */

#endif
