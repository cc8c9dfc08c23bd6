// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/commands/background.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "tools/common/message.h"
#include "util/unique_fd.h"

namespace tools {
namespace {

constexpr std::string_view kReady = "READY\n";

[[noreturn]] void BecomeController(const std::vector<char*>& arguments, int output) {
  // It holds neither the terminal nor the directory of its parent.
  setsid();
  const int nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nowhere, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  // By its path, so that it keeps its name in ps.
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length > 0) {
    path[length] = '\0';
    execv(path, arguments.data());
  }
  execv("/proc/self/exe", arguments.data());
  _exit(127);
}

}  // namespace

util::Status StartController(const std::string& socket, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"fxt-record",   "serve",    "--once",
                                    "--background", "--socket", socket};
  words.insert(words.end(), more.begin(), more.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return util::Error{fmt::format("cannot start a controller: {}", strerror(errno)), ""};
  }
  const util::UniqueFd from(ends[0]);
  util::UniqueFd to(ends[1]);
  const pid_t pid = fork();
  if (pid < 0)
    return util::Error{fmt::format("cannot start a controller: {}", strerror(errno)), ""};
  if (pid == 0) BecomeController(arguments, to.get());
  to.reset();
  std::string said;
  bool ready = false;
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(from.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    said.append(buffer, static_cast<size_t>(got));
    const size_t at = said.find(kReady);
    if (at == std::string::npos) continue;
    ready = true;
    said.erase(at, kReady.size());
    break;
  }
  PrintText(said);
  if (ready) return util::Ok();
  int status = 0;
  waitpid(pid, &status, 0);
  return util::Error{said.empty() ? "the controller ended before it served clients" : "", ""};
}

}  // namespace tools
