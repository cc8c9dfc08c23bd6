// SPDX-License-Identifier: BSD-2-Clause
#include "capture/mapped_build_ids.h"

#include <sys/stat.h>

#include <optional>

#include "util/result.h"
#include "util/unique_fd.h"

namespace capture {

util::BuildId MappedBuildIds::Of(const CodeMapping& mapping) {
  if (mapping.inode == 0 || !mapping.path.starts_with('/')) return {};
  auto file = FindMappedFile(proc_, mapping);
  if (!file || file->status.st_ino != mapping.inode) {
    file = FindOwnFile(std::string(mapping.path));
    if (!file || file->identity.inode != mapping.inode || file->identity.device != mapping.device) {
      return {};
    }
  }
  if (const auto* known = cache_.Find(file->status)) return known->value_or(util::BuildId{});
  const util::Result<util::UniqueFd> opened = OpenCode(file->path, file->root);
  struct stat status {};
  if (!opened || fstat(opened->get(), &status) != 0 || status.st_ino != mapping.inode) return {};
  return cache_.Of(opened->get()).value_or(util::BuildId{});
}

}  // namespace capture
