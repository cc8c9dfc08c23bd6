// SPDX-License-Identifier: BSD-2-Clause
// The kernel's own pressure triggers (Documentation/accounting/psi.rst).
#pragma once

#include <string>

#include "session/trigger/trigger_spec.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace session {

class PressureWatch {
 public:
  // An error where the kernel does not measure pressure, or does not take it. `proc` is for tests.
  static util::Result<PressureWatch> Open(const TriggerSpec& spec,
                                          const std::string& proc = "/proc");

  // POLLPRI on it means that it has fired, and poll(2) says so once.
  int fd() const { return fd_.get(); }
  // The kernel has given it up (POLLERR).
  void Close() { fd_.reset(); }

 private:
  explicit PressureWatch(util::UniqueFd fd) : fd_(std::move(fd)) {}
  util::UniqueFd fd_;
};

}  // namespace session
