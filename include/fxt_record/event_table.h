/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables of everything that can be recorded: categories, tracepoints, slot types and
 * their fields. All other lists are generated from them: FOO_TABLE(X) expands to X(...)
 * for each line. docs/adding-an-event.md describes how to add to them.
 */
#ifndef FXT_RECORD_EVENT_TABLE_H
#define FXT_RECORD_EVENT_TABLE_H

#include "fxt_record/kernel_bodies.h"

/* -DFXR_MORE_EVENTS=FILE adds lines to each table; a test uses it. */
#ifdef FXR_MORE_EVENTS
#include FXR_MORE_EVENTS
#else
#define FXR_MORE_CATEGORIES(X)
#define FXR_MORE_TRACEPOINTS(X)
#define FXR_MORE_SLOTS(X)
#define FXR_MORE_LONGS(X)
#endif

/*
 * X(id, name, description, by default) defines FXR_CATEGORY_id, in display order. `lbr`,
 * `probe`, `tracepoint` and `settings` have no lines in the tracepoint table.
 */
#define FXR_CATEGORY_TABLE(X)                                                       \
	X(SCHED, "sched", "context switches, wakeups and migrations", 1)            \
	X(TASK, "task", "fork, exec, exit and rename of tasks", 1)                  \
	X(LOG, "log", "kernel log messages", 1)                                     \
	X(WAIT, "wait", "what a thread slept for: call, file, socket, lock, timer", 0) \
	X(IRQ, "irq", "hardware interrupt handlers, per CPU", 0)                    \
	X(SOFTIRQ, "softirq", "soft interrupt handlers, per CPU", 0)                \
	X(SYSCALL, "syscall", "system calls, all or syscall:NAME,NAME", 0)          \
	X(LBR, "lbr", "last branches of the CPU (Intel LBR, AMD Zen)", 0)           \
	X(STACK, "stack", "call stacks: stack:off,wake,on or all", 0)               \
	X(PROBE, "probe", "calls of functions: --uprobe, --kprobe, --usdt", 0)      \
	X(TRACEPOINT, "tracepoint", "any tracepoint: -e SYSTEM:NAME", 0)            \
	X(COUNTER, "counter", "what --counters counts, by runs of threads", 0)      \
	X(BLOCK, "block", "requests of block devices, from insert or issue to completion", 0) \
	X(FAULT, "fault", "page faults of processes and of the kernel (x86)", 0)    \
	X(POWER, "power", "frequency and idle state of CPUs, as counters", 0)       \
	X(SIGNAL, "signal", "signals that are generated and delivered", 0)          \
	X(IPI, "ipi", "interrupts between CPUs: sent (6.4) and handled (x86)", 0)   \
	X(WORKQUEUE, "workqueue", "work that is queued and executed, by function", 0) \
	X(TIMER, "timer", "timers and hrtimers that expire, by function", 0)        \
	X(NET, "net", "socket states, packets queued, sent and received", 0)        \
	X(OOM, "oom", "processes that are killed for want of memory", 0)            \
	X(RECLAIM, "reclaim", "threads that have to reclaim memory themselves", 0)  \
	X(LOCK, "lock", "waits for contended locks of the kernel (5.19)", 0)        \
	X(REQUEST, "request", "requests of servers, on TCP and Unix connections (6.3)", 0) \
	X(SETTINGS, "settings", "settings of the kernel, cgroups, processes and the command", 1) \
	FXR_MORE_CATEGORIES(X)

