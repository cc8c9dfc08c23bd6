// SPDX-License-Identifier: BSD-2-Clause
#include "control/controller/controller.h"

#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <utility>

namespace control {
namespace {

// std::function copies its lambda; an output cannot be copied.
using SharedOutput = std::shared_ptr<std::optional<TraceOutput>>;

SharedOutput Share(std::optional<TraceOutput> output) {
  return std::make_shared<std::optional<TraceOutput>>(std::move(output));
}

Failure NotInitialized() {
  return {error_name::kNotInitialized, "there is no tracing session",
          "fxt-record start begins one"};
}
Failure IsStopping() { return {error_name::kStopping, "tracing is being stopped"}; }
Failure IsTerminating() { return {error_name::kTerminating, "the session is being terminated"}; }
Failure NoOutput() {
  return {error_name::kNoOutput, "there is no output for the results",
          "name an output in this call or when the session is initialized"};
}

}  // namespace

void Controller::Enter(SessionState state) {
  if (state == state_) return;
  state_ = state;
  if (on_state_) on_state_(state);
}

void Controller::Begin() { busy_ = true; }

void Controller::Settle(SessionState state) {
  busy_ = false;
  Enter(state);
  // In the order of the calls. Each may begin an operation that later calls wait for.
  for (Retry& retry : std::exchange(waiting_, {})) retry();
}

bool Controller::streaming() const {
  return config_ && config_->buffering_mode == request::BufferingMode::kStreaming;
}

std::optional<TraceOutput> Controller::ChooseOutput(std::optional<TraceOutput> output) const {
  if (output || !output_) return output;
  // A copy, because later results of the session are written to the same output.
  util::UniqueFd copy(fcntl(output_->fd.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy) return std::nullopt;
  return TraceOutput{std::move(copy), output_->name, output_->gzip, output_->client};
}

void Controller::Initialize(request::TraceConfig config, std::optional<TraceOutput> output,
                            Done done) {
  if (state_ == SessionState::kTerminating) return done({IsTerminating()});
  if (state_ != SessionState::kReady || busy_) {
    return done({Failure{error_name::kAlreadyInitialized,
                         "there is a tracing session already; only one can exist",
                         "fxt-record status shows it, fxt-record stop or cancel ends it"}});
  }
  Begin();
  reason_.clear();
  config_ = std::move(config);
  std::optional<TraceOutput> for_engine;
  (streaming() ? for_engine : output_) = std::move(output);
  engine_.Initialize(*config_, std::move(for_engine), [this, done](Outcome outcome) {
    const bool failed = outcome.failure.has_value();
    if (failed) {
      config_.reset();
      output_.reset();
    }
    done(std::move(outcome));
    Settle(failed ? SessionState::kReady : SessionState::kInitialized);
  });
}

void Controller::Start(request::StartOptions options, uint64_t now, Done done) {
  switch (state_) {
    case SessionState::kReady:
      // The session is still being initialized.
      if (busy_) return Wait([this, options, now, done] { Start(options, now, done); });
      return done({NotInitialized()});
    case SessionState::kStarting:
    case SessionState::kStarted:
      return done({Failure{error_name::kAlreadyStarted, "tracing has already been started"}});
    case SessionState::kStopping:
      return done({IsStopping()});
    case SessionState::kTerminating:
      return done({IsTerminating()});
    case SessionState::kInitialized:
    case SessionState::kStopped:
      break;
  }
  const SessionState before = state_;
  Begin();
  start_done_ = std::move(done);
  if (const uint64_t timeout = config_->start_timeout_milliseconds;
      timeout != 0 && timeout < (UINT64_MAX - now) / 1'000'000) {
    start_deadline_ = now + timeout * 1'000'000;
  }
  reason_.clear();
  Enter(SessionState::kStarting);
  engine_.Start(options, [this, before](Outcome outcome) {
    const bool failed = outcome.failure.has_value();
    AnswerStart(std::move(outcome));
    Settle(failed ? before : SessionState::kStarted);
  });
}

void Controller::AnswerStart(Outcome outcome) {
  start_deadline_.reset();
  if (const Done done = std::exchange(start_done_, nullptr)) done(std::move(outcome));
}

void Controller::Tick(uint64_t now) {
  if (start_deadline_ && now >= *start_deadline_) AnswerStart({});
}

void Controller::Stop(bool write_results, std::optional<TraceOutput> output, Done done) {
  if (busy_) {
    return Wait([this, write_results, shared = Share(std::move(output)), done] {
      Stop(write_results, std::move(*shared), done);
    });
  }
  if (state_ != SessionState::kStarted) return done({});
  std::optional<TraceOutput> chosen;
  if (write_results && !streaming()) {
    chosen = ChooseOutput(std::move(output));
    if (!chosen) return done({NoOutput()});
  }
  Begin();
  Enter(SessionState::kStopping);
  engine_.Stop([this, shared = Share(std::move(chosen)), done](Outcome stopped) {
    if (stopped.failure || !*shared) {
      done(std::move(stopped));
      return Settle(SessionState::kStopped);
    }
    // A slow reader delays only the reply to this call.
    engine_.Write(
        std::move(**shared), 0, [this] { Settle(SessionState::kStopped); }, done);
  });
}

void Controller::Terminate(bool write_results, std::optional<TraceOutput> output, Done done) {
  if (busy_) {
    return Wait([this, write_results, shared = Share(std::move(output)), done] {
      Terminate(write_results, std::move(*shared), done);
    });
  }
  if (state_ == SessionState::kReady) return done({});
  std::optional<TraceOutput> chosen;
  // A session that never started has nothing to write.
  if (write_results && !streaming() && state_ != SessionState::kInitialized) {
    chosen = ChooseOutput(std::move(output));
    if (!chosen) return done({NoOutput()});
  }
  Begin();
  if (state_ != SessionState::kStarted) return WriteThenTerminate(std::move(chosen), done);
  Enter(SessionState::kStopping);
  engine_.Stop([this, shared = Share(std::move(chosen)), done](Outcome) {
    Enter(SessionState::kStopped);
    WriteThenTerminate(std::move(*shared), done);
  });
}

void Controller::WriteThenTerminate(std::optional<TraceOutput> output, Done done) {
  Enter(SessionState::kTerminating);
  if (!output) {
    return engine_.Terminate([this, done](Outcome ended) {
      FinishTerminating();
      done(std::move(ended));
    });
  }
  // The session ends when its events are copied. The reply also waits for the reader.
  struct Results {
    std::optional<Outcome> written;
    std::optional<Outcome> ended;
  };
  const auto results = std::make_shared<Results>();
  const auto answer = [results, done] {
    if (!results->written || !results->ended) return;
    const bool has_result = results->written->failure || results->written->written;
    done(std::move(has_result ? *results->written : *results->ended));
  };
  engine_.Write(
      std::move(*output), 0,
      [this, results, answer] {
        engine_.Terminate([this, results, answer](Outcome ended) {
          FinishTerminating();
          results->ended = std::move(ended);
          answer();
        });
      },
      [results, answer](Outcome written) {
        results->written = std::move(written);
        answer();
      });
}

void Controller::FinishTerminating() {
  config_.reset();
  output_.reset();
  Settle(SessionState::kReady);
}

bool Controller::MayStopWrite() const {
  return !streaming() && (busy_ || state_ == SessionState::kStarted);
}

bool Controller::MayTerminateWrite() const {
  return !streaming() &&
         (busy_ || (state_ != SessionState::kReady && state_ != SessionState::kInitialized));
}

bool Controller::MaySnapshotWrite() const {
  return !streaming() && (state_ == SessionState::kStarting || state_ == SessionState::kStarted ||
                          state_ == SessionState::kStopped);
}

void Controller::TakeSnapshot(std::optional<TraceOutput> output, uint64_t last, Done done) {
  switch (state_) {
    case SessionState::kReady:
      return done({NotInitialized()});
    case SessionState::kInitialized:
      return done({Failure{error_name::kNotStarted, "tracing has not been started yet"}});
    case SessionState::kStopping:
      return done({IsStopping()});
    case SessionState::kTerminating:
      return done({IsTerminating()});
    case SessionState::kStarting:
      return Wait([this, last, shared = Share(std::move(output)), done] {
        TakeSnapshot(std::move(*shared), last, done);
      });
    case SessionState::kStarted:
    case SessionState::kStopped:
      break;
  }
  if (streaming()) {
    return done({Failure{error_name::kNotSupported,
                         "a streaming session has no buffer to take a snapshot of",
                         "its events are in its file"}});
  }
  if (!output) return done({NoOutput()});
  engine_.Write(
      std::move(*output), last, [] {}, std::move(done));
}

std::optional<Failure> Controller::SendAlert(const std::string& name) {
  if (state_ == SessionState::kReady) return NotInitialized();
  if (state_ == SessionState::kTerminating) return IsTerminating();
  engine_.Alert(name);
  return std::nullopt;
}

void Controller::GetStatus(std::function<void(const Status&)> done) {
  engine_.GetStatus([this, done = std::move(done)](Status status) {
    status.state = state_;
    if (config_) status.buffering_mode = config_->buffering_mode;
    status.providers = engine_.Providers();
    status.providers_refused = engine_.RefusedProviders();
    status.reason = reason_;
    status.pid = static_cast<uint32_t>(getpid());
    status.version = FXT_RECORD_VERSION;
    done(status);
  });
}

void Controller::StoppedByItself(const std::string& reason) {
  if (state_ != SessionState::kStarted || busy_) return;
  reason_ = reason;
  Enter(SessionState::kStopping);
  Enter(SessionState::kStopped);
}

}  // namespace control
