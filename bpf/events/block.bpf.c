// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Category `block`: requests of block devices at insert, issue, completion and merge. */
#include "event_types.h"
#include "execution_context.h"

#include "fxt_record/long_event.h"

/* Early 5.10 kernels pass the queue before the request. */
const volatile fxr_u8 block_has_queue_argument = 0;

/*
 * Separate loads in assembly: if the compiler merges them, the verifier rejects the
 * modified context pointer.
 */
static __always_inline struct request *request_of(u64 *ctx)
{
	u64 request;

	if (block_has_queue_argument)
		asm volatile("%0 = *(u64 *)(%1 + 8)" : "=r"(request) : "r"(ctx));
	else
		asm volatile("%0 = *(u64 *)(%1 + 0)" : "=r"(request) : "r"(ctx));
	return (struct request *)request;
}

static __always_inline struct gendisk *disk_of(struct request *request)
{
	struct request___disk *old = (void *)request;

	if (bpf_core_field_exists(old->rq_disk))
		return BPF_CORE_READ(old, rq_disk);
	return BPF_CORE_READ(request, q, disk);
}

static __always_inline int on_request(struct request *request, enum fxr_block_kind kind, int error,
				      u32 done)
{
	struct fxr_block_long fields = {.kind = kind, .request = (u64)request, .error = error};
	struct execution_context here;
	struct fxr_long *event;
	struct gendisk *disk;
	u32 length;

	if (READ_ONCE(phase) != FXR_PHASE_ALL)
		return 0;
	/*
	 * The current task has nothing to do with the completion; the reader finds the
	 * request by its address.
	 */
	if (kind == FXR_BLOCK_COMPLETE) {
		here.tid = 0;
	} else if (!find_execution_context(&here)) {
		return 0;
	}
	event = long_reserve(FXR_LONG_SIZE(block, FXR_DISK_NAME_BYTES), FXR_CATEGORY_BLOCK);
	if (!event)
		return 0;
	length = BPF_CORE_READ(request, __data_len);
	fields.sector = BPF_CORE_READ(request, __sector);
	fields.operation = BPF_CORE_READ(request, cmd_flags);
	fields.length = length;
	fields.tid = here.tid;
	if (kind == FXR_BLOCK_COMPLETE) {
		fields.length = done;
		fields.left = done < length ? length - done : 0;
	}
	fxr_pack_block(event, fields, FXR_DISK_NAME_BYTES);
	disk = disk_of(request);
	if (bpf_probe_read_kernel(fxr_block_bytes(event), FXR_DISK_NAME_BYTES,
				  (void *)disk + bpf_core_field_offset(struct gendisk, disk_name)))
		__builtin_memset(fxr_block_bytes(event), 0, FXR_DISK_NAME_BYTES);
	side_submit(event);
	return 0;
}

SEC("tp_btf/block_rq_insert")
int block_rq_insert(u64 *ctx)
{
	return on_request(request_of(ctx), FXR_BLOCK_INSERT, 0, 0);
}

SEC("tp_btf/block_rq_issue")
int block_rq_issue(u64 *ctx)
{
	return on_request(request_of(ctx), FXR_BLOCK_ISSUE, 0, 0);
}

SEC("tp_btf/block_rq_merge")
int block_rq_merge(u64 *ctx)
{
	return on_request(request_of(ctx), FXR_BLOCK_MERGE, 0, 0);
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(block_rq_complete, struct request *request, int error, u32 bytes)
{
	return on_request(request, FXR_BLOCK_COMPLETE, error, bytes);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
