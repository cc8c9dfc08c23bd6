// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/options/program_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "capture/bpf/ring_sizes.h"
#include "capture/probes/kernel_probe_resolver.h"
#include "probes/probe_resolver.h"
#include "schema/request_protocols.h"
#include "util/machine_info.h"
#include "util/syscall_names.h"

namespace tools {

util::Status LeaveOutImpossible(const capture::KernelFeatures& features,
                                capture::CategorySelection& selection,
                                std::vector<std::string>* notes) {
  for (const capture::Category& category : capture::AllCategories()) {
    if (!selection.wanted.test(category.id)) continue;
    std::string why_not = features.WhyNot(category);
    if (why_not.empty()) {
      const auto without = features.Without(category);
      if (!without.empty() && !category.by_default) {
        notes->push_back(fmt::format("category '{}' without {}: this kernel has no such tracepoint",
                                     category.name, fmt::join(without, ", ")));
      }
      continue;
    }
    if (selection.by_name.test(category.id)) {
      return util::Error{
          fmt::format("category '{}' cannot be recorded: {}", category.name, why_not),
          "fxt-record --list-categories shows what can"};
    }
    selection.wanted.reset(category.id);
    notes->push_back(fmt::format("without category '{}': {}", category.name, why_not));
  }
  return util::Ok();
}

void LeaveOutLong(capture::CategorySelection& selection) {
  for (const fxr_category category : {FXR_CATEGORY_LBR, FXR_CATEGORY_STACK}) {
    if (!selection.by_name.test(category)) selection.wanted.reset(category);
  }
}

util::Result<capture::ProgramOptions> MakeProgramOptions(const RecordOptions& options,
                                                         const capture::ProcIdentity& identities,
                                                         const capture::KernelFeatures& features,
                                                         bool realtime,
                                                         std::vector<std::string>* notes) {
  capture::ProgramOptions programs;
  programs.categories = options.categories.wanted;
  for (const std::string& name : options.categories.syscalls) {
    auto number = util::SyscallNumber(name);
    if (!number) {
      return util::Error{fmt::format("this machine has no system call '{}'", name),
                         "names are those of section 2 of the manual, such as futex or openat"};
    }
    programs.syscall_numbers.push_back(*number);
  }
  programs.sched_events = options.categories.sched_events;
  programs.stack = options.stack;
  if (const auto& parts = options.categories.stack_parts; !parts.empty()) {
    const auto has = [&](std::string_view part) {
      return std::ranges::find(parts, part) != parts.end();
    };
    programs.stack.off = has("off");
    programs.stack.wake = has("wake");
    programs.stack.on = has("on");
  }
  probes::SkippedProbes skipped;
  auto probes = probes::ResolveProbes(options.sources.uprobes, options.sources.usdts,
                                      probes::SystemSearchPaths(), {}, &skipped);
  if (!probes) return probes.TakeError();
  if (!options.sources.kprobes.empty()) {
    auto added = capture::AddKernelProbes(options.sources.kprobes, features.HasFprobes(), &*probes,
                                          &skipped);
    if (!added) return added.error();
  }
  std::ranges::move(skipped.Describe(*probes), std::back_inserter(*notes));
  programs.probes = std::move(*probes);
  programs.counters = options.sources.counters;
  for (const std::string& name : options.sources.request_names) {
    if (!schema::SelectRequestProtocol(name, programs.request_names)) {
      return util::Error{
          fmt::format("there is no protocol '{}' to name requests by", name),
          fmt::format("the protocols are: {}", fmt::join(schema::RequestProtocolNames(), ", "))};
    }
  }
  programs.filter.tids = options.tasks.tids;
  programs.filter.tgids = options.tasks.pids;
  programs.filter.comms = options.tasks.comms;
  programs.filter.follow = options.tasks.follow;
  programs.filter.chosen = options.only_command;
  for (const std::string& path : options.tasks.cgroups) {
    auto id = identities.CgroupId(path);
    if (!id) {
      return util::Error{fmt::format("there is no cgroup '{}' in the default hierarchy", path),
                         "give its path below the cgroup2 mount, as in /proc/PID/cgroup"};
    }
    programs.filter.cgroups.push_back(*id);
  }
  programs.ring_bytes = options.buffer_bytes;
  if (programs.ring_bytes == 0 && !realtime) {
    // Without real-time priority the recorder may have to wait its turn for longer.
    uint32_t cpus = util::ReadMachineInfo().cpus;
    programs.ring_bytes = 2 * capture::DefaultRingBytes(cpus);
  }
  programs.verbose = options.verbose;
  return programs;
}

capture::PerfSourceOptions MakePerfSourceOptions(const RecordOptions& options) {
  return {options.categories, options.lbr, options.sources.tracepoints};
}

}  // namespace tools
