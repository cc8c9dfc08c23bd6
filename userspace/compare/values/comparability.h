// SPDX-License-Identifier: BSD-2-Clause
// What stands against comparing captures with each other.
#pragma once

#include <string>
#include <vector>

#include "compare/values/groups.h"
#include "util/result.h"

namespace comparison {

struct Comparability {
  bool ok = true;                  // false: some of it is not compared, or not fairly
  std::vector<std::string> notes;  // why
  // Whether these were recorded in all captures, or can be told from what is in them.
  bool irq = true;
  bool softirq = true;
  bool syscall = true;
};

// An error for captures that must not be mixed: those around an event and those that are not, those
// of a command and those of the whole machine, and captures in which nothing ran.
util::Result<Comparability> Look(Captures captures, size_t bases);

}  // namespace comparison
