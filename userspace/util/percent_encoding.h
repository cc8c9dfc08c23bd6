// SPDX-License-Identifier: BSD-2-Clause
// Percent-encoding of URLs (RFC 3986, 2.1).
#pragma once

#include <string>
#include <string_view>

namespace util {

// Encodes all bytes but the unreserved ones, which are letters, digits and -._~, as %XX.
std::string PercentEncoded(std::string_view text);

}  // namespace util
