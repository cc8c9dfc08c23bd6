// SPDX-License-Identifier: BSD-2-Clause
// Names of the records that say what a thread slept for, shared by writers and readers.
//
// An instant of category `wait` on the thread, right before the wakeup that ends the sleep. Each
// argument is absent if it is not known.
#pragma once

#include <string_view>

namespace schema {

namespace category {
inline constexpr std::string_view kWait = "wait";
}  // namespace category

namespace event {
inline constexpr std::string_view kWaited = "waited";
}  // namespace event

namespace argument {
// Strings: the system call, the kind of the thing, its name, the kernel function that blocks.
inline constexpr std::string_view kSyscall = "syscall";
inline constexpr std::string_view kObjectKind = "object_kind";
inline constexpr std::string_view kObject = "object";
inline constexpr std::string_view kFunction = "function";
// The thread that holds the thing, or is at its other end (koid).
inline constexpr std::string_view kPeer = "peer";
// The time that the call asked to sleep at most, ns (uint64).
inline constexpr std::string_view kAsked = "asked";
// Arguments for files: major and minor number (string), position in bytes (uint64).
inline constexpr std::string_view kDevice = "device";
inline constexpr std::string_view kOffset = "offset";
}  // namespace argument

// Kinds of things that readers look for.
namespace wait_kind {
inline constexpr std::string_view kFutex = "futex";
inline constexpr std::string_view kFileLock = "file lock";
inline constexpr std::string_view kChild = "child";
inline constexpr std::string_view kSleep = "sleep";
inline constexpr std::string_view kFile = "file";
inline constexpr std::string_view kTcp = "tcp";
inline constexpr std::string_view kAddressSpace = "mmap_lock";
}  // namespace wait_kind

}  // namespace schema
