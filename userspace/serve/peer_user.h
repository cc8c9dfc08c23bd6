// SPDX-License-Identifier: BSD-2-Clause
// Whose program is at the other end of a connection within this machine.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <istream>
#include <optional>

namespace serve {

// The owner of the socket at 127.0.0.1:`from` that is connected to 127.0.0.1:`to`, both ports of
// this network namespace. Empty where there is none, or the kernel does not tell.
std::optional<uid_t> PeerUser(uint16_t from, uint16_t to);

// The same, of a table as /proc/net/tcp has it.
std::optional<uid_t> PeerUserIn(std::istream& table, uint16_t from, uint16_t to);

}  // namespace serve
