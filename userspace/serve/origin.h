// SPDX-License-Identifier: BSD-2-Clause
// Origins of web pages (RFC 6454), as browsers send them.
#pragma once

#include <string>
#include <string_view>

#include "util/result.h"

namespace serve {

// "https://host" or "https://host:port" of an http or https URL, in lower case and without the
// port that the scheme has anyway. Errors: another scheme, no host, a user name in it.
util::Result<std::string> OriginOf(std::string_view url);

// Text as a part of a URL: everything but letters, digits and -._~ is %XX.
std::string PercentEncoded(std::string_view text);

// The last part of a path, as a name that stands in a URL as it is: what is no letter, digit or
// one of -._ is "_". Never empty.
std::string UrlNameOf(std::string_view path);

}  // namespace serve
