// SPDX-License-Identifier: BSD-2-Clause
// A running recorder with its messages, for recordings that write files meanwhile.
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
  // Waits until the recording has begun.
  TalkingRecorder(const std::string& output, const std::vector<std::string>& options,
                  const std::vector<std::string>& command = {});

  // Waits until the message has appeared `count` times. Returns false after the limit.
  bool Says(const std::string& words, size_t times = 1);
  ChildProcess& child() { return *child_; }
  // Ends the recorder by SIGINT.
  CommandResult End();

  static size_t Count(const std::string& text, const std::string& words);

 private:
  std::optional<ChildProcess> child_;
};

// Makes tens of thousands of switches on CPU 0.
void SwitchALot();

}  // namespace truth
