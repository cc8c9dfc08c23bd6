// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Category `request`: the turns of connections between receiving and sending.
 *
 * A connection is a connected stream socket, TCP or Unix. Only its first receive after a send
 * and its first send after a receive emit an event; the collector makes requests of them.
 *
 * A send counts from its begin, because it wakes the receiver before it returns. TCP has a
 * tracepoint there since 6.16; before, the end of the send stands in. A Unix socket calls
 * sk_data_ready of the other end when the data is in its queue. A receive counts from its
 * end. So a request of a client encloses that of its server.
 */
#include "common.h"
#include "filter.h"
#include "ring.h"
#include "thread_context.h"
#include "wait_types.h"

#include "fxt_record/long_event.h"

const volatile fxr_u8 request_reads_text = 0;
/* enum fxr_request_call, by number of the system call. */
const volatile fxr_u8 request_calls[FXR_WAIT_CALLS] = {};

/* A connection whose age differs is announced again. The collector writes it. */
fxr_u32 request_age = 0;

fxr_u32 request_connections = 0; /* announced so far */

#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define SOCK_STREAM 1
#define IPPROTO_TCP 6
#define MSG_PEEK 2

/* include/net/tcp_states.h */
#define TCP_ESTABLISHED 1
#define TCP_SYN_RECV 3
#define TCP_FIN_WAIT1 4
#define TCP_CLOSE 7
#define TCP_LAST_ACK 9

enum turn {
	TURN_NONE = 0,
	TURN_RECEIVE,
	TURN_SEND,
};

struct connection {
	u32 number; /* 0: not announced */
	u32 age;
	u32 more;    /* bytes since the event of the turn */
	u32 written; /* of a TCP client: write_seq after the first send of the turn */
	u8 turn;     /* enum turn */
	u8 side;     /* enum fxr_request_side */
	u8 is_short; /* the next receive continues the text of the request */
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct connection);
} request_sockets SEC(".maps");

static __always_inline bool is_tcp(const struct sock *sock)
{
	u32 family = sock->__sk_common.skc_family;

	return (family == AF_INET || family == AF_INET6) && sock->sk_type == SOCK_STREAM &&
	       sock->sk_protocol == IPPROTO_TCP;
}

static __always_inline bool is_unix_stream(const struct sock *sock)
{
	return sock->__sk_common.skc_family == AF_UNIX && sock->sk_type == SOCK_STREAM;
}

/*
 * An accepted TCP socket is a copy of the listening one, with its backlog. An accepted Unix
 * socket shares the address of the listening one; a connecting one rarely has an address.
 */
static __noinline u32 side_of(struct sock *sock)
{
	struct sock *peer;

	if (!sock)
		return FXR_REQUEST_NO_SIDE;
	if (BPF_CORE_READ(sock, __sk_common.skc_family) != AF_UNIX)
		return BPF_CORE_READ(sock, sk_max_ack_backlog) ? FXR_REQUEST_SERVER :
								 FXR_REQUEST_CLIENT;
	if (BPF_CORE_READ((struct unix_sock *)sock, addr))
		return FXR_REQUEST_SERVER;
	peer = BPF_CORE_READ((struct unix_sock *)sock, peer);
	if (peer && BPF_CORE_READ((struct unix_sock *)peer, addr))
		return FXR_REQUEST_CLIENT;
	return FXR_REQUEST_NO_SIDE;
}

