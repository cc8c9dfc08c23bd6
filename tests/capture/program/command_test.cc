// SPDX-License-Identifier: BSD-2-Clause
// The command runs as it does without the recorder, or as the user of --user.
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/recording.h"
#include "capture/support/trace_objects.h"

namespace truth {
namespace {

using std::chrono::milliseconds;
using Words = std::vector<std::string>;
// A SCHED_IDLE recorder gets only the idle time of the machine.

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Returns the lines of `text` that are not in `other`.
std::string LinesMissingIn(const std::string& other, const std::string& text) {
  std::string missing;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (("\n" + other).find("\n" + line + "\n") == std::string::npos) missing += line + "\n";
  }
  return missing;
}

// Runs the probe behind `wrapper` in this process group, with and without the recorder.
void ExpectTheSame(const Words& wrapper, const std::function<bool()>& prepare,
                   const Words& options = {}) {
  std::string name;
  for (const std::string& word : wrapper) name += word + " ";
  for (const std::string& word : options) name += word + " ";
  const TempDir dir;
  CommandOptions inside;
  const pid_t group = getpgrp();
  inside.before_exec = [&] { return setpgid(0, group) == 0 && (!prepare || prepare()); };
  const Words probe = {WorkloadPath(), "inherited"};
  const CommandResult bare = RunCommand(wrapper + probe, kLimit, inside);
  ASSERT_TRUE(Exited(bare, 0)) << name;
  EXPECT_GT(std::count(bare.out.begin(), bare.out.end(), '\n'), 40) << bare.out;
  const std::string path = dir.File("trace.fxt");
  const CommandResult recorded =
      RunCommand(wrapper + RecordCommand(path, options, probe), kLimit, inside);
  ASSERT_TRUE(Exited(recorded, 0)) << name;
  EXPECT_EQ(LinesMissingIn(recorded.out, bare.out), "") << name << "has these bare alone";
  EXPECT_EQ(LinesMissingIn(bare.out, recorded.out), "") << name << "has these recorded alone";
}

TEST(Command, RunsAsWithoutTheRecorder) {
  REQUIRE_CAPTURE();
  const Words wrappers[] = {
      {"env", "--"},
      {"nice", "-n", "19"},
      {"nice", "-n", "-7"},
      {"chrt", "-b", "0"},
      {"chrt", "-i", "0"},
      {"chrt", "-f", "7"},
      {"chrt", "-r", "3"},
      {"chrt", "-R", "-r", "3"},
      {"taskset", "-c", "0"},
      {"ionice", "-c", "3"},
      {"nohup"},
      {"env", "-i"},
      {"sh", "-c", "ulimit -n 200; ulimit -c 0; ulimit -s 4096; ulimit -f 100000; exec \"$@\"",
       "sh"},
  };
  for (const Words& wrapper : wrappers) ExpectTheSame(wrapper, {});
  ExpectTheSame({"nice", "-n", "5"}, {}, {"-z"});
}

// Attributes that only a parent program can set.
TEST(Command, InheritsTheAttributesOfTheRecorder) {
  REQUIRE_CAPTURE();
  ExpectTheSame({}, [] {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigaddset(&blocked, SIGTERM);
    for (int number : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ, SIGCHLD, SIGTTOU, SIGUSR2}) {
      signal(number, SIG_IGN);
    }
    umask(0);
    return sigprocmask(SIG_SETMASK, &blocked, nullptr) == 0 &&
           prctl(PR_SET_TIMERSLACK, 123'456) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_CAPBSET_DROP, 25 /* CAP_SYS_TIME */, 0, 0, 0) == 0 &&
           dup2(open("/dev/null", O_RDWR | O_APPEND), 9) == 9 && chdir("/") == 0 &&
           setenv("_", "as it is", 1) == 0 && setenv("SUDO_UID", "0", 1) == 0;
  });
  // Closed standard descriptors stay closed.
  ExpectTheSame({}, [] { return close(STDIN_FILENO) == 0; });
}

// the user from getpwnam(3)
struct User {
  std::string name, home, shell;
  uid_t uid;
  gid_t gid;
};

User FindUser(const char* name) {
  const passwd* entry = getpwnam(name);
  if (entry == nullptr) return {};
  return {entry->pw_name, entry->pw_dir, entry->pw_shell, entry->pw_uid, entry->pw_gid};
}

constexpr const char* kShowUser =
    "id -u; id -g; id -G; echo \"$HOME $USER $LOGNAME $SHELL $KEPT\"; env | grep -c ^SUDO_; "
    "grep CapEff /proc/self/status";

std::string ExpectedOf(const User& user, const std::string& groups, int sudo_variables) {
  std::ostringstream text;
  text << user.uid << "\n"
       << user.gid << "\n"
       << groups << "\n"
       << user.home << " " << user.name << " " << user.name << " " << user.shell << " kept\n"
       << sudo_variables << "\nCapEff:\t0000000000000000\n";
  return text.str();
}

// The groups of the user from id(1), which uses the name service.
std::string GroupsOf(const std::string& name) {
  std::string groups = RunCommand({"id", "-G", name}, kLimit).out;
  if (!groups.empty()) groups.pop_back();
  return groups;
}

TEST(Command, RunsAsAnotherUser) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  chmod(dir.path().c_str(), 0755);
  // A user of several groups, in private files.
  std::filesystem::copy_file("/etc/passwd", dir.File("passwd"));
  std::filesystem::copy_file("/etc/group", dir.File("group"));
  std::ofstream(dir.File("passwd"), std::ios::app)
      << "fxt-tester:x:4711:4712::/nonexistent/tester:/bin/sh\n";
  std::ofstream(dir.File("group"), std::ios::app)
      << "fxt-testers:x:4712:\nfxt-one:x:4713:fxt-tester\nfxt-two:x:4714:root,fxt-tester\n";
  const User user{"fxt-tester", "/nonexistent/tester", "/bin/sh", 4711, 4712};
  CommandOptions with_user;
  with_user.before_exec = [&] {
    return unshare(CLONE_NEWNS) == 0 && setenv("KEPT", "kept", 1) == 0 &&
           mount(dir.File("passwd").c_str(), "/etc/passwd", nullptr, MS_BIND, nullptr) == 0 &&
           mount(dir.File("group").c_str(), "/etc/group", nullptr, MS_BIND, nullptr) == 0 &&
           unsetenv("SUDO_UID") == 0;
  };
  const std::string path = dir.File("trace.fxt");
  for (const char* name : {"fxt-tester", "#4711"}) {
    const CommandResult result = RunCommand(
        RecordCommand(path, {"--user", name}, {"sh", "-c", kShowUser}), kLimit, with_user);
    EXPECT_TRUE(Exited(result, 0));
    EXPECT_EQ(result.out, ExpectedOf(user, "4712 4713 4714", 0)) << name;
    EXPECT_TRUE(IsWholeFile(path));
  }
  CommandOptions behind_sudo;
  behind_sudo.before_exec = [&] {
    return with_user.before_exec() && setenv("SUDO_UID", "4711", 1) == 0 &&
           setenv("SUDO_GID", "4712", 1) == 0 && setenv("SUDO_USER", "fxt-tester", 1) == 0;
  };
  const CommandResult caller = RunCommand(
      RecordCommand(path, {"--as-caller"}, {"sh", "-c", kShowUser}), kLimit, behind_sudo);
  EXPECT_TRUE(Exited(caller, 0));
  EXPECT_EQ(caller.out, ExpectedOf(user, "4712 4713 4714", 0));
  // A user of this machine.
  const User daemon = FindUser("daemon");
  ASSERT_FALSE(daemon.name.empty());
  const CommandResult other =
      RunCommand(RecordCommand(path, {"-u", "daemon"}, {"sh", "-c", kShowUser}), kLimit, with_user);
  EXPECT_EQ(other.out, ExpectedOf(daemon, GroupsOf("daemon"), 0));
}

