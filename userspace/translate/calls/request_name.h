// SPDX-License-Identifier: BSD-2-Clause
// Names a request by its first bytes, which are untrusted input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schema/request_protocols.h"

namespace translate {

// Returns method and path (HTTP), the command (Redis), or the first word of the SQL statement;
// empty if `bytes` match none of the protocols. `bytes` are the first of the `total` bytes
// received. `port` is the server's; 0: none. The result is printable ASCII of at most 80 bytes,
// without query strings, numbers and literals.
std::string NameOfRequest(std::string_view bytes, uint64_t total, uint32_t port,
                          const schema::RequestProtocols& protocols);

// True if the receive holds more than one message, because the client pipelines requests. False if
// `bytes` do not show where the first message ends. Arguments as above.
bool IsPipelined(std::string_view bytes, uint64_t total, const schema::RequestProtocols& protocols);

}  // namespace translate
