// SPDX-License-Identifier: BSD-2-Clause
// A database of a ClickHouse server, asked over HTTP.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "export/clickhouse/http_client.h"
#include "util/result.h"

namespace exporting {

class ClickHouse {
 public:
  // `database`: letters, digits and _, as IsName() says.
  ClickHouse(ServerUrl server, std::string database)
      : http_(std::move(server)), database_(std::move(database)) {}

  static bool IsName(std::string_view text);

  // Runs a statement that may be run again. Tried again for a while where the server does not
  // answer, or says that it cannot just now. The answer is text with a line a row, and tabs.
  util::Result<std::string> Run(std::string_view statement);
  // Sends rows once. `uncertain` is set where an error does not tell whether they arrived.
  util::Status Insert(std::string_view table, std::string_view columns, std::string_view rows,
                      bool& uncertain);

  const std::string& database() const { return database_; }
  std::string Shown() const { return http_.server().Shown(); }

 private:
  struct Failure {
    util::Error error;
    bool may_pass = false;  // it may go better a little later
    bool unanswered = false;
  };
  util::Result<std::string> Ask(std::string_view target, std::string_view body, Failure& failure);

  HttpClient http_;
  std::string database_;
};

// The wait before the next attempt; false after the last one.
class Attempts {
 public:
  bool WaitForNext();

 private:
  unsigned made_ = 1;
};

// Text as a literal of its SQL, in quotes.
std::string Quoted(std::string_view text);

}  // namespace exporting
