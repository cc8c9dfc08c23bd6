// SPDX-License-Identifier: BSD-2-Clause
#include "capture/probes/probe_links.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fxt_record/event.h"

namespace capture {
namespace {

constexpr int kEveryProcess = -1;

}  // namespace

std::string WhyNoProbes() {
  // Without this PMU libbpf would use tracefs, where probes survive a killed recorder.
  if (access("/sys/bus/event_source/devices/uprobe/type", R_OK) != 0) {
    return "this kernel has no uprobes for perf (CONFIG_UPROBE_EVENTS), or /sys is not there";
  }
  if (libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_get_attach_cookie, nullptr) == 0) {
    return "Linux 5.15 or later is needed to distinguish probes";
  }
  return "";
}

ProbeLinks::~ProbeLinks() { Detach(); }

util::Status ProbeLinks::Keep(bpf_link* link, const probes::Probe& probe) {
  if (link) {
    links_.push_back(link);
    return util::Ok();
  }
  const int error = errno;
  if (error == ESRCH) return util::Ok();  // the process exited
  std::string hint = "-v shows what the loader says";
  if (error == EMFILE) hint = "raise the limit of open files: ulimit -n";
  if (error == EACCES || error == EPERM) hint = "it takes CAP_PERFMON, and the file's permission";
  return util::Error{
      fmt::format("cannot probe {} in {}: {}", probe.name, probe.file, strerror(error)), hint};
}

util::Status ProbeLinks::AttachTo(const ProbePrograms& programs, const probes::Probe& probe,
                                  uint64_t number, int pid) {
  if (probe.kind == probes::Probe::Kind::kUsdt) {
    bpf_usdt_opts options{};
    options.sz = sizeof(options);
    options.usdt_cookie = number;
    return Keep(bpf_program__attach_usdt(probe.has_spec() ? programs.usdt_values : programs.usdt, pid, probe.file.c_str(),
                                         probe.provider.c_str(), probe.usdt_name.c_str(), &options),
                probe);
  }
  bpf_program* const entry = probe.has_spec() ? programs.entry_values : programs.entry;
  bpf_program* const on_return = probe.has_spec() ? programs.on_return_values : programs.on_return;
  bpf_uprobe_opts options{};
  options.sz = sizeof(options);
  options.bpf_cookie = number | (probe.return_value ? FXR_PROBE_WANTS_VALUE : 0);
  // The return probe comes first, so that a seen entry has its return seen.
  options.retprobe = true;
  if (!probe.entry_only) {
    util::Status status =
        Keep(bpf_program__attach_uprobe_opts(on_return, pid, probe.file.c_str(),
                                             probe.offset, &options),
             probe);
    if (!status) return status;
  }
  options.retprobe = false;
  return Keep(bpf_program__attach_uprobe_opts(entry, pid, probe.file.c_str(), probe.offset,
                                              &options),
              probe);
}

util::Status ProbeLinks::Attach(const ProbePrograms& programs,
                                const std::vector<probes::Probe>& probes,
                                const std::vector<uint32_t>& pids) {
  for (size_t i = 0; i < probes.size(); ++i) {
    for (const uint32_t pid : pids) {
      if (auto status = AttachTo(programs, probes[i], i, static_cast<int>(pid)); !status) {
        return status;
      }
    }
    // If all of the processes exited, attaches everywhere: a matching process may start later.
    if (!links_.empty() && !pids.empty()) continue;
    if (auto status = AttachTo(programs, probes[i], i, kEveryProcess); !status) return status;
  }
  return util::Ok();
}

void ProbeLinks::Detach() {
  for (bpf_link* link : links_) bpf_link__destroy(link);
  links_.clear();
}

}  // namespace capture
