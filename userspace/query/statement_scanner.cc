// SPDX-License-Identifier: BSD-2-Clause
#include "query/statement_scanner.h"

#include <algorithm>

namespace query {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

bool IsOfWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || (c & 0x80) != 0;
}

bool Is(std::string_view word, std::string_view lower) {
  return word.size() == lower.size() &&
         std::equal(word.begin(), word.end(), lower.begin(), [](char c, char known) {
           return (c >= 'A' && c <= 'Z' ? c + 32 : c) == known;
         });
}

// Behind EXPLAIN no CREATE comes after one of these.
bool IsOfTrigger(std::string_view word) {
  return Is(word, "explain") || Is(word, "temp") || Is(word, "temporary") || Is(word, "trigger") ||
         Is(word, "end");
}

}  // namespace

void StatementScanner::Semicolon() {
  any_ = true;
  const bool of_trigger = part_ == Part::kTrigger || part_ == Part::kTriggerSemicolon;
  part_ = of_trigger ? Part::kTriggerSemicolon : Part::kStart;
}

void StatementScanner::Anything() {
  switch (part_) {
    case Part::kExplain:  // QUERY PLAN
      break;
    case Part::kTrigger:
    case Part::kTriggerSemicolon:
    case Part::kTriggerEnd:
      part_ = Part::kTrigger;
      break;
    default:
      part_ = Part::kOther;
  }
}

void StatementScanner::Word(std::string_view word) {
  switch (part_) {
    case Part::kStart:
      if (Is(word, "explain")) {
        part_ = Part::kExplain;
        return;
      }
      [[fallthrough]];
    case Part::kExplain:
      if (Is(word, "create")) {
        part_ = Part::kCreate;
        return;
      }
      if (IsOfTrigger(word)) part_ = Part::kOther;
      break;
    case Part::kCreate:
      if (Is(word, "temp") || Is(word, "temporary")) return;
      if (Is(word, "trigger")) {
        part_ = Part::kTrigger;
        return;
      }
      break;
    case Part::kTriggerSemicolon:
      if (Is(word, "end")) {
        part_ = Part::kTriggerEnd;
        return;
      }
      break;
    default:
      break;
  }
  Anything();
}

void StatementScanner::Add(std::string_view line) {
  size_t at = 0;
  const auto starts = [&](std::string_view what) { return line.substr(at).starts_with(what); };
  while (at < line.size()) {
    if (inside_ == Inside::kComment || inside_ == Inside::kQuotes) {
      const bool comment = inside_ == Inside::kComment;
      const std::string_view end = comment ? "*/" : std::string_view(&quote_, 1);
      const size_t found = line.find(end, at);
      if (found == std::string_view::npos) return;
      at = found + end.size();
      inside_ = Inside::kNothing;
      continue;
    }
    const char c = line[at];
    if (IsSpace(c)) {
      ++at;
    } else if (c == ';') {
      Semicolon();
      ++at;
    } else if (starts("/*")) {
      inside_ = Inside::kComment;
      at += 2;
    } else if (starts("--")) {
      return;
    } else if (c == '\'' || c == '"' || c == '`' || c == '[') {
      Anything();
      inside_ = Inside::kQuotes;
      quote_ = c == '[' ? ']' : c;
      ++at;
    } else if (IsOfWord(c)) {
      const size_t begin = at;
      while (at < line.size() && IsOfWord(line[at])) ++at;
      Word(line.substr(begin, at - begin));
    } else {
      Anything();
      ++at;
    }
  }
}

}  // namespace query
