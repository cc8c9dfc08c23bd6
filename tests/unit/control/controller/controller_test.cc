// SPDX-License-Identifier: BSD-2-Clause
#include "control/controller/controller.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "unit/control/fake_engine.h"

namespace control {
namespace {

TraceOutput Null() { return {util::UniqueFd(open("/dev/null", O_WRONLY | O_CLOEXEC)), "null"}; }

// The result of a call: the error's name, "done", "waits", or "written".
class Answer {
 public:
  Done done() {
    return [this](const Outcome& outcome) {
      ++count_;
      text_ = outcome.failure   ? std::string(outcome.failure->error)
              : outcome.written ? "written"
                                : "done";
    };
  }
  std::string text() const { return text_; }
  int count() const { return count_; }

 private:
  std::string text_ = "waits";
  int count_ = 0;
};

class Controlled {
 public:
  explicit Controlled(request::BufferingMode mode = request::BufferingMode::kCircular) {
    config.buffering_mode = mode;
    controller.OnState([this](SessionState state) { states.push_back(Name(state)); });
  }

  // Reaches the state by calls of clients.
  void Bring(SessionState state) {
    if (state == SessionState::kReady) return;
    controller.Initialize(config, streaming(), [](const Outcome&) {});
    if (state == SessionState::kInitialized) return;
    engine.at_once = state != SessionState::kStarting;
    controller.Start({}, 0, [](const Outcome&) {});
    if (state == SessionState::kStarting || state == SessionState::kStarted) return;
    engine.at_once = state != SessionState::kStopping;
    controller.Stop(false, std::nullopt, [](const Outcome&) {});
    if (state == SessionState::kStopping || state == SessionState::kStopped) return;
    engine.at_once = false;
    controller.Terminate(false, std::nullopt, [](const Outcome&) {});
  }

  std::optional<TraceOutput> streaming() const {
    return config.buffering_mode == request::BufferingMode::kStreaming ? std::optional(Null())
                                                                       : std::nullopt;
  }

