// SPDX-License-Identifier: BSD-2-Clause
// Refused command lines and their messages.
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/recording.h"

namespace truth {
namespace {

constexpr uid_t kNobody = 65534;

CommandResult Record(const TempDir& dir, const std::vector<std::string>& options,
                     const std::vector<std::string>& command = {"true"}) {
  return RunCommand(RecordCommand(dir.File("trace.fxt"), options, command), kLimit);
}

TEST(Usage, HelpAndVersionNeedNoRights) {
  if (!std::filesystem::exists(RecorderPath())) GTEST_SKIP() << "SKIPPED: no " << RecorderPath();
  const CommandResult help = RunCommand({RecorderPath(), "--help"}, kLimit);
  EXPECT_TRUE(Exited(help, 0));
  for (const char* word :
       {"--output", "--duration", "--categories", "--buffer-size", "fxt-record "}) {
    EXPECT_TRUE(Mentions(help.out, word)) << word << "\n" << help.out;
  }
  const CommandResult version = RunCommand({RecorderPath(), "--version"}, kLimit);
  EXPECT_TRUE(Exited(version, 0));
  EXPECT_FALSE(version.out.empty());
}

TEST(Usage, ListsItsCategories) {
  REQUIRE_CAPTURE();
  const CommandResult list = RunCommand({RecorderPath(), "--list-categories"}, kLimit);
  EXPECT_TRUE(Exited(list, 0));
  for (const char* category : {"sched", "task", "log", "irq", "softirq", "syscall"}) {
    EXPECT_TRUE(Mentions(list.out, category)) << category << "\n" << list.out;
  }
}

struct Refusal {
  std::vector<std::string> options;
  std::vector<std::string> words;
};

TEST(Usage, RefusesWrongArguments) {
  REQUIRE_CAPTURE();
  const Refusal refusals[] = {
      {{"-c", "nosuch"}, {"nosuch", "sched"}},
      {{"-c", "sched,nosuch"}, {"nosuch"}},
      {{"-c", ""}, {}},
      {{"-c", "sched:futex"}, {"sched"}},
      {{"-c", "syscall:nosuchcall"}, {"nosuchcall"}},
      {{"-d", "10parsecs"}, {"10parsecs"}},
      {{"-d", "-5s"}, {"-5s"}},
      {{"-d", "0"}, {"0"}},
      {{"-d", ""}, {}},
      {{"-d", "1e99s"}, {"1e99s"}},
      {{"-d", "99999999999999999999s"}, {"99999999999999999999s"}},
      {{"-d", "nan"}, {"nan"}},
      {{"-b", "12q"}, {"12q"}},
      {{"-b", "-1"}, {"-1"}},
      {{"-b", "0"}, {"0"}},
      {{"-b", "999999999999G"}, {"999999999999G"}},
      {{"-b", "18446744073709551616"}, {"18446744073709551616"}},
      {{"--pid", "zero"}, {"zero"}},
      {{"--pid", "-3"}, {"-3"}},
      {{"--pid", "4194305"}, {"4194305"}},
      {{"--cgroup", "/no/such/group"}, {"/no/such/group"}},
      {{"--no-such-option"}, {"--no-such-option"}},
  };
  for (const Refusal& refusal : refusals) {
    const TempDir dir;
    std::string shown;
    for (const std::string& word : refusal.options) shown += word + " ";
    const CommandResult result = Record(dir, refusal.options);
    EXPECT_TRUE(IsClearError(result, refusal.words)) << shown;
    EXPECT_FALSE(std::filesystem::exists(dir.File("trace.fxt"))) << shown << "left a file";
  }
}

TEST(Usage, RefusesAnOutputItCannotWrite) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const std::string missing = dir.File("missing/trace.fxt");
  EXPECT_TRUE(IsClearError(RunCommand(RecordCommand(missing, {}, {"true"}), kLimit), {missing}));
  // A directory.
  EXPECT_TRUE(IsClearError(RunCommand(RecordCommand(dir.path(), {}, {"true"}), kLimit),
                           {dir.path().string()}));
  // A read-only file system.
  const std::string mounted = dir.File("mounted");
  std::filesystem::create_directory(mounted);
  ASSERT_EQ(mount("tmpfs", mounted.c_str(), "tmpfs", MS_RDONLY, nullptr), 0);
  EXPECT_TRUE(IsClearError(RunCommand(RecordCommand(mounted + "/trace.fxt", {}, {"true"}), kLimit),
                           {mounted, "read-only"}));
  umount2(mounted.c_str(), MNT_DETACH);
}

// A run as the user nobody, who can reach the binary and the output directory.
TEST(Usage, SaysThatRootIsNeeded) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: needs root to become another user";
  ASSERT_TRUE(std::filesystem::exists(RecorderPath()));
  const TempDir dir;
  const std::string recorder = dir.File("recorder");
  std::filesystem::copy_file(RecorderPath(), recorder);
  chmod(recorder.c_str(), 0755);
  chmod(dir.path().c_str(), 0777);
  CommandOptions as_nobody;
  as_nobody.before_exec = [] {
    return setgroups(0, nullptr) == 0 && setgid(kNobody) == 0 && setuid(kNobody) == 0;
  };
  const CommandResult result =
      RunCommand({recorder, "-o", dir.File("trace.fxt"), "--", "true"}, kLimit, as_nobody);
  EXPECT_TRUE(IsClearError(result, {"root"}));
  EXPECT_FALSE(std::filesystem::exists(dir.File("trace.fxt")));
}

