// SPDX-License-Identifier: BSD-2-Clause
// The parameters of the controller's methods.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "control/protocol/words.h"
#include "request/trace_config.h"

namespace control {

// The output of a trace, as a call names it: a descriptor or a path.
struct OutputChoice {
  std::optional<uint32_t> descriptor;  // index among those passed with the call
  std::string path;                    // absolute
  bool gzip = false;
};

struct InitializeRequest {
  request::TraceConfig config;
  std::optional<OutputChoice> output;
};

// StopTracing and TerminateTracing.
struct EndRequest {
  bool write_results = false;
  std::optional<OutputChoice> output;
};

struct ProviderRequest {
  std::string name;
  std::vector<std::string> categories;
};

// An event that a client reports on a process.
struct MarkRequest {
  MarkKind kind = MarkKind::kInstant;
  std::string name;
  std::string category = "mark";
  double value = 0;              // of a counter
  uint32_t pid = 0;              // process of the event: the caller or its parent; 0: the caller
  uint64_t nanoseconds_ago = 0;  // the age of the event
};

struct TakeSnapshotRequest {
  std::optional<OutputChoice> output;
  uint64_t last_nanoseconds = 0;  // 0: all of the buffer
};

}  // namespace control
