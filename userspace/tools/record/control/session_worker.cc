// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/session_worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "capture/counters/counter_set.h"
#include "tools/record/control/provider_words.h"
#include "tools/record/control/recording_status.h"
#include "tools/record/options/filter_text.h"
#include "tools/record/options/program_choice.h"
#include "tools/record/options/provider_categories.h"
#include "tools/record/options/session_description.h"
#include "tools/record/options/source_words.h"
#include "tools/record/process/schedule.h"
#include "util/clock.h"

namespace tools {
namespace {

using control::Failure;
using control::Outcome;
using control::error_name::kFailed;

// Who reads a pipe or socket that nobody takes anything from for so long has gone; ns.
constexpr uint64_t kReaderTimeoutNs = 10'000'000'000;
constexpr size_t kMaxAlertsKept = 256;

static_assert(static_cast<int>(control::BufferingMode::kStreaming) ==
              static_cast<int>(session::BufferingMode::kStreaming));
static_assert(static_cast<int>(control::BufferDisposition::kRetain) ==
              static_cast<int>(session::BufferDisposition::kRetain));

Outcome Failed(const util::Error& error) { return {Failure{kFailed, error.message, error.hint}}; }

// What of it is named, as the foreground's options have it.
util::Status TakeSources(const control::TraceSources& sources, RecordOptions& options) {
  for (const control::TraceSources::Tracepoint& each : sources.tracepoints) {
    options.tracepoints.push_back({each.name, each.filter});
  }
  if (!sources.counters.empty()) {
    auto names =
        capture::CounterSet::ParseNames(fmt::format("{}", fmt::join(sources.counters, ",")));
    if (!names) return names.TakeError();
    options.counters = std::move(*names);
  }
  options.uprobes = sources.uprobes;
  options.usdts = sources.usdts;
  return ApplySources(options);
}

// For each wait anew.
output::KeepWaiting ReaderTimeout() {
  return [begin = uint64_t{0}, last = uint64_t{0}]() mutable {
    const uint64_t now = util::MonotonicNow();
    if (now - last > 1'000'000'000) begin = now;
    last = now;
    return now - begin < kReaderTimeoutNs;
  };
}

}  // namespace

SessionWorker::SessionWorker(const capture::KernelFeatures& features, SessionDefaults defaults,
                             provider::ProviderSet& providers,
                             std::function<void(std::string)> stopped,
                             std::function<void(std::string)> say,
                             std::function<void(std::string)> alerted)
    : features_(features),
      defaults_(std::move(defaults)),
      stopped_(std::move(stopped)),
      say_(std::move(say)),
      alerted_(std::move(alerted)),
      providers_(providers) {}

void SessionWorker::Quit() {
  inbox_.Post([this] { quit_ = true; });
}

void SessionWorker::Run() {
  realtime_ = BecomeRealtime();
  std::vector<pollfd> fds;
  while (!quit_) {
    fds.assign(1, {inbox_.fd(), POLLIN, 0});
    int timeout = -1;
    if (recording_) {
      recording_->AddPollFds(fds);
      timeout = recording_->TimeoutMs();
    }
    if (triggers_) {
      triggers_->AddPollFds(fds);
      const int due = triggers_->TimeoutMs();
      if (due >= 0) timeout = timeout < 0 ? due : std::min(timeout, due);
    }
    poll(fds.data(), fds.size(), timeout);
    if (recording_) Turn(fds);
    if (fds[0].revents != 0) inbox_.Run();
    TerminateIfDone();
  }
  if (recording_) recording_->Abandon();
  triggers_.reset();
  recording_.reset();
}

void SessionWorker::Turn(const std::vector<pollfd>& fds) {
  const util::Status status = recording_->Turn();
  TellWritten();
  TakeAlerts();
  if (triggers_ && recording_now_) triggers_->Turn(fds);
  if (!recording_now_) return;
  if (!status) {
    recording_now_ = false;
    static_cast<void>(recording_->Stop());
    stopped_(status.error().message);
  } else if (config_.buffering_mode == control::BufferingMode::kOneshot &&
             recording_->status().buffer_full) {
    recording_now_ = false;
    stopped_("the buffer is full");
  }
}

// The file has the provider's own instant in any mode.
void SessionWorker::TakeAlerts() {
  for (const provider::Alert& alert : recording_->TakeProviderAlerts()) {
    const std::string name = alert.name.substr(0, control::kMaxAlertName);
    alerted_(name);
    if (alerts_.size() == kMaxAlertsKept) alerts_.erase(alerts_.begin());
    alerts_.push_back({alert.time, "alert " + name, "", 0});
    if (triggers_ && recording_now_) triggers_->OnAlert(name);
  }
}

void SessionWorker::TellWritten() {
  for (session::Written& written : recording_->TakeWritten()) {
    if (triggers_ && triggers_->Take(written)) continue;
    const auto found = being_written_.find(written.number);
    if (found == being_written_.end()) continue;
    const control::Done done = std::move(found->second);
    being_written_.erase(found);
    if (!written.status) {
      done(Failed(written.status.error()));
    } else {
      done({.written = control::Written{written.bytes, written.events, written.covered}});
    }
  }
}

Outcome SessionWorker::Initialize(const control::TraceConfig& config,
                                  std::optional<control::TraceOutput> output) {
  capture::CategorySelection categories = capture::DefaultCategories();
  if (config.categories) {
    std::vector<std::string> words = *config.categories;
    const bool all = words.empty();
    TakeProviderCategories(words);
    // An empty list is the document's word for all; one of programs' categories alone is the
    // default ones of the kernel.
    const std::string list = all ? "all" : fmt::format("{}", fmt::join(words, ","));
    auto parsed = list.empty() ? capture::DefaultCategories() : capture::ParseCategories(list);
    if (!parsed) return Failed(parsed.error());
    categories = *parsed;
  }
  config_ = config;
  output_ = std::move(output);
  begun_ = recording_now_ = false;
  started_at_ = 0;
  alerts_.clear();
  hurry_ = std::make_shared<std::atomic<uint64_t>>(0);
  if (auto status = Make(categories); !status) {
    output_.reset();
    return Failed(status.error());
  }
  return {};
}

util::Result<session::Destination> SessionWorker::StreamingDestination() const {
  // Programs may be made a second time, for further categories.
  util::UniqueFd copy(fcntl(output_->fd.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy) return util::Error{fmt::format("cannot write: {}", strerror(errno)), ""};
  sink::Output output(std::move(copy), output_->name);
  output.WaitWhile([hurry = hurry_] {
    const uint64_t until = *hurry;
    return until == 0 || util::MonotonicNow() < until;
  });
  return session::Destination{std::move(output), output_->gzip};
}

util::Status SessionWorker::Make(const capture::CategorySelection& categories) {
  RecordOptions options;
  options.command_line = defaults_.command_line;
  options.categories = categories;
  options.verbose = defaults_.verbose;
  if (config_.filter) {
    options.tids = config_.filter->tids;
    options.tgids = config_.filter->pids;
    options.comms = config_.filter->comms;
    options.cgroups = config_.filter->cgroups;
    options.follow = config_.filter->follow;
  }
  std::vector<std::string> notes;
  if (util::Status status = TakeSources(config_.sources, options); !status) return status;
  if (config_.buffering_mode != control::BufferingMode::kStreaming) {
    LeaveOutLong(options.categories);
  }
  if (auto status = LeaveOutImpossible(features_, options.categories, &notes); !status) {
    return status;
  }
  auto programs = MakeProgramOptions(options, identities_, realtime_);
  if (!programs) return programs.TakeError();
  session::RecordingConfig config;
  config.mode = static_cast<session::BufferingMode>(config_.buffering_mode);
  config.programs = std::move(*programs);
  config.sources = MakePerfSourceOptions(options);
  config.note = say_;
  uint64_t megabytes = config_.buffer_size_megabytes_hint;
  for (const control::ProviderSpec& spec : config_.provider_specs) {
    if (spec.name == "fxt-record" && spec.buffer_size_megabytes_hint != 0) {
      megabytes = spec.buffer_size_megabytes_hint;
    }
  }
  config.buffer_bytes = megabytes != 0 ? megabytes << 20 : defaults_.buffer_bytes;
  config.providers = &providers_;
  config.provider_session = ProviderSession(config_);
  if (config_.buffering_mode == control::BufferingMode::kStreaming) {
    if (megabytes == 0) config.buffer_bytes = 0;
    auto destination = StreamingDestination();
    if (!destination) return destination.TakeError();
    config.output.emplace(std::move(*destination));
  }
  // Two at a time would be two buffers.
  triggers_.reset();
  recording_.reset();
  auto made = session::MakeRecording(std::move(config), features_);
  if (!made) return made.TakeError();
  recording_ = std::move(*made);
  options.categories.wanted.set(FXR_CATEGORY_LBR, recording_->sources().branches);
  recording_->Describe(DescribeSession(options, recording_->capture(), std::nullopt));
  categories_ = categories;
  options_ = options;
  if (defaults_.triggers.triggers.empty() ||
      config_.buffering_mode == control::BufferingMode::kStreaming) {
    return util::Ok();
  }
  auto triggers = TriggerFiles::Make(defaults_.triggers, *recording_, say_);
  if (!triggers) {
    recording_.reset();
    return triggers.TakeError();
  }
  triggers_ = std::move(*triggers);
  return util::Ok();
}

Outcome SessionWorker::Start(const control::StartOptions& options) {
  if (!options.additional_categories.empty()) {
    std::vector<std::string> words = options.additional_categories;
    words.push_back(capture::DescribeCategories(categories_));
    auto wanted = capture::ParseCategories(fmt::format("{}", fmt::join(words, ",")));
    if (!wanted) return Failed(wanted.error());
    if (capture::DescribeCategories(*wanted) != capture::DescribeCategories(categories_)) {
      // Other programs have other buffers.
      const bool may_clear = options.buffer_disposition == control::BufferDisposition::kClearAll;
      const bool streams = config_.buffering_mode == control::BufferingMode::kStreaming;
      if (begun_ && (streams || !may_clear)) {
        return {Failure{control::error_name::kNotSupported,
                        "further categories can be had at the first start, or with CLEAR_ALL",
                        "terminate the session, and initialize one with all categories"}};
      }
      if (auto status = Make(*wanted); !status) return Failed(status.error());
    }
  }
  const auto disposition = static_cast<session::BufferDisposition>(options.buffer_disposition);
  if (auto status = recording_->Start(disposition); !status) return Failed(status.error());
  if (!begun_ || options.buffer_disposition != control::BufferDisposition::kRetain) {
    started_at_ = util::MonotonicNow();
  }
  if (!begun_) {
    for (const std::string& warning :
         FilterWarnings(options_, recording_->capture().filter_matches())) {
      say_(warning);
    }
  }
  begun_ = recording_now_ = true;
  if (triggers_) triggers_->Begin();
  return {};
}

Outcome SessionWorker::Stop() {
  recording_now_ = false;
  const util::Status status = recording_->Stop();
  if (triggers_) triggers_->Finish();
  if (!status) return Failed(status.error());
  return {};
}

std::vector<session::TriggerFired> SessionWorker::AlertsOfLast(uint64_t last) const {
  const uint64_t now = recording_->Now();
  const uint64_t covered = recording_->status().covered;
  const uint64_t span = last == 0 ? covered : std::min(covered, last);
  std::vector<session::TriggerFired> alerts;
  for (const session::TriggerFired& alert : alerts_) {
    if (now - alert.time <= span) alerts.push_back(alert);
  }
  return alerts;
}

void SessionWorker::Write(control::TraceOutput output, uint64_t last, control::Done done) {
  sink::Output opened(std::move(output.fd), output.name);
  opened.WaitWhile(ReaderTimeout());
  session::SnapshotRequest request{.destination = {std::move(opened), output.gzip},
                                   .last = last,
                                   .until = 0,
                                   .fired = AlertsOfLast(last)};
  auto number = recording_->Snapshot(std::move(request));
  if (!number) return done(Failed(number.error()));
  being_written_[*number] = std::move(done);
}

void SessionWorker::Terminate(control::Done done) {
  terminated_ = std::move(done);
  *hurry_ = util::MonotonicNow() + kReaderTimeoutNs;
}

void SessionWorker::TerminateIfDone() {
  if (!terminated_ || !being_written_.empty() || (triggers_ && triggers_->writing())) return;
  Outcome outcome;
  if (recording_ && begun_ && config_.buffering_mode == control::BufferingMode::kStreaming) {
    auto written = recording_->Close();
    if (!written) {
      outcome = Failed(written.error());
    } else if (!written->status) {
      outcome = Failed(written->status.error());
    } else {
      outcome.written = control::Written{written->bytes, written->events, written->covered};
    }
  }
  triggers_.reset();
  recording_.reset();
  output_.reset();
  std::exchange(terminated_, nullptr)(std::move(outcome));
}

void SessionWorker::Alert(const std::string& name) {
  if (!recording_) return;
  session::TriggerFired fired{recording_->Now(), "alert " + name, "", 0};
  if (config_.buffering_mode == control::BufferingMode::kStreaming) {
    if (recording_now_) recording_->Mark(fired);
    return;
  }
  if (alerts_.size() == kMaxAlertsKept) alerts_.erase(alerts_.begin());
  alerts_.push_back(std::move(fired));
  if (triggers_ && recording_now_) triggers_->OnAlert(name);
}

void SessionWorker::Signal() {
  if (triggers_ && recording_now_) triggers_->OnSignal();
}

control::Status SessionWorker::GetStatus() {
  if (!recording_) return ProcessStatus();
  control::Status status = StatusOf(*recording_, started_at_);
  if (triggers_) status.triggers = triggers_->status();
  return status;
}

}  // namespace tools
