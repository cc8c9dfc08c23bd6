// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/kernel_features.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "capture/bpf/net_rx_senders.h"
#include "capture/btf/kernel_types.h"
#include "capture/probes/probe_links.h"
#include "util/unique_fd.h"

namespace capture {
namespace {

bool IsLockedDown() {
  std::ifstream lockdown("/sys/kernel/security/lockdown");
  std::string modes;
  return std::getline(lockdown, modes) && modes.find("[confidentiality]") != std::string::npos;
}

// CapEff of this process; all bits if /proc does not show it.
bool HasCapability(unsigned number) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("CapEff:")) {
      return (std::strtoull(line.c_str() + 7, nullptr, 16) >> number & 1) != 0;
    }
  }
  return true;
}

std::string MissingCapabilities() {
  if (HasCapability(CAP_SYS_ADMIN)) return "";
  std::string missing;
  for (const auto& [number, name] :
       {std::pair{CAP_BPF, "CAP_BPF"}, std::pair{CAP_PERFMON, "CAP_PERFMON"}}) {
    if (!HasCapability(static_cast<unsigned>(number))) {
      missing += (missing.empty() ? "" : " and ") + std::string(name);
    }
  }
  return missing;
}

// r0 = an atomic fetch-and-add on the stack. A kernel before 5.12 rejects the instruction.
bool HasAtomicFetch() {
  const bpf_insn program[] = {
      {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 1},
      {BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0},
      {BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_10, BPF_REG_0, -8, BPF_ADD | BPF_FETCH},
      {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0},
      {BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
  };
  util::UniqueFd fd(bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "fxr_probe", "GPL", program,
                                  sizeof(program) / sizeof(program[0]), nullptr));
  return fd.valid();
}

// Creates the smallest map, to check the permission to use BPF.
int TryMap() {
  int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "fxr_probe", 4, 8, 1, nullptr);
  if (fd < 0) return -fd;
  close(fd);
  return 0;
}

// Maps, programs, links and descriptors that are open already. The loader does not always pass
// EMFILE on.
constexpr rlim_t kDescriptorsNeeded = 64;

}  // namespace

util::Error ExplainRefusal(int error, const std::string& hint) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < kDescriptorsNeeded) {
    return {fmt::format("{} open files are allowed, which are too few", files.rlim_cur),
            fmt::format("raise the limit with `ulimit -n {}`", 4 * kDescriptorsNeeded)};
  }
  // The helpers that read kernel memory are then missing, which the verifier reports as EINVAL.
  if ((error == EPERM || error == EACCES || error == EINVAL) && IsLockedDown()) {
    return {
        "the kernel is locked down (confidentiality): it lets no BPF program read kernel memory",
        "boot without lockdown=confidentiality, or with Secure Boot off"};
  }
  if (error == EPERM || error == EACCES) {
    const std::string missing = MissingCapabilities();
    if (geteuid() != 0) {
      return {"recording needs root" + (missing.empty() ? "" : ", or " + missing),
              "run it with sudo (or give it CAP_BPF and CAP_PERFMON; before Linux 5.8, "
              "CAP_SYS_ADMIN)"};
    }
    return {"the kernel refused BPF to root: Operation not permitted" +
                (missing.empty() ? "" : " (without " + missing + ")"),
            "inside a container it needs CAP_BPF and CAP_PERFMON and no seccomp filter on bpf(2)"};
  }
  if (error == ENOSYS) {
    return {"this kernel has no bpf(2) system call", "it needs CONFIG_BPF_SYSCALL=y"};
  }
  return {fmt::format("the kernel refused the BPF programs: {}", strerror(error)), hint};
}

std::string KernelFeatures::WhyNot(const Category& category) const {
  for (const Tracepoint& each : category.tracepoints) {
    if (!each.may_be_missing() && missing_tracepoints.contains(each.tracepoint)) {
      return fmt::format("this kernel has no tracepoint {}", each.tracepoint);
    }
  }
  return category.id == FXR_CATEGORY_PROBE ? WhyNoProbes() : "";
}

bool KernelFeatures::HasFprobes() const {
  // Without CONFIG_FPROBE it is inlined.
  return types->Find(KernelTypes::Kind::kFunction, "register_fprobe_ips") != 0;
}

std::vector<std::string_view> KernelFeatures::Without(const Category& category) const {
  std::vector<std::string_view> without;
  for (const Tracepoint& each : category.tracepoints) {
    if (missing_tracepoints.contains(each.tracepoint)) without.push_back(each.tracepoint);
  }
  return without;
}

std::string DescribeInterruptWakers(const std::vector<uint32_t>& contextless, size_t online) {
  if (contextless.empty()) return "distinguished";
  if (contextless.size() >= online) return "not distinguished";
  return fmt::format("not distinguished on CPUs {}", fmt::join(contextless, ","));
}

util::Result<KernelFeatures> ProbeKernel() {
  // Errors are explained here; Load() lets libbpf print on request.
  libbpf_set_print(nullptr);
  if (int error = TryMap()) return ExplainRefusal(error, "Linux 5.10 or later is needed");
  utsname name{};
  uname(&name);
  auto loaded = KernelTypes::Load();
  if (!loaded) {
    return util::Error{
        fmt::format("kernel {} has no BTF: {}", name.release, loaded.error().message),
        "a kernel built with CONFIG_DEBUG_INFO_BTF=y is needed; those of Debian, "
        "Ubuntu, Fedora and "
        "Arch are"};
  }
  const auto types = std::make_shared<const KernelTypes>(std::move(*loaded));
  KernelFeatures features;
  features.types = types;
  for (const Tracepoint& each : AllTracepoints()) {
    if (each.way != Tracepoint::Way::kPerf && types->TracepointArguments(each.tracepoint) < 0) {
      features.missing_tracepoints.emplace(each.tracepoint);
    }
  }
  features.switch_has_state_argument = types->TracepointArguments("sched_switch") >= 4;
  features.block_has_queue_argument = types->TracepointArguments("block_rq_insert") >= 2;
  features.oom_has_task_argument = types->TracepointArguments("mark_victim") >= 2;
  features.reclaim_flags_are_first =
      types->TracepointArguments("mm_vmscan_direct_reclaim_begin") >= 3;
  features.cgroup_moves = types->TracepointArguments("cgroup_attach_task") >= 3;
#if defined(__x86_64__)
  features.per_cpu = FindPerCpuOffsets(*types);
#endif
  features.interrupt_mask = InterruptMask(*types);
  features.net_rx_senders = AreNetRxSendersKnown();
  features.symbol_lookup =
      types->Find(KernelTypes::Kind::kFunction, "bpf_kallsyms_lookup_name") != 0;
  features.rdonly_cast = types->Find(KernelTypes::Kind::kFunction, "bpf_rdonly_cast") != 0;
  features.atomic_fetch = HasAtomicFetch();
  // No feature test exists for this.
  features.preemptible_tracepoints = atoi(name.release) >= 7;
  return features;
}

}  // namespace capture
