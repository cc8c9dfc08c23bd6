// SPDX-License-Identifier: BSD-2-Clause
#include "settings/hash_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "util/unique_fd.h"

namespace settings {
namespace {

constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

std::optional<util::SipKey> Read(int folder, const char* name) {
  const util::UniqueFd fd(openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat file {};
  if (!fd || fstat(fd.get(), &file) != 0) return std::nullopt;
  if (!S_ISREG(file.st_mode) || file.st_uid != geteuid() || (file.st_mode & kOthers) != 0) {
    return std::nullopt;
  }
  util::SipKey key;
  if (read(fd.get(), key.data(), key.size()) != static_cast<ssize_t>(key.size())) {
    return std::nullopt;
  }
  return key;
}

// Writes a file without a name and then names it, so that no reader sees a part of it.
void Make(int folder, const char* name, const util::SipKey& key) {
  const util::UniqueFd fd(openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (!fd) return;
  if (write(fd.get(), key.data(), key.size()) != static_cast<ssize_t>(key.size())) return;
  const std::string link = fmt::format("/proc/self/fd/{}", fd.get());
  static_cast<void>(linkat(AT_FDCWD, link.c_str(), folder, name, AT_SYMLINK_FOLLOW));
}

}  // namespace

HashKey HashKey::Load(const std::string& path) {
  HashKey key;
  const size_t slash = path.rfind('/');
  const std::string folder = path.substr(0, slash);
  const char* name = path.c_str() + slash + 1;
  static_cast<void>(mkdir(folder.c_str(), 0755));
  const util::UniqueFd place(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat owner {};
  // A user who may write into the folder could exchange the key.
  const bool is_safe = place && fstat(place.get(), &owner) == 0 && owner.st_uid == geteuid() &&
                       (owner.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (is_safe) {
    if (const auto known = Read(place.get(), name)) {
      key.key_ = *known;
      return key;
    }
  }
  // So few bytes always come at once (getrandom(2)); it waits for the kernel's generator at boot.
  while (getrandom(key.key_.data(), key.key_.size(), 0) < 0 && errno == EINTR) continue;
  if (!is_safe) return key;
  Make(place.get(), name, key.key_);
  // Another recorder may have been first.
  if (const auto known = Read(place.get(), name)) key.key_ = *known;
  return key;
}

std::string HashKey::HashOf(std::string_view name, std::string_view value) const {
  return fmt::format("{:016x}", util::SipHash(key_, fmt::format("{}={}", name, value)));
}

std::string HashKey::Identity() const {
  return fmt::format("{:016x}", util::SipHash(key_, "fxt-record settings key"));
}

}  // namespace settings