TEST(Command, ReportsWhyItCannotRunAsAUser) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string path = dir.File("trace.fxt");
  CommandOptions without_sudo;
  without_sudo.before_exec = [] { return unsetenv("SUDO_UID") == 0; };
  auto run = [&](const Words& options, const Words& command = {"true"}) {
    return RunCommand(RecordCommand(path, options, command), kLimit, without_sudo);
  };
  EXPECT_TRUE(IsClearError(run({"-u", "no-such-user"}), {"no-such-user"}));
  EXPECT_TRUE(IsClearError(run({"-u", "#99999999999"}), {"#99999999999"}));
  EXPECT_TRUE(IsClearError(run({"-u", ""}), {"user"}));
  EXPECT_TRUE(IsClearError(run({"--as-caller"}), {"sudo"}));
  EXPECT_TRUE(IsClearError(run({"-u", "nobody", "--as-caller"}), {"--user"}));
  EXPECT_TRUE(IsClearError(run({"-u", "nobody"}, {}), {"--user", "command"}));
  // A program that the user cannot run.
  std::ofstream(dir.File("secret")) << "#!/bin/sh\n";
  chmod(dir.File("secret").c_str(), 0700);
  chmod(dir.path().c_str(), 0755);
  const CommandResult refused = run({"-u", "nobody"}, {dir.File("secret")});
  EXPECT_TRUE(Exited(refused, 126));
  EXPECT_TRUE(IsClearError(refused, {dir.File("secret"), "denied"}));
  EXPECT_FALSE(std::filesystem::exists(path));
  // Without root another user is impossible.
  const std::string recorder = dir.File("recorder");
  std::filesystem::copy_file(RecorderPath(), recorder);
  chmod(recorder.c_str(), 0755);
  CommandOptions as_nobody;
  as_nobody.before_exec = [] {
    return setgroups(0, nullptr) == 0 && setgid(65534) == 0 && setuid(65534) == 0;
  };
  EXPECT_TRUE(IsClearError(
      RunCommand({recorder, "-o", path, "-u", "daemon", "--", "true"}, kLimit, as_nobody),
      {"daemon", "root"}));
}

