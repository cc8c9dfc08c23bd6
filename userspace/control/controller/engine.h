// SPDX-License-Identifier: BSD-2-Clause
// What records, as the controller sees it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/protocol/peer.h"
#include "control/protocol/reply.h"
#include "control/protocol/requests.h"
#include "util/unique_fd.h"

namespace control {

// The output of a trace, open for writing.
struct TraceOutput {
  util::UniqueFd fd;
  std::string name;  // in messages
  bool gzip = false;
  Peer client = Peer::Self();  // whose output it is
};

// How something ended that was asked for.
struct Outcome {
  std::optional<Failure> failure = {};
  std::optional<request::WrittenTrace> written = {};
};

using Done = std::function<void(Outcome)>;

// What a program that takes part is told: the session's state, and the memory that it writes to,
// when there is a new one.
using TellProvider =
    std::function<void(uint32_t id, SessionState state, std::shared_ptr<util::UniqueFd> buffer)>;

// No call waits for anything. What takes its time calls `done` when it is over, on the controller's
// thread and after the call has returned; calls that are made meanwhile come after it. The
// controller asks for nothing in an order that makes no sense.
class Engine {
 public:
  virtual ~Engine() = default;

  // At most kMaxCategories; names and descriptions within their limits.
  virtual std::vector<KnownCategory> KnownCategories() const = 0;
  virtual std::vector<ProviderInfo> Providers() const = 0;

  // A program of process `pid` takes part, until it is removed: its id, or none where that cannot
  // be. `tell`: on the controller's thread, maybe before the call returns.
  virtual std::optional<uint32_t> AddProvider(const std::string& /*name*/, uint32_t /*pid*/,
                                              TellProvider /*tell*/) {
    return std::nullopt;
  }
  virtual void RemoveProvider(uint32_t /*id*/) {}
  // Process `caller` says something of itself, or of its parent. False where nothing is recorded.
  virtual bool SendMark(const MarkRequest& /*mark*/, uint32_t /*caller*/) { return false; }

  // Makes what a session needs. `output`: for STREAMING alone, which has one.
  virtual void Initialize(const request::TraceConfig& config, std::optional<TraceOutput> output,
                          Done done) = 0;
  virtual void Start(const request::StartOptions& options, Done done) = 0;
  virtual void Stop(Done done) = 0;
  // Writes the last `last` ns of the buffer, or all of it for 0; not for STREAMING. Calls `copied`
  // once the buffer is not needed any more: other operations may follow. Calls `done` when the
  // output has all of it; the reader of the output determines how long that takes. `copied` comes
  // first, also after a failure.
  virtual void Write(TraceOutput output, uint64_t last, std::function<void()> copied,
                     Done done) = 0;
  // The end of the session; STREAMING finishes its file. What is being written is written first.
  virtual void Terminate(Done done) = 0;

  // Somebody sent it while there is a session.
  virtual void Alert(const std::string& name) = 0;

  // `done` gets what the controller does not know by itself. Maybe before the call returns, and not
  // quite new: asking often costs the recording nothing.
  virtual void GetStatus(std::function<void(Status)> done) = 0;
};

}  // namespace control
