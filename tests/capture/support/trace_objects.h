// SPDX-License-Identifier: BSD-2-Clause
// The processes and threads of a recording, and the threads that ran.
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
  std::string cmdline, cgroup;  // empty: unknown
  std::optional<uint64_t> cmdline_cut;
  std::optional<uint32_t> uid, ppid;
};

struct ThreadObject {
  std::string name;
  fxt::Koid process = 0;
};

// The latest attributes of each object in the file.
struct TraceObjects {
  std::map<fxt::Koid, ProcessObject> processes;
  std::map<fxt::Koid, ThreadObject> threads;
  std::set<std::pair<fxt::Koid, fxt::Koid>> switches;  // from, to

  // Counts the processes with this tgid.
  size_t ProcessesOf(uint32_t tgid) const;
  // Finds a process by the begin of its command line, or returns 0. A name is ambiguous: a zombie
  // of the same program has that name, too.
  fxt::Koid ProcessRunning(const std::string& begin) const;
  // Finds a thread by name, or returns 0.
  fxt::Koid ThreadNamed(const std::string& name) const;

  // An unreadable file fails the test.
  static TraceObjects Read(const std::string& path);
};

}  // namespace truth
