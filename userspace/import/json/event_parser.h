// SPDX-License-Identifier: BSD-2-Clause
// Parses the events of a JSON array, one at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "import/json/trace_event.h"

namespace importer {

// The only user of RapidJSON, whose event parser was the fastest of Debian's packages that can be
// linked statically. It took a third of an import's time, so what is plain goes by FastJson; it
// has the last word on everything else.
class EventParser {
 public:
  EventParser();
  ~EventParser();
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;

  enum class Verdict : uint8_t {
    kEvent,   // `event` is what stands there
    kOther,   // a JSON value that is not an object
    kCut,     // the text ends inside the event
    kBroken,  // no JSON, or nested deeper than kMaxDepth
  };
  struct Answer {
    Verdict verdict = Verdict::kBroken;
    size_t bytes = 0;  // of the value; for broken text, up to the error
  };
  // RapidJSON recurses into nested values.
  static constexpr int kMaxDepth = 200;

  // Parses the value at the start of `text`; a NUL must follow the text.
  Answer Parse(std::string_view text);
  const TraceEvent& event() const { return event_; }

 private:
  class Handler;

  TraceEvent event_;
  std::vector<char> arena_;  // of unescaped strings; at least as large as the text
  std::unique_ptr<Handler> handler_;
};

}  // namespace importer