/*
 * X(category, tracepoint, name, way, slot type). The program is named after the
 * tracepoint. A category can be recorded if all its tracepoints exist, except those marked
 * MAY. `name` is the event's name in -c, as in sched:NAME. Ways:
 *
 * - SLOT: a slot of the type; the program has two forms, see SLOT_PROGRAM in bpf/ring.h.
 * - MAY: a slot of a tracepoint that some kernels lack.
 * - SIDE: an event on the side ring.
 * - SIDE_MAY: a side event of a tracepoint that some kernels lack.
 * - IDENTITY: a side event that names tasks, attached in every recording.
 * - BESIDE: a slot or side event of a tracepoint that another category uses too; the
 *   program is named CATEGORY_TRACEPOINT, as in stack_sched_switch.
 * - BESIDE_MAY: the same of a tracepoint that some kernels lack.
 * - PERF: a slot of a perf software event; the program runs at each overflow, with a
 *   period of 1.
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
	X(WAIT, sched_switch, "sleep", BESIDE, NONE)                   \
	X(WAIT, sched_waking, "wake", BESIDE, NONE)                    \
	X(WAIT, signal_generate, "stop", BESIDE, NONE)                 \
	X(WAIT, page_fault_user, "fault", BESIDE_MAY, NONE)            \
	X(IRQ, irq_handler_entry, "entry", SLOT, IRQ_ENTRY)            \
	X(IRQ, irq_handler_exit, "exit", SLOT, IRQ_EXIT)               \
	X(SOFTIRQ, softirq_entry, "entry", SLOT, SOFTIRQ_ENTRY)        \
	X(SOFTIRQ, softirq_exit, "exit", SLOT, SOFTIRQ_EXIT)           \
	X(SYSCALL, sys_enter, "enter", SLOT, SYSCALL_ENTRY)            \
	X(SYSCALL, sys_exit, "exit", SLOT, SYSCALL_EXIT)               \
	X(STACK, sched_switch, "off", BESIDE, NONE)                    \
	X(STACK, sched_waking, "wake", BESIDE, NONE)                   \
	X(COUNTER, sched_switch, "run", BESIDE, COUNTER)               \
	X(BLOCK, block_rq_insert, "insert", SIDE, NONE)                \
	X(BLOCK, block_rq_issue, "issue", SIDE, NONE)                  \
	X(BLOCK, block_rq_complete, "complete", SIDE, NONE)            \
	X(BLOCK, block_rq_merge, "merge", SIDE_MAY, NONE)              \
	X(FAULT, page_fault_user, "user", SLOT, FAULT_USER)            \
	X(FAULT, page_fault_kernel, "kernel", SLOT, FAULT_KERNEL)      \
	X(FAULT, page_fault_major, "major", PERF, FAULT_MAJOR)         \
	X(FAULT, sched_switch, "major", BESIDE, FAULT_WAIT)            \
	X(POWER, cpu_frequency, "cpu_frequency", SLOT, CPU_FREQUENCY)  \
	X(POWER, cpu_idle, "cpu_idle", SLOT, CPU_IDLE)                 \
	X(SIGNAL, signal_generate, "generate", SLOT, SIGNAL_GENERATE)  \
	X(SIGNAL, signal_deliver, "deliver", SLOT, SIGNAL_DELIVER)     \
	X(IPI, ipi_send_cpu, "send", MAY, IPI_SEND)                    \
	X(IPI, ipi_send_cpumask, "send_many", MAY, IPI_SEND_MANY)      \
	X(IPI, reschedule_entry, "reschedule", SLOT, IPI_ENTRY)        \
	X(IPI, reschedule_exit, "reschedule", SLOT, IPI_EXIT)          \
	X(IPI, call_function_entry, "call_function", SLOT, IPI_ENTRY)  \
	X(IPI, call_function_exit, "call_function", SLOT, IPI_EXIT)    \
	X(IPI, call_function_single_entry, "call_function_single", SLOT, IPI_ENTRY) \
	X(IPI, call_function_single_exit, "call_function_single", SLOT, IPI_EXIT)   \
	X(WORKQUEUE, workqueue_queue_work, "queue", SLOT, WORK_QUEUE)  \
	X(WORKQUEUE, workqueue_execute_start, "execute", SLOT, WORK_START) \
	X(WORKQUEUE, workqueue_execute_end, "execute", SLOT, WORK_END) \
	X(TIMER, timer_expire_entry, "timer", SLOT, TIMER_ENTRY)       \
	X(TIMER, timer_expire_exit, "timer", SLOT, TIMER_EXIT)         \
	X(TIMER, hrtimer_expire_entry, "hrtimer", SLOT, TIMER_ENTRY)   \
	X(TIMER, hrtimer_expire_exit, "hrtimer", SLOT, TIMER_EXIT)     \
	X(NET, inet_sock_set_state, "socket_state", SLOT, SOCKET_STATE) \
	X(NET, net_dev_queue, "queue", SLOT, NET_QUEUE)                \
	X(NET, net_dev_xmit, "xmit", SLOT, NET_XMIT)                   \
	X(NET, netif_receive_skb, "receive", SLOT, NET_RECEIVE)        \
	X(OOM, mark_victim, "mark_victim", SLOT, OOM_VICTIM)           \
	X(RECLAIM, mm_vmscan_direct_reclaim_begin, "direct_reclaim", SLOT, RECLAIM_BEGIN) \
	X(RECLAIM, mm_vmscan_direct_reclaim_end, "direct_reclaim", SLOT, RECLAIM_END)     \
	X(RECLAIM, mm_vmscan_memcg_reclaim_begin, "memcg_reclaim", MAY, RECLAIM_BEGIN)    \
	X(RECLAIM, mm_vmscan_memcg_reclaim_end, "memcg_reclaim", MAY, RECLAIM_END)        \
	X(LOCK, contention_begin, "contention", SLOT, LOCK_BEGIN)      \
	X(LOCK, contention_end, "contention", SLOT, LOCK_END)          \
	X(REQUEST, sock_recv_length, "receive", SLOT, REQUEST_RECEIVE) \
	X(REQUEST, tcp_sendmsg_locked, "send", MAY, REQUEST_SEND)      \
	X(REQUEST, sock_send_length, "send", SLOT, REQUEST_SEND)       \
	X(REQUEST, sk_data_ready, "send", SLOT, REQUEST_SEND)          \
	X(REQUEST, inet_sock_set_state, "close", BESIDE, REQUEST_CLOSE) \
	FXR_MORE_TRACEPOINTS(X)

/*
 * X(id, name, shape, body) defines FXR_SLOT_id, struct fxr_name_body and the functions of
 * slot_body.h. Shapes:
 *
 * - OWN: translated by code of its own.
 * - INSTANT: translated to an instant by these lines alone. Its first tracepoint gives
 *   name and category, its field `tid` the thread. Fields that are not HIDDEN become
 *   arguments. If its field `in_interrupt` is set, the instant is on the interrupt track
 *   of its CPU.
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
	X(PROBE_ENTRY, probe_entry, OWN, FXR_PROBE_CALL_BODY)          \
	X(PROBE_RETURN, probe_return, OWN, FXR_PROBE_CALL_BODY)        \
	X(PROBE_VALUE, probe_value, OWN, FXR_PROBE_VALUE_BODY)         \
	X(PROBE_VALUE_TOP, probe_value_top, OWN, FXR_PROBE_VALUE_TOP_BODY) \
	X(FAULT_USER, fault_user, INSTANT, FXR_FAULT_BODY)             \
	X(FAULT_KERNEL, fault_kernel, INSTANT, FXR_FAULT_BODY)         \
	X(FAULT_MAJOR, fault_major, OWN, FXR_FAULT_WAIT_BODY)          \
	X(FAULT_WAIT, fault_wait, OWN, FXR_FAULT_WAIT_BODY)            \
	X(CPU_FREQUENCY, cpu_frequency, OWN, FXR_CPU_POWER_BODY)       \
	X(CPU_IDLE, cpu_idle, OWN, FXR_CPU_POWER_BODY)                 \
	X(SIGNAL_GENERATE, signal_generate, INSTANT, FXR_SIGNAL_GENERATE_BODY) \
	X(SIGNAL_DELIVER, signal_deliver, INSTANT, FXR_SIGNAL_DELIVER_BODY)    \
	X(IPI_SEND, ipi_send, INSTANT, FXR_IPI_SEND_BODY)              \
	X(IPI_SEND_MANY, ipi_send_many, INSTANT, FXR_IPI_SEND_MANY_BODY) \
	X(IPI_ENTRY, ipi_entry, OWN, FXR_IPI_BODY)                     \
	X(IPI_EXIT, ipi_exit, OWN, FXR_IPI_BODY)                       \
	X(WORK_QUEUE, work_queue, INSTANT, FXR_WORK_QUEUE_BODY)        \
	X(WORK_START, work_start, OWN, FXR_WORK_BODY)                  \
	X(WORK_END, work_end, OWN, FXR_WORK_BODY)                      \
	X(TIMER_ENTRY, timer_entry, OWN, FXR_TIMER_ENTRY_BODY)         \
	X(TIMER_EXIT, timer_exit, OWN, FXR_TIMER_EXIT_BODY)            \
	X(SOCKET_STATE, socket_state, INSTANT, FXR_SOCKET_STATE_BODY)  \
	X(NET_QUEUE, net_queue, INSTANT, FXR_PACKET_BODY)              \
	X(NET_XMIT, net_xmit, INSTANT, FXR_PACKET_SENT_BODY)           \
	X(NET_RECEIVE, net_receive, INSTANT, FXR_PACKET_BODY)          \
	X(OOM_VICTIM, oom_victim, INSTANT, FXR_OOM_VICTIM_BODY)        \
	X(RECLAIM_BEGIN, reclaim_begin, OWN, FXR_RECLAIM_BEGIN_BODY)   \
	X(RECLAIM_END, reclaim_end, OWN, FXR_RECLAIM_END_BODY)         \
	X(LOCK_BEGIN, lock_begin, OWN, FXR_LOCK_BEGIN_BODY)            \
	X(LOCK_END, lock_end, OWN, FXR_LOCK_END_BODY)                  \
	X(REQUEST_RECEIVE, request_receive, OWN, FXR_REQUEST_TURN_BODY) \
	X(REQUEST_SEND, request_send, OWN, FXR_REQUEST_TURN_BODY)      \
	X(REQUEST_MORE, request_more, OWN, FXR_REQUEST_MORE_BODY)      \
	X(REQUEST_CLOSE, request_close, OWN, FXR_REQUEST_CLOSE_BODY)   \
	FXR_MORE_SLOTS(X)

/*
 * F(body, type, field, bits, role), from bit 0 up. A body has at most 72 bits; the last
 * eight are `extra` in the slot's commit word. Fields that are not HIDDEN become arguments
 * of an INSTANT, in this order. Roles: SHOWN is a number, POINTER an address, THREAD the
 * koid of the thread with that id, FUNCTION the name of a kernel function, TCP_STATE the
 * name of a state. Priorities are the kernel's 0..139; 255 stands for -1 (a deadline
 * task).
 */
