// SPDX-License-Identifier: BSD-2-Clause
// Finds the user at the other end of a connection within this machine.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <istream>
#include <optional>

namespace serve {

// Returns the owner of the socket at 127.0.0.1:`from` that is connected to 127.0.0.1:`to`, both in
// this network namespace. Empty if there is no such socket or /proc/net/tcp cannot be read.
std::optional<uid_t> PeerUser(uint16_t from, uint16_t to);

// The same, from text in the format of /proc/net/tcp.
std::optional<uid_t> PeerUserIn(std::istream& table, uint16_t from, uint16_t to);

}  // namespace serve
