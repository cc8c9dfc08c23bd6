// SPDX-License-Identifier: BSD-2-Clause
#include "import/json/json_document.h"

#include <algorithm>
#include <cstring>

#include "import/json/unescape.h"

namespace importer {
namespace {

constexpr uint64_t kProgressBytes = size_t{1} << 20;
constexpr size_t kMaxKeyBytes = 4096;
constexpr size_t kMaxLineBytes = 4096;

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

JsonDocument::JsonDocument(fxt::ByteSource& source, JsonListener& listener,
                           size_t max_element_bytes)
    : window_(source, max_element_bytes), listener_(listener) {}

char JsonDocument::Next(bool commas) {
  for (;;) {
    const std::string_view text = window_.text();
    size_t i = 0;
    while (i < text.size() && (IsSpace(text[i]) || (commas && text[i] == ','))) ++i;
    window_.Pass(i);
    if (i < text.size()) return text[i];
    if (!window_.More()) return '\0';
  }
}

void JsonDocument::Broken() {
  if (broken_++ == 0) first_broken_ = window_.position();
}

JsonDocument::Outcome JsonDocument::Read(const Progress& progress) {
  progress_ = progress;
  window_.More();
  if (window_.text().starts_with("\xef\xbb\xbf")) window_.Pass(3);
  const char first = Next(false);
  if (first == '[') {
    window_.Pass(1);
    ReadElements([this] { return listener_.OnEvent(parser_.event()); });
  } else if (first == '{') {
    window_.Pass(1);
    ReadObject();
  } else {
    return Outcome::kNotJson;
  }
  return Outcome::kRead;
}

template <typename Each>
void JsonDocument::ReadMembers(Each&& each) {
  std::string key;
  while (Go()) {
    const char c = Next(true);
    if (c == '}') return window_.Pass(1);
    if (c == '\0' && window_.text().empty()) {
      open_ended_ = true;
      return;
    }
    if (c != '"') {
      Broken();
      if (!PassValue(0, nullptr)) return;
      continue;
    }
    if (!ReadKey(key) || Next(false) != ':') {
      Broken();
      continue;
    }
    window_.Pass(1);
    if (!each(key)) return;
  }
}

void JsonDocument::ReadObject() {
  ReadMembers([this](std::string_view key) {
    ReadProperty(key);
    return true;
  });
}

void JsonDocument::ReadProperty(std::string_view key) {
  const char c = Next(false);
  if (key == "traceEvents" && c == '[') {
    window_.Pass(1);
    return ReadElements([this] { return listener_.OnEvent(parser_.event()); });
  }
  if (key == "samples" && c == '[') {
    window_.Pass(1);
    return ReadElements([this] { return listener_.OnSample(parser_.event()); });
  }
  if (key == "stackFrames" && c == '{') {
    window_.Pass(1);
    return ReadFrames();
  }
  if (key == "systemTraceEvents" && c == '"') return ReadSystemText();
  if (key == "systemTraceEvents" && c == '{') {
    window_.Pass(1);
    return ReadSystemObject();
  }
  std::string text;
  const bool whole = PassValue(kMaxPropertyBytes + 1, &text);
  if (!whole) return;
  if (text.size() > kMaxPropertyBytes) text.clear();
  if (!listener_.OnProperty(key, text)) stopped_ = true;
}

bool JsonDocument::ReadEvent() {
  for (;;) {
    const EventParser::Answer answer = parser_.Parse(window_.text());
    switch (answer.verdict) {
      case EventParser::Verdict::kEvent:
        window_.Pass(answer.bytes);
        return true;
      case EventParser::Verdict::kCut:
        if (window_.More()) continue;
        if (!window_.full()) {
          cut_ = true;
          window_.Pass(window_.text().size());
          return false;
        }
        break;
      default:
        break;
    }
    Broken();
    PassValue(0, nullptr);
    return false;
  }
}

template <typename Each>
void JsonDocument::ReadElements(Each&& each) {
  while (Go()) {
    const char c = Next(true);
    if (c == ']') return window_.Pass(1);
    if (c == '\0' && window_.text().empty()) {
      open_ended_ = true;
      return;
    }
    if (c == '}') {  // ends an object whose array has no end
      Broken();
      return;
    }
    if (ReadEvent() && !each()) stopped_ = true;
    if (progress_ && window_.position() >= next_progress_) {
      next_progress_ = window_.position() + kProgressBytes;
      if (!progress_(window_.position())) stopped_ = true;
    }
  }
}

void JsonDocument::ReadFrames() {
  ReadMembers([this](std::string_view id) {
    Next(false);
    if (ReadEvent() && !listener_.OnStackFrame(id, parser_.event())) stopped_ = true;
    return true;
  });
}

// {"type": "fuchsia", "events": [...]}
void JsonDocument::ReadSystemObject() {
  ReadMembers([this](std::string_view key) {
    if (key != "events" || Next(false) != '[') return PassValue(0, nullptr);
    window_.Pass(1);
    ReadElements([this] { return listener_.OnSystemEvent(parser_.event()); });
    return true;
  });
}

// Passes the lines of a string that may be as long as the file.
void JsonDocument::ReadSystemText() {
  window_.Pass(1);
  std::string packed;
  std::string line;
  const auto end_line = [&] {
    Unescape(packed, line);
    if (!listener_.OnSystemLine(line)) stopped_ = true;
    packed.clear();
  };
  while (Go()) {
    const std::string_view text = window_.text();
    size_t i = 0;
    bool closed = false;
    while (i < text.size() && Go()) {
      const char c = text[i];
      if (c == '"') {
        closed = true;
        ++i;
        break;
      }
      if (c == '\\' && i + 1 == text.size()) break;  // the escape ends in the next window
      const size_t bytes = c == '\\' ? 2 : 1;
      if ((bytes == 2 && text[i + 1] == 'n') || c == '\n') {
        end_line();
      } else if (packed.size() < kMaxLineBytes) {
        packed.append(text, i, bytes);
      }
      i += bytes;
    }
    window_.Pass(i);
    if (closed) {
      if (!packed.empty()) end_line();
      return;
    }
    if (!window_.More()) {
      cut_ = true;
      window_.Pass(window_.text().size());
      return;
    }
  }
}

bool JsonDocument::ReadKey(std::string& key) {
  if (!PassValue(kMaxKeyBytes, &key)) return false;
  if (key.size() < 2 || key.back() != '"') return false;
  std::string unpacked;
  Unescape(std::string_view(key).substr(1, key.size() - 2), unpacked);
  key = std::move(unpacked);
  return true;
}

bool JsonDocument::PassValue(size_t keep, std::string* kept) {
  if (kept != nullptr) kept->clear();
  int64_t depth = 0;
  bool in_string = false;
  bool escaped = false;
  bool began = false;
  for (;;) {
    const std::string_view text = window_.text();
    size_t i = 0;
    bool done = false;
    for (; i < text.size() && !done; ++i) {
      const char c = text[i];
      if (in_string) {
        if (escaped) {
          escaped = false;
        } else if (c == '\\') {
          escaped = true;
        } else if (c == '"') {
          in_string = false;
          done = depth == 0;
        }
      } else if (c == '"') {
        if (began && depth == 0) break;  // the end of a number
        in_string = true;
      } else if (c == '{' || c == '[') {
        if (began && depth == 0) break;
        ++depth;
      } else if (c == '}' || c == ']') {
        if (depth == 0) {
          // The end of the enclosing value. If no value began, it is skipped.
          if (!began) ++i;
          done = true;
          break;
        }
        done = --depth == 0;
      } else if (depth == 0 && (c == ',' || IsSpace(c))) {
        if (began) {
          done = true;
          break;
        }
        continue;
      }
      began = true;
    }
    if (i < text.size() && !done) done = true;
    if (kept != nullptr && kept->size() < keep) {
      kept->append(text.substr(0, std::min(i, keep - kept->size())));
    }
    window_.Pass(i);
    if (done) return true;
    if (!window_.More()) {
      cut_ = true;
      return false;
    }
  }
}

}  // namespace importer
