// SPDX-License-Identifier: BSD-2-Clause
#include "view/tool_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "text/clean_text.h"
#include "util/unique_fd.h"

namespace view {
namespace {

constexpr size_t kMaxMessage = 4096;

struct Pipe {
  util::UniqueFd read_end;
  util::UniqueFd write_end;
};

bool Open(Pipe& made) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  made.read_end.reset(ends[0]);
  made.write_end.reset(ends[1]);
  return true;
}

util::Error Failed(const char* what, int error) {
  return util::Error{fmt::format("cannot {}: {}", what, std::generic_category().message(error)),
                     ""};
}

void KeepLines(std::string& text, size_t lines) {
  size_t end = 0;
  for (size_t i = 0; i < lines && end != std::string::npos; ++i) end = text.find('\n', end) + 1;
  text.resize(std::min(end, text.size()));
}

// The first line of the error output, without the name of the program.
std::string MessageOf(const std::string& errors) {
  constexpr std::string_view kMark = "error: ";
  const size_t mark = errors.find(kMark);
  const size_t begin = mark == std::string::npos ? 0 : mark + kMark.size();
  std::string message = text::CleanText(errors.substr(begin, errors.find('\n', begin) - begin));
  return message.empty() ? "the command failed without a message" : message;
}

}  // namespace

util::Result<ToolOutput> RunTool(std::vector<std::string> words, const ToolLimits& limits,
                                 const std::atomic<bool>& stops) {
  Pipe out;
  Pipe errors;
  if (!Open(out) || !Open(errors)) return Failed("make a pipe", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.write_end.get(), STDERR_FILENO);
  words.insert(words.begin(), "fxt");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int error =
      posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Failed("start fxt", error);
  out.write_end.reset();
  errors.write_end.reset();

  ToolOutput output;
  std::string messages;
  size_t lines = 0;
  const auto deadline = std::chrono::steady_clock::now() + limits.timeout;
  bool is_late = false;
  std::array<pollfd, 2> ends = {{{.fd = out.read_end.get(), .events = POLLIN, .revents = 0},
                                 {.fd = errors.read_end.get(), .events = POLLIN, .revents = 0}}};
  while ((ends[0].fd >= 0 || ends[1].fd >= 0) && !output.is_cut && !stops) {
    is_late = std::chrono::steady_clock::now() >= deadline;
    if (is_late) break;
    poll(ends.data(), ends.size(), 200);
    for (pollfd& end : ends) {
      if (end.revents == 0) continue;
      std::array<char, 65536> buffer;
      const ssize_t got = read(end.fd, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        end.fd = -1;
        continue;
      }
      const auto bytes = static_cast<size_t>(got);
      if (&end == &ends[1]) {
        messages.append(buffer.data(),
                        std::min(bytes, kMaxMessage - std::min(kMaxMessage, messages.size())));
        continue;
      }
      output.text.append(buffer.data(), bytes);
      lines += static_cast<size_t>(std::count(buffer.data(), buffer.data() + bytes, '\n'));
      output.is_cut = output.text.size() > limits.max_bytes || lines > limits.max_lines;
    }
  }
  if (lines > limits.max_lines) KeepLines(output.text, limits.max_lines);
  const bool is_killed = output.is_cut || is_late || stops;
  if (is_killed) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (is_late) {
    return util::Error{fmt::format("no result within {} s", limits.timeout.count()), ""};
  }
  if (!is_killed && status != 0) return util::Error{MessageOf(messages), ""};
  return output;
}

}  // namespace view
