// SPDX-License-Identifier: BSD-2-Clause
// Tries each kernel feature that a tracer may need and prints `probe NAME RESULT`: "ok", a number,
// or an error name. It is independent of the recorder, so the matrix can compare both.
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>

#include "util/unique_fd.h"
#include "vm/probe/bpf_call.h"
#include "vm/probe/kernel_types.h"

namespace probe {
namespace {

void Say(const std::string& name, const std::string& result) {
  printf("probe %s %s\n", name.c_str(), result.c_str());
}

// `result` is a descriptor, which the function closes, or -errno.
void SayDescriptor(const std::string& name, int result) {
  const util::UniqueFd guard(result);
  const char* error = result < 0 ? strerrorname_np(-result) : "ok";
  Say(name, error != nullptr ? error : std::to_string(-result));
}

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) ? line : "absent";
}

void ProbeMaps() {
  SayDescriptor("map.array", CreateMap(BPF_MAP_TYPE_ARRAY, 4, 8, 1));
  SayDescriptor("map.percpu_array", CreateMap(BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 1));
  SayDescriptor("map.hash", CreateMap(BPF_MAP_TYPE_HASH, 4, 8, 16));
  SayDescriptor("map.ringbuf", CreateMap(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096));
  SayDescriptor("map.user_ringbuf", CreateMap(BPF_MAP_TYPE_USER_RINGBUF, 0, 0, 4096));
  const util::UniqueFd shared(CreateMap(BPF_MAP_TYPE_ARRAY, 4, 8, 512, BPF_F_MMAPABLE));
  if (!shared) return SayDescriptor("map.array_mmapable", shared.get());
  void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, shared.get(), 0);
  Say("map.array_mmapable", memory == MAP_FAILED ? strerrorname_np(errno) : "ok");
  if (memory != MAP_FAILED) munmap(memory, 4096);
}

// Before Linux 5.11 maps count against the locked-memory limit, even for root.
void ProbeLockedMemory() {
  rlimit before = {};
  getrlimit(RLIMIT_MEMLOCK, &before);
  Say("rlimit.memlock_bytes", std::to_string(before.rlim_cur));
  const rlimit small = {65536, before.rlim_max};
  setrlimit(RLIMIT_MEMLOCK, &small);
  SayDescriptor("map.ringbuf_16m_memlock_64k", CreateMap(BPF_MAP_TYPE_RINGBUF, 0, 0, 1 << 24));
  rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  if (setrlimit(RLIMIT_MEMLOCK, &all) != 0) setrlimit(RLIMIT_MEMLOCK, &before);
}

void ProbeTracing(const KernelTypes& types) {
  const uint32_t on_switch = types.FindTypedef("btf_trace_sched_switch");
  auto load_on_switch = [&](const Program& program) {
    return LoadProgram(BPF_PROG_TYPE_TRACING, program, on_switch, BPF_TRACE_RAW_TP);
  };
  const util::UniqueFd program(load_on_switch(ReturnZero()));
  SayDescriptor("tp_btf.load", program.valid() ? dup(program.get()) : program.get());
  if (program) SayDescriptor("tp_btf.attach", OpenRawTracepoint(program.get(), nullptr));
  SayDescriptor("insn.atomic_add", load_on_switch(AtomicAdd(false)));
  SayDescriptor("insn.atomic_fetch_add", load_on_switch(AtomicAdd(true)));
  struct Helper {
    const char* name;
    int32_t number;  // uapi/linux/bpf.h; by number, as this machine's header may be older
  };
  constexpr Helper kHelpers[] = {{"ktime_get_ns", 5},          {"get_current_task", 35},
                                 {"ktime_get_boot_ns", 125},   {"get_current_task_btf", 158},
                                 {"ktime_get_coarse_ns", 160}, {"ktime_get_tai_ns", 208}};
  for (const Helper& helper : kHelpers) {
    SayDescriptor(std::string("helper.") + helper.name, load_on_switch(CallHelper(helper.number)));
  }
  const util::UniqueFd raw(LoadProgram(BPF_PROG_TYPE_RAW_TRACEPOINT, ReturnZero()));
  SayDescriptor("raw_tracepoint.attach",
                raw.valid() ? OpenRawTracepoint(raw.get(), "sched_switch") : raw.get());
}

