// SPDX-License-Identifier: BSD-2-Clause
#include "capture/build_id_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <optional>
#include <utility>

#include "symbols/build_id_note.h"
#include "symbols/regular_file.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace capture {
namespace {

constexpr size_t kMaxKnownBuildIds = 16'384;

// Nothing if the file is not the mapped one. File systems with several devices (btrfs, overlayfs)
// have another device in fstat(2), so a path outside of the process has to match it.
std::optional<util::BuildId> ReadMappedFile(const util::Result<util::UniqueFd>& file,
                                            const perf::MmapRecord& mapping, bool needs_device) {
  struct stat status {};
  if (!file || fstat(file->get(), &status) != 0 || status.st_ino != mapping.inode) return {};
  if (needs_device && (major(status.st_dev) != mapping.device_major ||
                       minor(status.st_dev) != mapping.device_minor)) {
    return {};
  }
  return symbols::ReadBuildId(file->get()).value_or(util::BuildId{});
}

}  // namespace

util::BuildId BuildIdCache::Of(const perf::MmapRecord& mapping) {
  if (mapping.kernel || mapping.inode == 0 || !mapping.file.starts_with('/')) return {};
  const File key{mapping.device_major, mapping.device_minor, mapping.inode,
                 mapping.inode_generation};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const std::string process = fmt::format("{}/{}", proc_, mapping.pid);
  const std::string path(mapping.file);
  // The mapping itself leads to the file even if its path does not any more.
  auto id = ReadMappedFile(
      symbols::OpenMappedFile(fmt::format("{}/map_files/{:x}-{:x}", process, mapping.address,
                                          mapping.address + mapping.size)),
      mapping, false);
  if (!id)
    id =
        ReadMappedFile(symbols::OpenRegularFile(path, {.root = process + "/root"}), mapping, false);
  // The process may have exited.
  if (!id) id = ReadMappedFile(symbols::OpenRegularFile(path, {}), mapping, true);
  if (!id) return {};
  if (known_.size() >= kMaxKnownBuildIds) known_.clear();
  return known_.emplace(key, *id).first->second;
}

}  // namespace capture
