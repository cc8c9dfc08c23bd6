// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/stack_session.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

#include "perf/live/lbr_attr.h"
#include "perf/live/perf_session.h"
#include "perf/live/pmu.h"

namespace perf {
namespace {

util::Error Explain(int error) {
  if (error == EPERM || error == EACCES) {
    return {"no stacks: not permitted to sample the whole system",
            "run as root or with CAP_PERFMON; in a container the seccomp profile must allow "
            "perf_event_open"};
  }
  return {fmt::format("no stacks: perf_event_open: {}", strerror(error)), ""};
}

}  // namespace

perf_event_attr MakeStackAttr(const StackSampling& sampling, bool cycles) {
  perf_event_attr attr = MakeRingAttr(sampling.ring_bytes);
  AddMappings(&attr);
  if (sampling.tasks) {
    attr.task = 1;
    attr.wakeup_watermark = 1;
  }
  attr.type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
  attr.config = cycles                    ? uint64_t{PERF_COUNT_HW_CPU_CYCLES}
                : sampling.frequency != 0 ? uint64_t{PERF_COUNT_SW_CPU_CLOCK}
                                          : uint64_t{PERF_COUNT_SW_DUMMY};
  attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  if (sampling.frequency != 0) {
    if (sampling.program < 0) attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
    attr.freq = 1;
    attr.sample_freq = sampling.frequency;
    attr.exclude_idle = 1;
  }
  attr.exclude_guest = 1;
  return attr;
}

util::Result<std::unique_ptr<StackSession>> StackSession::Open(const StackSampling& sampling,
                                                               PerfSyscalls& kernel,
                                                               const std::string& root) {
  std::unique_ptr<StackSession> session(new StackSession(kernel, sampling.ring_bytes, root));
  util::Status opened = session->OpenAll(sampling);
  if (!opened) return opened.TakeError();
  return session;
}

util::Status StackSession::OpenAll(StackSampling sampling) {
  const PmuSurvey survey = SurveyPmus(root_);
  if (survey.online_cpus.empty()) return util::Error{"sysfs does not list the online CPUs", ""};
  sampling.ring_bytes = session_.ring_bytes();
  const auto first = static_cast<int>(survey.online_cpus.front());
  AttrSearchResult ladder;
  ladder.error = ENOENT;
  // On a hybrid machine no single hardware event covers all CPUs.
  if (sampling.frequency != 0 && survey.pmus.size() == 1) {
    ladder = FindAcceptedAttr(kernel_, MakeStackAttr(sampling, true), first);
    event_ = "cycles";
  }
  if (ladder.error != 0) {
    ladder = FindAcceptedAttr(kernel_, MakeStackAttr(sampling, false), first);
    event_ = sampling.frequency != 0 ? "cpu-clock" : "";
  }
  if (ladder.error != 0) return Explain(ladder.error);
  attr_ = ladder.accepted.attr;
  if (sampling.frequency != 0 && sampling.program >= 0) {
    const OpenedEvent event = kernel_.Open(attr_, first);
    if (event.fd && kernel_.SetProgram(event.fd.get(), sampling.program) == 0) {
      program_ = sampling.program;
    } else {
      attr_.sample_type |= PERF_SAMPLE_CALLCHAIN;
    }
  }
  for (const unsigned cpu : survey.online_cpus) {
    bool mapping_failed = false;
    const int error = session_.Add({cpu, attr_, program_}, &mapping_failed);
    // The CPU went offline since sysfs was read.
    if (error == 0 || error == ENODEV) continue;
    if (!mapping_failed) return Explain(error);
    return util::Error{fmt::format("no stacks: cannot map a ring of {} bytes: {}",
                                   session_.ring_bytes(), strerror(error)),
                       "raise kernel.perf_event_mlock_kb, or run as root"};
  }
  if (session_.cpus().empty()) return util::Error{"no stacks: no CPU could be opened", ""};
  return util::Ok();
}

void StackSession::FollowCpus(const PerfSession::Handler& handler) {
  const std::vector<unsigned> online = SurveyPmus(root_).online_cpus;
  if (online.empty()) return;
  for (const unsigned cpu : session_.cpus()) {
    if (!std::binary_search(online.begin(), online.end(), cpu)) session_.Remove(cpu, handler);
  }
  for (const unsigned cpu : online) {
    bool mapping_failed = false;
    // Retried at the next call.
    (void)session_.Add({cpu, attr_, program_}, &mapping_failed);
  }
}

}  // namespace perf
