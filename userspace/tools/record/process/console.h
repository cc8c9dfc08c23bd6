// SPDX-License-Identifier: BSD-2-Clause
// Writes messages to standard error without blocking the caller.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "util/result.h"

namespace tools {

// The time that the end of a command waits for a terminal that takes nothing.
inline constexpr std::chrono::seconds kConsoleTimeout{2};

// A terminal may be stopped (Ctrl-S) and a pipe may be full, so a thread writes. The first message
// starts it: a fork before that copies no thread.
class Console {
 public:
  explicit Console(std::string program);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  // Drops the messages that are not written.
  ~Console();

  // As PrintNote and PrintError. Keeps only the first hundreds of messages that cannot be written.
  void Note(std::string_view text);
  void Error(const util::Error& error);

  // Shows a line that the next one replaces, cut to the width of the terminal. Drops it if the last
  // one is not written yet.
  void Progress(std::string_view text);

  // True if standard error is a terminal.
  bool on_terminal() const { return on_terminal_; }

  // Waits until all is written, or until nothing is taken for `timeout`.
  void Finish(std::chrono::milliseconds timeout);

 private:
  struct State;

  void Say(std::string text);
  static void Run(const std::shared_ptr<State>& state);

  const std::string program_;
  const bool on_terminal_;
  bool has_thread_ = false;
  bool progress_shown_ = false;
  std::shared_ptr<State> state_;  // shared with the thread, which a blocked write may keep forever
};

}  // namespace tools
