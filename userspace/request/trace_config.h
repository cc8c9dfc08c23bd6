// SPDX-License-Identifier: BSD-2-Clause
// What a caller asks of a recording. The command line fills these types, the control protocol
// serialises them, and the recorder reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace request {

// How events are buffered, with the numbers of fuchsia.tracing.controller.
enum class BufferingMode : uint8_t {
  kOneshot = 0,    // Recording stops when the buffer is full.
  kCircular = 1,   // New events overwrite the oldest ones.
  kStreaming = 2,  // Events go into a file as they come.
};

// What a start does with the data of earlier starts, with the numbers of
// fuchsia.tracing.controller.
enum class BufferDisposition : uint8_t {
  kClearAll = 1,         // Drops events and tasks; reads the tasks again.
  kClearNondurable = 2,  // Drops events and keeps tasks.
  kRetain = 3,           // Keeps both; the file shows the time between stop and start as a gap.
};

// The protocol's names, such as "CIRCULAR" and "CLEAR_ALL".
std::string_view Name(BufferingMode mode);
std::string_view Name(BufferDisposition disposition);
// None for an unknown name. Case counts.
std::optional<BufferingMode> FindBufferingMode(std::string_view name);
std::optional<BufferDisposition> FindBufferDisposition(std::string_view name);

// Selects tasks; the members together are a union, and an empty filter selects all tasks. Ids are
// those of the recorder's process namespace.
struct TaskFilter {
  std::vector<uint32_t> tids;
  std::vector<uint32_t> pids;
  std::vector<std::string> comms;
  std::vector<std::string> cgroups;  // paths below the cgroup2 mount
  bool follow = false;               // also tasks that a selected task creates after the start

  bool any() const { return !tids.empty() || !pids.empty() || !comms.empty() || !cgroups.empty(); }
};

struct Tracepoint {
  std::string pattern;  // SYSTEM:NAME; the shell's wildcards * ? [] are allowed
  std::string filter;   // in the kernel's filter language; empty: all events
};

// Event sources that are recorded only if the caller names them.
struct Sources {
  std::vector<Tracepoint> tracepoints;
  std::vector<std::string> counters;
  std::vector<std::string> uprobes;  // PATH:SYMBOL[+retval|+entry]
  std::vector<std::string> usdts;    // PATH:PROVIDER:NAME
  std::vector<std::string> kprobes;  // FUNCTION[+retval|+entry]
  // Protocols whose payload names requests (category `request`), see schema/request_protocols.h.
  std::vector<std::string> request_names;

  // True if a source changes the code of running programs or of the kernel.
  bool probes() const { return !uprobes.empty() || !usdts.empty() || !kprobes.empty(); }
  bool any() const {
    return !tracepoints.empty() || !counters.empty() || probes() || !request_names.empty();
  }
};

struct ProviderSpec {
  std::string name;
  uint32_t buffer_size_megabytes_hint = 0;
};

struct TraceConfig {
  // An empty list selects all categories, no list the default ones.
  std::optional<std::vector<std::string>> categories;
  uint32_t buffer_size_megabytes_hint = 0;  // 0: the default
  uint64_t start_timeout_milliseconds = 0;  // 0: no timeout
  BufferingMode buffering_mode = BufferingMode::kOneshot;
  std::vector<ProviderSpec> provider_specs;
  TaskFilter filter;
  Sources sources;
};

struct StartOptions {
  BufferDisposition buffer_disposition = BufferDisposition::kRetain;
  std::vector<std::string> additional_categories;
};

// The size of a trace that was written.
struct WrittenTrace {
  uint64_t bytes = 0;    // on disk
  uint64_t events = 0;   // records of events
  uint64_t covered = 0;  // ns from the first event to the end
};

}  // namespace request
