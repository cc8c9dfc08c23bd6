// SPDX-License-Identifier: BSD-2-Clause
// What the recorder says on standard error, without ever waiting for whoever reads it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "util/result.h"

namespace tools {

// A terminal may be stopped (Ctrl-S), and a pipe full: a thread of its own does the waiting. It is
// started by the first message, so that a fork before that copies no thread.
// How long the end of a command waits for a terminal that takes nothing.
inline constexpr std::chrono::seconds kConsoleTimeout{2};

class Console {
 public:
  explicit Console(std::string program);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  // What is not said by then is never said.
  ~Console();

  // As PrintNote and PrintError. Of those that cannot be said only the first hundreds are kept.
  void Note(std::string_view text);
  void Error(const util::Error& error);

  // A line that the next one replaces, cut to the width of the terminal. Left out where the one
  // before it is still being said.
  void Progress(std::string_view text);

  // Whether standard error is a terminal.
  bool on_terminal() const { return on_terminal_; }

  // Waits until all was said, or until `patience` has passed without anything being taken.
  void Finish(std::chrono::milliseconds patience);

 private:
  struct State;

  void Say(std::string text);
  static void Run(const std::shared_ptr<State>& state);

  const std::string program_;
  const bool on_terminal_;
  bool has_thread_ = false;
  bool progress_shown_ = false;
  std::shared_ptr<State> state_;  // shared with the thread, which a stuck write may keep for ever
};

}  // namespace tools
