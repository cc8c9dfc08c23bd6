// SPDX-License-Identifier: BSD-2-Clause
#include "vm/probe/bpf_call.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "util/unique_fd.h"

namespace probe {
namespace {

// The flag for returning the old value, in uapi headers since Linux 5.12.
constexpr int32_t kFetch = 1;

uint64_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

int Bpf(bpf_cmd command, bpf_attr* attr) {
  const long result = syscall(SYS_bpf, command, attr, sizeof(*attr));
  return result < 0 ? -errno : static_cast<int>(result);
}

int AttachToPerf(int event, int program) {
  if (event < 0) return event;
  util::UniqueFd guard(event);
  if (ioctl(event, PERF_EVENT_IOC_SET_BPF, program) != 0) return -errno;
  if (ioctl(event, PERF_EVENT_IOC_ENABLE, 0) != 0) return -errno;
  return guard.release();
}

}  // namespace

int CreateMap(bpf_map_type type, uint32_t key_bytes, uint32_t value_bytes, uint32_t entries,
              uint32_t flags) {
  bpf_attr attr = {};
  attr.map_type = type;
  attr.key_size = key_bytes;
  attr.value_size = value_bytes;
  attr.max_entries = entries;
  attr.map_flags = flags;
  return Bpf(BPF_MAP_CREATE, &attr);
}

int LoadProgram(bpf_prog_type type, const Program& program, uint32_t btf_id,
                bpf_attach_type attach) {
  bpf_attr attr = {};
  attr.prog_type = type;
  attr.insns = Address(program.data());
  attr.insn_cnt = static_cast<uint32_t>(program.size());
  attr.license = Address("GPL");
  attr.attach_btf_id = btf_id;
  attr.expected_attach_type = attach;
  return Bpf(BPF_PROG_LOAD, &attr);
}

int OpenRawTracepoint(int program, const char* name) {
  bpf_attr attr = {};
  attr.raw_tracepoint.name = Address(name);
  attr.raw_tracepoint.prog_fd = static_cast<uint32_t>(program);
  return Bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

int CreateIterator(int program) {
  bpf_attr attr = {};
  attr.link_create.prog_fd = static_cast<uint32_t>(program);
  attr.link_create.attach_type = BPF_TRACE_ITER;
  const util::UniqueFd link(Bpf(BPF_LINK_CREATE, &attr));
  if (!link) return link.get();
  attr = {};
  attr.iter_create.link_fd = static_cast<uint32_t>(link.get());
  return Bpf(BPF_ITER_CREATE, &attr);
}

int OpenPerfEvent(uint32_t type, uint64_t config, int cpu) {
  perf_event_attr attr = {};
  attr.size = sizeof(attr);
  attr.type = type;
  attr.config = config;
  attr.disabled = 1;
  const long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  return fd < 0 ? -errno : static_cast<int>(fd);
}

int AttachToTracepoint(int program, uint64_t id) {
  return AttachToPerf(OpenPerfEvent(PERF_TYPE_TRACEPOINT, id, 0), program);
}

int AttachToKprobe(int program, const char* function) {
  uint32_t type = 0;
  std::ifstream file("/sys/bus/event_source/devices/kprobe/type");
  if (!(file >> type)) return -ENOENT;
  perf_event_attr attr = {};
  attr.size = sizeof(attr);
  attr.type = type;
  attr.kprobe_func = Address(function);
  const long fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
  return AttachToPerf(fd < 0 ? -errno : static_cast<int>(fd), program);
}

Program ReturnZero() {
  return {
      {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .src_reg = 0, .off = 0, .imm = 0},
      {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
  };
}

Program CallHelper(int32_t helper) {
  Program program = ReturnZero();
  program.insert(program.begin(),
                 {.code = BPF_JMP | BPF_CALL, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = helper});
  return program;
}

Program AtomicAdd(bool fetch) {
  const Program body = {
      {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .src_reg = 0, .off = 0, .imm = 1},
      {.code = BPF_STX | BPF_MEM | BPF_DW,
       .dst_reg = BPF_REG_10,
       .src_reg = BPF_REG_1,
       .off = -8,
       .imm = 0},
      {.code = BPF_STX | BPF_XADD | BPF_DW,
       .dst_reg = BPF_REG_10,
       .src_reg = BPF_REG_1,
       .off = -8,
       .imm = BPF_ADD | (fetch ? kFetch : 0)},
  };
  Program program = ReturnZero();
  program.insert(program.begin(), body.begin(), body.end());
  return program;
}

}  // namespace probe
