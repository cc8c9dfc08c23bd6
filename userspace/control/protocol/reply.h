// SPDX-License-Identifier: BSD-2-Clause
// Builds the replies to varlink calls.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/protocol/call.h"
#include "control/protocol/words.h"
#include "request/trace_config.h"
#include "text/json_writer.h"

namespace control {

struct KnownCategory {
  std::string name;
  std::string description;
};

struct ProviderInfo {
  uint32_t id = 0;
  uint32_t pid = 0;
  std::string name;
};

struct TriggerStatus {
  std::string condition;
  uint64_t fired = 0;
  uint64_t suppressed = 0;  // firings without a file of their own
  uint64_t files = 0;
};

struct CategoryCount {
  std::string name;
  uint64_t events = 0;
  uint64_t lost = 0;
};

// See capture::UnwindStats.
struct UnwindTables {
  uint64_t tables = 0;
  uint64_t table_bytes = 0;
  uint64_t max_table_bytes = 0;
  uint64_t unloaded = 0;
};

struct Status {
  SessionState state = SessionState::kReady;
  std::optional<request::BufferingMode> buffering_mode;
  uint64_t covered = 0;  // ns from the oldest event in the buffer to now
  uint64_t started = 0;  // ns since tracing started; 0 before
  uint64_t buffer_bytes = 0;
  uint64_t events = 0;
  uint64_t lost = 0;
  uint64_t cpu_time = 0;  // of the controller's process, ns
  uint64_t resident_bytes = 0;
  std::vector<CategoryCount> categories;
  std::vector<ProviderInfo> providers;
  uint64_t providers_refused = 0;      // too many; since the session began
  std::optional<UnwindTables> unwind;  // of call stacks
  std::vector<TriggerStatus> triggers;
  std::string reason;  // why the session stopped by itself
  uint32_t pid = 0;    // of the controller
  std::string version;
};

// An error of the interface.
struct Failure {
  std::string_view error;  // of error_name
  std::string message;
  std::string hint = {};
};

// Each function returns one message with its NUL. `continues`: further replies to the call follow.
namespace reply {
std::string Empty();
std::string Error(const Failure& failure);
// An error of org.varlink.service, with its one parameter.
std::string ServiceError(std::string_view error, std::string_view parameter,
                         std::string_view value);
std::string InvalidParameter(const BadParameter& bad);
std::string PermissionDenied(std::string_view message);
std::string Info();
std::string Description(std::string_view text);
std::string Categories(const std::vector<KnownCategory>& categories);
std::string Providers(const std::vector<ProviderInfo>& providers);
std::string State(SessionState state, bool continues);
std::string Alert(std::string_view name, bool continues);
// A reply to RegisterProvider; others follow. `has_buffer`: a descriptor is passed with it.
std::string ProviderState(uint32_t id, SessionState state, bool has_buffer);
std::string Recorded(bool recorded);
// Replies to StopTracing and TakeSnapshot. TerminateTracing wraps the same in an object `result`.
std::string Result(const std::optional<request::WrittenTrace>& written);
std::string TerminateResult(const std::optional<request::WrittenTrace>& written);
std::string StatusReport(const Status& status);
}  // namespace reply

// Appends the object `status` of the reply to GetStatus.
void AppendStatus(text::JsonWriter& json, const Status& status);

}  // namespace control
