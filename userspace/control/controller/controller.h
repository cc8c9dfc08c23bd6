// SPDX-License-Identifier: BSD-2-Clause
// The session's states, and which call may do what in each: fuchsia.tracing.controller.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "control/controller/engine.h"
#include "control/protocol/reply.h"
#include "control/protocol/requests.h"

namespace control {

// On one thread. A call that has to wait for another (a stop while tracing is being started) is
// done when that is over. Every `done` is called once, maybe before the call returns.
class Controller {
 public:
  // `engine` outlives it.
  explicit Controller(Engine& engine) : engine_(engine) {}
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // `output`: what config asked for, open by now.
  void Initialize(request::TraceConfig config, std::optional<TraceOutput> output, Done done);
  // `now`: ns of CLOCK_MONOTONIC, for start_timeout_milliseconds.
  void Start(request::StartOptions options, uint64_t now, Done done);
  void Stop(bool write_results, std::optional<TraceOutput> output, Done done);
  void Terminate(bool write_results, std::optional<TraceOutput> output, Done done);
  void TakeSnapshot(std::optional<TraceOutput> output, uint64_t last, Done done);
  // Whether such a call, made now, may come to write something. Where it does not, its output need
  // not be opened, and no empty file is left.
  bool MayStopWrite() const;
  bool MayTerminateWrite() const;
  bool MaySnapshotWrite() const;
  // What is wrong, if anything.
  std::optional<Failure> SendAlert(const std::string& name);
  void GetStatus(std::function<void(const Status&)> done);

  // Told by the engine's side that tracing has ended for `reason` (a buffer that is full).
  void StoppedByItself(const std::string& reason);

  // Called after every change of the state.
  void OnState(std::function<void(SessionState)> listener) { on_state_ = std::move(listener); }
  SessionState state() const { return state_; }
  // Nothing is under way and nobody waits.
  bool idle() const { return !busy_; }

  // When Tick() has something to do: ns of CLOCK_MONOTONIC.
  std::optional<uint64_t> deadline() const { return start_deadline_; }
  void Tick(uint64_t now);

 private:
  using Retry = std::function<void()>;

  void Enter(SessionState state);
  // Begins something that the calls in Wait() wait for.
  void Begin();
  void Settle(SessionState state);
  void Wait(Retry retry) { waiting_.push_back(std::move(retry)); }
  bool streaming() const;
  // The output of a call, or else of the session.
  std::optional<TraceOutput> ChooseOutput(std::optional<TraceOutput> output) const;
  void WriteThenTerminate(std::optional<TraceOutput> output, Done done);
  void FinishTerminating();
  void AnswerStart(Outcome outcome);

  Engine& engine_;
  SessionState state_ = SessionState::kReady;
  bool busy_ = false;
  std::vector<Retry> waiting_;
  std::optional<request::TraceConfig> config_;
  std::optional<TraceOutput> output_;  // of the session; not for STREAMING
  Done start_done_;
  std::optional<uint64_t> start_deadline_;
  std::string reason_;
  std::function<void(SessionState)> on_state_;
};

}  // namespace control
