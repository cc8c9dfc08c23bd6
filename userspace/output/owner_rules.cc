// SPDX-License-Identifier: BSD-2-Clause
#include "output/owner_rules.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace output {
namespace {

std::optional<uint32_t> IdFromEnvironment(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  uint32_t id = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  // UINT32_MAX is not a user: fchown() reads it as "leave unchanged".
  if (error != std::errc() || end != digits.data() + digits.size() || id == UINT32_MAX) {
    return std::nullopt;
  }
  return id;
}

}  // namespace

bool IsTrusted(uid_t owner) {
  if (owner == 0 || owner == geteuid()) return true;
  // Any user can set SUDO_UID; only root's environment is trusted.
  if (geteuid() != 0) return false;
  const auto user = UserBehindSudo();
  return user && user->uid == owner;
}

util::UniqueFd OpenTrusted(const std::string& path) {
  util::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
  struct stat status = {};
  const bool is_trusted = fd && fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                          status.st_nlink == 1 && IsTrusted(status.st_uid) &&
                          (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  return is_trusted ? std::move(fd) : util::UniqueFd();
}

bool IsShared(const struct stat& directory) {
  const mode_t mode = directory.st_mode;
  return (mode & S_IWOTH) != 0 || ((mode & S_ISVTX) != 0 && (mode & S_IWGRP) != 0);
}

bool MayFollow(const struct stat& link, const struct stat& directory) {
  return !IsShared(directory) || link.st_uid == 0 || link.st_uid == geteuid();
}

std::optional<SudoUser> UserBehindSudo() {
  const auto uid = IdFromEnvironment("SUDO_UID");
  const auto gid = IdFromEnvironment("SUDO_GID");
  if (!uid || !gid || *uid == 0) return std::nullopt;
  return SudoUser{.uid = *uid, .gid = *gid};
}

util::Status GiveToSudoUser(int fd) {
  const auto user = UserBehindSudo();
  if (!user || geteuid() != 0) return util::Ok();
  if (fchown(fd, user->uid, user->gid) == 0) return util::Ok();
  // File systems without owners (FAT, some network ones) are no error.
  if (errno == EPERM || errno == ENOTSUP || errno == ENOSYS) return util::Ok();
  return util::Error{
      fmt::format("cannot give the output to user {}: {}", user->uid, std::strerror(errno)), ""};
}

}  // namespace output
