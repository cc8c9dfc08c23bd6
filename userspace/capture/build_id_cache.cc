// SPDX-License-Identifier: BSD-2-Clause
#include "capture/build_id_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdint>

#include "symbols/build_id_note.h"
#include "symbols/regular_file.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace capture {
namespace {

constexpr size_t kMaxKnownBuildIds = 16'384;

int64_t ModifiedAt(const struct stat& status) {
  return status.st_mtim.tv_sec * int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
}

// False if the file is not the mapped one. File systems with several devices (btrfs, overlayfs)
// have another device in fstat(2), so a path outside of the process has to match it.
bool IsMapped(const struct stat& status, const perf::MmapRecord& mapping, bool needs_device) {
  return status.st_ino == mapping.inode &&
         (!needs_device || (major(status.st_dev) == mapping.device_major &&
                            minor(status.st_dev) == mapping.device_minor));
}

}  // namespace

util::BuildId BuildIdCache::Of(const perf::MmapRecord& mapping) {
  if (mapping.kernel || mapping.inode == 0 || !mapping.file.starts_with('/')) return {};
  const File key{mapping.device_major, mapping.device_minor, mapping.inode,
                 mapping.inode_generation};
  const std::string process = fmt::format("{}/{}", proc_, mapping.pid);
  const std::string path(mapping.file);
  // The mapping itself leads to the file even if its path does not any more.
  const std::string link = fmt::format("{}/map_files/{:x}-{:x}", process, mapping.address,
                                       mapping.address + mapping.size);
  struct stat status {};
  if (const auto found = known_.find(key); found != known_.end()) {
    const bool is_there = stat(link.c_str(), &status) == 0 || stat(path.c_str(), &status) == 0;
    if (!is_there || !IsMapped(status, mapping, false) ||
        ModifiedAt(status) == found->second.modified) {
      return found->second.id;
    }
  }
  const auto read = [&](const util::Result<util::UniqueFd>& file, bool needs_device) {
    if (!file || fstat(file->get(), &status) != 0 || !IsMapped(status, mapping, needs_device)) {
      return false;
    }
    if (known_.size() >= kMaxKnownBuildIds) known_.clear();
    known_[key] = {symbols::ReadBuildId(file->get()).value_or(util::BuildId{}), ModifiedAt(status)};
    return true;
  };
  // The process may have exited, so its own tree comes before that of the recorder.
  if (read(symbols::OpenMappedFile(link), false) ||
      read(symbols::OpenRegularFile(path, {.root = process + "/root"}), false) ||
      read(symbols::OpenRegularFile(path, {}), true)) {
    return known_[key].id;
  }
  return {};
}

}  // namespace capture
