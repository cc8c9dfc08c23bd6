// SPDX-License-Identifier: BSD-2-Clause
// Calls bpf(2) and perf_event_open(2) directly, with a function for each feature that the probe
// tries. Each function returns a descriptor or -errno.
#pragma once

#include <linux/bpf.h>

#include <cstdint>
#include <vector>

namespace probe {

using Program = std::vector<bpf_insn>;

int CreateMap(bpf_map_type type, uint32_t key_bytes, uint32_t value_bytes, uint32_t entries,
              uint32_t flags = 0);

// Only BPF_PROG_TYPE_TRACING uses `btf_id` and `attach`.
int LoadProgram(bpf_prog_type type, const Program& program, uint32_t btf_id = 0,
                bpf_attach_type attach = BPF_CGROUP_INET_INGRESS);

// `name` is null for a program with a BTF id.
int OpenRawTracepoint(int program, const char* name);

int CreateIterator(int program);

// Opens a perf event with a program: a tracepoint by its id or a kprobe on a kernel function.
int AttachToTracepoint(int program, uint64_t id);
int AttachToKprobe(int program, const char* function);

int OpenPerfEvent(uint32_t type, uint64_t config, int cpu);

// Programs of a few instructions.
Program ReturnZero();
Program CallHelper(int32_t helper);
// An atomic addition to a word on the stack. With `fetch` it returns the old value.
Program AtomicAdd(bool fetch);

}  // namespace probe
