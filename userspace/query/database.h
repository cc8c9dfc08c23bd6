// SPDX-License-Identifier: BSD-2-Clause
// A trace as a database that nothing can be written with.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "query/result_writer.h"
#include "query/trace_module.h"
#include "util/result.h"

namespace query {

class Database {
 public:
  // Errors: those of the file.
  static util::Result<std::unique_ptr<Database>> Open(const std::string& trace,
                                                      TraceModuleOptions options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs statements, separated by semicolons, up to the first error. The text has no NUL. Statements
  // only read; they may create temporary tables, views and indexes of this connection. `done`, if
  // not null, is called after each row; true ends the run.
  util::Status Run(const std::string& statements, ResultWriter& writer,
                   const std::function<bool()>& done = nullptr);

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
  };

  explicit Database(sqlite3* database) : database_(database) {}
  util::Error Failure() const;

  std::function<bool()> cancelled_;  // asked by what follows
  std::unique_ptr<sqlite3, Closer> database_;
};

}  // namespace query
