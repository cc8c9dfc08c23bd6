/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The slot bodies of the categories for kernel activity: fault, power, signal, ipi,
 * workqueue, timer, net, oom, reclaim, lock and request. A part of event_table.h, which describes
 * the columns and is the only file that includes it.
 */
#ifndef FXT_RECORD_KERNEL_BODIES_H
#define FXT_RECORD_KERNEL_BODIES_H

/* Bits of a text address of the kernel or a module: they are in the top 64 GiB (x86). */
#define FXR_FUNCTION_BITS 37

/* present: the page was present, but the access was not allowed. */
#define FXR_FAULT_BODY(F, body)                                                     \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_s64, address, 48, POINTER)                                      \
	F(body, fxr_u8, write, 1, SHOWN)                                            \
	F(body, fxr_u8, present, 1, SHOWN)

/* FAULT_WAIT: a fault begins to wait for data. FAULT_MAJOR: a major fault has its page. */
#define FXR_FAULT_WAIT_BODY(F, body)                                                \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_s64, address, 48, HIDDEN)

/* value: kHz, or the number of an idle state; -1 when the CPU leaves it. */
#define FXR_CPU_POWER_BODY(F, body)                                                 \
	F(body, fxr_u32, cpu, 13, HIDDEN)                                           \
	F(body, fxr_u32, value, 32, HIDDEN)

/*
 * tid: the sender; target: a thread, the leader if `group`; group: sent to the process;
 * code: si_code; result: 0 sent, else the reason (enum of trace/events/signal.h).
 */
#define FXR_SIGNAL_GENERATE_BODY(F, body)                                           \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u8, in_interrupt, 1, HIDDEN)                                    \
	F(body, fxr_u8, signal, 7, SHOWN)                                           \
	F(body, fxr_u32, target, 22, THREAD)                                        \
	F(body, fxr_u8, group, 1, SHOWN)                                            \
	F(body, fxr_s32, code, 16, SHOWN)                                           \
	F(body, fxr_u8, result, 3, SHOWN)

/* sender_pid: si_pid, numbered in the receiver's pid namespace; 0: none. */
#define FXR_SIGNAL_DELIVER_BODY(F, body)                                            \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u8, signal, 7, SHOWN)                                           \
	F(body, fxr_s32, code, 16, SHOWN)                                           \
	F(body, fxr_u32, sender_pid, 22, SHOWN)

#define FXR_IPI_SEND_BODY(F, body)                                                  \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u8, in_interrupt, 1, HIDDEN)                                    \
	F(body, fxr_u16, cpu, 12, SHOWN)                                            \
	F(body, fxr_s64, function, FXR_FUNCTION_BITS, FUNCTION)

#define FXR_IPI_SEND_MANY_BODY(F, body)                                             \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u8, in_interrupt, 1, HIDDEN)                                    \
	F(body, fxr_s64, function, FXR_FUNCTION_BITS, FUNCTION)

#define FXR_IPI_BODY(F, body) F(body, fxr_u8, kind, 8, HIDDEN) /* enum fxr_ipi_kind */

#define FXR_WORK_QUEUE_BODY(F, body)                                                \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u8, in_interrupt, 1, HIDDEN)                                    \
	F(body, fxr_s64, function, FXR_FUNCTION_BITS, FUNCTION)

#define FXR_WORK_BODY(F, body)                                                      \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_s64, function, FXR_FUNCTION_BITS, HIDDEN)

#define FXR_TIMER_ENTRY_BODY(F, body)                                               \
	F(body, fxr_u8, is_hrtimer, 1, HIDDEN)                                      \
	F(body, fxr_s64, function, FXR_FUNCTION_BITS, HIDDEN)

#define FXR_TIMER_EXIT_BODY(F, body) F(body, fxr_u8, is_hrtimer, 1, HIDDEN)

#define FXR_SOCKET_STATE_BODY(F, body)                                              \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u8, in_interrupt, 1, HIDDEN)                                    \
	F(body, fxr_u8, from, 4, TCP_STATE)                                         \
	F(body, fxr_u8, to, 4, TCP_STATE)                                           \
	F(body, fxr_u16, source_port, 16, SHOWN)                                    \
	F(body, fxr_u16, destination_port, 16, SHOWN)                               \
	F(body, fxr_u8, protocol, 8, SHOWN)

/* device: the interface's index; bytes saturate. */
#define FXR_PACKET_BODY(F, body)                                                    \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u8, in_interrupt, 1, HIDDEN)                                    \
	F(body, fxr_u32, device, 22, SHOWN)                                         \
	F(body, fxr_u32, bytes, 20, SHOWN)

/* result: the driver's, enum netdev_tx or an error. */
#define FXR_PACKET_SENT_BODY(F, body)                                               \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u8, in_interrupt, 1, HIDDEN)                                    \
	F(body, fxr_u32, device, 21, SHOWN)                                         \
	F(body, fxr_u32, bytes, 20, SHOWN)                                          \
	F(body, fxr_s32, result, 8, SHOWN)

#define FXR_OOM_VICTIM_BODY(F, body)                                                \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u32, victim, 22, THREAD)

/* flags: of the allocation (gfp_t). */
#define FXR_RECLAIM_BEGIN_BODY(F, body)                                             \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u8, is_memcg, 1, HIDDEN)                                        \
	F(body, fxr_u32, order, 8, HIDDEN)                                          \
	F(body, fxr_u32, flags, 32, HIDDEN)

#define FXR_RECLAIM_END_BODY(F, body)                                               \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u8, is_memcg, 1, HIDDEN)                                        \
	F(body, fxr_u64, pages, 40, HIDDEN)

/* lock: its address / 4. */
#define FXR_LOCK_BEGIN_BODY(F, body)                                                \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_s64, lock, 46, HIDDEN)                                          \
	F(body, fxr_u8, kind, 4, HIDDEN) /* enum fxr_lock_kind */

#define FXR_LOCK_END_BODY(F, body)                                                  \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_s64, lock, 46, HIDDEN)                                          \
	F(body, fxr_u8, failed, 1, HIDDEN)

/*
 * connection: its number, see FXR_CONNECTION_BODY. bytes: of the receive, or of the send; saturates.
 */
#define FXR_REQUEST_TURN_BODY(F, body)                                              \
	F(body, fxr_u32, tid, 22, HIDDEN)                                           \
	F(body, fxr_u32, connection, FXR_CONNECTION_BITS, HIDDEN)                   \
	F(body, fxr_u32, bytes, FXR_REQUEST_BYTES_BITS, HIDDEN)
#define FXR_CONNECTION_BITS 24
#define FXR_REQUEST_BYTES_BITS 26

/* Precedes a turn: bytes that were received, or sent, since the last turn and are not in it. */
#define FXR_REQUEST_MORE_BODY(F, body)                                              \
	F(body, fxr_u32, connection, FXR_CONNECTION_BITS, HIDDEN)                   \
	F(body, fxr_u32, bytes, 32, HIDDEN)

/* The connection cannot send any more. closed: nor receive; its number is free. */
#define FXR_REQUEST_CLOSE_BODY(F, body)                                             \
	F(body, fxr_u32, connection, FXR_CONNECTION_BITS, HIDDEN)                   \
	F(body, fxr_u8, closed, 1, HIDDEN)

#endif
