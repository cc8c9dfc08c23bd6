// SPDX-License-Identifier: BSD-2-Clause
// The object of a sleep (category `wait`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "fxt/reader.h"

namespace facts {

// Texts are empty where they are not known. They are as they stand in the file, not cleaned, and
// cut: many objects may be open at once.
struct WaitObject {
  static constexpr size_t kMaxTextBytes = 1024;

  std::string syscall{};   // "futex"; empty also outside of a call
  std::string kind{};      // "file", "tcp", "futex": docs/tables.md lists them
  std::string object{};    // "/var/lib/db/journal", "127.0.0.1:40112 -> 127.0.0.1:6379"
  std::string function{};  // of the kernel, of a sleep in D
  // The thread that holds the lock, is waited for, or is at the other end.
  std::optional<fxt::Koid> peer{};
  std::optional<uint64_t> asked{};  // the longest sleep that the call asked for, ns

  // "fdatasync appendonly.aof": the call and the object, as far as they are known.
  std::string Text() const;
  friend bool operator==(const WaitObject&, const WaitObject&) = default;
};

// Empty for other records.
std::optional<WaitObject> AsWaitObject(const fxt::Event& event);

}  // namespace facts
