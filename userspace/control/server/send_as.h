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

// Sends all of the regular file `from` to `to`, a pipe, a socket or a file that messages call
// `name`. Blocks the calling thread for at most
//
//   limits.idle + size of `from` / limits.bytes_per_second
//
// and until `abandoned`. Forks a process that takes the identity of `client` and writes: the
// receiver of a socket sees the client as the sender, and a file system that does not answer stops
// that process only. Reads `from` by its file offset, which it changes.
util::Status SendAs(const Peer& client, int from, int to, const std::string& name,
                    const SendLimits& limits, const std::atomic<bool>& abandoned);

}  // namespace control
