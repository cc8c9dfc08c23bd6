// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/command/java_names.h"

#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "tools/record/process/privileges.h"
#include "util/clock.h"
#include "util/isolation.h"

namespace tools {
namespace {

namespace fs = std::filesystem;

constexpr int kJcmdPollMs = 10;
// Exit codes of the child before it is jcmd.
constexpr int kNoJcmd = 127;
constexpr int kNoRights = 126;

bool ExecutesJavaMachine(const std::string& folder) {
  std::ifstream file(folder + "/maps");
  for (std::string line; std::getline(file, line);) {
    // START-END rwxp ...
    const size_t rights = line.find(' ');
    if (rights == std::string::npos || line.size() < rights + 5 || line[rights + 3] != 'x')
      continue;
    constexpr std::string_view kDeleted = " (deleted)";
    std::string_view path = line;
    if (path.ends_with(kDeleted)) path.remove_suffix(kDeleted.size());
    if (path.ends_with("/libjvm.so")) return true;
  }
  return false;
}

// Nothing for a process that is gone, that has several users at once, or that does not handle
// SIGQUIT.
std::optional<JavaProcess> ReadStatus(const std::string& folder, pid_t pid) {
  std::ifstream file(folder + "/status");
  JavaProcess process{.pid = pid, .inner_pid = pid};
  bool has_ids = false;
  bool handles_quit = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    uint32_t real = 0;
    uint32_t saved = 0;
    if (key == "Uid:") {
      if (!(words >> real >> process.user >> saved) || real != process.user || saved != real)
        return std::nullopt;
      has_ids = true;
    } else if (key == "Gid:") {
      if (!(words >> real >> process.group >> saved) || real != process.group || saved != real)
        return std::nullopt;
    } else if (key == "Groups:") {
      for (gid_t group = 0; words >> group;) process.groups.push_back(group);
    } else if (key == "NSpid:") {
      for (pid_t inner = 0; words >> inner;) process.inner_pid = inner;
    } else if (key == "CapPrm:") {
      words >> std::hex >> process.capabilities;
    } else if (key == "SigCgt:") {
      uint64_t handled = 0;
      words >> std::hex >> handled;
      handles_quit = (handled >> (SIGQUIT - 1) & 1) != 0;
    }
  }
  if (!has_ids || !handles_quit) return std::nullopt;
  return process;
}

// The machine would write through what another user has put there.
bool ListIsOfAnotherUser(const JavaProcess& process, const std::string& proc) {
  struct stat file = {};
  const std::string path =
      fmt::format("{}/{}/root/tmp/perf-{}.map", proc, process.pid, process.inner_pid);
  if (lstat(path.c_str(), &file) != 0) return false;
  return !S_ISREG(file.st_mode) || file.st_uid != process.user || file.st_nlink != 1;
}

// Of root's process the capabilities that it has, of another user's none.
std::vector<KeptCapability> CapabilitiesOf(const JavaProcess& process) {
  std::vector<KeptCapability> kept;
  for (uint32_t number = 0; process.user == 0 && number < 64; ++number) {
    if ((process.capabilities >> number & 1) != 0) kept.push_back({number, "", ""});
  }
  return kept;
}

[[noreturn]] void BecomeJcmd(const JavaProcess& process, const std::vector<KeptCapability>& kept,
                             char* const* arguments, char* const* environment) {
  setsid();
  if (freopen("/dev/null", "r", stdin) == nullptr || freopen("/dev/null", "w", stdout) == nullptr ||
      freopen("/dev/null", "w", stderr) == nullptr || chdir("/") != 0) {
    _exit(kNoRights);
  }
  const int standard[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  util::CloseAllBut(standard);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGPIPE, SIGINT, SIGQUIT, SIGHUP, SIGTERM}) signal(number, SIG_DFL);
  if (geteuid() == 0 && setgroups(process.groups.size(), process.groups.data()) != 0)
    _exit(kNoRights);
  if (setresgid(process.group, process.group, process.group) != 0) _exit(kNoRights);
  // A change from root to another user has taken the capabilities; root's are taken here.
  if (setresuid(process.user, process.user, process.user) != 0 || !KeepOnly(kept)) _exit(kNoRights);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  execvpe("jcmd", arguments, environment);
  _exit(kNoJcmd);
}