static __noinline int announce(struct sock *sock, struct connection *connection)
{
	struct fxr_connection_long fields = {};
	struct fxr_long *event;
	u32 family;

	if (!sock || !connection)
		return 0;
	if (!connection->number)
		connection->number =
			(__sync_fetch_and_add(&request_connections, 1) & FXR_CONNECTION_MASK) + 1;
	event = long_reserve(FXR_LONG_SIZE(connection, FXR_CONNECTION_BYTES), FXR_CATEGORY_REQUEST);
	if (!event)
		return 0;
	connection->age = READ_ONCE(request_age);
	family = BPF_CORE_READ(sock, __sk_common.skc_family);
	fields.connection = connection->number;
	fields.side = connection->side;
	fields.family = family;
	fields.socket = (u64)sock;
	fields.net = BPF_CORE_READ(sock, __sk_common.skc_net.net, ns.inum);
	if (family == AF_UNIX) {
		struct sock *peer = BPF_CORE_READ((struct unix_sock *)sock, peer);
		struct sock *named = connection->side == FXR_REQUEST_SERVER ? sock : peer;
		struct unix_address *address = BPF_CORE_READ((struct unix_sock *)named, addr);
		u64 length = BPF_CORE_READ(address, len);

		fields.peer = (u64)peer;
		fxr_pack_connection(event, fields, FXR_CONNECTION_BYTES);
		/* A path may end without NUL, an abstract name begins with one. */
		__builtin_memset(fxr_connection_bytes(event), 0, FXR_CONNECTION_BYTES);
		if (length > 2 && length <= FXR_CONNECTION_BYTES) {
			length = CUT_SIZE(length - 2, FXR_CONNECTION_BYTES);
			bpf_probe_read_kernel(fxr_connection_bytes(event), length,
					      (void *)address +
						      bpf_core_field_offset(address->name) + 2);
			event->bytes = length;
		}
		side_submit(event);
		return 0;
	}
	fields.ports = (u32)BPF_CORE_READ(sock, __sk_common.skc_num) << 16 |
		       __builtin_bswap16(BPF_CORE_READ(sock, __sk_common.skc_dport));
	fxr_pack_connection(event, fields, 0);
	if (family == AF_INET) {
		BPF_CORE_READ_INTO((u32 *)fxr_connection_bytes(event), sock,
				   __sk_common.skc_rcv_saddr);
		BPF_CORE_READ_INTO((u32 *)(fxr_connection_bytes(event) + 4), sock,
				   __sk_common.skc_daddr);
		event->bytes = 8;
	} else if (bpf_core_field_exists(sock->__sk_common.skc_v6_daddr)) {
		BPF_CORE_READ_INTO((struct in6_addr *)fxr_connection_bytes(event), sock,
				   __sk_common.skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO((struct in6_addr *)(fxr_connection_bytes(event) + 16), sock,
				   __sk_common.skc_v6_daddr);
		event->bytes = 32;
	}
	side_submit(event);
	return 0;
}

static __always_inline u32 limit_bytes(u64 bytes)
{
	return bytes < FXR_REQUEST_BYTES_MASK ? bytes : FXR_REQUEST_BYTES_MASK;
}

static __always_inline struct connection *connection_of(struct sock *sock)
{
	struct connection *connection;

	connection = bpf_sk_storage_get(&request_sockets, sock, NULL, 0);
	if (likely(connection))
		return connection;
	connection = bpf_sk_storage_get(&request_sockets, sock, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	if (connection) {
		connection->side = side_of(sock);
		connection->age = READ_ONCE(request_age) - 1;
	}
	return connection;
}

/* Loads instead of reading by a helper, which takes as long as all the rest of a turn. */
static __always_inline u32 written_by(struct sock *sock)
{
	struct tcp_sock *tcp = bpf_skc_to_tcp_sock(sock);

	return tcp ? tcp->write_seq : 0;
}

/* Called at a turn. */
static __always_inline void prepare_turn(struct sock *sock, struct connection *connection,
					 enum turn turn)
{
	u32 more = connection->more;

	connection->turn = turn;
	if (unlikely(connection->age != READ_ONCE(request_age)))
		announce(sock, connection);
	if (unlikely(more)) {
		struct fxr_request_more_body body = {.connection = connection->number, .bytes = more};

		connection->more = 0;
		emit_slot(CLAIM_FETCH, FXR_CATEGORY_REQUEST, FXR_SLOT_REQUEST_MORE,
			  fxr_pack_request_more(body));
	}
}

/* ---------------------------------------------------------------- receives */

/* Returns the address of the bytes that the current system call received; 0: not known. */
static __noinline u64 received_at(u32 *room)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs___args *registers;
	u64 argument, vector[2];
	u32 call, kind;

	if (!room || task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER))
		return 0;
#if defined(__TARGET_ARCH_x86)
	if (task->thread_info.status & TS_COMPAT)
		return 0;
	registers = (void *)bpf_task_pt_regs(task);
	argument = registers->si;
	call = registers->orig_ax;
#elif defined(__TARGET_ARCH_arm64)
	registers = (void *)bpf_task_pt_regs(task);
	argument = BPF_CORE_READ(registers, regs[1]);
	call = BPF_CORE_READ(registers, syscallno);
#endif
	if (call >= FXR_WAIT_CALLS)
		return 0;
	asm volatile("" : "+r"(call));
	kind = request_calls[call & (FXR_WAIT_CALLS - 1)];
	if (kind == FXR_REQUEST_CALL_BUFFER)
		return argument;
	/* Reads msg_iov of a struct msghdr. */
	if (kind == FXR_REQUEST_CALL_MESSAGE &&
	    bpf_probe_read_user(&argument, sizeof(argument), (void *)argument + 16))
		return 0;
	if (kind == FXR_REQUEST_CALL_NONE ||
	    bpf_probe_read_user(vector, sizeof(vector), (void *)argument))
		return 0;
	if (vector[1] < *room)
		*room = vector[1];
	return vector[0];
}

