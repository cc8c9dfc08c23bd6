// SPDX-License-Identifier: BSD-2-Clause
// Finds the ends of SQL statements, line by line. The result is that of sqlite3_complete() for the
// whole text, without reading it again after each line.
#pragma once

#include <cstdint>
#include <string_view>

namespace query {

class StatementScanner {
 public:
  // Adds a line, with its line feed.
  void Add(std::string_view line);
  // True if the added text ends with a complete statement: only spaces and comments follow its
  // semicolon. Semicolons within CREATE TRIGGER do not end a statement.
  bool complete() const { return part_ == Part::kStart && any_ && inside_ != Inside::kComment; }

 private:
  // Position within a statement.
  enum class Part : uint8_t {
    kStart,             // behind a semicolon, or before everything
    kExplain,           // EXPLAIN, before a CREATE
    kCreate,            // CREATE, TEMP
    kOther,             // up to the next semicolon
    kTrigger,           // CREATE TRIGGER: up to a semicolon, END, and another one
    kTriggerSemicolon,  // behind a semicolon in it
    kTriggerEnd,        // and its END
  };
  // Constructs that may continue on the next line.
  enum class Inside : uint8_t { kNothing, kComment, kQuotes };

  void Semicolon();
  void Word(std::string_view word);
  void Anything();

  Part part_ = Part::kStart;
  Inside inside_ = Inside::kNothing;
  char quote_ = 0;    // that ends the quotes
  bool any_ = false;  // there was a semicolon
};

}  // namespace query
