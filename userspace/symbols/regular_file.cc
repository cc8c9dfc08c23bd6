// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/regular_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace symbols {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel

// Puts the components of `path` before those in `components`, which is in reverse order.
void Push(std::string_view path, std::vector<std::string>& components) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  components.insert(components.end(), parts.rbegin(), parts.rend());
}

util::UniqueFd OpenDirectory(const std::string& path) {
  return util::UniqueFd(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

util::UniqueFd OpenEntry(const util::UniqueFd& directory, const std::string& name) {
  return util::UniqueFd(openat(directory.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

util::Error Failure(const std::string& path, std::string_view reason) {
  return util::Error{fmt::format("{}: {}", path, reason), ""};
}

util::Error CannotOpen(const std::string& path, int error) {
  return Failure(path, fmt::format("cannot open: {}", strerror(error)));
}

// Checks what a path led to, and opens it for reading.
util::Result<util::UniqueFd> OpenFound(const std::string& path, const util::UniqueFd& found,
                                       const struct stat& status, const FileRules& rules) {
  if (!S_ISREG(status.st_mode)) return Failure(path, "not a regular file");
  if (!rules.owners.empty() && status.st_uid != 0 &&
      std::ranges::find(rules.owners, status.st_uid) == rules.owners.end()) {
    return Failure(path, "belongs to another user");
  }
  if (static_cast<uint64_t>(status.st_size) > rules.max_bytes) return Failure(path, "too large");
  const std::string same = fmt::format("/proc/self/fd/{}", found.get());
  util::UniqueFd fd(open(same.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return CannotOpen(path, errno);
  return fd;
}

}  // namespace

util::Result<util::UniqueFd> OpenRegularFile(const std::string& path, const FileRules& rules) {
  const std::string root = rules.root.empty() ? "/" : rules.root;
  const bool is_absolute = path.starts_with('/');
  util::UniqueFd directory =
      OpenDirectory(is_absolute || !rules.root.empty() ? root : std::string("."));
  std::vector<std::string> components;
  Push(path, components);
  size_t depth = 0;  // of `directory` below the root
  int links = 0;
  while (directory && !components.empty()) {
    const std::string name = std::move(components.back());
    components.pop_back();
    if (name == "..") {
      if (depth == 0 && !rules.root.empty()) continue;
      directory = util::UniqueFd(openat(directory.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
      depth -= depth > 0 ? 1 : 0;
      continue;
    }
    util::UniqueFd found = OpenEntry(directory, name);
    struct stat status {};
    if (!found || fstat(found.get(), &status) != 0) return CannotOpen(path, errno);
    if (S_ISLNK(status.st_mode)) {
      if (!rules.follow_links) return Failure(path, "is or contains a symbolic link");
      if (status.st_uid != 0 && status.st_uid != geteuid()) {
        return Failure(path, "contains a symbolic link of another user");
      }
      if (++links > kMaxLinks) return CannotOpen(path, ELOOP);
      std::array<char, PATH_MAX> target{};
      const ssize_t size = readlinkat(found.get(), "", target.data(), target.size());
      if (size < 0) return CannotOpen(path, errno);
      const std::string_view text(target.data(), static_cast<size_t>(size));
      Push(text, components);
      if (text.starts_with('/')) {
        directory = OpenDirectory(root);
        depth = 0;
      }
      continue;
    }
    if (components.empty()) return OpenFound(path, found, status, rules);
    directory = std::move(found);
    ++depth;
  }
  if (!directory) return CannotOpen(path, errno);
  return Failure(path, "not a regular file");
}

util::Result<util::UniqueFd> OpenMappedFile(const std::string& link) {
  const util::UniqueFd found(open(link.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  if (!found || fstat(found.get(), &status) != 0) return CannotOpen(link, errno);
  return OpenFound(link, found, status, {});
}

}  // namespace symbols
