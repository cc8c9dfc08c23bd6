/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The thread that sent the packets of a NET_RX softirq.
 *
 * A thread that sends over loopback, veth or a bridge puts its packet into a queue of its own
 * CPU, raises NET_RX, and serves the softirq itself as soon as it enables softirqs again. A
 * wakeup in that softirq is its doing. Packets of a device are raised by a hardirq. The thread
 * is the waker only if all of this holds, so that no other packets can be in the queue:
 *
 * - A task context raised NET_RX, and nothing else raised it until it is served. A raise inside
 *   of the softirq counts as its sender's.
 * - The raiser is the current task when it is served: not ksoftirqd, not a later task. No switch
 *   was between.
 * - No other softirq ran between: timers and NET_TX send packets of others.
 * - No device's interrupt came since the raise, not even while the softirq is served: the kernel
 *   then polls the device in the same softirq without a raise.
 * - The machine does not steer packets to other CPUs (RPS), and its devices' interrupts have the
 *   tracepoint: the collector checks both, see userspace/capture/bpf/net_rx_senders.h.
 *
 * The other softirqs have no such sender. BLOCK completes requests that other CPUs and
 * interrupts add without a raise. NET_TX sends what others left in a queue. TASKLET, raised by a
 * task, runs in ksoftirqd. TIMER, HRTIMER, SCHED, RCU and IRQ_POLL are raised by interrupts.
 */
#ifndef FXR_NET_RX_H
#define FXR_NET_RX_H

#include "common.h"
#include "ring.h"

#define NET_RX_SOFTIRQ 3 /* include/linux/interrupt.h */

/* Something that may have packets of its own comes between a raise and its softirq. */
static __always_inline void disturb_net_rx(struct fxr_ring_control *ring)
{
	if (unlikely(READ_ONCE(ring->net_rx_raiser)))
		WRITE_ONCE(ring->net_rx_raiser, FXR_RAISED_BY_MANY);
}

#endif
