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

// Beyond the categories: what is not recorded unless it is named. As fxt-record's options have it.
struct TraceSources {
  struct Tracepoint {
    std::string name;    // SYSTEM:NAME, or a pattern
    std::string filter;  // empty: all of its events
  };
  std::vector<Tracepoint> tracepoints;
  std::vector<std::string> counters;
  std::vector<std::string> uprobes;  // PATH:SYMBOL
  std::vector<std::string> usdts;    // PATH:PROVIDER:NAME

  // What is done to programs and not only looked at.
  bool probes() const { return !uprobes.empty() || !usdts.empty(); }
  bool any() const { return !tracepoints.empty() || !counters.empty() || probes(); }
};

struct TraceConfig {
  // Empty: all that there are; not said: the default ones.
  std::optional<std::vector<std::string>> categories;
  uint32_t buffer_size_megabytes_hint = 0;  // 0: not said
  uint64_t start_timeout_milliseconds = 0;  // 0: none
  BufferingMode buffering_mode = BufferingMode::kOneshot;
  std::vector<ProviderSpec> provider_specs;
  std::optional<TaskFilter> filter;  // none: everybody's
  TraceSources sources;
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

struct ProviderRequest {
  std::string name;
  std::vector<std::string> categories;
};

// What somebody says of a process from outside.
struct MarkRequest {
  MarkKind kind = MarkKind::kInstant;
  std::string name;
  std::string category = "mark";
  double value = 0;              // of a counter
  uint32_t pid = 0;              // whose main thread has it; 0: the caller
  uint64_t nanoseconds_ago = 0;  // when it was
};

struct SnapshotRequest {
  std::optional<OutputChoice> output;
  uint64_t last_nanoseconds = 0;  // 0: all of the buffer
};

}  // namespace control
