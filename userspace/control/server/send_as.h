// SPDX-License-Identifier: BSD-2-Clause
// Sends a finished trace to the output of a client, with the rights of the client.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "control/protocol/peer.h"
#include "util/result.h"

namespace control {

struct SendLimits {
  uint64_t idle = 10'000'000'000;         // ns without progress
  uint64_t bytes_per_second = 256 << 10;  // on average, after `idle`
};

// Sends the whole regular file `from` to `to`, which is a pipe, a socket or a file; messages call
// it `name`. Blocks the calling thread for at most
//
//   limits.idle + size of `from` / limits.bytes_per_second
//
// or until `abandoned`. Forks a process that takes the identity of `client` and writes. The
// receiver of a socket therefore sees the client as the sender, and a hanging file system blocks
// only that process. Reads `from` at its file offset and advances it.
util::Status SendAs(const Peer& client, int from, int to, const std::string& name,
                    const SendLimits& limits, const std::atomic<bool>& abandoned);

}  // namespace control
