// SPDX-License-Identifier: BSD-2-Clause
// The identity of tasks: a process is one object in every namespace, with its latest attributes.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/recording.h"
#include "capture/support/trace_objects.h"

namespace truth {
namespace {

// Waits until `child` has written `word` to stderr. Returns what it has written.
std::string WaitForWord(ChildProcess& child, const std::string& word) {
  std::string said;
  Eventually([&] {
    const bool runs = child.Running();
    said = child.ErrorsSoFar();
    return !runs || said.find(word) != std::string::npos;
  });
  EXPECT_NE(said.find(word), std::string::npos) << "no output of " << word << ": " << said;
  return said;
}

// Waits until `child` executes a program of this name.
bool Executes(ChildProcess& child, const std::string& name) {
  std::string comm;
  Eventually([&] {
    std::getline(std::ifstream("/proc/" + std::to_string(child.pid()) + "/comm"), comm);
    return comm == name || !child.Running();
  });
  return comm == name;
}

uint32_t NumberAfter(const std::string& text, const std::string& key) {
  const size_t at = text.find(key);
  return at == std::string::npos
             ? 0
             : static_cast<uint32_t>(strtoul(text.c_str() + at + key.size(), nullptr, 10));
}

bool InTheMachinesOwnNamespace() {
  constexpr ino_t kFirst = 0xeffffffc;  // include/linux/proc_ns.h: PROC_PID_INIT_INO
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 && status.st_ino == kFirst;
}

void ExpectOneProcess(const TraceObjects& objects, const std::string& output) {
  const uint32_t pid = NumberAfter(output, "pid="), tid = NumberAfter(output, "tid=");
  ASSERT_LT(tid, pid) << output;
  EXPECT_EQ(objects.ProcessesOf(pid), 1u) << output;
  ASSERT_TRUE(objects.processes.contains(pid)) << output;
  EXPECT_EQ(objects.processes.at(pid).name, "odd-high-leader");
  ASSERT_TRUE(objects.threads.contains(pid) && objects.threads.contains(tid)) << output;
  EXPECT_EQ(objects.threads.at(pid).process, pid);
  EXPECT_EQ(objects.threads.at(tid).process, pid);
  EXPECT_EQ(objects.threads.at(tid).name, "odd-low-thread");
}

// Skips on machines that cannot record.
class Identity : public ::testing::Test {
 protected:
  void SetUp() override { REQUIRE_CAPTURE(); }

  TempDir dir_;
  std::string path_ = dir_.File("trace.fxt");
};

// One process exists before the recording: the kernel lists its thread first, which has the smaller
// id. The other process starts during the recording.
TEST_F(Identity, AProcessIsOneObjectForAnyOrderOfIds) {
  if (!InTheMachinesOwnNamespace()) GTEST_SKIP() << "SKIPPED: ids here are not those in the file";
  auto before = ChildProcess::Start({OddTasksPath(), "low-tid", "--times", "60000"});
  ASSERT_TRUE(before.ok());
  const std::string told_before = WaitForWord(*before, "low-tid pid=");
  const CommandResult during =
      RunCommand(RecordCommand(path_, {}, {OddTasksPath(), "low-tid", "--times", "5"}), kLimit);
  ASSERT_TRUE(Exited(during, 0));
  EXPECT_TRUE(IsWholeFile(path_));
  const TraceObjects objects = TraceObjects::Read(path_);
  ExpectOneProcess(objects, told_before);
  ExpectOneProcess(objects, during.err);
}

// A process outside the recorder's namespace: `sleep` as another user.
class Outsider {
 public:
  Outsider() : process_(ChildProcess::Start({"sleep", "987"}, AsUser())) {}
  uint32_t pid() const { return static_cast<uint32_t>(process_->pid()); }
  bool Running() { return process_.ok() && Executes(*process_, "sleep"); }

 private:
  static CommandOptions AsUser() {
    CommandOptions options;
    options.before_exec = [] { return setuid(4242) == 0; };
    return options;
  }
  util::Result<ChildProcess> process_;
};

class IdentityOfAnOutsider : public Identity {
 protected:
  void SetUp() override {
    Identity::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!InTheMachinesOwnNamespace()) GTEST_SKIP() << "SKIPPED: ids here are not those in the file";
    ASSERT_TRUE(outsider_.Running());
  }

