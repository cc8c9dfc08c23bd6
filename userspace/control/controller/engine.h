// SPDX-License-Identifier: BSD-2-Clause
// The interface between the controller and the recording.
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
#include "util/process_handle.h"
#include "util/unique_fd.h"

namespace control {

// The output of a trace, open for writing.
struct TraceOutput {
  util::UniqueFd fd;
  std::string name;  // in messages
  bool gzip = false;
  Peer client = Peer::Self();  // owner of the output
};

// The outcome of an operation.
struct Outcome {
  std::optional<Failure> failure = {};
  std::optional<request::WrittenTrace> written = {};
};

using Done = std::function<void(Outcome)>;

// Notifies a provider of the session's state. `buffer` is the memory that the provider writes to,
// if it is new.
using NotifyProvider =
    std::function<void(uint32_t id, SessionState state, std::shared_ptr<util::UniqueFd> buffer)>;

// The process at the other end of a connection. It is alive at the time of the call.
struct Caller {
  uint32_t pid = 0;
  uid_t user = 0;
  std::shared_ptr<const util::ProcessHandle> process = nullptr;
};

// No call blocks. An operation that takes time calls `done` at its end, on the controller's thread
// and after the call has returned. Operations run in the order of the calls. The controller makes
// only calls that its state allows.
class Engine {
 public:
  virtual ~Engine() = default;

  // At most kMaxCategories; names and descriptions within their limits.
  virtual std::vector<KnownCategory> KnownCategories() const = 0;
  virtual std::vector<ProviderInfo> Providers() const = 0;

  // Adds a provider for the caller until RemoveProvider(). Returns its id, or none if it is
  // refused. `notify` is called on the controller's thread, possibly before the call returns.
  virtual std::optional<uint32_t> AddProvider(const std::string& /*name*/, const Caller& /*caller*/,
                                              NotifyProvider /*notify*/) {
    return std::nullopt;
  }
  virtual void RemoveProvider(uint32_t /*id*/) {}
  // Providers that were refused since the session began, because there were too many.
  virtual uint64_t RefusedProviders() const { return 0; }
  // Records a mark of the caller, or of its parent. False if nothing is recorded.
  virtual bool SendMark(const MarkRequest& /*mark*/, const Caller& /*caller*/) { return false; }

  // Prepares a session. `output`: STREAMING only.
  virtual void Initialize(const request::TraceConfig& config, std::optional<TraceOutput> output,
                          Done done) = 0;
  virtual void Start(const request::StartOptions& options, Done done) = 0;
  virtual void Stop(Done done) = 0;
  // Writes the last `last` ns of the buffer, or the whole buffer for 0; not for STREAMING. Calls
  // `copied` once the buffer is not needed any more, so that other operations may follow. Calls
  // `done` when the output has all data; its reader determines how long that takes. `copied` is
  // called first, also after a failure.
  virtual void Write(TraceOutput output, uint64_t last, std::function<void()> copied,
                     Done done) = 0;
  // Ends the session. Completes the file of STREAMING, and snapshots that are being copied.
  virtual void Terminate(Done done) = 0;

  // A client has sent an alert while there is a session.
  virtual void Alert(const std::string& name) = 0;

  // Passes the recording's part of the status to `done`, possibly before the call returns. The
  // status may be up to 50 ms old, so that frequent calls cost the recording nothing.
  virtual void GetStatus(std::function<void(Status)> done) = 0;
};

}  // namespace control