/*
 * Sends the first bytes of what was received. Returns false if they are not known.
 * `flags`: FXR_REQUEST_TEXT_CONTINUES or 0.
 */
static __noinline bool send_text(struct connection *connection, u32 bytes, u32 flags)
{
	u32 room = bytes < FXR_REQUEST_TEXT_BYTES ? bytes : FXR_REQUEST_TEXT_BYTES;
	struct fxr_request_text_long fields = {};
	struct fxr_long *event;
	u64 address, length;

	if (!connection)
		return false;
	address = received_at(&room);
	if (!address || !room)
		return false;
	event = long_reserve(FXR_LONG_SIZE(request_text, FXR_REQUEST_TEXT_BYTES),
			     FXR_CATEGORY_REQUEST);
	if (!event)
		return true; /* counted as lost */
	fields.tid = bpf_get_current_pid_tgid();
	fields.connection = connection->number;
	fields.bytes = bytes | flags;
	length = CUT_SIZE(room, FXR_REQUEST_TEXT_BYTES);
	fxr_pack_request_text(event, fields, length);
	if (bpf_probe_read_user(fxr_request_text_bytes(event), length, (void *)address))
		event->bytes = 0;
	side_submit(event);
	return true;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(sock_recv_length, struct sock *sock, int result, int flags)
{
	struct fxr_request_receive_body body = {};
	struct connection *connection;

	if (result <= 0 || READ_ONCE(phase) != FXR_PHASE_ALL ||
	    (!is_tcp(sock) && !is_unix_stream(sock)) || !current_selected())
		return 0;
	connection = connection_of(sock);
	if (!connection || connection->side == FXR_REQUEST_NO_SIDE)
		return 0;
	if (connection->turn == TURN_RECEIVE) {
		if (flags & MSG_PEEK)
			return 0;
		connection->more += result;
		if (unlikely(connection->is_short)) {
			connection->is_short = 0;
			send_text(connection, result, FXR_REQUEST_TEXT_CONTINUES);
		}
		return 0;
	}
	if (connection->side == FXR_REQUEST_CLIENT && connection->turn == TURN_SEND &&
	    connection->written) {
		u32 now = written_by(sock);

		/* Less was sent than the first send asked for. */
		if ((s32)(now - connection->written) < 0)
			now = connection->written;
		connection->more = now - connection->written;
	}
	prepare_turn(sock, connection, TURN_RECEIVE);
	if (request_reads_text && connection->side == FXR_REQUEST_SERVER &&
	    send_text(connection, result, 0)) {
		connection->is_short = result < FXR_REQUEST_LEAST_TEXT_BYTES && !(flags & MSG_PEEK);
		return 0;
	}
	body.tid = bpf_get_current_pid_tgid();
	body.connection = connection->number;
	body.bytes = limit_bytes(result);
	emit_slot(CLAIM_FETCH, FXR_CATEGORY_REQUEST, FXR_SLOT_REQUEST_RECEIVE,
		  fxr_pack_request_receive(body));
	return 0;
}

/* ------------------------------------------------------------------- sends */

/* Sends the thread's trace context with the send. Returns false if it has none. */
static __noinline bool send_context(struct connection *connection, u32 bytes)
{
	struct fxr_thread_context context __attribute__((aligned(8))) = {};
	struct fxr_request_context_long fields = {};
	struct fxr_long *event;

	if (!connection || !read_thread_context(&context))
		return false;
	event = long_reserve(FXR_LONG_SIZE(request_context, FXR_THREAD_CONTEXT_ID_BYTES),
			     FXR_CATEGORY_REQUEST);
	if (!event)
		return true; /* counted as lost */
	fields.tid = bpf_get_current_pid_tgid();
	fields.connection = connection->number;
	fields.bytes = bytes;
	fxr_pack_request_context(event, fields, FXR_THREAD_CONTEXT_ID_BYTES);
	__builtin_memcpy(fxr_request_context_bytes(event), &context, FXR_THREAD_CONTEXT_ID_BYTES);
	side_submit(event);
	return true;
}

/* `unwritten`: how many of the bytes write_seq does not count yet. */
static __always_inline void on_send(struct sock *sock, u64 bytes, u64 unwritten, bool tcp)
{
	struct fxr_request_send_body body = {};
	struct connection *connection;

	connection = connection_of(sock);
	if (!connection || connection->side == FXR_REQUEST_NO_SIDE)
		return;
	if (connection->turn == TURN_SEND) {
		if (!tcp)
			connection->more += bytes;
		return;
	}
	prepare_turn(sock, connection, TURN_SEND);
	if (tcp && connection->side == FXR_REQUEST_CLIENT)
		connection->written = written_by(sock) + (u32)unwritten;
	if (unlikely(READ_ONCE(thread_context_processes)) && send_context(connection, limit_bytes(bytes)))
		return;
	body.tid = bpf_get_current_pid_tgid();
	body.connection = connection->number;
	body.bytes = limit_bytes(bytes);
	emit_slot(CLAIM_FETCH, FXR_CATEGORY_REQUEST, FXR_SLOT_REQUEST_SEND,
		  fxr_pack_request_send(body));
}

/* For each buffer of a send; the first one counts. */
SEC("tp_btf/tcp_sendmsg_locked")
int BPF_PROG(tcp_sendmsg_locked, struct sock *sock, struct msghdr *message)
{
	u64 bytes;

	if (READ_ONCE(phase) != FXR_PHASE_ALL || !is_tcp(sock) || !current_selected())
		return 0;
	bytes = message->msg_iter.count;
	on_send(sock, bytes, bytes, true);
	return 0;
}

/* For TCP on kernels without tcp_sendmsg_locked: the send is over, and its bytes are written. */
SEC("tp_btf/sock_send_length")
int BPF_PROG(sock_send_length, struct sock *sock, int result)
{
	if (result <= 0 || READ_ONCE(phase) != FXR_PHASE_ALL || !is_tcp(sock) ||
	    !current_selected())
		return 0;
	on_send(sock, result, 0, true);
	return 0;
}

/* `sock` is the receiver's. The sender of a Unix socket is the current thread. */
SEC("tp_btf/sk_data_ready")
int BPF_PROG(sk_data_ready, struct sock *sock)
{
	struct unix_sock *receiver;
	struct sk_buff *last;
	struct sock *sender;
	u32 bytes = 0;

	if (sock->__sk_common.skc_family != AF_UNIX || sock->sk_type != SOCK_STREAM ||
	    READ_ONCE(phase) != FXR_PHASE_ALL || !current_selected())
		return 0;
	receiver = bpf_skc_to_unix_sock(sock);
	if (!receiver)
		return 0;
	sender = receiver->peer;
	if (!sender)
		return 0;
	last = BPF_CORE_READ(sock, sk_receive_queue.prev);
	if ((void *)last != (void *)sock + bpf_core_field_offset(sock->sk_receive_queue))
		bytes = BPF_CORE_READ(last, len);
	on_send(sender, bytes, 0, false);
	return 0;
}

/* ------------------------------------------------------------------ states */

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(request_inet_sock_set_state, struct sock *sock, int from, int to)
{
	struct fxr_request_close_body body = {};
	struct connection *connection;

	if (READ_ONCE(phase) != FXR_PHASE_ALL)
		return 0;
	/* The backlog of the listening socket is 0, so that side_of() does not know. */
	if (to == TCP_ESTABLISHED && from == TCP_SYN_RECV && !sock->sk_max_ack_backlog) {
		connection = bpf_sk_storage_get(&request_sockets, sock, NULL,
						BPF_SK_STORAGE_GET_F_CREATE);
		if (connection) {
			connection->side = FXR_REQUEST_SERVER;
			connection->age = READ_ONCE(request_age) - 1;
		}
		return 0;
	}
	if (to != TCP_FIN_WAIT1 && to != TCP_LAST_ACK && to != TCP_CLOSE)
		return 0;
	connection = bpf_sk_storage_get(&request_sockets, sock, NULL, 0);
	if (!connection || !connection->number)
		return 0;
	body.connection = connection->number;
	body.closed = to == TCP_CLOSE;
	emit_slot(CLAIM_FETCH, FXR_CATEGORY_REQUEST, FXR_SLOT_REQUEST_CLOSE,
		  fxr_pack_request_close(body));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
