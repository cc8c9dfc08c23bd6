// SPDX-License-Identifier: BSD-2-Clause
// One event of the Trace Event Format, as it stands in the JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace importer {

// The text of an object or array, which is not looked into any further.
struct JsonText {
  std::string_view text;
};

// Null is std::monostate. Integers that do not fit 64 bits are doubles.
using JsonValue =
    std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string_view, JsonText>;

struct JsonMember {
  std::string_view name;
  JsonValue value;
};

// What an event has once.
struct TraceEventFields {
  char phase = 0;  // 0: none
  std::string_view name;
  std::string_view category;
  std::optional<int64_t> time;      // ns
  std::optional<int64_t> duration;  // ns
  JsonValue pid;
  JsonValue tid;
  JsonValue id;
  JsonValue local_id;              // of id2
  JsonValue global_id;             // of id2
  std::string_view scope;          // of ids
  std::string_view instant_scope;  // "s"
  std::string_view binding_point;  // "bp"
  JsonValue frame;                 // "sf"
  JsonValue end_frame;             // "esf"
  // Frames of "stack" and "estack", root first, a line each.
  std::string_view stack;
  std::string_view end_stack;
  JsonValue parent;   // of a stack frame
  JsonValue bind_id;  // with flow_in and flow_out: a flow that begins, passes or ends here
  bool flow_in = false;
  bool flow_out = false;
  JsonValue argument;  // "args" where that is no object
};

// Views are good until the parser that filled it parses again, or its text is gone.
struct TraceEvent : TraceEventFields {
  std::vector<JsonMember> arguments;
  // Fields that records have no place for and that are worth keeping: thread times and counts.
  std::vector<JsonMember> extra;
  // Names of other fields, which are left out.
  std::vector<std::string_view> unknown;

  void Clear();
};

}  // namespace importer
