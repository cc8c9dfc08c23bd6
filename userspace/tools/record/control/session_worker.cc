// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/session_worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "capture/counters/counter_set.h"
#include "tools/record/control/provider_words.h"
#include "tools/record/options/provider_categories.h"
#include "tools/record/options/source_words.h"
#include "tools/record/process/schedule.h"
#include "util/clock.h"

namespace tools {
namespace {

using control::Failure;
using control::Outcome;
using control::error_name::kFailed;

// A reader of a pipe or socket that takes no bytes for so long has failed; ns.
constexpr uint64_t kReaderTimeoutNs = 10'000'000'000;
constexpr size_t kMaxAlertsKept = 256;

Outcome Failed(const util::Error& error) { return {Failure{kFailed, error.message, error.hint}}; }

// Copies the sources that a client named into `options`. The client may be another user: checks all
// of them.
util::Status TakeSources(const request::Sources& sources, RecordOptions& options) {
  options.sources = sources;
  if (!sources.counters.empty()) {
    auto names =
        capture::CounterSet::ParseNames(fmt::format("{}", fmt::join(sources.counters, ",")));
    if (!names) return names.TakeError();
    options.sources.counters = std::move(*names);
  }
  return ApplySources(options);
}

// Waits up to kReaderTimeoutNs for each read of the receiver.
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
                             provider::ProviderSet& providers, Events events)
    : features_(features),
      defaults_(std::move(defaults)),
      events_(std::move(events)),
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
    if (driver_) {
      driver_->AddPollFds(fds);
      timeout = driver_->TimeoutMs();
    }
    poll(fds.data(), fds.size(), timeout);
    if (driver_) Turn(fds);
    if (fds[0].revents != 0) inbox_.Run();
    TerminateIfDone();
  }
  if (driver_) driver_->recording().Abandon();
  driver_.reset();
}

void SessionWorker::Turn(const std::vector<pollfd>& fds) {
  const util::Status status = driver_->Turn(fds);
  if (!driver_->recording_now()) return;
  if (!status) {
    static_cast<void>(driver_->Stop());
    events_.stopped(status.error().message);
  } else if (config_.buffering_mode == request::BufferingMode::kOneshot &&
             driver_->recording().status().buffer_full) {
    static_cast<void>(driver_->Stop());
    events_.stopped("the buffer is full");
  }
}

void SessionWorker::KeepAlert(const std::string& name, uint64_t time) {
  if (alerts_.size() == kMaxAlertsKept) alerts_.erase(alerts_.begin());
  alerts_.push_back({time, "alert " + name, "", 0});
}

void SessionWorker::OnWritten(const session::SnapshotResult& result) {
  const auto found = pending_writes_.find(result.number);
  if (found == pending_writes_.end()) return;
  PendingWrite write = std::move(found->second);
  pending_writes_.erase(found);
  write.copied();
  if (!result.status) return write.done(Failed(result.status.error()));
  if (!write.spool) return write.done({.written = result.trace});
  Deliver(std::move(write), result.trace);
}

void SessionWorker::Deliver(PendingWrite write, request::WrittenTrace trace) {
  delivery_.Begin(std::move(write.place), std::move(write.output.client), std::move(write.spool),
                  std::move(write.output.fd), write.output.name,
                  [done = std::move(write.done), trace](const util::Status& status) {
                    done(status ? Outcome{.written = trace} : Failed(status.error()));
                  });
}

Outcome SessionWorker::Initialize(const request::TraceConfig& config,
                                  std::optional<control::TraceOutput> output) {
  capture::CategorySelection categories = capture::DefaultCategories();
  if (config.categories) {
    std::vector<std::string> words = *config.categories;
    const bool all = words.empty();
    TakeProviderCategories(words);
    // In the protocol an empty list selects all categories. A list of provider categories alone
    // leaves the kernel's default ones.
    const std::string list = all ? "all" : fmt::format("{}", fmt::join(words, ","));
    auto parsed = list.empty() ? capture::DefaultCategories() : capture::ParseCategories(list);
    if (!parsed) return Failed(parsed.error());
    categories = *parsed;
  }
  config_ = config;
  output_ = std::move(output);
  alerts_.clear();
  *write_deadline_ = 0;
  if (auto status = Make(categories); !status) {
    output_.reset();
    return Failed(status.error());
  }
  return {};
}

