// SPDX-License-Identifier: BSD-2-Clause
#include "output/sudo_user.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace output {
namespace {

std::optional<uint32_t> IdFromEnvironment(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  uint32_t id = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  // The highest number is not a user: fchown() takes it for "leave as it is".
  if (error != std::errc() || end != digits.data() + digits.size() || id == UINT32_MAX) {
    return std::nullopt;
  }
  return id;
}

}  // namespace

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
  // File systems without owners (FAT, some network ones) are no reason not to record.
  if (errno == EPERM || errno == ENOTSUP || errno == ENOSYS) return util::Ok();
  return util::Error{
      fmt::format("cannot give the output to user {}: {}", user->uid, std::strerror(errno)), ""};
}

}  // namespace output
