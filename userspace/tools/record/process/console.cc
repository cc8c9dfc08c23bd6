// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/process/console.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "text/clean_text.h"

namespace tools {
namespace {

constexpr size_t kMostMessages = 500;
constexpr const char* kClearLine = "\r\x1b[K";

// Columns of the terminal at standard error; where it does not know, as many as the oldest have.
size_t TerminalWidth() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

// An error is no reason to stop: the terminal may be gone, or the disk of the log full.
void WriteAll(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace

struct Console::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> queue;  // the front one is being said
  uint64_t said = 0;
  bool closed = false;
};

Console::Console(std::string program)
    : program_(std::move(program)),
      on_terminal_(isatty(STDERR_FILENO) == 1),
      state_(std::make_shared<State>()) {}

Console::~Console() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
  state_->changed.notify_all();
}

void Console::Run(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->changed.wait(lock, [&] { return state->closed || !state->queue.empty(); });
    if (state->closed) return;
    const std::string& text = state->queue.front();
    lock.unlock();
    WriteAll(text);
    lock.lock();
    state->queue.pop_front();
    ++state->said;
    state->changed.notify_all();
  }
}

void Console::Say(std::string text) {
  if (!has_thread_) {
    // Signals belong to the thread that looks at them.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      std::thread([state = state_] { Run(state); }).detach();
      has_thread_ = true;
    } catch (const std::system_error&) {
      // No more threads for this user.
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!has_thread_) return WriteAll(text);
  }
  const std::lock_guard lock(state_->mutex);
  if (state_->queue.size() >= kMostMessages) return;
  state_->queue.push_back(std::move(text));
  state_->changed.notify_all();
}

void Console::Note(std::string_view text) {
  Say(fmt::format("{}{}: {}\n", std::exchange(progress_shown_, false) ? kClearLine : "", program_,
                  text::CleanText(text)));
}

void Console::Error(const util::Error& error) {
  Note(fmt::format("error: {}", error.message));
  if (!error.hint.empty()) Note(fmt::format("hint: {}", error.hint));
}

void Console::Progress(std::string_view text) {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->queue.empty()) return;
  }
  // The last column stays free: some terminals go on to the next line when it is written.
  const std::string line = fmt::format("{}: {}", program_, text);
  const size_t width = std::max<size_t>(TerminalWidth(), 2) - 1;
  Say(fmt::format("\r{}\x1b[K", std::string_view(line).substr(0, width)));
  progress_shown_ = true;
}

void Console::Finish(std::chrono::milliseconds timeout) {
  if (std::exchange(progress_shown_, false)) Say(kClearLine);
  std::unique_lock lock(state_->mutex);
  while (!state_->queue.empty()) {
    const uint64_t said = state_->said;
    if (!state_->changed.wait_for(lock, timeout, [&] { return state_->said != said; })) return;
  }
}

}  // namespace tools
