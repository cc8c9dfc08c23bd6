// SPDX-License-Identifier: BSD-2-Clause
// What the recorder keeps to in what it says of processes and threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/task_names.h"
#include "fxt/record.h"

namespace analyze {

// A process that two objects were made of: the first for threads that were listed before their
// leader, the second for the leader.
struct SplitProcess {
  fxt::Koid process = 0;  // the second
  std::string message;
};
std::vector<SplitProcess> FindSplitProcesses(const facts::TaskNames& names);

// The error, or an empty text: "cmdline_cut" is the length of the whole, as uint64, beside a
// "cmdline" that is shorter.
std::optional<std::string> CommandLineFault(const fxt::KernelObject& object);

}  // namespace analyze
