// SPDX-License-Identifier: BSD-2-Clause
// The process tree of the recorded command.
#pragma once

#include <cstddef>
#include <optional>

#include "fxt/format.h"
#include "fxt/id_map.h"

namespace measure {

// The command's process and all that it and they make, by fork records or, where those are missing,
// by the parent that a process's object names when it appears. Children stay in the tree after the
// exit of their parent. Without a command nothing is.
class CommandTree {
 public:
  // No more processes than these are kept; those beyond are outside.
  static constexpr size_t kMaxProcesses = size_t{1} << 20;

  // The session names the command.
  void SetCommand(fxt::Koid process);
  std::optional<fxt::Koid> command() const { return command_; }

  // `process` makes a task; a thread of its own is harmless here, since no process has its koid.
  void NoteFork(fxt::Koid process, fxt::Koid child);
  // A process object with its parent. Threads that were there before the command are not of it.
  void NoteParent(fxt::Koid process, fxt::Koid parent) { NoteFork(parent, process); }

  bool Contains(fxt::Koid process) const { return command_ && processes_.contains(process); }

 private:
  std::optional<fxt::Koid> command_;
  fxt::IdSet processes_;
};

}  // namespace measure
