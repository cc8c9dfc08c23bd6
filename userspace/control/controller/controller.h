// SPDX-License-Identifier: BSD-2-Clause
// The state machine of a session: which call of fuchsia.tracing.controller is allowed in each
// state, and what it does.
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

// Used on one thread. A call that conflicts with an operation under way (a stop while tracing is
// being started) runs when that operation ends. Each `done` is called once, possibly before the
// call returns.
class Controller {
 public:
  // `engine` outlives the controller.
  explicit Controller(Engine& engine) : engine_(engine) {}
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // `output`: already open; empty if the call names none.
  void Initialize(request::TraceConfig config, std::optional<TraceOutput> output, Done done);
  // `now`: ns of CLOCK_MONOTONIC, for start_timeout_milliseconds.
  void Start(request::StartOptions options, uint64_t now, Done done);
  void Stop(bool write_results, std::optional<TraceOutput> output, Done done);
  void Terminate(bool write_results, std::optional<TraceOutput> output, Done done);
  void TakeSnapshot(std::optional<TraceOutput> output, uint64_t last, Done done);
  // True if a call of Stop() or Terminate() may write results now. Otherwise the server does not
  // open the output, so that no empty file is left.
  bool MayStopWrite() const;
  bool MayTerminateWrite() const;
  bool MaySnapshotWrite() const;
  // Returns the failure; empty: none.
  std::optional<Failure> SendAlert(const std::string& name);
  void GetStatus(std::function<void(const Status&)> done);

  // Called by the engine when tracing has ended by itself, with the reason (the buffer is full).
  void StoppedByItself(const std::string& reason);

  // Called after every change of the state.
  void OnState(std::function<void(SessionState)> listener) { on_state_ = std::move(listener); }
  SessionState state() const { return state_; }
  // True if no operation is in progress.
  bool idle() const { return !busy_; }

  // The time of the next Tick(), ns of CLOCK_MONOTONIC.
  std::optional<uint64_t> deadline() const { return start_deadline_; }
  void Tick(uint64_t now);

 private:
  using Retry = std::function<void()>;

  void Enter(SessionState state);
  // Begins an operation that other calls wait for, and ends it.
  void Begin();
  void Settle(SessionState state);
  void Wait(Retry retry) { waiting_.push_back(std::move(retry)); }
  bool streaming() const;
  // Returns `output`, or else the output of the session.
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
