// SPDX-License-Identifier: BSD-2-Clause
// Waiting for whoever is at the other end of a descriptor, for as long as somebody wants to wait.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "util/unique_fd.h"

namespace output {

// Asked at least 20 times a second during a wait, on the thread that waits; false ends the wait.
// None: waits for ever.
using KeepWaiting = std::function<bool()>;

// open(2) of what may be a FIFO, for writing: one that nobody reads yet is waited for. The
// descriptor does not block. Empty with errno on failure; ECANCELED is the end of the patience.
util::UniqueFd OpenWithin(int directory, const std::string& path, int flags, mode_t mode,
                          const KeepWaiting& keep_waiting);

// Until `fd` can be written or is broken, which the next write tells. False with errno when
// that cannot be waited for; ECANCELED is the end of the patience.
bool WaitUntilWritable(int fd, const KeepWaiting& keep_waiting);

// The same pipe or FIFO by a descriptor that does not block, without making it so for the other
// processes that have it. Empty where the system does not allow that.
util::UniqueFd ReopenWithoutBlocking(int fd);

}  // namespace output
