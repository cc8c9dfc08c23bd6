// SPDX-License-Identifier: BSD-2-Clause
// Lets SQLite write a database to an open file.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

namespace exporting {

// A VFS for one database: its pages go to the descriptor, whatever the name of the database. It has
// a single user, so there are no locks and no journal. Temporary files use the default VFS.
class FdVfs {
 public:
  // `fd` is open for reading and writing, and must outlive the database.
  explicit FdVfs(int fd);
  ~FdVfs();
  FdVfs(const FdVfs&) = delete;
  FdVfs& operator=(const FdVfs&) = delete;

  const char* name() const { return name_.c_str(); }

 private:
  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
  int fd_;
};

}  // namespace exporting
