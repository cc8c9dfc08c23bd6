// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/command/java_names.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/temp_folder.h"

namespace tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJvm =
    "7f00-7f10 r-xp 00000000 08:01 42   /usr/lib/jvm/java-17/lib/server/libjvm.so";
constexpr uid_t kNobody = 65534;

// A /proc of its own, and a jcmd that notes how it was called.
class JavaNamesTest : public ::testing::Test {
 protected:
  JavaNamesTest() {
    EXPECT_EQ(chmod(dir_.c_str(), 0755), 0);
    fs::create_directories(dir_ + "/bin");
    fs::create_directories(dir_ + "/root/tmp");
    fs::create_directories(dir_ + "/called");
    fs::permissions(dir_ + "/called", fs::perms::all);
    setenv("PATH", fmt::format("{}/bin:{}", dir_, path_).c_str(), 1);
    WriteJcmd(
        fmt::format("echo \"$@\" $(id -u) $(id -g) $(id -G) $JAVA_TOOL_OPTIONS >{}/called/$1\n"
                    "grep CapPrm /proc/self/status >{}/called/$1.capabilities",
                    dir_, dir_));
    options_.proc = dir_ + "/proc";
  }
  ~JavaNamesTest() override { setenv("PATH", path_.c_str(), 1); }

  void WriteJcmd(const std::string& script) const {
    const std::string path = dir_ + "/bin/jcmd";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    EXPECT_EQ(chmod(path.c_str(), 0755), 0);
  }

  struct Process {
    std::string maps = kJvm;
    std::string users = fmt::format("{0}\t{0}\t{0}\t{0}", geteuid());
    std::string groups = fmt::format("{0}\t{0}\t{0}\t{0}", getegid());
    std::string handled = "0000000181005ccf";
    std::string capabilities = "0000000000000000";
  };
  void Add(pid_t pid, const Process& process) const {
    const std::string folder = fmt::format("{}/proc/{}", dir_, pid);
    fs::create_directories(folder);
    fs::create_directory_symlink(dir_ + "/root", folder + "/root");
    std::ofstream(folder + "/maps") << "1000-2000 r-xp 00000000 08:01 41   /usr/bin/java\n"
                                    << process.maps << "\n";
    std::ofstream(folder + "/status") << fmt::format(
        "Name:\tjava\nUid:\t{}\nGid:\t{}\nGroups:\t{}\nNSpid:\t{}\t7\nSigCgt:\t{}\nCapPrm:\t{}\n",
        process.users, process.groups, process.groups, pid, process.handled, process.capabilities);
  }

  // How jcmd was called for it.
  std::string Called(const std::string& file) const {
    std::ifstream stream(fmt::format("{}/called/{}", dir_, file));
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!text.empty()) text.pop_back();
    return text;
  }
  std::string OwnCall(pid_t pid) const {
    return fmt::format("{} Compiler.perfmap {} {} {}", pid, geteuid(), getegid(), getegid());
  }

  std::string path_ = getenv("PATH");
  const testing_support::TempFolder folder_;
  const std::string dir_ = folder_.path();
  JavaNamesOptions options_;
};

TEST_F(JavaNamesTest, CallsJcmdForEachJavaProcess) {
  Add(700, {});
  Add(701, {.maps = std::string(kJvm) + " (deleted)"});
  Add(702,
      {.maps = "7f00-7f10 r--p 00000000 08:01 42   /usr/lib/jvm/java-17/lib/server/libjvm.so"});
  Add(703, {.maps = "7f00-7f10 r-xp 00000000 08:01 42   /usr/lib/notlibjvm.so"});
  setenv("JAVA_TOOL_OPTIONS", "-Xint", 1);
  const JavaNames names = WriteJavaNames(options_);
  unsetenv("JAVA_TOOL_OPTIONS");
  EXPECT_EQ(names.written, (std::vector<pid_t>{700, 701}));
  EXPECT_TRUE(names.failures.empty());
  if (geteuid() == 0) {
    EXPECT_EQ(Called("700"), OwnCall(700));
  } else {
    EXPECT_EQ(Called("700").find(fmt::format("700 Compiler.perfmap {}", geteuid())), 0u);
  }
  EXPECT_NE(Called("701"), "");
  EXPECT_EQ(Called("702"), "");
  EXPECT_EQ(Called("703"), "");
}

