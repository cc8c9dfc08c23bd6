// SPDX-License-Identifier: BSD-2-Clause
#include "capture/probes/probe_links.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <unordered_set>

#include "capture/tracefs/tracefs.h"
#include "fxt_record/event.h"

namespace capture {
namespace {

constexpr int kEveryProcess = -1;

bool HasCookies() {
  return libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_get_attach_cookie, nullptr) != 0;
}

constexpr const char* kNotTraced =
    "the kernel does not trace it: notrace, noinstr, or code of the boot";
constexpr const char* kNeedsCookies = "Linux 5.15 or later is needed to distinguish probes";

uint64_t CookieOf(const std::vector<probes::Probe>& probes, uint32_t number) {
  return number | (probes[number].return_value ? FXR_PROBE_WANTS_VALUE : 0);
}

std::string ReasonOf(int error) {
  constexpr int kNotSupported = 524;  // of the kernel alone, without a text
  if (error == kNotSupported || error == ENOEXEC)
    return "the kernel does not support a breakpoint on its first instruction";
  return strerror(error);
}

// True if it concerns one function, and others may be probed.
bool ConcernsFunction(int error) {
  return error != EMFILE && error != ENFILE && error != ENOMEM && error != EACCES &&
         error != EPERM && error != EINTR;
}

}  // namespace

std::string WhyNoProbes() {
  // Without this PMU libbpf would use tracefs, where probes survive a killed recorder.
  if (access("/sys/bus/event_source/devices/uprobe/type", R_OK) != 0) {
    return "this kernel has no uprobes for perf (CONFIG_UPROBE_EVENTS), or /sys is not there";
  }
  return HasCookies() ? "" : kNeedsCookies;
}

std::string WhyNoKernelProbes(bool has_fprobes) {
  if (!has_fprobes && access("/sys/bus/event_source/devices/kprobe/type", R_OK) != 0) {
    return "this kernel cannot probe its functions: it has neither kprobes (CONFIG_KPROBES, "
           "CONFIG_KPROBE_EVENTS) nor "
           "fprobes (CONFIG_FPROBE)";
  }
  return HasCookies() ? "" : kNeedsCookies;
}

ProbeLinks::~ProbeLinks() { Detach(); }

int ProbeLinks::Keep(bpf_link* link) {
  if (!link) return errno;
  links_.push_back(link);
  return 0;
}

int ProbeLinks::AttachUser(const ProbePrograms& programs, const probes::Probe& probe,
                           uint64_t cookie, int pid) {
  if (probe.kind == probes::Probe::Kind::kUsdt) {
    bpf_usdt_opts options{};
    options.sz = sizeof(options);
    options.usdt_cookie = cookie;
    return Keep(bpf_program__attach_usdt(programs.usdt.at(probe.has_spec()), pid,
                                         probe.file.c_str(), probe.provider.c_str(),
                                         probe.usdt_name.c_str(), &options));
  }
  const ProbePrograms::Call& call = programs.function.at(probe.has_spec());
  bpf_uprobe_opts options{};
  options.sz = sizeof(options);
  options.bpf_cookie = cookie;
  // The return probe comes first, so that a seen entry has its return seen.
  options.retprobe = true;
  const size_t before = links_.size();
  if (!probe.entry_only) {
    const int error = Keep(bpf_program__attach_uprobe_opts(call.on_return, pid, probe.file.c_str(),
                                                           probe.offset, &options));
    if (error != 0) return error;
  }
  options.retprobe = false;
  const int error = Keep(
      bpf_program__attach_uprobe_opts(call.entry, pid, probe.file.c_str(), probe.offset, &options));
  if (error != 0) DetachFrom(before);
  return error;
}

int ProbeLinks::AttachUserTo(const ProbePrograms& programs, const probes::Probe& probe,
                             uint64_t cookie, const std::vector<uint32_t>& pids) {
  for (const uint32_t pid : pids) {
    const int error = AttachUser(programs, probe, cookie, static_cast<int>(pid));
    if (error != 0 && error != ESRCH) return error;  // ESRCH: the process exited
  }
  // If all of the processes exited, attaches everywhere: a matching process may start later.
  if (!links_.empty() && !pids.empty()) return 0;
  return AttachUser(programs, probe, cookie, kEveryProcess);
}

int ProbeLinks::AttachKernel(const ProbePrograms::Call& programs, const probes::Probe& probe,
                             uint64_t cookie) {
  bpf_kprobe_opts options{};
  options.sz = sizeof(options);
  options.bpf_cookie = cookie;
  // Without a name the offset is an address, which is unique.
  const char* name = probe.address == 0 ? probe.name.c_str() : nullptr;
  options.offset = probe.address;
  options.retprobe = true;
  const size_t before = links_.size();
  if (!probe.entry_only) {
    if (const int error = Keep(bpf_program__attach_kprobe_opts(programs.on_return, name, &options));
        error != 0)
      return error;
  }
  options.retprobe = false;
  const int error = Keep(bpf_program__attach_kprobe_opts(programs.entry, name, &options));
  if (error != 0) DetachFrom(before);
  return error;
}

