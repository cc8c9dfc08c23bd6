// SPDX-License-Identifier: BSD-2-Clause
// Unusual machines and limits: the recorder works or prints one clear error.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "capture/ftrace/truth_run.h"
#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/gunzip.h"
#include "capture/support/recording.h"
#include "fxt/reader.h"
#include "util/unique_fd.h"

namespace truth {
namespace {

using std::chrono::milliseconds;

TEST(Surroundings, EachAvailableCategory) {
  REQUIRE_CAPTURE();
  const CommandResult list = RunCommand({RecorderPath(), "--list-categories"}, kLimit);
  std::istringstream lines(list.out);
  std::string line;
  std::getline(lines, line);
  int tried = 0;
  // The costs of options follow after an empty line.
  while (std::getline(lines, line) && !line.empty()) {
    const std::string name = line.substr(0, line.find(' '));
    const bool available = !Mentions(line, "not available");
    const TempDir dir;
    // Some categories need an argument.
    std::vector<std::string> options = {"-c", name};
    if (name == "probe") options.insert(options.end(), {"--uprobe", "libc.so.6:getpid"});
    if (name == "tracepoint") options.insert(options.end(), {"-e", "sched:sched_process_exec"});
    if (name == "counter") options.insert(options.end(), {"--counters", "page-faults"});
    const CommandResult result = RunCommand(
        RecordCommand(dir.File("trace.fxt"), options, {WorkloadPath(), "script"}), kLimit);
    ++tried;
    if (available) {
      EXPECT_TRUE(Exited(result, 0)) << name;
      FxtLog log;
      EXPECT_TRUE(IsWholeFile(dir.File("trace.fxt"), &log)) << name;
      printf("%s: %lu bytes\n", name.c_str(), log.bytes);
      EXPECT_EQ(log.log.switch_count() > 0, name == "sched") << name;
    } else {
      EXPECT_TRUE(IsClearError(result, {name}));
      EXPECT_FALSE(std::filesystem::exists(dir.File("trace.fxt"))) << name;
    }
  }
  EXPECT_GE(tried, 6);
}

// Names come from the kernel, because /proc may be hidden or belong to another pid namespace.
TEST(Surroundings, HiddenProc) {
  REQUIRE_CAPTURE();
  struct Hiding {
    const char* what;
    std::function<bool()> hide;
  };
  const Hiding hidings[] = {
      {"hidepid=2, no CAP_SYS_PTRACE",
       [] {
         return unshare(CLONE_NEWNS) == 0 && mount("proc", "/proc", "proc", 0, "hidepid=2") == 0 &&
                prctl(PR_CAPBSET_DROP, 19 /* CAP_SYS_PTRACE */, 0, 0, 0) == 0;
       }},
      {"an empty /proc",
       [] {
         return unshare(CLONE_NEWNS) == 0 && mount("none", "/proc", "tmpfs", 0, nullptr) == 0;
       }},
  };
  for (const Hiding& hiding : hidings) {
    const TempDir dir;
    CommandOptions options;
    options.before_exec = hiding.hide;
    const CommandResult result = RunCommand(
        RecordCommand(dir.File("trace.fxt"), {}, {WorkloadPath(), "pingpong", "--count", "2000"}),
        kLimit, options);
    ExpectWorksOrSaysWhy(hiding.what, result, dir.File("trace.fxt"));
  }
}

TEST(Surroundings, InAProcessNamespaceOfItsOwn) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  TruthRunOptions options;
  // Its /proc has other tasks under the same numbers.
  options.recorder = {"unshare", "--pid", "--fork", "--mount-proc", RecorderPath()};
  options.trace_path = dir.File("trace.fxt");
  options.workload = {WorkloadPath(), "script"};
  options.window_program = ComparePath();
  const auto run = RunUnderBoth(options);
  ASSERT_TRUE(run.ok()) << run.error().message;
  // Existing tasks outside of the namespace have only numbers as names: inside, no source has their
  // names, and /proc has other tasks under these numbers.
  const CpuComparison& total = run->comparison.total;
  EXPECT_GT(total.matched, 100u) << run->Describe();
  EXPECT_EQ(total.missing + total.extra + total.late + total.wrong_state + total.wrong_priority, 0u)
      << run->Describe();
}

// Returns the records other than switches as text.
struct OtherRecords {
  std::vector<std::string> logs;
  std::set<std::string> thread_names;
};

OtherRecords ReadOthers(const std::string& path) {
  OtherRecords others;
  const auto content = ReadMaybeGzip(path);
  if (!content.ok()) return others;
  fxt::MemorySource source(std::as_bytes(std::span(content->bytes)));
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    if (const auto* log = std::get_if<fxt::Log>(&reader.record())) {
      others.logs.emplace_back(log->message);
    } else if (const auto* object = std::get_if<fxt::KernelObject>(&reader.record())) {
      if (object->type == static_cast<uint8_t>(fxt::KernelObjectType::kThread)) {
        others.thread_names.emplace(object->name.text);
      }
    }
  }
  return others;
}