TEST_F(JavaNamesTest, CallsJcmdForChosenProcessesAlone) {
  Add(700, {});
  Add(701, {});
  options_.pids = {701, 702};
  EXPECT_EQ(WriteJavaNames(options_).written, std::vector<pid_t>{701});
  EXPECT_EQ(Called("700"), "");
}

TEST_F(JavaNamesTest, LeavesProcessesAloneThatSigquitWouldEnd) {
  Add(700, {.handled = "0000000181005ccb"});
  Add(701,
      {.users = fmt::format("{}\t{}\t{}\t{}", geteuid() + 1, geteuid(), geteuid(), geteuid())});
  EXPECT_TRUE(FindJavaProcesses(options_).empty());
  EXPECT_TRUE(WriteJavaNames(options_).written.empty());
}

TEST_F(JavaNamesTest, HasTheRightsOfTheProcess) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  Add(700, {.users = fmt::format("{0}\t{0}\t{0}\t{0}", kNobody),
            .groups = fmt::format("{0}\t{0}\t{0}\t{0}", kNobody),
            .capabilities = "00000000000000ff"});
  Add(701, {.capabilities = "0000000000000001"});
  EXPECT_EQ(WriteJavaNames(options_).written, (std::vector<pid_t>{700, 701}));
  EXPECT_EQ(Called("700"), fmt::format("700 Compiler.perfmap {0} {0} {0}", kNobody));
  EXPECT_EQ(Called("700.capabilities"), "CapPrm:\t0000000000000000");
  EXPECT_EQ(Called("701"), OwnCall(701));
  EXPECT_EQ(Called("701.capabilities"), "CapPrm:\t0000000000000001");
}

TEST_F(JavaNamesTest, DoesNotWriteThroughFilesOfOthers) {
  Add(700, {});
  // The process is 7 in its own namespace.
  fs::create_symlink(dir_ + "/victim", dir_ + "/root/tmp/perf-7.map");
  const JavaNames names = WriteJavaNames(options_);
  EXPECT_TRUE(names.written.empty());
  ASSERT_EQ(names.failures.size(), 1u);
  EXPECT_EQ(names.failures[0].reason, "/tmp/perf-7.map is another user's");
  EXPECT_EQ(Called("700"), "");
}

TEST_F(JavaNamesTest, SaysWhyThereAreNoNames) {
  Add(700, {});
  WriteJcmd("exit 1");
  JavaNames names = WriteJavaNames(options_);
  ASSERT_EQ(names.failures.size(), 1u);
  EXPECT_EQ(names.failures[0].pid, 700);
  EXPECT_EQ(names.failures[0].reason, "jcmd failed, status 1; it needs Java 17");
  setenv("PATH", dir_.c_str(), 1);
  names = WriteJavaNames(options_);
  ASSERT_EQ(names.failures.size(), 1u);
  EXPECT_EQ(names.failures[0].reason, "jcmd is not in PATH");
}

TEST_F(JavaNamesTest, DoesNotWaitWithoutEnd) {
  for (pid_t pid = 700; pid < 703; ++pid) Add(pid, {});
  WriteJcmd("sleep 1000 & wait");
  options_.each_ns = 100'000'000;
  options_.all_ns = 150'000'000;
  const JavaNames names = WriteJavaNames(options_);
  EXPECT_TRUE(names.written.empty());
  ASSERT_EQ(names.failures.size(), 3u);
  EXPECT_EQ(names.failures[0].reason, "it does not answer");
  EXPECT_EQ(names.failures[2].reason, "no time is left");
  options_ = {.goes_on = [] { return false; }, .proc = options_.proc};
  EXPECT_EQ(WriteJavaNames(options_).failures.back().reason, "stopped by a signal");
}

TEST(JavaNamesAtExitTest, KeepsOptionsOfTheEnvironment) {
  setenv("JAVA_TOOL_OPTIONS", "-Xmx64m", 1);
  WriteJavaNamesAtExit();
  const std::string options = getenv("JAVA_TOOL_OPTIONS");
  unsetenv("JAVA_TOOL_OPTIONS");
  EXPECT_TRUE(options.starts_with("-Xmx64m -XX:+IgnoreUnrecognizedVMOptions ")) << options;
  EXPECT_TRUE(options.ends_with(" -XX:+DumpPerfMapAtExit")) << options;
}

}  // namespace
}  // namespace tools