  Outsider outsider_;
};

std::vector<std::string> InNamespace(std::vector<std::string> unshare,
                                     const std::vector<std::string>& command) {
  unshare.insert(unshare.begin(), {"unshare", "--pid", "--fork"});
  unshare.insert(unshare.end(), command.begin(), command.end());
  return unshare;
}

TEST_F(IdentityOfAnOutsider, SeesTheWholeMachineFromAProcessNamespace) {
  const CommandResult result = RunCommand(
      InNamespace({"--mount-proc"},
                  RecordCommand(path_, {}, {WorkloadPath(), "pingpong", "--count", "2000"})),
      kLimit);
  ASSERT_TRUE(Exited(result, 0));
  ASSERT_TRUE(IsWholeFile(path_));
  const TraceObjects objects = TraceObjects::Read(path_);
  ASSERT_TRUE(objects.processes.contains(outsider_.pid()));
  const ProcessObject& seen = objects.processes.at(outsider_.pid());
  EXPECT_EQ(seen.name, "sleep");
  EXPECT_EQ(seen.uid, 4242u);
  EXPECT_EQ(seen.ppid, static_cast<uint32_t>(getpid()));
  // The /proc of the namespace does not have it.
  EXPECT_EQ(seen.cmdline, "");
  for (const auto& [koid, thread] : objects.threads) {
    EXPECT_FALSE(thread.name.starts_with("tid ")) << koid;
  }
  // A process inside the namespace has another number there.
  const fxt::Koid recorder = objects.ProcessRunning(RecorderPath());
  ASSERT_TRUE(objects.processes.contains(recorder));
  EXPECT_NE(objects.processes.at(recorder).cmdline.find(path_), std::string::npos);
}

// The machine's /proc has the machine's numbers.
TEST_F(IdentityOfAnOutsider, UsesTheMachinesProc) {
  ASSERT_TRUE(Exited(RunCommand(InNamespace({}, RecordCommand(path_, {}, {"true"})), kLimit), 0));
  const TraceObjects objects = TraceObjects::Read(path_);
  ASSERT_TRUE(objects.processes.contains(outsider_.pid()));
  EXPECT_EQ(objects.processes.at(outsider_.pid()).cmdline, "sleep 987");
}

TEST_F(Identity, FiltersTakeTheNumbersOfTheNamespace) {
  // The first child of init in a namespace has the number 2.
  const std::string script = OddTasksPath() + " migrate --times 1000000 >/dev/null & exec " +
                             RecorderPath() + " -q -o " + path_ + " --pid 2 --tid 9999 -d 0.5";
  const CommandResult result =
      RunCommand(InNamespace({"--mount-proc"}, {"sh", "-c", script}), kLimit);
  ASSERT_TRUE(Exited(result, 0));
  const TraceObjects objects = TraceObjects::Read(path_);
  const uint32_t tid = NumberAfter(result.err, "--pid 2 of this pid namespace is ");
  EXPECT_GT(tid, 2u) << result.err;
  EXPECT_TRUE(Mentions(result.err, "warning: --tid 9999: at the start there is no such thread"));
  EXPECT_FALSE(objects.switches.empty());
  for (const auto& [from, to] : objects.switches) EXPECT_TRUE(from == tid || to == tid) << from;
}

TEST_F(Identity, ChangeOfUser) {
  for (const bool ends_before : {false, true}) {
    auto daemon = ChildProcess::Start({OddTasksPath(), "become-user", "--uid", "12345"});
    ASSERT_TRUE(daemon.ok());
    WaitForWord(*daemon, "ready");
    const std::string path = dir_.File(ends_before ? "ended.fxt" : "alive.fxt");
    auto recorder = ChildProcess::Start(RecordCommand(path, {}));
    ASSERT_TRUE(recorder.ok());
    ASSERT_TRUE(WaitForFile(path, kLimit)) << recorder->ErrorsSoFar();
    daemon->Signal(SIGUSR1);
    WaitForWord(*daemon, "become uid=12345");
    if (ends_before) {
      daemon->Signal(SIGUSR1);
      EXPECT_TRUE(Exited(daemon->Wait(kLimit), 0));
    }
    recorder->Signal(SIGINT);
    ASSERT_TRUE(Exited(recorder->Wait(kLimit), 0));
    EXPECT_TRUE(IsWholeFile(path));
    const TraceObjects objects = TraceObjects::Read(path);
    const fxt::Koid daemon_koid = objects.ProcessRunning(OddTasksPath() + " become-user");
    ASSERT_TRUE(objects.processes.contains(daemon_koid));
    EXPECT_EQ(objects.processes.at(daemon_koid).uid, 12345u) << (ends_before ? "ended" : "alive");
  }
}

// A cgroup of the default hierarchy. The destructor removes it.
class UnifiedGroup {
 public:
  UnifiedGroup() {
    std::ifstream mounts("/proc/self/mountinfo");
    for (std::string line; std::getline(mounts, line);) {
      if (line.find(" - cgroup2 ") == std::string::npos) continue;
      std::istringstream fields(line);
      std::string id, parent, device, root, mount;
      fields >> id >> parent >> device >> root >> mount;
      const std::string path = mount + name();
      if (mkdir(path.c_str(), 0755) == 0) path_ = path;
      return;
    }
  }
  ~UnifiedGroup() {
    for (int i = 0; i < 100 && !path_.empty() && rmdir(path_.c_str()) != 0; ++i) usleep(20'000);
  }
  bool usable() const { return !path_.empty(); }
  std::string name() const { return "/fxt_identity_" + std::to_string(getpid()); }
  bool Take(pid_t pid) const {
    std::ofstream procs(path_ + "/cgroup.procs");
    procs << pid << std::flush;
    return procs.good();
  }

 private:
  std::string path_;
};

TEST_F(Identity, ChangeOfCgroup) {
  const UnifiedGroup group;
  if (!group.usable()) GTEST_SKIP() << "SKIPPED: no unified hierarchy to make a cgroup in";
  auto daemon = ChildProcess::Start({OddTasksPath(), "become-user"});
  ASSERT_TRUE(daemon.ok());
  WaitForWord(*daemon, "ready");
  auto recorder = ChildProcess::Start(RecordCommand(path_, {}));
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(WaitForFile(path_, kLimit)) << recorder->ErrorsSoFar();
  ASSERT_TRUE(group.Take(daemon->pid()));
  // The cgroup is removed before the end, so only the event of the move has its name.
  daemon->Signal(SIGKILL);
  daemon->Wait(kLimit);
  recorder->Signal(SIGINT);
  ASSERT_TRUE(Exited(recorder->Wait(kLimit), 0));
  EXPECT_TRUE(IsWholeFile(path_));
  const TraceObjects objects = TraceObjects::Read(path_);
  const fxt::Koid daemon_koid = objects.ProcessRunning(OddTasksPath() + " become-user");
  ASSERT_TRUE(objects.processes.contains(daemon_koid));
  EXPECT_EQ(objects.processes.at(daemon_koid).cgroup, group.name());
}

void ExpectCommandLine(const ProcessObject& process, const std::string& whole) {
  constexpr size_t kMost = 4096;
  EXPECT_EQ(process.cmdline, whole.substr(0, kMost));
  EXPECT_EQ(process.cmdline_cut,
            whole.size() > kMost ? std::optional<uint64_t>(whole.size()) : std::nullopt);
}

// /proc has the command line of an existing process; the BPF program sends that of an exec.
TEST_F(Identity, LongCommandLinesAreWholeOrMarked) {
  if (!InTheMachinesOwnNamespace()) GTEST_SKIP() << "SKIPPED: ids here are not those in the file";
  for (const size_t bytes : {200, 900, 3000, 4086, 4092, 100'000}) {
    const std::string zeros(bytes, '0');
    const std::string path = dir_.File(std::to_string(bytes) + ".fxt");
    auto before = ChildProcess::Start({"sleep", "987", zeros});
    ASSERT_TRUE(before.ok() && Executes(*before, "sleep"));
    const CommandResult result = RunCommand(RecordCommand(path, {}, {"true", zeros}), kLimit);
    ASSERT_TRUE(Exited(result, 0));
    EXPECT_TRUE(IsWholeFile(path)) << bytes;
    const TraceObjects objects = TraceObjects::Read(path);
    const auto pid = static_cast<fxt::Koid>(before->pid());
    ASSERT_TRUE(objects.processes.contains(pid));
    ExpectCommandLine(objects.processes.at(pid), "sleep 987 " + zeros);
    const fxt::Koid command = objects.ProcessRunning("true 0");
    ASSERT_TRUE(objects.processes.contains(command));
    ExpectCommandLine(objects.processes.at(command), "true " + zeros);
  }
}

}  // namespace
}  // namespace truth
