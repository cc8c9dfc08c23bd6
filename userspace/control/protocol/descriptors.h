// SPDX-License-Identifier: BSD-2-Clause
// Bytes and file descriptors over a Unix socket (SCM_RIGHTS).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "util/unique_fd.h"

namespace control {

// A controller's name for an output that was passed as a descriptor: it does not know the file's
// name.
inline constexpr std::string_view kPassedOutputName = "the output";

// The descriptors that one receive can take; the kernel closes the rest.
inline constexpr size_t kMaxDescriptors = 8;

// As send(2) with MSG_NOSIGNAL, and with `descriptor` unless it is below 0. Allocates nothing.
ssize_t SendWithDescriptor(int socket, std::string_view bytes, int descriptor);

// As recv(2). Adds the descriptors to `received`, closed on exec.
ssize_t ReceiveWithDescriptors(int socket, char* buffer, size_t size,
                               std::vector<util::UniqueFd>& received);

}  // namespace control
