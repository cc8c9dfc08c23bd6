// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/lbr_session.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "perf/live/lbr_errors.h"

namespace perf {

namespace {

// Tried if sysfs lists no PMU, to get the kernel's error code.
Pmu UsualPmu() {
  Pmu pmu;
  pmu.name = "cpu";
  pmu.type = PERF_TYPE_RAW;
  return pmu;
}

}  // namespace

LbrSession::LbrSession(PerfSyscalls& kernel, const LbrOptions& options, std::string root)
    : kernel_(kernel),
      options_(options),
      root_(std::move(root)),
      session_(kernel, options.ring_bytes) {
  if (options_.filter == 0) options_.filter = *ParseLbrFilter("");
  options_.ring_bytes = session_.ring_bytes();
}

util::Result<std::unique_ptr<LbrSession>> LbrSession::Open(const LbrOptions& options,
                                                           PerfSyscalls& kernel,
                                                           const std::string& root) {
  if (options.period && options.frequency) {
    return util::Error{"both a period and a frequency for LBR", "give only one of the two"};
  }
  std::unique_ptr<LbrSession> session(new LbrSession(kernel, options, root));
  util::Status opened = session->OpenAll(SurveyPmus(root));
  if (!opened) return opened.TakeError();
  return session;
}

util::Result<std::unique_ptr<LbrSession>> LbrSession::OpenStandIn(const LbrOptions& options,
                                                                  PerfSyscalls& kernel,
                                                                  const std::string& root) {
  std::unique_ptr<LbrSession> session(new LbrSession(kernel, options, root));
  session->stand_in_ = true;
  util::Status opened = session->OpenAll(SurveyPmus(root));
  if (!opened) return opened.TakeError();
  return session;
}

util::Status LbrSession::OpenAll(const PmuSurvey& survey) {
  if (survey.online_cpus.empty()) return util::Error{"sysfs does not list the online CPUs", ""};
  std::vector<Pmu> pmus = survey.pmus;
  if (pmus.empty() || stand_in_) pmus = {UsualPmu()};
  std::set<OptionalFeature> refused;
  for (const Pmu& pmu : pmus) {
    const std::vector<unsigned> cpus = survey.OnlineCpusOf(pmu);
    if (cpus.empty()) continue;
    if (pmu.needs_brs_event && options_.frequency) {
      return util::Error{"no LBR: AMD Zen 3 branch sampling works with a fixed period only",
                         "use --lbr-period instead of --lbr-frequency"};
    }
    const perf_event_attr base = stand_in_ ? MakeStandInAttr(options_) : MakeLbrAttr(pmu, options_);
    const AttrSearchResult ladder = FindAcceptedAttr(kernel_, base, static_cast<int>(cpus.front()));
    if (ladder.error != 0) return ExplainOpenError(ladder.error, survey, pmu, options_);
    sources_.push_back({pmu, ladder.accepted.attr});
    refused.insert(ladder.accepted.refused.begin(), ladder.accepted.refused.end());
    description_.pmus.push_back(pmu.name);
    description_.depth = std::max(description_.depth, pmu.branch_depth.value_or(0));
    for (const unsigned cpu : cpus) {
      bool mapping_failed = false;
      const int error = session_.Add({cpu, ladder.accepted.attr}, &mapping_failed);
      // The CPU went offline since sysfs was read.
      if (error == ENODEV) continue;
      if (error != 0) {
        return mapping_failed ? ExplainMapError(error, session_.ring_bytes())
                              : ExplainOpenError(error, survey, pmu, options_);
      }
    }
  }
  description_.refused.assign(refused.begin(), refused.end());
  description_.cpus = session_.cpus();
  if (description_.cpus.empty()) return util::Error{"no LBR: no CPU could be opened", ""};
  return util::Ok();
}

PerfSession::Handler LbrSession::Forward(LbrHandler& handler) {
  return [this, &handler](unsigned cpu, const Record& record) {
    const auto* sample = std::get_if<Sample>(&record.body);
    if (sample == nullptr) {
      handler.OnRecord(cpu, record);
      return;
    }
    TakeBranchStack(*sample, &sample_);
    if (!sample_.cpu) sample_.cpu = cpu;
    handler.OnSample(sample_);
  };
}

bool LbrSession::Drain(LbrHandler& handler, size_t max_bytes) {
  return session_.Drain(Forward(handler), max_bytes);
}

bool LbrSession::FollowCpus(LbrHandler& handler, std::string* problem) {
  const PmuSurvey survey = SurveyPmus(root_);
  if (survey.online_cpus.empty()) return false;
  const std::vector<unsigned> before = session_.cpus();
  for (const unsigned cpu : before) {
    if (!std::binary_search(survey.online_cpus.begin(), survey.online_cpus.end(), cpu)) {
      session_.Remove(cpu, Forward(handler));
    }
  }
  for (const Source& source : sources_) {
    // For a hybrid PMU sysfs lists only the online CPUs, so a new one may have been added.
    const auto now = std::find_if(survey.pmus.begin(), survey.pmus.end(),
                                  [&](const Pmu& pmu) { return pmu.name == source.pmu.name; });
    const std::vector<unsigned> cpus =
        survey.OnlineCpusOf(now != survey.pmus.end() && !stand_in_ ? *now : source.pmu);
    for (const unsigned cpu : cpus) {
      bool mapping_failed = false;
      const int error = session_.Add({cpu, source.attr}, &mapping_failed);
      if (error != 0 && error != ENODEV) {
        *problem = fmt::format("no LBR on CPU {}: {}", cpu, strerror(error));
      }
    }
  }
  description_.cpus = session_.cpus();
  return session_.cpus() != before;
}

}  // namespace perf
