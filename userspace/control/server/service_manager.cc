// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "util/unique_fd.h"

namespace control {

bool NotifyServiceManager(std::string_view state) {
  const char* path = getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  if (path == nullptr || (*path != '/' && *path != '@')) return false;
  const size_t length = strlen(path);
  if (length >= sizeof address.sun_path) return false;
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path, length);
  // An abstract one begins with a NUL.
  if (*path == '@') address.sun_path[0] = '\0';
  const util::UniqueFd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  return sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL,
                reinterpret_cast<const sockaddr*>(&address),
                size) == static_cast<ssize_t>(state.size());
}

}  // namespace control
