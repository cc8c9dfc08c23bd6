// SPDX-License-Identifier: BSD-2-Clause
#include "capture/cgroup_tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace capture {
namespace {

constexpr size_t kMaxCachedCgroups = 4096;

// Whether one of the words between commas is `word`.
bool Lists(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const size_t comma = words.find(',');
    if (words.substr(0, comma) == word) return true;
    words = comma == std::string_view::npos ? std::string_view() : words.substr(comma + 1);
  }
  return false;
}

}  // namespace

std::string FindCgroupMount(const std::string& proc, std::string_view controller) {
  const std::string_view type = controller.empty() ? " - cgroup2 " : " - cgroup ";
  std::ifstream mounts(proc + "/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    // "... root mountpoint options [tags] - type source options" (proc(5))
    const size_t dash = line.find(type);
    if (dash == std::string::npos) continue;
    std::istringstream fields(line), options(line.substr(dash + type.size()));
    std::string id, parent, device, root, mount, source, controllers;
    if (!controller.empty() &&
        !(options >> source >> controllers && Lists(controllers, controller))) {
      continue;
    }
    if (fields >> id >> parent >> device >> root >> mount) return mount;
  }
  return "";
}

CgroupTree::CgroupTree(std::string mount) : mount_(std::move(mount)) {
  if (!mount_.empty()) {
    fd_ = util::UniqueFd(open(mount_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
}

std::string CgroupTree::PathOf(uint64_t id) {
  if (id == 0 || !fd_) return "";
  if (auto known = paths_.find(id); known != paths_.end()) return known->second;
  if (paths_.size() >= kMaxCachedCgroups) paths_.clear();
  // A cgroup's id is the file handle of its directory (include/linux/exportfs.h: FILEID_KERNFS).
  constexpr int kFileIdKernfs = 0xfe;
  alignas(file_handle) std::array<std::byte, sizeof(file_handle) + sizeof(id)> storage{};
  auto* handle = reinterpret_cast<file_handle*>(storage.data());
  handle->handle_bytes = sizeof(id);
  handle->handle_type = kFileIdKernfs;
  std::memcpy(handle->f_handle, &id, sizeof(id));
  util::UniqueFd directory(open_by_handle_at(fd_.get(), handle, O_RDONLY | O_PATH | O_CLOEXEC));
  std::string path;
  if (directory) {
    std::array<char, 4096> target;
    std::string link = fmt::format("/proc/self/fd/{}", directory.get());
    ssize_t length = readlink(link.c_str(), target.data(), target.size());
    std::string absolute(target.data(), length > 0 ? static_cast<size_t>(length) : 0);
    // A cgroup outside of the mounted hierarchy has no path here.
    if (absolute == mount_) {
      path.assign(1, '/');  // g++ 12 warns of a string assignment here
    } else if (absolute.starts_with(mount_ + "/")) {
      path = absolute.substr(mount_.size());
    }
  }
  paths_.emplace(id, path);
  return path;
}

}  // namespace capture
