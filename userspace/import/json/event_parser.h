// SPDX-License-Identifier: BSD-2-Clause
// Parses the events of a JSON array, one at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "import/json/trace_event.h"

namespace importer {

// Parses common syntax with FastJson, and everything else with RapidJSON. RapidJSON was the fastest
// event-driven parser among Debian's packages that can be linked statically, but took a third of an
// import's time. No other class uses it.
class EventParser {
 public:
  EventParser();
  ~EventParser();
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;

  enum class Verdict : uint8_t {
    kEvent,   // event() is the parsed event
    kOther,   // a JSON value that is not an object
    kCut,     // the text ends inside the event
    kBroken,  // not JSON, or nested deeper than kMaxDepth
  };
  struct Answer {
    Verdict verdict = Verdict::kBroken;
    size_t bytes = 0;  // of the value; for broken text, up to the error
  };
  // Limits the recursion of RapidJSON into nested values.
  static constexpr int kMaxDepth = 200;

  // Parses the value at the start of `text`; a NUL must follow the text.
  Answer Parse(std::string_view text);
  const TraceEvent& event() const { return event_; }

 private:
  class Handler;

  TraceEvent event_;
  std::vector<char> arena_;  // unescaped strings; at least as large as the text
  std::unique_ptr<Handler> handler_;
};

}  // namespace importer