void ProbeIterator(const KernelTypes& types) {
  const util::UniqueFd program(LoadProgram(BPF_PROG_TYPE_TRACING, ReturnZero(),
                                           types.FindFunction("bpf_iter_task"), BPF_TRACE_ITER));
  if (!program) return SayDescriptor("iter.task", program.get());
  const util::UniqueFd iterator(CreateIterator(program.get()));
  if (!iterator) return SayDescriptor("iter.task", iterator.get());
  char byte;
  Say("iter.task", read(iterator.get(), &byte, 1) < 0 ? strerrorname_np(errno) : "ok");
}

void ProbeFunctions(const KernelTypes& types) {
  const char* function = "wake_up_new_task";
  const util::UniqueFd entry(LoadProgram(BPF_PROG_TYPE_TRACING, ReturnZero(),
                                         types.FindFunction(function), BPF_TRACE_FENTRY));
  SayDescriptor("fentry.attach",
                entry.valid() ? OpenRawTracepoint(entry.get(), nullptr) : entry.get());
  const util::UniqueFd kprobe(LoadProgram(BPF_PROG_TYPE_KPROBE, ReturnZero()));
  SayDescriptor("kprobe.attach",
                kprobe.valid() ? AttachToKprobe(kprobe.get(), function) : kprobe.get());
}

void ProbePerf() {
  uint64_t id = 0;
  std::ifstream file("/sys/kernel/tracing/events/sched/sched_switch/id");
  if (file >> id) {
    const util::UniqueFd program(LoadProgram(BPF_PROG_TYPE_TRACEPOINT, ReturnZero()));
    SayDescriptor("tracepoint.attach",
                  program.valid() ? AttachToTracepoint(program.get(), id) : program.get());
  } else {
    Say("tracepoint.attach", "no-tracefs");
  }
  SayDescriptor("perf.cpu_clock", OpenPerfEvent(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0));
  SayDescriptor("perf.cycles", OpenPerfEvent(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0));
}

void ProbeTypes(const KernelTypes& types) {
  Say("btf.bytes", std::to_string(types.bytes()));
  Say("btf.highest_kind", std::to_string(types.highest_kind()));
  for (const char* member : {"state", "__state"}) {
    Say(std::string("btf.task_struct.") + member,
        types.StructHasMember("task_struct", member) ? "yes" : "no");
  }
  for (const char* name :
       {"sched_switch",       "sched_wakeup",       "sched_waking",       "sched_wakeup_new",
        "sched_migrate_task", "sched_process_fork", "sched_process_exec", "sched_process_exit",
        "sched_process_free", "task_rename",        "task_newtask",       "console",
        "irq_handler_entry",  "irq_handler_exit",   "softirq_entry",      "softirq_raise",
        "irq_vectors",        "local_timer_entry",  "sys_enter",          "sys_exit",
        "signal_generate",    "cpu_frequency",      "cpu_idle",           "sched_pi_setprio",
        "block_rq_issue",     "sched_stat_runtime"}) {
    Say(std::string("btf.tracepoint.") + name, std::to_string(types.TracepointParameters(name)));
  }
}

void ProbeAll() {
  const KernelTypes types = KernelTypes::Load();
  for (const char* path :
       {"/proc/sys/kernel/osrelease", "/proc/sys/kernel/unprivileged_bpf_disabled",
        "/proc/sys/kernel/perf_event_paranoid", "/proc/sys/net/core/bpf_jit_enable",
        "/proc/sys/kernel/sched_schedstats",
        "/sys/devices/system/clocksource/clocksource0/current_clocksource"}) {
    Say(path, FirstLine(path));
  }
  ProbeTypes(types);
  ProbeLockedMemory();
  ProbeMaps();
  ProbeTracing(types);
  ProbeIterator(types);
  ProbeFunctions(types);
  ProbePerf();
}

}  // namespace
}  // namespace probe

int main() {
  probe::ProbeAll();
  return 0;
}
