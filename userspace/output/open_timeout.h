// SPDX-License-Identifier: BSD-2-Clause
// Waits for the process at the other end of a pipe or FIFO, with a cancel function.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "util/unique_fd.h"

namespace output {

// Called at least 20 times a second, on the waiting thread; false ends the wait. An empty function
// waits for ever.
using KeepWaiting = std::function<bool()>;

// open(2) for writing of a path that may be a FIFO; waits for a reader. The descriptor does not
// block. Empty with errno on failure; ECANCELED if `keep_waiting` returned false.
util::UniqueFd OpenWithin(int directory, const std::string& path, int flags, mode_t mode,
                          const KeepWaiting& keep_waiting);

// Waits until `fd` is writable or broken, which the next write reports. False with errno on
// failure; ECANCELED if `keep_waiting` returned false.
bool WaitUntilWritable(int fd, const KeepWaiting& keep_waiting);

// A second, non-blocking descriptor of the same pipe or FIFO; O_NONBLOCK does not affect the other
// processes that share `fd`. Empty if the system does not allow that.
util::UniqueFd ReopenWithoutBlocking(int fd);

}  // namespace output