#define FXR_SWITCH_BODY(F, body)                                                    \
	F(body, fxr_u32, prev_tid, 22, HIDDEN)                                      \
	F(body, fxr_u32, next_tid, 22, HIDDEN)                                      \
	F(body, fxr_u8, prev_priority, 8, HIDDEN)                                   \
	F(body, fxr_u8, next_priority, 8, HIDDEN)                                   \
	F(body, fxr_u8, prev_state, 4, HIDDEN) /* enum fxr_task_state */

/*
 * waker_tid 0: an interrupt or the idle task. is_new: the first wakeup of a new task. via_net_rx:
 * the wakeup happened in the NET_RX softirq that the waker raised.
 */
#define FXR_WAKING_BODY(F, body)                                                    \
	F(body, fxr_u32, woken_tid, 22, HIDDEN)                                     \
	F(body, fxr_u32, waker_tid, 22, HIDDEN)                                     \
	F(body, fxr_u8, priority, 8, HIDDEN)                                        \
	F(body, fxr_u16, target_cpu, 12, HIDDEN)                                    \
	F(body, fxr_u8, is_new, 1, HIDDEN)                                          \
	F(body, fxr_u8, via_net_rx, 1, HIDDEN)

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

/* is_compat: a call through the 32-bit table. */
#define FXR_SYSCALL_ENTRY_BODY(F, body)                                             \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u32, number, 32, HIDDEN)                                        \
	F(body, fxr_u8, is_compat, 1, HIDDEN)

