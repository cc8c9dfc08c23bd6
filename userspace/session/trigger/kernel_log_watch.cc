// SPDX-License-Identifier: BSD-2-Clause
#include "session/trigger/kernel_log_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace session {
namespace {

// At least PRINTK_MESSAGE_MAX: the kernel fails a read into a buffer smaller than the record.
constexpr size_t kMostBytes = 8192;
constexpr int kMostLines = 256;

}  // namespace

util::Result<KernelLogWatch> KernelLogWatch::Open(const TriggerSpec& spec,
                                                  const std::string& device) {
  util::UniqueFd fd(open(device.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd) {
    return util::Error{
        fmt::format("trigger '{}': cannot open {}: {}", spec.text, device, strerror(errno)), ""};
  }
  lseek(fd.get(), 0, SEEK_END);
  std::unique_ptr<regex_t, Free> regex(new regex_t{});
  if (regcomp(regex.get(), spec.name.c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
    delete regex.release();
    return util::Error{fmt::format("trigger '{}': not a regular expression", spec.text), ""};
  }
  return KernelLogWatch(std::move(fd), std::move(regex));
}

std::optional<std::string> KernelLogWatch::Next() {
  std::array<char, kMostBytes> record;
  for (int line = 0; line < kMostLines; ++line) {
    const ssize_t size = read(fd_.get(), record.data(), record.size() - 1);
    if (size < 0 && errno == EPIPE) continue;  // lines that were overwritten before
    if (size <= 0) return std::nullopt;
    // priority,number,time,flags;text\n KEY=value\n
    std::string text(record.data(), static_cast<size_t>(size));
    text.erase(0, text.find(';') + 1);
    text.resize(std::min(text.size(), text.find('\n')));
    if (regexec(regex_.get(), text.c_str(), 0, nullptr, 0) == 0) return text;
  }
  return std::nullopt;
}

}  // namespace session
