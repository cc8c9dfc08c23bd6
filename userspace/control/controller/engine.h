// SPDX-License-Identifier: BSD-2-Clause
// What records, as the controller sees it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/protocol/reply.h"
#include "control/protocol/requests.h"
#include "util/process_handle.h"
#include "util/unique_fd.h"

namespace control {

// Where a trace goes: open, and the caller's to write.
struct TraceOutput {
  util::UniqueFd fd;
  std::string name;  // what messages call it
  bool gzip = false;
};

// How something ended that was asked for.
struct Outcome {
  std::optional<Failure> failure = {};
  std::optional<Written> written = {};
};

using Done = std::function<void(Outcome)>;

// What a program that takes part is told: the session's state, and the memory that it writes to,
// when there is a new one.
using TellProvider =
    std::function<void(uint32_t id, SessionState state, std::shared_ptr<util::UniqueFd> buffer)>;

// The process at the other end of a connection. It is alive at the time of the call.
struct Caller {
  uint32_t pid = 0;
  uid_t user = 0;
  std::shared_ptr<const util::ProcessHandle> process = nullptr;
};

// No call waits for anything. What takes its time calls `done` when it is over, on the controller's
// thread and after the call has returned; calls that are made meanwhile come after it. The
// controller asks for nothing in an order that makes no sense.
class Engine {
 public:
  virtual ~Engine() = default;

  // At most kMaxCategories; names and descriptions within their limits.
  virtual std::vector<KnownCategory> KnownCategories() const = 0;
  virtual std::vector<ProviderInfo> Providers() const = 0;

  // Registers the caller as a provider until RemoveProvider(). Returns its id; nothing if there is
  // no place. Calls `tell` on the controller's thread, maybe before it returns.
  virtual std::optional<uint32_t> AddProvider(const std::string& /*name*/, const Caller& /*caller*/,
                                              TellProvider /*tell*/) {
    return std::nullopt;
  }
  virtual void RemoveProvider(uint32_t /*id*/) {}
  // Providers that found no place since the session began.
  virtual uint64_t RefusedProviders() const { return 0; }
  // Records a mark of the caller, or of its parent. False if nothing is recorded.
  virtual bool SendMark(const MarkRequest& /*mark*/, const Caller& /*caller*/) { return false; }

  // Makes what a session needs. `output`: for STREAMING alone, which has one.
  virtual void Initialize(const TraceConfig& config, std::optional<TraceOutput> output,
                          Done done) = 0;
  virtual void Start(const StartOptions& options, Done done) = 0;
  virtual void Stop(Done done) = 0;
  // Writes the last `last` ns that the buffer has, all of it for 0; not for STREAMING.
  virtual void Write(TraceOutput output, uint64_t last, Done done) = 0;
  // The end of the session; STREAMING finishes its file. What is being written is written first.
  virtual void Terminate(Done done) = 0;

  // Somebody sent it while there is a session.
  virtual void Alert(const std::string& name) = 0;

  // `done` gets what the controller does not know by itself. Maybe before the call returns, and not
  // quite new: asking often costs the recording nothing.
  virtual void GetStatus(std::function<void(Status)> done) = 0;
};

}  // namespace control
