// SPDX-License-Identifier: BSD-2-Clause
// The recorder with what it says, for tests of recordings that write files while they run.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "capture/support/child_process.h"

namespace truth {

class TalkingRecorder {
 public:
  // Waits until it records.
  TalkingRecorder(const std::string& output, const std::vector<std::string>& options,
                  const std::vector<std::string>& command = {});

  // Waits until it has said so, so many times; false when it never does.
  bool Says(const std::string& words, size_t times = 1);
  ChildProcess& child() { return *child_; }
  // By Ctrl-C.
  CommandResult End();

  static size_t Count(const std::string& text, const std::string& words);

 private:
  std::optional<ChildProcess> child_;
};

// Tens of thousands of switches on CPU 0.
void SwitchALot();

}  // namespace truth