  FakeEngine engine;
  Controller controller{engine};
  request::TraceConfig config;
  std::vector<std::string_view> states;
};

struct Row {
  SessionState state;
  const char* initialize;
  const char* start;
  const char* stop;
  const char* terminate;
  const char* snapshot;
  const char* alert;
};

// fuchsia.tracing.controller: every call in every state.
constexpr Row kTable[] = {
    {SessionState::kReady, "done", "NOT_INITIALIZED", "done", "done", "NOT_INITIALIZED",
     "NOT_INITIALIZED"},
    {SessionState::kInitialized, "ALREADY_INITIALIZED", "done", "done", "done", "NOT_STARTED",
     "done"},
    {SessionState::kStarting, "ALREADY_INITIALIZED", "ALREADY_STARTED", "waits", "waits", "waits",
     "done"},
    {SessionState::kStarted, "ALREADY_INITIALIZED", "ALREADY_STARTED", "done", "done", "written",
     "done"},
    {SessionState::kStopping, "ALREADY_INITIALIZED", "STOPPING", "waits", "waits", "STOPPING",
     "done"},
    {SessionState::kStopped, "ALREADY_INITIALIZED", "done", "done", "done", "written", "done"},
    {SessionState::kTerminating, "TERMINATING", "TERMINATING", "waits", "waits", "TERMINATING",
     "TERMINATING"},
};

TEST(ControllerTest, AnswersEveryCallInEveryState) {
  for (const Row& row : kTable) {
    SCOPED_TRACE(Name(row.state));
    const auto after = [&](auto call) {
      Controlled controlled;
      controlled.Bring(row.state);
      EXPECT_EQ(controlled.controller.state(), row.state);
      Answer answer;
      call(controlled, answer);
      const std::string text = answer.text();
      // Each waiting call is answered.
      while (!controlled.engine.open.empty()) controlled.engine.Finish();
      EXPECT_EQ(answer.count(), 1);
      EXPECT_TRUE(controlled.controller.idle());
      return text;
    };
    EXPECT_EQ(after([](Controlled& c, Answer& a) {
                c.controller.Initialize({}, std::nullopt, a.done());
              }),
              row.initialize);
    EXPECT_EQ(after([](Controlled& c, Answer& a) { c.controller.Start({}, 0, a.done()); }),
              row.start);
    EXPECT_EQ(
        after([](Controlled& c, Answer& a) { c.controller.Stop(false, std::nullopt, a.done()); }),
        row.stop);
    EXPECT_EQ(after([](Controlled& c, Answer& a) {
                c.controller.Terminate(false, std::nullopt, a.done());
              }),
              row.terminate);
    EXPECT_EQ(
        after([](Controlled& c, Answer& a) { c.controller.TakeSnapshot(Null(), 0, a.done()); }),
        row.snapshot);
    EXPECT_EQ(after([](Controlled& c, Answer& a) {
                const auto failure = c.controller.SendAlert("hello");
                a.done()({.failure = failure});
              }),
              row.alert);
  }
}

TEST(ControllerTest, GoesThroughTheStatesOfASession) {
  Controlled c;
  c.Bring(SessionState::kStarted);
  c.controller.Terminate(false, std::nullopt, [](const Outcome&) {});
  EXPECT_EQ(c.states,
            (std::vector<std::string_view>{"INITIALIZED", "STARTING", "STARTED", "STOPPING",
                                           "STOPPED", "TERMINATING", "READY"}));
  EXPECT_EQ(c.engine.calls,
            (std::vector<std::string>{"initialize CIRCULAR", "start RETAIN", "stop", "terminate"}));
}

TEST(ControllerTest, WritesResultsToTheOutputOfTheCallOrOfTheSession) {
  Controlled c;
  c.Bring(SessionState::kStarted);
  Answer nowhere;
  c.controller.Stop(true, std::nullopt, nowhere.done());
  EXPECT_EQ(nowhere.text(), "NO_OUTPUT");
  EXPECT_EQ(c.controller.state(), SessionState::kStarted) << "nothing happened";
  Answer written;
  c.controller.Stop(true, Null(), written.done());
  EXPECT_EQ(written.text(), "written");
  EXPECT_EQ(c.controller.state(), SessionState::kStopped);
  Answer ended;
  c.controller.Terminate(true, std::nullopt, ended.done());
  EXPECT_EQ(ended.text(), "NO_OUTPUT");
  EXPECT_EQ(c.controller.state(), SessionState::kStopped) << "what was recorded is still there";

  Controlled own;
  own.controller.Initialize(own.config, Null(), [](const Outcome&) {});
  own.controller.Start({}, 0, [](const Outcome&) {});
  Answer first, second;
  own.controller.Stop(true, std::nullopt, first.done());
  own.controller.Start({}, 0, [](const Outcome&) {});
  own.controller.Terminate(true, std::nullopt, second.done());
  EXPECT_EQ(first.text(), "written");
  EXPECT_EQ(second.text(), "written");
}

TEST(ControllerTest, ASlowReaderDelaysNoOtherCall) {
  Controlled c;
  c.Bring(SessionState::kStarted);
  c.engine.at_once = false;
  Answer stopped, ended;
  c.controller.Stop(true, Null(), stopped.done());
  c.engine.Finish();
  EXPECT_EQ(c.controller.state(), SessionState::kStopping);
  c.engine.Copy();
  EXPECT_EQ(c.controller.state(), SessionState::kStopped);
  EXPECT_EQ(stopped.text(), "waits") << "for its reader";
  c.controller.Terminate(false, std::nullopt, ended.done());
  ASSERT_EQ(c.engine.open.size(), 2u);
  const Done terminated = c.engine.open[1];
  c.engine.open.pop_back();
  terminated({});
  EXPECT_EQ(ended.text(), "done");
  EXPECT_EQ(c.controller.state(), SessionState::kReady);
  c.engine.Finish({.written = request::WrittenTrace{5, 1, 1}});
  EXPECT_EQ(stopped.text(), "written");
}

TEST(ControllerTest, ATerminatedSessionEndsBeforeItsReaderIsDone) {
  Controlled c;
  c.Bring(SessionState::kStopped);
  c.engine.at_once = false;
  Answer ended;
  c.controller.Terminate(true, Null(), ended.done());
  c.engine.Copy();
  ASSERT_EQ(c.engine.open.size(), 2u);
  const Done terminated = c.engine.open[1];
  c.engine.open.pop_back();
  terminated({});
  EXPECT_EQ(c.controller.state(), SessionState::kReady);
  EXPECT_EQ(ended.text(), "waits");
  c.engine.Finish({.written = request::WrittenTrace{5, 1, 1}});
  EXPECT_EQ(ended.text(), "written");
}

TEST(ControllerTest, AStreamingSessionNeedsNoOutputAtItsEnd) {
  Controlled c(request::BufferingMode::kStreaming);
  c.Bring(SessionState::kStarted);
  Answer snapshot, ended;
  c.controller.TakeSnapshot(Null(), 0, snapshot.done());
  EXPECT_EQ(snapshot.text(), "NOT_SUPPORTED");
  c.controller.Terminate(true, std::nullopt, ended.done());
  EXPECT_EQ(ended.text(), "done");
  EXPECT_EQ(c.controller.state(), SessionState::kReady);
}

TEST(ControllerTest, AFailureRestoresThePreviousState) {
  Controlled c;
  c.engine.next.failure = Failure{error_name::kFailed, "no memory"};
  Answer initialize;
  c.controller.Initialize(c.config, std::nullopt, initialize.done());
  EXPECT_EQ(initialize.text(), "FAILED");
  EXPECT_EQ(c.controller.state(), SessionState::kReady);
  c.Bring(SessionState::kInitialized);
  c.engine.next.failure = Failure{error_name::kFailed, "no rights"};
  Answer start;
  c.controller.Start({}, 0, start.done());
  EXPECT_EQ(start.text(), "FAILED");
  EXPECT_EQ(c.controller.state(), SessionState::kInitialized);
}

TEST(ControllerTest, TerminatesEvenIfResultsCannotBeWritten) {
  Controlled c;
  c.Bring(SessionState::kStopped);
  c.engine.next.failure = Failure{error_name::kFailed, "disk full"};
  Answer ended;
  c.controller.Terminate(true, Null(), ended.done());
  EXPECT_EQ(ended.text(), "FAILED");
  EXPECT_EQ(c.controller.state(), SessionState::kReady);
}

TEST(ControllerTest, RunsWaitingCallsInOrder) {
  Controlled c;
  c.Bring(SessionState::kStarting);
  Answer stop, terminate, again;
  c.controller.Stop(false, std::nullopt, stop.done());
  c.controller.Terminate(false, std::nullopt, terminate.done());
  c.controller.Stop(false, std::nullopt, again.done());
  while (!c.engine.open.empty()) c.engine.Finish();
  EXPECT_EQ(stop.text(), "done");
  EXPECT_EQ(terminate.text(), "done");
  EXPECT_EQ(again.text(), "done");
  EXPECT_EQ(c.controller.state(), SessionState::kReady);
  EXPECT_EQ(c.engine.calls,
            (std::vector<std::string>{"initialize CIRCULAR", "start RETAIN", "stop", "terminate"}));
}

TEST(ControllerTest, RefusesASecondSessionDuringInitialization) {
  Controlled c;
  c.engine.at_once = false;
  Answer first, second, start;
  c.controller.Initialize(c.config, std::nullopt, first.done());
  c.controller.Initialize(c.config, std::nullopt, second.done());
  EXPECT_EQ(second.text(), "ALREADY_INITIALIZED");
  c.controller.Start({}, 0, start.done());
  EXPECT_EQ(start.text(), "waits");
  while (!c.engine.open.empty()) c.engine.Finish();
  EXPECT_EQ(start.text(), "done");
  EXPECT_EQ(c.controller.state(), SessionState::kStarted);
}

TEST(ControllerTest, AcknowledgesAStartAfterItsTimeout) {
  Controlled c;
  c.config.start_timeout_milliseconds = 5;
  c.Bring(SessionState::kInitialized);
  c.engine.at_once = false;
  Answer start;
  c.controller.Start({}, 1'000'000, start.done());
  EXPECT_EQ(c.controller.deadline(), 6'000'000u);
  c.controller.Tick(5'999'999);
  EXPECT_EQ(start.text(), "waits");
  c.controller.Tick(6'000'000);
  EXPECT_EQ(start.text(), "done");
  EXPECT_EQ(c.controller.state(), SessionState::kStarting);
  c.engine.Finish();
  EXPECT_EQ(start.count(), 1);
  EXPECT_EQ(c.controller.state(), SessionState::kStarted);
}

TEST(ControllerTest, ReportsTracingThatStoppedByItself) {
  Controlled c(request::BufferingMode::kOneshot);
  c.Bring(SessionState::kStarted);
  c.controller.StoppedByItself("the buffer is full");
  EXPECT_EQ(c.controller.state(), SessionState::kStopped);
  Status status;
  c.controller.GetStatus([&](const Status& reported) { status = reported; });
  EXPECT_EQ(status.reason, "the buffer is full");
  EXPECT_EQ(status.buffering_mode, request::BufferingMode::kOneshot);
  EXPECT_EQ(status.events, 7u);
  EXPECT_EQ(status.providers.size(), 1u);
  // Too late to affect the next start.
  c.controller.Start({}, 0, [](const Outcome&) {});
  c.controller.GetStatus([&](const Status& reported) { status = reported; });
  EXPECT_EQ(status.reason, "");
  c.controller.Stop(false, std::nullopt, [](const Outcome&) {});
  c.controller.StoppedByItself("the buffer is full");
  EXPECT_EQ(c.controller.state(), SessionState::kStopped);
}

}  // namespace
}  // namespace control