// The pid of the command in `fxt info`, or 0.
fxt::Koid CommandPid(const std::string& trace) {
  const CommandResult info = RunCommand({FxtToolPath(), "info", trace}, kLimit);
  EXPECT_TRUE(Exited(info, 0)) << info.Describe();
  std::istringstream words(info.out);
  for (std::string word; words >> word;) {
    fxt::Koid pid = 0;
    if (word == "command_pid" && words >> pid) return pid;
  }
  return 0;
}

TEST(Command, IsNamedByTheSession) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string trace = dir.File("trace.fxt");
  const CommandResult recorded =
      RunCommand(RecordCommand(trace, {}, {"sh", "-c", "echo $$; sleep 0.1"}), kLimit);
  ASSERT_TRUE(Exited(recorded, 0)) << recorded.Describe();
  EXPECT_EQ(std::to_string(CommandPid(trace)) + "\n", recorded.out);
  ASSERT_TRUE(Exited(RunCommand(RecordCommand(trace, {"-d", "100ms"}), kLimit), 0));
  EXPECT_EQ(CommandPid(trace), 0u);
}

// The pid is that of the initial namespace, as in the file.
TEST(Command, IsNamedByTheSessionInAProcessNamespace) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string trace = dir.File("trace.fxt");
  std::vector<std::string> command = {"unshare", "--pid", "--fork"};
  const auto recorder = RecordCommand(trace, {}, {"sh", "-c", "sleep 0.1; true"});
  command.insert(command.end(), recorder.begin(), recorder.end());
  const CommandResult recorded = RunCommand(command, kLimit);
  ASSERT_TRUE(Exited(recorded, 0)) << recorded.Describe();
  const TraceObjects objects = TraceObjects::Read(trace);
  const fxt::Koid pid = CommandPid(trace);
  ASSERT_TRUE(objects.processes.contains(pid)) << pid;
  EXPECT_EQ(objects.processes.at(pid).name, "sh");
}

TEST(Command, AnEmptyCommandIsAnError) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const CommandResult result =
      RunCommand({RecorderPath(), "-q", "-o", dir.File("trace.fxt"), "--"}, kLimit);
  EXPECT_TRUE(Exited(result, 2));
  EXPECT_TRUE(IsClearError(result, {"command"}));
  EXPECT_FALSE(std::filesystem::exists(dir.File("trace.fxt")));
}

}  // namespace
}  // namespace truth
