// SPDX-License-Identifier: BSD-2-Clause
// A file that is made with the rights of somebody else.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "control/server/peer.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace control {

// A process of its own becomes that user and makes the file, since a path may lead to where that
// takes for ever: nobody waits for it.
class OpenAs {
 public:
  // A new file of mode 0600 that belongs to `peer`; what is there already stays and is an error.
  static util::Result<OpenAs> Begin(const Peer& peer, const std::string& path);
  OpenAs(OpenAs&& other) noexcept;
  OpenAs& operator=(OpenAs&&) = delete;
  ~OpenAs();  // ends the process, which has to be waited for then

  // Readable when there is an answer.
  int fd() const { return answer_.get(); }
  // The file, for writing. Only when fd() is readable, once.
  util::Result<util::UniqueFd> Finish();
  // Who has to be waited for in the end (waitpid(2)).
  pid_t pid() const { return pid_; }

 private:
  OpenAs(pid_t pid, util::UniqueFd answer, std::string path)
      : pid_(pid), answer_(std::move(answer)), path_(std::move(path)) {}

  pid_t pid_ = -1;
  util::UniqueFd answer_;
  std::string path_;
};

}  // namespace control
