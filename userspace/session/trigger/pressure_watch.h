// SPDX-License-Identifier: BSD-2-Clause
// Sets up the kernel's pressure triggers (Documentation/accounting/psi.rst).
#pragma once

#include <string>

#include "session/trigger/trigger_spec.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace session {

class PressureWatch {
 public:
  // An error if the kernel does not measure pressure, or refuses the trigger. `proc`: for tests.
  static util::Result<PressureWatch> Open(const TriggerSpec& spec,
                                          const std::string& proc = "/proc");

  // POLLPRI: the trigger has fired; poll(2) reports it once.
  int fd() const { return fd_.get(); }
  // After POLLERR: the kernel has removed the trigger.
  void Close() { fd_.reset(); }

 private:
  explicit PressureWatch(util::UniqueFd fd) : fd_(std::move(fd)) {}
  util::UniqueFd fd_;
};

}  // namespace session
