// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Follows the NET_RX softirq from its raise to its end, see net_rx.h. Emits no events. */
#include "net_rx.h"

#include "common.h"
#include "context.h"
#include "ring.h"

SEC("tp_btf/softirq_raise")
int BPF_PROG(net_rx_softirq_raise, u32 vector)
{
	struct fxr_ring_control *ring;
	u64 raiser, before;
	u32 bits, cpu;

	if (vector != NET_RX_SOFTIRQ)
		return 0;
	ring = this_ring(&cpu);
	if (!ring) /* impossible: every possible CPU has a control */
		return 0;
	bits = interrupt_bits(ring, cpu);
	if (!bits)
		raiser = (u32)bpf_get_current_pid_tgid();
	else if (bits == SERVING_SOFTIRQ)
		raiser = READ_ONCE(ring->net_rx_sender);
	else
		raiser = 0;
	before = READ_ONCE(ring->net_rx_raiser);
	/* The idle task runs calls of other CPUs. */
	if (!raiser || (before && before != raiser))
		raiser = FXR_RAISED_BY_MANY;
	WRITE_ONCE(ring->net_rx_raiser, raiser);
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(net_rx_softirq_entry, u32 vector)
{
	struct fxr_ring_control *ring;
	u64 raiser;
	u32 cpu;

	ring = this_ring(&cpu);
	if (!ring) /* impossible: every possible CPU has a control */
		return 0;
	if (vector != NET_RX_SOFTIRQ) {
		WRITE_ONCE(ring->net_rx_sender, 0);
		disturb_net_rx(ring);
		return 0;
	}
	raiser = READ_ONCE(ring->net_rx_raiser);
	WRITE_ONCE(ring->net_rx_sender, raiser == (u32)bpf_get_current_pid_tgid() ? raiser : 0);
	/* An interrupt between the two lines above. */
	if (unlikely(READ_ONCE(ring->net_rx_raiser) != raiser))
		WRITE_ONCE(ring->net_rx_sender, 0);
	WRITE_ONCE(ring->net_rx_raiser, 0);
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(net_rx_irq_handler_entry)
{
	struct fxr_ring_control *ring;
	u32 cpu;

	ring = this_ring(&cpu);
	if (!ring) /* impossible: every possible CPU has a control */
		return 0;
	if (unlikely(READ_ONCE(ring->net_rx_sender)))
		WRITE_ONCE(ring->net_rx_sender, 0);
	disturb_net_rx(ring);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
