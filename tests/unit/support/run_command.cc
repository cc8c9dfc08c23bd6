// SPDX-License-Identifier: BSD-2-Clause
#include "unit/support/run_command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "util/unique_fd.h"

namespace testing_support {
namespace {

// A file in memory, in place of a pipe, which a second thread would have to fill.
util::UniqueFd MemoryFile(const std::string& content) {
  util::UniqueFd fd(memfd_create("command", MFD_CLOEXEC));
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t n = write(fd.get(), content.data() + done, content.size() - done);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    read_end = util::UniqueFd(ends[0]);
    write_end = util::UniqueFd(ends[1]);
  }
  util::UniqueFd read_end;
  util::UniqueFd write_end;
};

// Takes both to their ends, whichever has something.
void ReadBoth(int out, int err, CommandResult* result) {
  std::array<pollfd, 2> ends = {pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
  const std::array<std::string*, 2> texts = {&result->out, &result->err};
  std::array<char, 65536> chunk;
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) return;
    for (size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      const ssize_t n = read(ends[i].fd, chunk.data(), chunk.size());
      if (n > 0) {
        texts[i]->append(chunk.data(), static_cast<size_t>(n));
      } else if (n == 0 || errno != EINTR) {
        ends[i].fd = -1;  // poll() leaves it out
      }
    }
  }
}

}  // namespace

CommandResult RunCommand(const std::vector<std::string>& words, const std::string& input) {
  CommandResult result;
  const util::UniqueFd in = MemoryFile(input);
  Pipe out;
  Pipe err;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end.get(), STDERR_FILENO);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return result;
  out.write_end.reset();
  err.write_end.reset();
  ReadBoth(out.read_end.get(), err.read_end.get(), &result);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

CommandResult RunShell(const std::string& line) { return RunCommand({"sh", "-c", line}); }

std::string BuiltProgram(const std::string& name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path program = self.parent_path() / name;
  return !error && std::filesystem::exists(program, error) ? program.string() : std::string();
}

}  // namespace testing_support
