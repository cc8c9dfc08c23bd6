// SPDX-License-Identifier: BSD-2-Clause
// What a recording says of processes and threads, and which threads were seen on a CPU.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "fxt/format.h"

namespace truth {

struct ProcessObject {
  std::string name;
  std::string cmdline, cgroup;  // empty: not told
  std::optional<uint64_t> cmdline_cut;
  std::optional<uint32_t> uid, ppid;
};

struct ThreadObject {
  std::string name;
  fxt::Koid process = 0;
};

// The last word that the file has on each.
struct TraceObjects {
  std::map<fxt::Koid, ProcessObject> processes;
  std::map<fxt::Koid, ThreadObject> threads;
  std::set<std::pair<fxt::Koid, fxt::Koid>> switches;  // from, to

  // How many processes have this tgid.
  size_t ProcessesOf(uint32_t tgid) const;
  // A process whose command line begins so; 0: none. Names are no good to find one by: programs of
  // the same name that nobody waited for may still be there, and those have no command line.
  fxt::Koid ProcessRunning(const std::string& begin) const;
  // A thread of this name; 0: none.
  fxt::Koid ThreadNamed(const std::string& name) const;

  // A file that cannot be read fails the test.
  static TraceObjects Read(const std::string& path);
};

}  // namespace truth
