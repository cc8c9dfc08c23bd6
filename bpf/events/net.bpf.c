// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Category `net`: socket states, and packets queued, sent and received. */
#include "event_types.h"
#include "execution_context.h"

#include <bpf/bpf_endian.h>

#define MAX_BYTES 0xfffff /* limit of the body's field */

static __always_inline int on_state(enum claim claim, struct sock *sock, int from, int to)
{
	struct fxr_socket_state_body body = {.from = from & 0xf, .to = to & 0xf};
	struct execution_context here;

	if (!find_execution_context(&here))
		return 0;
	body.tid = here.tid;
	body.in_interrupt = here.in_interrupt;
	body.source_port = BPF_CORE_READ(sock, __sk_common.skc_num);
	body.destination_port = bpf_ntohs(BPF_CORE_READ(sock, __sk_common.skc_dport));
	body.protocol = BPF_CORE_READ_BITFIELD_PROBED(sock, sk_protocol);
	emit_here(claim, &here, FXR_CATEGORY_NET, FXR_SLOT_SOCKET_STATE,
		  fxr_pack_socket_state(body));
	return 0;
}

SLOT_PROGRAM(inet_sock_set_state, on_state(claim, sock, from, to), struct sock *sock, int from,
	     int to)

static __always_inline int on_packet(enum claim claim, enum fxr_slot_type type, struct sk_buff *skb)
{
	struct fxr_net_queue_body body = {};
	struct execution_context here;
	u32 bytes;

	if (!find_execution_context(&here))
		return 0;
	bytes = BPF_CORE_READ(skb, len);
	body.tid = here.tid;
	body.in_interrupt = here.in_interrupt;
	body.device = BPF_CORE_READ(skb, dev, ifindex) & 0x3fffff;
	body.bytes = bytes < MAX_BYTES ? bytes : MAX_BYTES;
	emit_here(claim, &here, FXR_CATEGORY_NET, type, fxr_pack_net_queue(body));
	return 0;
}

SLOT_PROGRAM(net_dev_queue, on_packet(claim, FXR_SLOT_NET_QUEUE, skb), struct sk_buff *skb)

SLOT_PROGRAM(netif_receive_skb, on_packet(claim, FXR_SLOT_NET_RECEIVE, skb), struct sk_buff *skb)

/* The skb may be freed already. */
static __always_inline int on_sent(enum claim claim, int result, struct net_device *device,
				   u32 bytes)
{
	struct fxr_net_xmit_body body = {.result = result};
	struct execution_context here;

	if (!find_execution_context(&here))
		return 0;
	body.tid = here.tid;
	body.in_interrupt = here.in_interrupt;
	body.device = BPF_CORE_READ(device, ifindex) & 0x1fffff;
	body.bytes = bytes < MAX_BYTES ? bytes : MAX_BYTES;
	emit_here(claim, &here, FXR_CATEGORY_NET, FXR_SLOT_NET_XMIT, fxr_pack_net_xmit(body));
	return 0;
}

SLOT_PROGRAM(net_dev_xmit, on_sent(claim, result, device, bytes), struct sk_buff *skb, int result,
	     struct net_device *device, u32 bytes)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