util::Result<session::Destination> SessionWorker::StreamingDestination() const {
  // A start with further categories loads the programs a second time, and needs the output again.
  util::UniqueFd copy(fcntl(output_->fd.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy) return util::Error{fmt::format("cannot write: {}", strerror(errno)), ""};
  return session::Destination{sink::Output(std::move(copy), output_->name), output_->gzip,
                              [deadline = write_deadline_, timeout = ReaderTimeout(),
                               privileged = output_->client.IsPrivileged()]() mutable {
                                const uint64_t until = *deadline;
                                if (until != 0 && util::MonotonicNow() >= until) return false;
                                // Only a privileged client may hold up its recording for longer.
                                return privileged || timeout();
                              }};
}

uint64_t SessionWorker::BufferMegabytes() const {
  uint64_t megabytes = config_.buffer_size_megabytes_hint;
  for (const request::ProviderSpec& spec : config_.provider_specs) {
    if (spec.name == "fxt-record" && spec.buffer_size_megabytes_hint != 0) {
      megabytes = spec.buffer_size_megabytes_hint;
    }
  }
  return megabytes;
}

util::Status SessionWorker::SetUpFiles(DriverConfig& config) {
  if (defaults_.triggers.triggers.empty() || streaming()) return util::Ok();
  if (!names_) {
    auto pattern = output::NamePattern::Parse(defaults_.triggers.output);
    if (!pattern) return pattern.TakeError();
    names_.emplace(std::move(*pattern));
  }
  names_->ContinueNumbers();
  config.names = &*names_;
  config.files.triggers = defaults_.triggers;
  // A FIFO without a reader must not hold up the recording.
  config.files.open_wait = [] { return false; };
  config.files.write_wait = ReaderTimeout();
  config.files.note = events_.note;
  config.files.fail = [this](const util::Error& error) { events_.note(error.message); };
  return util::Ok();
}

util::Status SessionWorker::Make(const capture::CategorySelection& categories) {
  RecordOptions options;
  options.command_line = defaults_.command_line;
  options.categories = categories;
  options.verbose = defaults_.verbose;
  options.tasks = config_.filter;
  if (util::Status status = TakeSources(config_.sources, options); !status) return status;
  DriverConfig config;
  config.mode = config_.buffering_mode;
  config.realtime = realtime_;
  const uint64_t megabytes = BufferMegabytes();
  config.buffer_bytes = megabytes != 0 ? megabytes << 20 : streaming() ? 0 : defaults_.buffer_bytes;
  config.providers = &providers_;
  config.provider_session = ProviderSession(config_);
  if (streaming()) {
    auto destination = StreamingDestination();
    if (!destination) return destination.TakeError();
    config.output.emplace(std::move(*destination));
  }
  config.note = events_.note;
  config.alert = [this](const std::string& name, uint64_t time) {
    events_.alert(name);
    KeepAlert(name, time);
  };
  config.written = [this](const session::SnapshotResult& result) { OnWritten(result); };
  // The old recording goes first: two at a time would be two buffers.
  driver_.reset();
  if (util::Status status = SetUpFiles(config); !status) return status;
  auto driver = RecordingDriver::Make(features_, std::move(options), std::move(config));
  if (!driver) return driver.TakeError();
  driver_ = std::move(*driver);
  categories_ = categories;
  return util::Ok();
}

Outcome SessionWorker::Start(const request::StartOptions& options) {
  if (!options.additional_categories.empty()) {
    std::vector<std::string> words = options.additional_categories;
    words.push_back(capture::DescribeCategories(categories_));
    auto wanted = capture::ParseCategories(fmt::format("{}", fmt::join(words, ",")));
    if (!wanted) return Failed(wanted.error());
    if (capture::DescribeCategories(*wanted) != capture::DescribeCategories(categories_)) {
      // Other programs have other buffers.
      const bool may_clear = options.buffer_disposition == request::BufferDisposition::kClearAll;
      if (driver_->begun() && (streaming() || !may_clear)) {
        return {Failure{control::error_name::kNotSupported,
                        "categories can be added at the first start, or with CLEAR_ALL",
                        "terminate the session, and initialize one with all categories"}};
      }
      if (auto status = Make(*wanted); !status) return Failed(status.error());
    }
  }
  *write_deadline_ = 0;
  if (auto status = driver_->Start(options.buffer_disposition); !status) {
    return Failed(status.error());
  }
  return {};
}

Outcome SessionWorker::Stop() {
  const util::Status status = driver_->Stop();
  return status ? Outcome{} : Failed(status.error());
}

std::vector<session::TriggerFired> SessionWorker::AlertsOfLast(uint64_t last) const {
  const uint64_t now = driver_->recording().Now();
  const uint64_t covered = driver_->recording().status().covered;
  const uint64_t span = last == 0 ? covered : std::min(covered, last);
  std::vector<session::TriggerFired> alerts;
  for (const session::TriggerFired& alert : alerts_) {
    if (now - alert.time <= span) alerts.push_back(alert);
  }
  return alerts;
}

// Only a regular file of a privileged client is written directly. Other outputs may be slow: the
// snapshot goes to a file of the service, and from there to the client.
void SessionWorker::Write(control::TraceOutput output, uint64_t last,
                          const std::function<void()>& copied, const control::Done& done) {
  const auto fail = [&](const util::Error& error) {
    copied();
    done(Failed(error));
  };
  struct stat status = {};
  const bool direct = output.client.IsPrivileged() && fstat(output.fd.get(), &status) == 0 &&
                      S_ISREG(status.st_mode);
  const bool of_member = !output.client.IsPrivileged();
  PendingWrite write;
  write.output = std::move(output);
  write.copied = copied;
  write.done = done;
  util::UniqueFd destination;
  if (direct) {
    destination = std::move(write.output.fd);
  } else {
    write.place = delivery_.Take(write.output.client);
    if (!write.place) {
      return fail({"a snapshot of this user is being written already",
                   "a user has one at a time; read it to its end"});
    }
    auto spool = OpenSpool();
    if (!spool) return fail(spool.error());
    write.spool = std::move(*spool);
    destination.reset(fcntl(write.spool.get(), F_DUPFD_CLOEXEC, 3));
    if (!destination) {
      return fail({fmt::format("no memory for a snapshot: {}", strerror(errno)), ""});
    }
  }
  auto number = driver_->recording().Snapshot(
      {.destination = {sink::Output(std::move(destination), write.output.name), write.output.gzip},
       .last = last,
       .until = 0,
       .fired = AlertsOfLast(last),
       .of_member = of_member});
  if (!number) return fail(number.error());
  pending_writes_[*number] = std::move(write);
}

void SessionWorker::LimitStreamWait() {
  *write_deadline_ = util::MonotonicNow() + kReaderTimeoutNs;
}

void SessionWorker::Terminate(control::Done done) { terminated_ = std::move(done); }

void SessionWorker::TerminateIfDone() {
  if (!terminated_ || !pending_writes_.empty()) return;
  if (driver_ && driver_->files() != nullptr && driver_->files()->writing()) return;
  Outcome outcome;
  if (driver_ && driver_->begun() && streaming()) {
    auto file = driver_->recording().Close();
    if (!file) {
      outcome = Failed(file.error());
    } else if (!file->status) {
      outcome = Failed(file->status.error());
    } else {
      outcome.written = file->trace;
    }
  }
  driver_.reset();
  output_.reset();
  std::exchange(terminated_, nullptr)(std::move(outcome));
}

void SessionWorker::Alert(const std::string& name) {
  if (!driver_) return;
  const uint64_t now = driver_->recording().Now();
  if (streaming()) {
    if (driver_->recording_now()) driver_->recording().Mark({now, "alert " + name, "", 0});
    return;
  }
  KeepAlert(name, now);
  if (driver_->files() != nullptr && driver_->recording_now()) driver_->files()->OnAlert(name);
}

void SessionWorker::Signal() {
  if (driver_ && driver_->files() != nullptr && driver_->recording_now()) {
    driver_->files()->OnSignal();
  }
}

control::Status SessionWorker::GetStatus() {
  return driver_ ? driver_->GetStatus() : ProcessStatus();
}

}  // namespace tools