// Empty: jcmd succeeded, else what went wrong.
std::string RunJcmd(const JavaProcess& process, uint64_t deadline,
                    const std::function<bool()>& goes_on) {
  std::string words[] = {"jcmd", std::to_string(process.pid), "Compiler.perfmap"};
  char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  const char* path = getenv("PATH");
  std::string variables[] = {
      fmt::format("PATH={}", path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin"), "LC_ALL=C"};
  char* const environment[] = {variables[0].data(), variables[1].data(), nullptr};
  const std::vector<KeptCapability> kept = CapabilitiesOf(process);
  const pid_t child = fork();
  if (child < 0) return fmt::format("fork: {}", strerror(errno));
  if (child == 0) BecomeJcmd(process, kept, arguments, environment);
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) break;
    const bool is_late = util::MonotonicNow() >= deadline;
    if ((ended == 0 || errno == EINTR) && !is_late && goes_on()) {
      poll(nullptr, 0, kJcmdPollMs);
      continue;
    }
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return is_late ? "it does not answer" : "stopped by a signal";
  }
  if (!WIFEXITED(status)) return fmt::format("jcmd ended by signal {}", WTERMSIG(status));
  if (WEXITSTATUS(status) == kNoJcmd) return "jcmd is not in PATH";
  if (WEXITSTATUS(status) == kNoRights) return "cannot take the rights of its user";
  if (WEXITSTATUS(status) != 0)
    return fmt::format("jcmd failed, status {}; it needs Java 17", WEXITSTATUS(status));
  return "";
}

}  // namespace

std::vector<JavaProcess> FindJavaProcesses(const JavaNamesOptions& options) {
  std::vector<JavaProcess> found;
  std::error_code error;
  for (fs::directory_iterator entry(options.proc, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    pid_t pid = 0;
    const auto [stop, failure] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (failure != std::errc() || stop != name.data() + name.size()) continue;
    const bool is_chosen =
        options.pids.empty() ||
        std::ranges::find(options.pids, static_cast<uint32_t>(pid)) != options.pids.end();
    if (!is_chosen || !ExecutesJavaMachine(entry->path())) continue;
    if (auto process = ReadStatus(entry->path(), pid)) found.push_back(std::move(*process));
  }
  std::ranges::sort(found, {}, &JavaProcess::pid);
  return found;
}

JavaNames WriteJavaNames(const JavaNamesOptions& options) {
  JavaNames names;
  const uint64_t end = util::MonotonicNow() + options.all_ns;
  for (const JavaProcess& process : FindJavaProcesses(options)) {
    const uint64_t now = util::MonotonicNow();
    std::string reason;
    if (!options.goes_on()) {
      reason = "stopped by a signal";
    } else if (now >= end) {
      reason = "no time is left";
    } else if (ListIsOfAnotherUser(process, options.proc)) {
      reason = fmt::format("/tmp/perf-{}.map is another user's", process.inner_pid);
    } else {
      reason = RunJcmd(process, std::min(now + options.each_ns, end), options.goes_on);
    }
    if (reason.empty()) {
      names.written.push_back(process.pid);
    } else {
      names.failures.push_back({process.pid, std::move(reason)});
    }
  }
  return names;
}

void WriteJavaNamesAtExit() {
  constexpr const char* kVariable = "JAVA_TOOL_OPTIONS";
  // A machine that does not know the option starts all the same.
  std::string options =
      "-XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit";
  if (const char* own = getenv(kVariable); own != nullptr)
    options = fmt::format("{} {}", own, options);
  setenv(kVariable, options.c_str(), 1);
}

}  // namespace tools
