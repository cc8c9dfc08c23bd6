// SPDX-License-Identifier: BSD-2-Clause
// The address of a server: http://[user[:password]@]host[:port].
#pragma once

#include <string>
#include <string_view>

#include "util/result.h"

namespace exporting {

struct ServerUrl {
  std::string host;  // a name or an address; without the brackets of IPv6
  std::string port = "8123";
  std::string user;  // "": the server's default
  std::string password;

  // Errors: another scheme, no host, a path, an invalid port.
  static util::Result<ServerUrl> Parse(std::string_view url);
  // "host:port" for a Host field.
  std::string Authority() const;
  // For messages: without user and password.
  std::string Shown() const;
};

}  // namespace exporting
