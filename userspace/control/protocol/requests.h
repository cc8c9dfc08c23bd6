// SPDX-License-Identifier: BSD-2-Clause
// The parameters of the controller's methods.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "control/protocol/words.h"

namespace control {

struct ProviderSpec {
  std::string name;
  uint32_t buffer_size_megabytes_hint = 0;
};

// Whose events are recorded; together they are a union. Ids are those of the process namespace that
// the controller runs in.
struct TaskFilter {
  std::vector<uint32_t> tids;
  std::vector<uint32_t> pids;
  std::vector<std::string> comms;
  std::vector<std::string> cgroups;
  bool follow = false;  // also whom they make from the start on
};

struct TraceConfig {
  // Empty: all that there are; not said: the default ones.
  std::optional<std::vector<std::string>> categories;
  uint32_t buffer_size_megabytes_hint = 0;  // 0: not said
  uint64_t start_timeout_milliseconds = 0;  // 0: none
  BufferingMode buffering_mode = BufferingMode::kOneshot;
  std::vector<ProviderSpec> provider_specs;
  std::optional<TaskFilter> filter;  // none: everybody's
};

// Where a trace goes, as a call names it: one of the two.
struct OutputChoice {
  std::optional<uint32_t> descriptor;  // index among those that came with the call
  std::string path;                    // absolute
  bool gzip = false;
};

struct InitializeRequest {
  TraceConfig config;
  std::optional<OutputChoice> output;
};

struct StartOptions {
  BufferDisposition buffer_disposition = BufferDisposition::kRetain;
  std::vector<std::string> additional_categories;
};

// StopTracing and TerminateTracing.
struct EndRequest {
  bool write_results = false;
  std::optional<OutputChoice> output;
};

struct SnapshotRequest {
  std::optional<OutputChoice> output;
  uint64_t last_nanoseconds = 0;  // 0: all of the buffer
};

}  // namespace control
