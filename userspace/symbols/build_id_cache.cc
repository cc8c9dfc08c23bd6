// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/build_id_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "symbols/build_id_note.h"
#include "util/unique_fd.h"

namespace symbols {
namespace {

constexpr size_t kMaxKnownFiles = 16'384;

}  // namespace

BuildIdCache::File BuildIdCache::FileOf(const struct stat& status) {
  return {status.st_dev, status.st_ino, status.st_size,
          status.st_ctim.tv_sec * int64_t{1'000'000'000} + status.st_ctim.tv_nsec};
}

const std::optional<util::BuildId>* BuildIdCache::Find(const struct stat& status) const {
  const auto found = known_.find(FileOf(status));
  return found != known_.end() ? &found->second : nullptr;
}

std::optional<util::BuildId> BuildIdCache::Of(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return std::nullopt;
  if (const auto* known = Find(status)) return *known;
  if (known_.size() >= kMaxKnownFiles) known_.clear();
  return known_[FileOf(status)] = ReadBuildId(fd);
}

std::optional<util::BuildId> BuildIdCache::OfPath(const std::string& path) {
  // A device or pipe is not opened for reading.
  const util::UniqueFd place(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  if (!place || fstat(place.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (const auto* known = Find(status)) return *known;
  const util::UniqueFd file(
      open(fmt::format("/proc/self/fd/{}", place.get()).c_str(), O_RDONLY | O_CLOEXEC));
  return file ? Of(file.get()) : std::nullopt;
}

}  // namespace symbols
