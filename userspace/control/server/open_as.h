// SPDX-License-Identifier: BSD-2-Clause
// Creates a file with the rights of a client.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "control/protocol/peer.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace control {

// Forks a process that takes the client's identity and creates the file. If the file system of the
// path hangs, only that process hangs.
class OpenAs {
 public:
  // Creates a new file of mode 0600 that belongs to `peer`. An existing file is an error.
  static util::Result<OpenAs> Begin(const Peer& peer, const std::string& path);
  OpenAs(OpenAs&& other) noexcept;
  OpenAs& operator=(OpenAs&&) = delete;
  ~OpenAs();  // kills the process; the caller reaps it

  // Readable when the result is available.
  int fd() const { return answer_.get(); }
  // Returns the file, open for writing. Call once, when fd() is readable.
  util::Result<util::UniqueFd> Finish();
  // The process that the caller reaps (waitpid(2)).
  pid_t pid() const { return pid_; }

 private:
  OpenAs(pid_t pid, util::UniqueFd answer, std::string path)
      : pid_(pid), answer_(std::move(answer)), path_(std::move(path)) {}

  pid_t pid_ = -1;
  util::UniqueFd answer_;
  std::string path_;
};

}  // namespace control
