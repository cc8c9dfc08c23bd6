// SPDX-License-Identifier: BSD-2-Clause
#include "settings/build_ids.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "symbols/build_id_note.h"
#include "util/unique_fd.h"

namespace settings {
namespace {

constexpr size_t kMostKnownFiles = 4096;
}  // namespace

std::string BuildIds::Of(const std::string& path) {
  // A device or pipe is not opened for reading.
  const util::UniqueFd place(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat file {};
  if (!place || fstat(place.get(), &file) != 0 || !S_ISREG(file.st_mode)) return kUnreadable;
  const File key{file.st_dev, file.st_ino, file.st_size,
                 file.st_mtim.tv_sec * int64_t{1'000'000'000} + file.st_mtim.tv_nsec};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const util::UniqueFd fd(
      open(fmt::format("/proc/self/fd/{}", place.get()).c_str(), O_RDONLY | O_CLOEXEC));
  const auto id = fd ? symbols::ReadBuildId(fd.get()) : std::nullopt;
  std::string text = !id ? kUnreadable : id->empty() ? kNone : id->ToHex();
  if (known_.size() >= kMostKnownFiles) known_.clear();
  known_.emplace(key, text);
  return text;
}

}  // namespace settings
