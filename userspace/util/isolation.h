// SPDX-License-Identifier: BSD-2-Clause
// Takes rights away from this process, before it parses files that other users made.
#pragma once

#include <cstdint>
#include <span>

#include "util/result.h"

namespace util {

// Sanitizers make system calls of their own and reserve much address space.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif
#else
inline constexpr bool kIsSanitized = false;
#endif

enum class Rights : uint8_t {
  // Reads, writes and closes the descriptors that it has, and makes memory files.
  kDescriptors,
  // Also opens any file for reading: symbols of a program are in several files, which the parser
  // finds.
  kReadFiles,
};

// Leaves this process and its children `rights` alone, for ever: drops all other capabilities (and
// root's uid, where it does not need to read files), sets no_new_privs, and makes the kernel refuse
// all other system calls with EPERM. Call it in a process that has one thread. A build with
// sanitizers refuses no calls.
Status LeaveOnly(Rights rights);

// Closes all descriptors but these.
void CloseAllBut(std::span<const int> kept);

}  // namespace util
