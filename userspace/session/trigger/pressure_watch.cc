// SPDX-License-Identifier: BSD-2-Clause
#include "session/trigger/pressure_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "util/quantity.h"

namespace session {
namespace {

// Without CAP_SYS_RESOURCE a window must be a multiple of this, ns
// (Documentation/accounting/psi.rst).
constexpr uint64_t kFreeWindow = 2'000'000'000;

}  // namespace

util::Result<PressureWatch> PressureWatch::Open(const TriggerSpec& spec, const std::string& proc) {
  const std::string path = fmt::format("{}/pressure/{}", proc, spec.resource);
  util::UniqueFd fd(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!fd) {
    const bool missing = errno == ENOENT || errno == EOPNOTSUPP;
    return util::Error{
        fmt::format("trigger '{}': {}", spec.text,
                    missing ? "this kernel does not measure pressure"
                            : fmt::format("cannot open {}: {}", path, strerror(errno))),
        missing
            ? "it needs CONFIG_PSI, and psi=1 on the kernel's command line if PSI is off by default"
            : ""};
  }
  const std::string trigger =
      fmt::format("{} {} {}", spec.share, spec.stall / 1000, spec.window / 1000);
  if (write(fd.get(), trigger.c_str(), trigger.size() + 1) < 0) {
    if (errno == EINVAL && spec.window % kFreeWindow != 0) {
      return util::Error{fmt::format("trigger '{}': a window of {} needs CAP_SYS_RESOURCE",
                                     spec.text, util::FormatDuration(spec.window)),
                         "windows of 2s or a multiple need no capability"};
    }
    return util::Error{
        fmt::format("trigger '{}': the kernel rejects it: {}", spec.text, strerror(errno)), ""};
  }
  return PressureWatch(std::move(fd));
}

}  // namespace session
