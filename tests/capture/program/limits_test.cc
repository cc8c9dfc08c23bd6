// SPDX-License-Identifier: BSD-2-Clause
// Recording with few descriptors, little memory, and rings of any size.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/recording.h"

namespace truth {
namespace {

using std::chrono::milliseconds;

TEST(Limits, ResourceLimits) {
  REQUIRE_CAPTURE();
  struct Limit {
    const char* what;
    __rlimit_resource resource;
    rlim_t value;
  };
  for (const Limit& limit :
       {Limit{"4 open files", RLIMIT_NOFILE, 4}, Limit{"8 open files", RLIMIT_NOFILE, 8},
        Limit{"16 open files", RLIMIT_NOFILE, 16}, Limit{"32 open files", RLIMIT_NOFILE, 32},
        Limit{"no locked memory", RLIMIT_MEMLOCK, 0},
        Limit{"64 KiB of locked memory", RLIMIT_MEMLOCK, 65536},
        Limit{"32 MiB of address space", RLIMIT_AS, 32 << 20},
        Limit{"128 MiB of address space", RLIMIT_AS, 128 << 20},
        Limit{"no real-time priority", RLIMIT_RTPRIO, 0},
        Limit{"256 KiB of stack", RLIMIT_STACK, 256 << 10}}) {
    const TempDir dir;
    CommandOptions limited;
    limited.before_exec = [&] {
      const rlimit value{limit.value, limit.value};
      return setrlimit(limit.resource, &value) == 0;
    };
    const CommandResult result =
        RunCommand(RecordCommand(dir.File("trace.fxt"), {}, {"true"}), kLimit, limited);
    ExpectWorksOrSaysWhy(limit.what, result, dir.File("trace.fxt"));
    if (limit.resource == RLIMIT_NOFILE && result.exit_code != 0) {
      EXPECT_TRUE(IsClearError(result, {"open files", "ulimit -n"})) << limit.what;
    }
  }
}

TEST(Limits, RingSizesFromOnePageUp) {
  REQUIRE_CAPTURE();
  for (const char* size : {"4k", "5000", "64K", "1M", "16M", "256M"}) {
    const TempDir dir;
    const CommandResult result = RunCommand(
        RecordCommand(dir.File("trace.fxt"), {"-b", size}, {WorkloadPath(), "renames"}), kLimit);
    ExpectWorksOrSaysWhy(size, result, dir.File("trace.fxt"));
    EXPECT_EQ(result.exit_code, 0) << size << ": " << result.Describe();
  }
}

// The largest size is a GiB per CPU, which may exceed the memory of the machine.
TEST(Limits, RingSizesUpToTheLimit) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  const CommandResult beyond =
      RunCommand(RecordCommand(dir.File("trace.fxt"), {"-b", "1025M"}, {"true"}), kLimit);
  EXPECT_TRUE(IsClearError(beyond, {"1025M"}));
  EXPECT_FALSE(std::filesystem::exists(dir.File("trace.fxt")));
  const auto free_bytes = static_cast<uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
                          static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t wanted = static_cast<uint64_t>(sysconf(_SC_NPROCESSORS_CONF)) << 30;
  if (free_bytes < 2 * wanted) {
    GTEST_SKIP() << "SKIPPED: rings of 1 GiB: not twice " << (wanted >> 30) << " GiB free";
  }
  const CommandResult result = RunCommand(
      RecordCommand(dir.File("trace.fxt"), {"-b", "1G"}, {WorkloadPath(), "renames"}), kLimit);
  ExpectWorksOrSaysWhy("1G", result, dir.File("trace.fxt"));
}

// A cgroup of the memory controller, version 1 or 2. The destructor removes it.
class MemoryGroup {
 public:
  MemoryGroup() {
    for (const auto& [root, file] : {std::pair{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
                                     std::pair{"/sys/fs/cgroup", "memory.max"}}) {
      const std::string path = std::string(root) + "/fxt_capture_" + std::to_string(getpid());
      if (access((std::string(root) + "/cgroup.procs").c_str(), W_OK) != 0) continue;
      if (mkdir(path.c_str(), 0755) != 0) continue;
      if (access((path + "/" + file).c_str(), W_OK) == 0) {
        path_ = path;
        limit_ = file;
        return;
      }
      rmdir(path.c_str());
    }
  }
  ~MemoryGroup() {
    for (int attempt = 0; attempt < 50 && !path_.empty(); ++attempt) {
      if (rmdir(path_.c_str()) == 0) return;
      usleep(20'000);
    }
  }
  bool usable() const { return !path_.empty(); }
  bool Limit(uint64_t bytes) const {
    std::ofstream file(path_ + "/" + limit_);
    file << bytes << std::flush;
    return file.good();
  }
  std::string procs() const { return path_ + "/cgroup.procs"; }

 private:
  std::string path_, limit_;
};

bool Enter(const std::string& procs) {
  const int fd = open(procs.c_str(), O_WRONLY | O_CLOEXEC);
  return fd >= 0 && write(fd, "0", 1) == 1;
}

TEST(Limits, OutOfMemoryInAGroup) {
  REQUIRE_CAPTURE();
  const MemoryGroup group;
  if (!group.usable()) GTEST_SKIP() << "SKIPPED: no memory controller to make a group in";
  for (const uint64_t mebibytes : {2, 6, 12, 24, 48}) {
    ASSERT_TRUE(group.Limit(mebibytes << 20));
    const TempDir dir;
    const std::string path = dir.File("trace.fxt");
    CommandOptions inside;
    inside.before_exec = [&] { return Enter(group.procs()); };
    auto recorder = ChildProcess::Start(RecordCommand(path, {}), inside);
    ASSERT_TRUE(recorder.ok());
    const bool started = [&] {
      while (recorder->Running()) {
        std::error_code error;
        if (std::filesystem::exists(path) && std::filesystem::file_size(path, error) > 0)
          return true;
        std::this_thread::sleep_for(milliseconds(10));
      }
      return false;
    }();
    if (started) {
      RunCommand({WorkloadPath(), "pingpong", "--count", "20000"}, kLimit);
      recorder->Signal(SIGINT);
    }
    const CommandResult result = recorder->Wait(kLimit);
    EXPECT_FALSE(result.timed_out) << mebibytes;
    if (result.signal != 0) {
      printf("%lu MiB: ended by signal %d\n", mebibytes, result.signal);
      EXPECT_EQ(result.signal, SIGKILL) << result.Describe();
      std::error_code error;
      if (std::filesystem::exists(path) && std::filesystem::file_size(path, error) > 0) {
        EXPECT_TRUE(IsReadableFile(path));
      }
    } else {
      ExpectWorksOrSaysWhy((std::to_string(mebibytes) + " MiB").c_str(), result, path);
    }
  }
}

}  // namespace
}  // namespace truth