/* result: its low 50 bits. */
#define FXR_SYSCALL_EXIT_BODY(F, body)                                              \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_s64, result, 50, HIDDEN)

/*
 * The delta of counter number `counter` of --counters over one run of a thread, sent at
 * the end of the run. It saturates. is_partial: perf multiplexed the counter.
 */
#define FXR_COUNTER_BODY(F, body)                                                   \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u8, counter, 3, HIDDEN)                                         \
	F(body, fxr_u8, is_partial, 1, HIDDEN)                                      \
	F(body, fxr_u64, count, 46, HIDDEN)

/* count saturates. The slot's time is that of the first lost event. */
#define FXR_LOSS_BODY(F, body)                                                      \
	F(body, fxr_u32, count, 32, HIDDEN)                                         \
	F(body, fxr_u8, category, 8, HIDDEN) /* enum fxr_category */

/*
 * frame: the stack pointer at the function's entry in words of 4 bytes, its low 40 bits. A
 * call and its return have the same value; nested calls have smaller ones.
 */
#define FXR_PROBE_CALL_BODY(F, body)                                                \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u32, probe, 10, HIDDEN)                                         \
	F(body, fxr_u64, frame, 40, HIDDEN)

/* The low 50 bits of the value that the thread's next PROBE_RETURN returns. */
#define FXR_PROBE_VALUE_BODY(F, body)                                               \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_s64, value, 50, HIDDEN)

