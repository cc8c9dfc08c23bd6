// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/tracepoint_session.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "perf/live/lbr_attr.h"
#include "perf/live/perf_session.h"
#include "perf/live/pmu.h"

namespace perf {
namespace {

// All events of a ring have the same fields, so records are decoded without knowing their event.
perf_event_attr MakeAttr(size_t ring_bytes) {
  perf_event_attr attr = MakeRingAttr(ring_bytes);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  // Without PERIOD a counting event (sched_stat_runtime: nanoseconds) yields one sample per count.
  attr.sample_type =
      PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW;
  attr.sample_period = 1;
  return attr;
}

}  // namespace

util::Status TracepointSession::Open() {
  const PmuSurvey survey = SurveyPmus(root_);
  if (survey.online_cpus.empty()) return util::Error{"sysfs does not list the online CPUs", ""};
  perf_event_attr attr = MakeAttr(session_.ring_bytes());
  attr.read_format = PERF_FORMAT_LOST;
  counts_lost_ = kernel_.Open(attr, static_cast<int>(survey.online_cpus.front())).fd.valid();
  if (!counts_lost_) attr.read_format = 0;
  for (const unsigned cpu : survey.online_cpus) {
    bool mapping_failed = false;
    const int error = session_.Add({cpu, attr}, &mapping_failed);
    // The CPU went offline since sysfs was read.
    if (error == 0 || error == ENODEV) continue;
    if (error == EPERM || error == EACCES) {
      return util::Error{"no tracepoints: not permitted to record the whole system",
                         "run as root or with CAP_PERFMON; in a container the seccomp profile must "
                         "allow perf_event_open"};
    }
    return util::Error{
        fmt::format("no tracepoints: {}: {}",
                    mapping_failed ? "cannot map perf's ring" : "perf_event_open", strerror(error)),
        ""};
  }
  return util::Ok();
}

int TracepointSession::RingOf(unsigned cpu) const {
  const std::vector<unsigned> cpus = session_.cpus();
  const auto found = std::ranges::lower_bound(cpus, cpu);
  if (found == cpus.end() || *found != cpu) return -1;
  return session_.fds()[static_cast<size_t>(found - cpus.begin())];
}

int TracepointSession::OpenOn(Tracepoint& tracepoint, unsigned cpu, int ring,
                              bool* filter_refused) {
  perf_event_attr attr = MakeAttr(session_.ring_bytes());
  attr.type = PERF_TYPE_TRACEPOINT;
  attr.config = tracepoint.id;
  if (counts_lost_) attr.read_format = PERF_FORMAT_LOST;
  OpenedEvent event = kernel_.Open(attr, static_cast<int>(cpu));
  if (!event.fd) return event.error;
  if (!tracepoint.filter.empty()) {
    if (const int error = kernel_.SetFilter(event.fd.get(), tracepoint.filter.c_str())) {
      *filter_refused = true;
      return error;
    }
  }
  if (const int error = kernel_.SetOutput(event.fd.get(), ring)) return error;
  if (enabled_) {
    if (const int error = kernel_.Enable(event.fd.get())) return error;
  }
  tracepoint.events[cpu] = std::move(event.fd);
  return 0;
}

util::Error TracepointSession::Explain(const Tracepoint& tracepoint, int error,
                                       bool filter_refused) const {
  if (filter_refused) {
    return {
        fmt::format("{}: the kernel rejects the filter '{}': {}", tracepoint.name,
                    tracepoint.filter, strerror(error)),
        fmt::format(
            "a filter looks like 'order > 2 && comm ~ \"post*\"', with the fields that fxt-record "
            "--list-events={} shows",
            tracepoint.name)};
  }
  if (error == EMFILE) {
    return {fmt::format("{}: too many open files, as each tracepoint takes one per CPU",
                        tracepoint.name),
            "raise the limit with `ulimit -n`, or ask for fewer"};
  }
  return {fmt::format("{}: the kernel refuses to record it: {}", tracepoint.name, strerror(error)),
          ""};
}

util::Status TracepointSession::Add(uint32_t id, const std::string& name,
                                    const std::string& filter) {
  Tracepoint tracepoint{id, name, filter, {}};
  for (const unsigned cpu : session_.cpus()) {
    bool filter_refused = false;
    const int error = OpenOn(tracepoint, cpu, RingOf(cpu), &filter_refused);
    if (error == 0 || error == ENODEV) continue;
    return Explain(tracepoint, error, filter_refused);
  }
  tracepoints_.push_back(std::move(tracepoint));
  return util::Ok();
}

util::Status TracepointSession::Enable() {
  if (util::Status status = session_.Enable(); !status) return status;
  for (const Tracepoint& tracepoint : tracepoints_) {
    for (const auto& [cpu, event] : tracepoint.events) {
      if (const int error = kernel_.Enable(event.get())) return Explain(tracepoint, error, false);
    }
  }
  enabled_ = true;
  return util::Ok();
}

void TracepointSession::Disable() {
  enabled_ = false;
  // On failure the rings are still drained.
  for (const Tracepoint& tracepoint : tracepoints_) {
    for (const auto& [cpu, event] : tracepoint.events) (void)kernel_.Disable(event.get());
  }
  (void)session_.Disable().ok();
}

void TracepointSession::FollowCpus(const PerfSession::Handler& handler) {
  const std::vector<unsigned> online = SurveyPmus(root_).online_cpus;
  if (online.empty() || online == session_.cpus()) return;
  for (const unsigned cpu : session_.cpus()) {
    if (std::ranges::binary_search(online, cpu)) continue;
    for (Tracepoint& tracepoint : tracepoints_) tracepoint.events.erase(cpu);
    session_.Remove(cpu, handler);
  }
  perf_event_attr attr = MakeAttr(session_.ring_bytes());
  if (counts_lost_) attr.read_format = PERF_FORMAT_LOST;
  for (const unsigned cpu : online) {
    if (RingOf(cpu) >= 0) continue;
    bool failed = false;
    // Retried at the next call.
    if (session_.Add({cpu, attr}, &failed) != 0) continue;
    for (Tracepoint& tracepoint : tracepoints_) (void)OpenOn(tracepoint, cpu, RingOf(cpu), &failed);
  }
}

std::map<unsigned, uint64_t> TracepointSession::CountUnreported() {
  std::map<unsigned, uint64_t> unreported;
  if (!counts_lost_) return unreported;
  for (const Tracepoint& tracepoint : tracepoints_) {
    for (const auto& [cpu, event] : tracepoint.events) {
      uint64_t lost = 0;
      if (kernel_.ReadLost(event.get(), &lost)) unreported[cpu] += lost;
    }
  }
  for (auto& [cpu, count] : unreported) {
    const auto lost = session_.lost().find(cpu);
    if (lost != session_.lost().end()) count -= std::min(count, lost->second.records);
  }
  return unreported;
}

}  // namespace perf
