// SPDX-License-Identifier: BSD-2-Clause
// http://[user[:password]@]host[:port]
#pragma once

#include <string>
#include <string_view>

#include "util/result.h"

namespace exporting {

struct ServerUrl {
  std::string host;  // a name or an address; without the brackets of IPv6
  std::string port = "8123";
  std::string user;  // "" the server's default
  std::string password;

  // Errors: another scheme, no host, a path, a port that is none.
  static util::Result<ServerUrl> Parse(std::string_view url);
  // "host:port", as a Host field has it.
  std::string Authority() const;
  // As people may see it: without the password.
  std::string Shown() const;
};

// Bytes of a query string: all but letters, digits and -._~ as %XX (RFC 3986, 2.3).
std::string PercentEncoded(std::string_view text);

}  // namespace exporting
