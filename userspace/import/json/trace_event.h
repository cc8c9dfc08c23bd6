// SPDX-License-Identifier: BSD-2-Clause
// One event of the Trace Event Format, as parsed from the JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace importer {

// The unparsed text of an object or array.
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

// Fields with a single value.
struct TraceEventFields {
  char phase = 0;  // 0: none
  std::string_view name;
  std::string_view category;
  std::optional<int64_t> time;      // ns
  std::optional<int64_t> duration;  // ns
  JsonValue pid;
  JsonValue tid;
  JsonValue id;
  JsonValue local_id;              // "id2.local"
  JsonValue global_id;             // "id2.global"
  std::string_view scope;          // of ids
  std::string_view instant_scope;  // "s"
  std::string_view binding_point;  // "bp"
  JsonValue frame;                 // "sf"
  JsonValue end_frame;             // "esf"
  // Frames of "stack" and "estack", root first, one per line.
  std::string_view stack;
  std::string_view end_stack;
  JsonValue parent;   // of a stack frame
  JsonValue bind_id;  // with flow_in and flow_out: a flow begins, continues or ends here
  bool flow_in = false;
  bool flow_out = false;
  JsonValue argument;  // "args" if that is not an object
};

// Views are valid until the parser parses the next event or its text is freed.
struct TraceEvent : TraceEventFields {
  std::vector<JsonMember> arguments;
  // Fields without a counterpart in FXT records that are kept as arguments: thread times and
  // counts.
  std::vector<JsonMember> extra;
  // Names of other fields, which are dropped.
  std::vector<std::string_view> unknown;

  void Clear();
};

// The first member of that name; null if there is none.
const JsonValue* Find(const std::vector<JsonMember>& members, std::string_view name);
// A number as an integer, truncated. Empty for null and other types.
std::optional<int64_t> IntegerOf(const JsonValue* value);
// Empty if the value is not a string.
std::string_view TextOf(const JsonValue* value);

// The text of an id, which is a string or a number.
std::string IdText(const JsonValue& value);
// Parses "0x1f" or "31".
std::optional<uint64_t> IdNumber(std::string_view text);

}  // namespace importer