/* The high bits of that value, sent first, where they are not a sign extension. */
#define FXR_PROBE_VALUE_TOP_BODY(F, body)                                           \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u32, top, 14, HIDDEN)

/*
 * X(id, name, body) defines FXR_LONG_id: an event that does not fit a slot (a stack, a
 * text, the fields of any tracepoint) and uses the side ring; see long_event.h. The way of
 * its tracepoint is SIDE. The body lists fields of up to 64 bits as F(body, type, field);
 * any number of bytes may follow.
 */
#define FXR_LONG_TABLE(X)                                              \
	X(STACK, stack, FXR_STACK_BODY)                                \
	X(STACK_AGAIN, stack_again, FXR_STACK_AGAIN_BODY)              \
	X(PYTHON_CODE, python_code, FXR_PYTHON_CODE_BODY)              \
	X(PROBE_HIT, probe_hit, FXR_PROBE_HIT_BODY)                    \
	X(PROBE_VALUES, probe_values, FXR_PROBE_VALUES_BODY)           \
	X(TRACEPOINT, tracepoint, FXR_TRACEPOINT_BODY)                 \
	X(BLOCK, block, FXR_BLOCK_BODY)                                \
	X(THROTTLED, throttled, FXR_THROTTLED_BODY)                    \
	X(WAIT, wait, FXR_WAIT_BODY)                                   \
	X(CONNECTION, connection, FXR_CONNECTION_BODY)                 \
	X(REQUEST_TEXT, request_text, FXR_REQUEST_TEXT_BODY)           \
	X(REQUEST_CONTEXT, request_context, FXR_REQUEST_CONTEXT_BODY)  \
	FXR_MORE_LONGS(X)

/*
 * A call stack. Its bytes are addresses of 8 bytes: `user_frames` of the process, then
 * those of the kernel, innermost first in both. As the programs send it there are
 * `python_frames` between them (fxt_record/python.h), and frames of the evaluation loop are
 * marked.
 */
