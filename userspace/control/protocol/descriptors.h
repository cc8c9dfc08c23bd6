// SPDX-License-Identifier: BSD-2-Clause
// Sends and receives bytes and file descriptors over a Unix socket (SCM_RIGHTS).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "util/unique_fd.h"

namespace control {

// The name in messages of an output that was passed as a descriptor, whose file name is unknown.
inline constexpr std::string_view kPassedOutputName = "the output";

// The descriptors that one receive can take; the kernel closes the rest.
inline constexpr size_t kMaxDescriptors = 8;

// Like send(2) with MSG_NOSIGNAL. Also sends `descriptor` unless it is below 0. Does not allocate.
ssize_t SendWithDescriptor(int socket, std::string_view bytes, int descriptor);

// Like recv(2). Appends the descriptors, which are close-on-exec, to `received`.
ssize_t ReceiveWithDescriptors(int socket, char* buffer, size_t size,
                               std::vector<util::UniqueFd>& received);

}  // namespace control