// User 0 without capabilities, as in a container.
TEST(Usage, SaysWhatRootLacksInAContainer) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  CommandOptions without;
  without.before_exec = [] {
    for (int capability = 0; capability <= 63; ++capability) {
      prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    }
    return true;
  };
  const CommandResult result =
      RunCommand(RecordCommand(dir.File("trace.fxt"), {}, {"true"}), kLimit, without);
  EXPECT_TRUE(IsClearError(result, {"CAP_"}));
  EXPECT_FALSE(std::filesystem::exists(dir.File("trace.fxt")));
}

// bpf(2) fails as with a seccomp filter, a small kernel or a verifier error.
TEST(Usage, SaysThatTheKernelRefusesBpf) {
  REQUIRE_CAPTURE();
  struct Case {
    const char* what;
    int error;
    bool programs_only;
    std::vector<std::string> words;
  };
  const Case cases[] = {
      {"all of bpf(2), EPERM", EPERM, false, {"refused BPF to root", "seccomp"}},
      {"all of bpf(2), ENOSYS", ENOSYS, false, {"bpf(2)", "CONFIG_BPF_SYSCALL"}},
      {"programs, EPERM", EPERM, true, {"refused"}},
      {"programs, EINVAL", EINVAL, true, {"refused the BPF programs", "-v"}},
  };
  for (const Case& tested : cases) {
    const TempDir dir;
    CommandOptions filtered;
    filtered.before_exec = [&] {
      constexpr unsigned kProgLoad = 5;  // uapi/linux/bpf.h
      scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
      const uint32_t refuse = SCMP_ACT_ERRNO(static_cast<uint32_t>(tested.error));
      const int added = tested.programs_only ? seccomp_rule_add(filter, refuse, SCMP_SYS(bpf), 1,
                                                                SCMP_A0(SCMP_CMP_EQ, kProgLoad, 0))
                                             : seccomp_rule_add(filter, refuse, SCMP_SYS(bpf), 0);
      return added == 0 && seccomp_load(filter) == 0;
    };
    const CommandResult result =
        RunCommand(RecordCommand(dir.File("trace.fxt"), {}, {"true"}), kLimit, filtered);
    printf("%s: %s", tested.what, result.err.c_str());
    EXPECT_TRUE(IsClearError(result, tested.words)) << tested.what;
    EXPECT_FALSE(std::filesystem::exists(dir.File("trace.fxt"))) << tested.what;
  }
}

TEST(Usage, SaysThatTheKernelHasNoTypeInformation) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  CommandOptions hidden;
  hidden.before_exec = [] {
    return unshare(CLONE_NEWNS) == 0 && mount("tmpfs", "/sys/kernel/btf", "tmpfs", 0, nullptr) == 0;
  };
  const CommandResult result =
      RunCommand(RecordCommand(dir.File("trace.fxt"), {}, {"true"}), kLimit, hidden);
  EXPECT_TRUE(IsClearError(result, {"BTF"}));
  EXPECT_FALSE(std::filesystem::exists(dir.File("trace.fxt")));
}

TEST(Usage, ReturnsTheExitStatusOfTheCommand) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  EXPECT_TRUE(Exited(Record(dir, {}, {"true"}), 0));
  EXPECT_TRUE(IsWholeFile(dir.File("trace.fxt")));
  EXPECT_TRUE(Exited(Record(dir, {}, {"sh", "-c", "exit 37"}), 37));
  EXPECT_TRUE(IsWholeFile(dir.File("trace.fxt")));
  // The exit status of a shell.
  EXPECT_TRUE(Exited(Record(dir, {}, {"sh", "-c", "kill -TERM $$"}), 128 + SIGTERM));
  EXPECT_TRUE(IsWholeFile(dir.File("trace.fxt")));
}

