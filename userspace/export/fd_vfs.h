// SPDX-License-Identifier: BSD-2-Clause
// Lets SQLite write a database to a file that is open already.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

namespace exporting {

// As long as it lives, a database opened with its name as VFS has its pages in the descriptor,
// whatever the database is called. One database, which nobody else uses: there are no locks and no
// journal. Temporary files are the default VFS's.
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