#define FXR_STACK_BODY(F, body)                                                     \
	F(body, fxr_u8, kind) /* enum fxr_stack_kind */                             \
	F(body, fxr_u32, tid) /* owner of the stack; 0: an interrupt */ \
	F(body, fxr_u32, tgid)                                                      \
	F(body, fxr_u32, woken_tid) /* for WAKE */ \
	F(body, fxr_u64, away)      /* for OFF and WAKE: ns since the sleeper left its CPU */ \
	F(body, fxr_u32, user_frames)                                               \
	F(body, fxr_u8, end) /* enum fxr_stack_end */                               \
	F(body, fxr_u16, python_frames)                                             \
	F(body, fxr_u64, id) /* for an OFF or ON that may be sent AGAIN; 0: none */

/*
 * A code object of CPython (fxt_record/python.h). Its bytes are the texts of its name and
 * its file, FXR_PYTHON_NAME_BYTES and FXR_PYTHON_FILE_BYTES, and its lines. The heads are
 * those of the str objects: bit 2 to 4 bytes of a character, bit 6 ASCII.
 */
#define FXR_PYTHON_CODE_BODY(F, body)                                               \
	F(body, fxr_u64, id)                                                        \
	F(body, fxr_u32, tgid)                                                      \
	F(body, fxr_u32, minor) /* of the version, 3.x */                           \
	F(body, fxr_u32, name_head)                                                 \
	F(body, fxr_u32, name_bytes)                                                \
	F(body, fxr_u32, file_head)                                                 \
	F(body, fxr_u32, file_bytes)                                                \
	F(body, fxr_u32, first_line)                                                \
	F(body, fxr_u32, traceable) /* earlier instructions belong to no call yet */ \
	F(body, fxr_u32, lines_bytes) /* of those that the event has */

/* A stack with the frames of the last STACK that had this id. */
#define FXR_STACK_AGAIN_BODY(F, body)                                               \
	F(body, fxr_u8, kind) /* enum fxr_stack_kind */                             \
	F(body, fxr_u32, tid)                                                       \
	F(body, fxr_u32, tgid)                                                      \
	F(body, fxr_u64, away) /* for OFF */                                        \
	F(body, fxr_u64, id)

/* A USDT probe. Its bytes are its arguments of 8 bytes, extended according to their types. */
#define FXR_PROBE_HIT_BODY(F, body)                                                 \
	F(body, fxr_u32, tid)                                                       \
	F(body, fxr_u32, probe)                                                     \
	F(body, fxr_u32, unread) /* bit n: argument n could not be read */

/*
 * The entry of a call with its arguments, a USDT probe with those that were asked for, or
 * (`is_result`) the text that the thread's next PROBE_RETURN returns. See
 * FXR_PROBE_EVENT_BYTES.
 */
#define FXR_PROBE_VALUES_BODY(F, body)                                              \
	F(body, fxr_u32, tid)                                                       \
	F(body, fxr_u32, probe)                                                     \
	F(body, fxr_u64, frame) /* as in PROBE_ENTRY */                             \
	F(body, fxr_u32, unread) /* bit n: operand n could not be read */           \
	F(body, fxr_u8, is_result)

/*
 * An event of a tracepoint that -e selects. Its bytes are the kernel's own record of it,
 * laid out by the tracepoint's format file.
 */
#define FXR_TRACEPOINT_BODY(F, body)                                                \
	F(body, fxr_u32, number) /* index of the tracepoint among the selected ones */ \
	F(body, fxr_u32, tid)    /* 0: the idle task */

/*
 * A thread comes to a CPU after its cgroup's quota was used up (CPU bandwidth control). Times are ns
 * of CLOCK_MONOTONIC; `end`, when the group had quota again, is at most the time of the event.
 */
#define FXR_THROTTLED_BODY(F, body)                                                 \
	F(body, fxr_u32, tid)                                                       \
	F(body, fxr_u64, begin)                                                     \
	F(body, fxr_u64, end)                                                       \
	F(body, fxr_u64, cgroup)    /* the group whose quota was used up */         \
	F(body, fxr_u32, hierarchy) /* of that id; 0: the default one */            \
	F(body, fxr_u64, quota)     /* ns of each period */                         \
	F(body, fxr_u64, period)    /* ns */

