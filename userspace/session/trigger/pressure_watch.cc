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

// An unprivileged window is a multiple of this, ns (Documentation/accounting/psi.rst).
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
        missing ? "it needs CONFIG_PSI, and psi=1 on the kernel's command line where that is off"
                : ""};
  }
  const std::string trigger =
      fmt::format("{} {} {}", spec.share, spec.stall / 1000, spec.window / 1000);
  if (write(fd.get(), trigger.c_str(), trigger.size() + 1) < 0) {
    // Without the privilege for shorter windows, a multiple of 2 s.
    if (errno == EINVAL && spec.window % kFreeWindow != 0) {
      return util::Error{
          fmt::format("trigger '{}': a window of {} needs CAP_SYS_RESOURCE, which is not there",
                      spec.text, util::FormatDuration(spec.window)),
          "a window of 2s, or a multiple of it, goes without"};
    }
    return util::Error{
        fmt::format("trigger '{}': the kernel does not take it: {}", spec.text, strerror(errno)),
        ""};
  }
  return PressureWatch(std::move(fd));
}

}  // namespace session
