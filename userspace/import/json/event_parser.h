// SPDX-License-Identifier: BSD-2-Clause
// Takes one event at a time from the text of a JSON array.
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
    kOther,   // a JSON value that is no object
    kCut,     // the text ends inside of it
    kBroken,  // no JSON, or nested deeper than kMaxDepth
  };
  struct Answer {
    Verdict verdict = Verdict::kBroken;
    size_t bytes = 0;  // taken by a value; of what is broken, where it was noticed
  };
  // RapidJSON calls itself for what is nested.
  static constexpr int kMaxDepth = 200;

  // The value at the start of `text`, behind which a NUL has to stand.
  Answer Parse(std::string_view text);
  const TraceEvent& event() const { return event_; }

 private:
  class Handler;

  TraceEvent event_;
  std::vector<char> arena_;  // of strings, as large as the text at least
  std::unique_ptr<Handler> handler_;
};

}  // namespace importer