int ProbeLinks::AttachMulti(const ProbePrograms::Call& programs,
                            const std::vector<probes::Probe>& probes, Numbers numbers) {
  const auto attach = [&](bpf_program* program, bool is_return) {
    std::vector<const char*> names;
    std::vector<unsigned long> addresses;
    std::vector<__u64> cookies;
    bool has_addresses = true;
    for (const uint32_t number : numbers) {
      const probes::Probe& probe = probes[number];
      if (is_return && probe.entry_only) continue;
      names.push_back(probe.name.c_str());
      addresses.push_back(probe.address);
      cookies.push_back(CookieOf(probes, number));
      has_addresses &= probe.address != 0;
    }
    if (names.empty()) return 0;
    bpf_kprobe_multi_opts options{};
    options.sz = sizeof(options);
    (has_addresses ? static_cast<void>(options.addrs = addresses.data())
                   : static_cast<void>(options.syms = names.data()));
    options.cookies = cookies.data();
    options.cnt = names.size();
    options.retprobe = is_return;
    return Keep(bpf_program__attach_kprobe_multi_opts(program, nullptr, &options));
  };
  const size_t before = links_.size();
  if (const int error = attach(programs.on_return, true); error != 0) return error;
  const int error = attach(programs.entry, false);
  if (error != 0) DetachFrom(before);
  return error;
}

util::Status ProbeLinks::AttachMost(const ProbePrograms::Call& programs,
                                    const std::vector<probes::Probe>& probes, Numbers numbers,
                                    probes::SkippedProbes* skipped) {
  if (numbers.empty()) return util::Ok();
  const int error = AttachMulti(programs, probes, numbers);
  if (error == 0) return util::Ok();
  // The kernel does not say which function it refuses.
  if (numbers.size() == 1 || !ConcernsFunction(error)) {
    return Refuse(probes[numbers.front()], error, ReasonOf(error), skipped);
  }
  const size_t half = numbers.size() / 2;
  if (auto status = AttachMost(programs, probes, numbers.first(half), skipped); !status)
    return status;
  return AttachMost(programs, probes, numbers.subspan(half), skipped);
}

util::Status ProbeLinks::AttachKernelProbes(const ProbePrograms& programs,
                                            const std::vector<probes::Probe>& probes,
                                            probes::SkippedProbes* skipped) {
  std::array<std::vector<uint32_t>, 2> numbers;
  std::unordered_set<std::string> traced;
  bool has_traced = false;
  for (uint32_t i = 0; i < probes.size(); ++i) {
    const probes::Probe& probe = probes[i];
    if (probe.kind != probes::Probe::Kind::kKernel) continue;
    if (!std::exchange(has_traced, true)) {
      if (const auto tracefs = Tracefs::Open()) traced = tracefs->TraceableFunctions();
    }
    // Without the list, which needs ftrace, the kernel decides.
    if (!traced.empty() && !traced.contains(probe.name)) {
      auto status = Refuse(probe, EINVAL, kNotTraced, skipped);
      if (!status) return status;
    } else if (programs.kernel_is_multi) {
      numbers.at(probe.has_spec()).push_back(i);
    } else if (const int error =
                   AttachKernel(programs.kernel.at(probe.has_spec()), probe, CookieOf(probes, i));
               error != 0) {
      if (auto status = Refuse(probe, error, ReasonOf(error), skipped); !status) return status;
    }
  }
  for (const bool with_spec : {false, true}) {
    auto status = AttachMost(programs.kernel.at(with_spec), probes, numbers.at(with_spec), skipped);
    if (!status) return status;
  }
  return util::Ok();
}

util::Status ProbeLinks::Refuse(const probes::Probe& probe, int error, const std::string& reason,
                                probes::SkippedProbes* skipped) {
  if (!probe.pattern.empty() && ConcernsFunction(error)) {
    skipped->Add(probe.pattern, probe.name, reason);
    return util::Ok();
  }
  const bool is_kernel = probe.kind == probes::Probe::Kind::kKernel;
  std::string hint =
      is_kernel ? "available_filter_functions of tracefs has the functions that can be probed, "
                  "/sys/kernel/debug/kprobes/blacklist those that kprobes refuse"
                : "-v shows what the loader says";
  if (error == EMFILE) hint = "raise the limit of open files: ulimit -n";
  if (error == EACCES || error == EPERM) {
    hint = is_kernel ? "it takes CAP_PERFMON" : "it takes CAP_PERFMON, and the file's permission";
  }
  return util::Error{fmt::format("cannot probe {} in {}: {}", probe.name,
                                 is_kernel ? "the kernel" : probe.file, reason),
                     hint};
}

util::Status ProbeLinks::Attach(const ProbePrograms& programs,
                                const std::vector<probes::Probe>& probes,
                                const std::vector<uint32_t>& pids, probes::SkippedProbes* skipped) {
  for (uint32_t i = 0; i < probes.size(); ++i) {
    if (probes[i].kind == probes::Probe::Kind::kKernel) continue;
    // Only those of a function can have the flag of the returned value.
    const int error = AttachUserTo(programs, probes[i], CookieOf(probes, i), pids);
    if (error == 0) continue;
    if (auto status = Refuse(probes[i], error, ReasonOf(error), skipped); !status) return status;
  }
  if (auto status = AttachKernelProbes(programs, probes, skipped); !status) return status;
  return skipped->CheckPatterns(probes);
}

void ProbeLinks::DetachFrom(size_t first) {
  for (; links_.size() > first; links_.pop_back()) bpf_link__destroy(links_.back());
}

void ProbeLinks::Detach() { DetachFrom(0); }

}  // namespace capture
