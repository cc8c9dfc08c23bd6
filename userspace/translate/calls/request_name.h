// SPDX-License-Identifier: BSD-2-Clause
// Names a request after its first bytes, which any program of the machine may have made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schema/request_protocols.h"

namespace translate {

// Returns method and path, the command, or the first word of the SQL statement; empty if `bytes`
// are of none of the protocols. `total`: bytes of the receive that `bytes` is the begin of. `port`:
// of the server; 0: none. The result is printable ASCII of at most 80 bytes, without query strings,
// numbers and literals.
std::string NameOfRequest(std::string_view bytes, uint64_t total, uint32_t port,
                          const schema::RequestProtocols& protocols);

// True if the receive holds more than one message, so that the request is several ones that the
// client sent in a batch. False where the first bytes do not say where the first message ends: it
// is long, or of another protocol. Arguments as above.
bool IsPipelined(std::string_view bytes, uint64_t total, const schema::RequestProtocols& protocols);

}  // namespace translate