/*
 * What a thread slept for, sent at its wakeup. Its bytes are a text or socket addresses,
 * see enum fxr_wait_kind. If `frames` is not 0, FXR_WAIT_FRAMES addresses of the kernel
 * precede it, innermost first, of which the first `frames` are filled.
 */
#define FXR_WAIT_BODY(F, body)                                                      \
	F(body, fxr_u32, tid)                                                       \
	F(body, fxr_u32, state)   /* the kernel's state of the sleep */             \
	F(body, fxr_s32, call)    /* number of the system call; -1: none, or not known */ \
	F(body, fxr_u32, flags)   /* FXR_WAIT_* */                                  \
	F(body, fxr_u8, kind)     /* enum fxr_wait_kind */                          \
	F(body, fxr_u64, asked)   /* ns that the call asked to wait at most; ~0: not known */ \
	F(body, fxr_u32, peer)    /* thread: owner, holder, child or other end; 0: not known */ \
	F(body, fxr_u64, object)  /* inode number, address or id */                 \
	F(body, fxr_u32, device)  /* of a file: the kernel's number; of a socket: see FXR_WAIT_SOCKET */ \
	F(body, fxr_u32, ports)   /* of a socket: local in the high 16 bits, remote */ \
	F(body, fxr_u64, offset)  /* bytes, of a file that is read or written; ~0: none; */ \
	/* of an Internet socket the number of its network namespace */             \
	F(body, fxr_u8, frames)

/*
 * A connection, sent before its first event and again from time to time. Its bytes are the local,
 * then the remote address, or the path of the server's Unix socket.
 */
#define FXR_CONNECTION_BODY(F, body)                                                \
	F(body, fxr_u32, connection) /* its number in later events */               \
	F(body, fxr_u8, side)        /* enum fxr_request_side */                    \
	F(body, fxr_u8, family)                                                     \
	F(body, fxr_u32, ports)      /* local in the high 16 bits, remote */        \
	F(body, fxr_u32, net)        /* number of the network namespace */          \
	F(body, fxr_u64, socket)     /* address of the socket */                    \
	F(body, fxr_u64, peer)       /* address of the other end of a Unix socket */

/* Stands in for REQUEST_RECEIVE. Its bytes are the first ones that were received. */
#define FXR_REQUEST_TEXT_BODY(F, body)                                              \
	F(body, fxr_u32, tid)                                                       \
	F(body, fxr_u32, connection)                                                \
	F(body, fxr_u32, bytes) /* received in all by this call; FXR_REQUEST_TEXT_CONTINUES */

/* Stands in for REQUEST_SEND. Its bytes are the ids of the sender's trace (16) and span (8). */
#define FXR_REQUEST_CONTEXT_BODY(F, body)                                           \
	F(body, fxr_u32, tid)                                                       \
	F(body, fxr_u32, connection)                                                \
	F(body, fxr_u32, bytes)

/* A request of a block device. Its bytes are the disk's name, padded with NULs. */
#define FXR_BLOCK_BODY(F, body)                                                     \
	F(body, fxr_u8, kind)      /* enum fxr_block_kind */                        \
	F(body, fxr_u64, request)  /* address; identifies the request until it completes */ \
	F(body, fxr_u64, sector)   /* in units of 512 bytes; ~0: none */ \
	F(body, fxr_u32, length)   /* bytes; for COMPLETE: the completed ones */ \
	F(body, fxr_u32, left)     /* bytes; for COMPLETE: the remaining ones */ \
	F(body, fxr_u32, operation) /* REQ_OP_* in the low eight bits, flags above */ \
	F(body, fxr_u32, tid)      /* of the current task; 0: an interrupt */ \
	F(body, fxr_s32, error)    /* for COMPLETE: blk_status_t, or -errno before 5.16 */

#endif
