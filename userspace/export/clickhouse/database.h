// SPDX-License-Identifier: BSD-2-Clause
// A client of a ClickHouse server, over HTTP.
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
  // IsName(database) holds: letters, digits and _.
  ClickHouse(ServerUrl server, std::string database)
      : http_(std::move(server)), database_(std::move(database)) {}

  static bool IsName(std::string_view text);

  // Executes an idempotent statement, and retries it for a while if the server does not answer or
  // reports a temporary error. The answer is text with one line per row and tabs between columns.
  util::Result<std::string> Run(std::string_view statement);
  // Sends rows once. `uncertain` is set if they may have arrived despite the error.
  util::Status Insert(std::string_view table, std::string_view columns, std::string_view rows,
                      bool& uncertain);

  const std::string& database() const { return database_; }
  std::string Shown() const { return http_.server().Shown(); }

 private:
  struct Failure {
    util::Error error;
    bool is_temporary = false;  // a retry may succeed
    bool unanswered = false;
  };
  util::Result<std::string> Post(std::string_view target, std::string_view body, Failure& failure);

  HttpClient http_;
  std::string database_;
};

// Counts attempts. WaitForNext() waits before the next one, and returns false after the last one.
class Attempts {
 public:
  bool WaitForNext();

 private:
  unsigned made_ = 1;
};

// Returns the text as a quoted SQL literal.
std::string Quoted(std::string_view text);

}  // namespace exporting