TEST(Usage, AMissingCommandIsAnError) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const CommandResult result = Record(dir, {}, {"no-such-command-anywhere"});
  EXPECT_TRUE(Exited(result, 127));
  EXPECT_TRUE(IsClearError(result, {"no-such-command-anywhere"}));
  EXPECT_FALSE(std::filesystem::exists(dir.File("trace.fxt")));
  // An existing file that is not a program.
  std::ofstream(dir.File("text")) << "no program\n";
  const CommandResult text = Record(dir, {}, {dir.File("text")});
  EXPECT_TRUE(Exited(text, 126));
  EXPECT_TRUE(IsClearError(text, {dir.File("text")}));
}

TEST(Usage, AFailedRecordingKeepsTheOldFile) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  std::ofstream(dir.File("trace.fxt")) << "precious";
  EXPECT_NE(Record(dir, {"-c", "nosuch"}).exit_code, 0);
  EXPECT_NE(Record(dir, {"-d", "soon"}).exit_code, 0);
  EXPECT_EQ(Record(dir, {}, {"no-such-command-anywhere"}).exit_code, 127);
  std::string content;
  std::ifstream(dir.File("trace.fxt")) >> content;
  EXPECT_EQ(content, "precious");
}

TEST(Usage, GivesTheFileToTheUserBehindSudo) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  CommandOptions behind_sudo;
  behind_sudo.before_exec = [] {
    return setenv("SUDO_UID", "65534", 1) == 0 && setenv("SUDO_GID", "65534", 1) == 0;
  };
  EXPECT_TRUE(Exited(
      RunCommand(RecordCommand(dir.File("trace.fxt"), {}, {"true"}), kLimit, behind_sudo), 0));
  struct stat info {};
  ASSERT_EQ(stat(dir.File("trace.fxt").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kNobody);
  EXPECT_EQ(info.st_gid, kNobody);
}

TEST(Usage, StopsAfterTheDuration) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  // A busy machine may wake the recorder late, but not each time. The time of its start does not
  // count.
  double seconds = 60;
  for (int attempt = 0; attempt < 5 && seconds >= 2; ++attempt) {
    const CommandResult result = RunCommand(
        RecordCommand(dir.File("trace.fxt"), {"-d", "500ms", "--stats-json", dir.File("stats")}),
        kLimit);
    EXPECT_TRUE(Exited(result, 0));
    const auto stats = CaptureStats::Read(dir.File("stats"));
    ASSERT_TRUE(stats.ok()) << stats.error().message;
    seconds = static_cast<double>(stats->json["duration_ns"].get<uint64_t>()) / 1e9;
    EXPECT_GE(seconds, 0.5);
    EXPECT_GE(result.seconds, seconds);
    FxtLog log;
    EXPECT_TRUE(IsWholeFile(dir.File("trace.fxt"), &log));
    EXPECT_GT(log.last_ns - log.first_ns, 300'000'000u);
  }
  EXPECT_LT(seconds, 2.0);
}

// Adds up the memory of all maps in the text of /proc/PID/fdinfo.
uint64_t MapBytes(const std::string& descriptions) {
  std::istringstream lines(descriptions);
  uint64_t total = 0;
  bool is_map = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("pos:")) is_map = false;
    if (line.starts_with("map_type:")) is_map = true;
    if (is_map && line.starts_with("memlock:")) total += std::stoull(line.substr(8));
  }
  return total;
}

TEST(Usage, ReportsItsKernelMemory) {
  REQUIRE_CAPTURE();
  utsname kernel{};
  uname(&kernel);
  int major = 0, minor = 0;
  sscanf(kernel.release, "%d.%d", &major, &minor);
  if (std::pair(major, minor) < std::pair(6, 4)) {
    GTEST_SKIP() << "SKIPPED: before 6.4 the kernel does not know what its maps take";
  }
  for (const char* ring : {"64K", "2M"}) {
    const TempDir dir;
    // Some files are open for a moment only, while settings are read.
    const CommandResult result = RunCommand(
        RecordCommand(dir.File("trace.fxt"), {"-b", ring, "--stats-json", dir.File("stats.json")},
                      {"sh", "-c", "cat /proc/$PPID/fdinfo/* 2>/dev/null || true"}),
        kLimit);
    ASSERT_TRUE(Exited(result, 0));
    const auto stats = CaptureStats::Read(dir.File("stats.json"));
    ASSERT_TRUE(stats.ok()) << stats.error().message;
    const uint64_t reported = stats->json.value("kernel_memory_bytes", uint64_t{0});
    const uint64_t rings =
        stats->json["rings"].get<uint64_t>() * stats->json["ring_bytes"].get<uint64_t>();
    const uint64_t kernel_says = MapBytes(result.out);
    EXPECT_GE(reported, rings + stats->json.value("side_ring_bytes", uint64_t{0}));
    // The kernel also counts the descriptions of the maps.
    EXPECT_LE(reported, kernel_says) << "rings of " << ring;
    EXPECT_GE(reported + (64 << 10), kernel_says) << "rings of " << ring;
  }
}

}  // namespace
}  // namespace truth
