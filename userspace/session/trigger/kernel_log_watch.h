// SPDX-License-Identifier: BSD-2-Clause
// Reads new lines of the kernel's log that match a regular expression.
#pragma once

#include <regex.h>

#include <memory>
#include <optional>
#include <string>

#include "session/trigger/trigger_spec.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace session {

class KernelLogWatch {
 public:
  // `device`: for tests, a file or FIFO with records of /dev/kmsg.
  static util::Result<KernelLogWatch> Open(const TriggerSpec& spec,
                                           const std::string& device = "/dev/kmsg");

  // Readable when there are new lines.
  int fd() const { return fd_.get(); }
  // The next matching line; empty if none of the next few hundred lines matches.
  std::optional<std::string> Next();

 private:
  struct Free {
    void operator()(regex_t* regex) const {
      regfree(regex);
      delete regex;
    }
  };
  KernelLogWatch(util::UniqueFd fd, std::unique_ptr<regex_t, Free> regex)
      : fd_(std::move(fd)), regex_(std::move(regex)) {}

  util::UniqueFd fd_;
  std::unique_ptr<regex_t, Free> regex_;
};

}  // namespace session
