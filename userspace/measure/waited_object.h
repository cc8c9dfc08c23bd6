// SPDX-License-Identifier: BSD-2-Clause
// What a thread slept for, in a form that can be compared with other captures: the system call and
// the kind and name of the thing, without what differs in each run.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "facts/timeline/waits_for.h"
#include "facts/wait_object.h"

namespace measure {

struct WaitedObject {
  bool blocked = false;  // in D
  facts::WaitsFor waits_for = facts::WaitsFor::kUnknown;
  std::string syscall{};  // "fdatasync"; empty outside of a call
  std::string kind{};     // as facts::WaitObject::kind
  // "appendonly.aof", "127.0.0.1:# -> 127.0.0.1:6379"; empty if it has no name that lasts.
  std::string object{};

  auto operator<=>(const WaitedObject&) const = default;
};

// Returns a name that is equal in captures of the same work: the last part of a path; an address
// without ports that the kernel chose; '#' for numbers of files, pipes and processes. Memory
// addresses and inodes are left out. `kind` as facts::WaitObject::kind; "" if unknown.
std::string ComparableName(std::string_view kind, std::string_view object);

WaitedObject WaitedObjectOf(const facts::WaitObject& object, bool blocked,
                            facts::WaitsFor waits_for);

}  // namespace measure