TEST(Surroundings, KernelMessages) {
  REQUIRE_CAPTURE();
  if (access("/dev/kmsg", W_OK) != 0) GTEST_SKIP() << "SKIPPED: no /dev/kmsg to write to";
  const TempDir dir;
  // A kernel record holds 1,024 bytes less its prefix; a longer message is refused or cut by the
  // kernel itself.
  const std::string fits = "fits-" + std::string(900, 'f') + "-end";
  const std::string escapes = "escape-\x1b[31m\xff\xfe-end";
  const std::string huge(32 * 1024, 'h');
  const std::string path = dir.File("trace.fxt");
  auto recorder = ChildProcess::Start(RecordCommand(path, {}));
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(WaitForFile(path, kLimit)) << recorder->ErrorsSoFar();
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(RunCommand({WorkloadPath(), "kmsg", fits}, kLimit).exit_code, 0);
  EXPECT_EQ(RunCommand({WorkloadPath(), "kmsg", escapes}, kLimit).exit_code, 0);
  // 36 KiB at once, like an oops with all stacks.
  constexpr int kBurst = 40;
  for (int i = 0; i < kBurst; ++i) {
    const std::string text = "burst-" + std::to_string(i) + "-" + std::string(900, 'b') + "-end";
    EXPECT_EQ(RunCommand({WorkloadPath(), "kmsg", text}, kLimit).exit_code, 0);
  }
  const bool huge_accepted = RunCommand({WorkloadPath(), "kmsg", huge}, kLimit).exit_code == 0;
  printf("a message of 32 KiB: %s by the kernel\n", huge_accepted ? "taken" : "refused");
  std::this_thread::sleep_for(milliseconds(300));
  recorder->Signal(SIGINT);
  EXPECT_TRUE(Exited(recorder->Wait(kLimit), 0));
  EXPECT_TRUE(IsWholeFile(path));
  bool found_fits = false, found_escapes = false;
  int found_burst = 0;
  for (const std::string& message : ReadOthers(path).logs) {
    found_fits |= message.find(fits) != std::string::npos;
    found_escapes |= message.find("escape-") != std::string::npos;
    found_burst += message.find("burst-") != std::string::npos && message.ends_with("b-end");
    if (message.find("hhhhhhhh") != std::string::npos) {
      EXPECT_TRUE(huge_accepted);
    }
  }
  EXPECT_EQ(found_burst, kBurst);
  EXPECT_TRUE(found_fits);
  EXPECT_TRUE(found_escapes);
}

TEST(Surroundings, HostileNamesAreKept) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string path = dir.File("trace.fxt");
  const CommandResult result =
      RunCommand(RecordCommand(path, {}, {WorkloadPath(), "hostile-names"}), kLimit);
  ASSERT_TRUE(Exited(result, 0));
  ASSERT_TRUE(IsWholeFile(path));
  const OtherRecords others = ReadOthers(path);
  // The bytes are unchanged; viewers format them.
  std::istringstream lines(result.out);
  std::string line;
  int names = 0;
  while (std::getline(lines, line)) {
    const size_t at = line.find(" hex=");
    if (at == std::string::npos) continue;
    std::string name;
    for (size_t i = at + 5; i + 1 < line.size(); i += 2) {
      name += static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16));
    }
    ++names;
    EXPECT_TRUE(others.thread_names.contains(name)) << line;
  }
  EXPECT_GE(names, 10);
}

// Brings a CPU back online even if the test crashes: a child process waits for the end of a pipe.
class OfflineCpu {
 public:
  explicit OfflineCpu(int cpu)
      : path_("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/online") {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    keeper_ = fork();
    if (keeper_ == 0) {
      close(ends[1]);
      setsid();
      char byte;
      while (read(ends[0], &byte, 1) > 0) {
      }
      Write("1");
      _exit(0);
    }
    close(ends[0]);
    pipe_.reset(ends[1]);
    offline_ = Write("0");
  }
  ~OfflineCpu() { Restore(); }
  void Restore() {
    if (offline_) Write("1");
    offline_ = false;
  }
  bool offline() const { return offline_; }

 private:
  bool Write(const char* text) const {
    const int fd = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    const bool written = fd >= 0 && write(fd, text, 1) == 1;
    if (fd >= 0) close(fd);
    return written;
  }
  std::string path_;
  pid_t keeper_ = -1;
  util::UniqueFd pipe_;
  bool offline_ = false;
};

TEST(Surroundings, CpuGoesOfflineAndComesBack) {
  REQUIRE_CAPTURE();
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  if (cpus < 2) GTEST_SKIP() << "SKIPPED: one CPU only";
  const TempDir dir;
  const std::string path = dir.File("trace.fxt");
  auto recorder = ChildProcess::Start(RecordCommand(path, {}));
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE(WaitForFile(path, kLimit)) << recorder->ErrorsSoFar();
  {
    OfflineCpu cpu(static_cast<int>(cpus - 1));
    if (!cpu.offline()) {
      recorder->Signal(SIGINT);
      recorder->Wait(kLimit);
      GTEST_SKIP() << "SKIPPED: this machine does not let CPU " << cpus - 1 << " go offline";
    }
    RunCommand({WorkloadPath(), "pingpong", "--count", "3000"}, kLimit);
    // A recorder that starts now sees one CPU less.
    FxtLog log;
    EXPECT_TRUE(Exited(RunCommand(RecordCommand(dir.File("during.fxt"), {}, {"true"}), kLimit), 0));
    EXPECT_TRUE(IsWholeFile(dir.File("during.fxt"), &log));
    cpu.Restore();
  }
  RunCommand({WorkloadPath(), "pingpong", "--cpu", std::to_string(cpus - 1), "--count", "3000"},
             kLimit);
  recorder->Signal(SIGINT);
  EXPECT_TRUE(Exited(recorder->Wait(kLimit), 0));
  FxtLog log;
  ASSERT_TRUE(IsWholeFile(path, &log));
  ASSERT_EQ(log.log.cpus.size(), static_cast<size_t>(cpus));
  EXPECT_GT(log.log.cpus.back().size(), 6'000u);
}

}  // namespace
}  // namespace truth
