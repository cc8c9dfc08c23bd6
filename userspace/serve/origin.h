// SPDX-License-Identifier: BSD-2-Clause
// Origins of web pages (RFC 6454) and names in URLs.
#pragma once

#include <string>
#include <string_view>

#include "util/result.h"

namespace serve {

// Returns the origin of an http or https URL as browsers send it: "https://host" or
// "https://host:port", in lower case, without the default port of the scheme. Errors: another
// scheme, no host, a user name.
util::Result<std::string> OriginOf(std::string_view url);

// Returns the last part of a path with all but letters, digits and -._ replaced by "_". Never
// empty.
std::string UrlNameOf(std::string_view path);

}  // namespace serve
