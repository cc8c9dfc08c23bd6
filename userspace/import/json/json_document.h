// SPDX-License-Identifier: BSD-2-Clause
// Reads the outermost level of the Trace Event Format: an array of events, or an object with such
// arrays.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "fxt/byte_source.h"
#include "import/json/event_parser.h"
#include "import/json/json_window.h"

namespace importer {

// Receives the parts of a document. A call returns false to stop the reading.
class JsonListener {
 public:
  virtual ~JsonListener() = default;

  virtual bool OnEvent(const TraceEvent& event) = 0;
  // An element of "samples".
  virtual bool OnSample(const TraceEvent& sample) = 0;
  // An element of "systemTraceEvents" of type "fuchsia": {ph, ts, cpu, ...}.
  virtual bool OnSystemEvent(const TraceEvent& event) = 0;
  // A line of "systemTraceEvents" that is a string, unescaped, without its end.
  virtual bool OnSystemLine(std::string_view line) = 0;
  // An element of "stackFrames": name, category and parent.
  virtual bool OnStackFrame(std::string_view id, const TraceEvent& frame) = 0;
  // Any other property with the JSON text of its value, which is empty if it is too long.
  virtual bool OnProperty(std::string_view name, std::string_view text) = 0;
};

class JsonDocument {
 public:
  // Larger elements are skipped.
  static constexpr size_t kMaxElementBytes = size_t{8} << 20;
  static constexpr size_t kMaxPropertyBytes = size_t{64} << 10;

  // Both must outlive the document.
  JsonDocument(fxt::ByteSource& source, JsonListener& listener,
               size_t max_element_bytes = kMaxElementBytes);

  // Called after each window with the bytes read; false stops.
  using Progress = std::function<bool(uint64_t bytes)>;

  enum class Outcome : uint8_t {
    kRead,     // to the end, or stopped by the listener
    kNotJson,  // neither an array nor an object
  };
  Outcome Read(const Progress& progress);

  // Elements that are not JSON, not objects, too large or nested too deeply.
  uint64_t broken() const { return broken_; }
  uint64_t first_broken() const { return first_broken_; }  // byte offset
  // True if the text ended inside an element or a property.
  bool cut() const { return cut_; }
  // True if an array or object has no end, which the format allows.
  bool open_ended() const { return open_ended_; }
  // Why the source ended early or failed; empty otherwise.
  const std::string& failure() const { return window_.failure(); }
  uint64_t bytes() const { return window_.position(); }

 private:
  // Skips white space and, between elements, commas.
  char Next(bool commas);
  void ReadObject();
  void ReadProperty(std::string_view key);
  template <typename Each>
  void ReadElements(Each&& each);
  // Calls `each(key)` at the start of each member's value; false ends the object.
  template <typename Each>
  void ReadMembers(Each&& each);
  void ReadFrames();
  void ReadSystemObject();
  void ReadSystemText();
  // Parses the value at the window; false if the element is unusable.
  bool ReadEvent();
  // False at the end of the text.
  bool ReadKey(std::string& key);
  // Skips a value with its strings and nested values. Keeps at most `keep` bytes of it.
  bool PassValue(size_t keep, std::string* kept);
  void Broken();
  bool Go() { return !stopped_; }

  JsonWindow window_;
  JsonListener& listener_;
  EventParser parser_;
  Progress progress_;
  uint64_t next_progress_ = 0;
  bool stopped_ = false;
  uint64_t broken_ = 0;
  uint64_t first_broken_ = 0;
  bool cut_ = false;
  bool open_ended_ = false;
};

}  // namespace importer
