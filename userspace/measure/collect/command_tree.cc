// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/command_tree.h"

namespace measure {

void CommandTree::SetCommand(fxt::Koid process) {
  command_ = process;
  processes_ = {process};
}

void CommandTree::NoteFork(fxt::Koid process, fxt::Koid child) {
  if (Contains(process) && processes_.size() < kMaxProcesses) processes_.insert(child);
}

}  // namespace measure
