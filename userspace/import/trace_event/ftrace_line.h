// SPDX-License-Identifier: BSD-2-Clause
// Parses lines of ftrace's text output.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fxt/format.h"

namespace importer {

// "bash-1234 ( 1230) [002] d..2. 12.345678: sched_switch: prev_comm=bash ...". The part in
// parentheses (the tgid) and the flags are optional. Views refer to the line.
struct FtraceLine {
  std::string_view task;
  int64_t tid = 0;
  std::optional<int64_t> tgid;
  uint32_t cpu = 0;
  int64_t time = 0;  // ns
  std::string_view event;
  std::string_view rest;  // the text after "event: "

  // Empty for comments and other lines without an event.
  static std::optional<FtraceLine> Parse(std::string_view line);
};

struct FtraceSwitch {
  std::string_view prev_comm;
  int64_t prev_tid = 0;
  int prev_priority = 0;
  fxt::ThreadState prev_state = fxt::ThreadState::kNew;
  std::string_view next_comm;
  int64_t next_tid = 0;
  int next_priority = 0;

  // Parses the rest of a sched_switch line.
  static std::optional<FtraceSwitch> Parse(std::string_view rest);
};

struct FtraceWakeup {
  std::string_view comm;
  int64_t tid = 0;
  int priority = 0;
  uint32_t target_cpu = 0;

  // Parses the rest of a sched_waking or sched_wakeup line.
  static std::optional<FtraceWakeup> Parse(std::string_view rest);
};

// A marker that a program wrote to trace_marker: "B|1234|name", "E|1234", "I|1234|name",
// "C|1234|name|value", and for async operations "S|1234|name|cookie" and "F|1234|name|cookie".
struct FtraceMark {
  char phase = 0;
  std::optional<int64_t> pid;
  std::string_view name;
  std::string_view value;

  // Parses the rest of a tracing_mark_write or print line.
  static std::optional<FtraceMark> Parse(std::string_view rest);
};

// The time of another clock, in ns, from "trace_event_clock_sync: parent_ts=SECONDS" of a
// tracing_mark_write line.
std::optional<int64_t> ParentTimeOf(std::string_view rest);

}  // namespace importer
