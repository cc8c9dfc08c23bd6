// SPDX-License-Identifier: BSD-2-Clause
#include "util/isolation.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

namespace util {
namespace {

// Runs `work` in a child that has `rights` alone. Returns its exit status, or -1 if a signal ended
// it.
int RunWith(Rights rights, const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(LeaveOnly(rights) ? work() : 99);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// 0: the call was refused.
int Refused(int result) { return result == -1 && errno == EPERM ? 0 : 1; }

class IsolationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kIsSanitized) GTEST_SKIP() << "a build with sanitizers refuses no calls";
  }
};

TEST_F(IsolationTest, DescriptorsAloneCanBeUsed) {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(RunWith(Rights::kDescriptors,
                    [&] {
                      char byte = 0;
                      return pread(file, &byte, 1, 0) == 1 ? 0 : 1;
                    }),
            0);
  close(file);
  EXPECT_EQ(RunWith(Rights::kDescriptors, [] { return Refused(open("/etc/passwd", O_RDONLY)); }),
            0);
  EXPECT_EQ(RunWith(Rights::kDescriptors, [] { return Refused(socket(AF_UNIX, SOCK_STREAM, 0)); }),
            0);
  EXPECT_EQ(RunWith(Rights::kDescriptors, [] { return Refused(fork()); }), 0);
  EXPECT_EQ(RunWith(Rights::kDescriptors, [] { return Refused(kill(getppid(), 0)); }), 0);
  EXPECT_EQ(
      RunWith(Rights::kDescriptors, [] { return Refused(execl("/bin/true", "true", nullptr)); }),
      0);
  EXPECT_EQ(RunWith(Rights::kDescriptors,
                    [] {
                      void* code = mmap(nullptr, 4096, PROT_READ | PROT_EXEC,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                      return code == MAP_FAILED && errno == EPERM ? 0 : 1;
                    }),
            0);
}

TEST_F(IsolationTest, FilesCanBeReadAndNotChanged) {
  const auto opened = [](int flags) { return open("/tmp/isolation_test", flags, 0600); };
  EXPECT_EQ(RunWith(Rights::kReadFiles, [] { return open("/etc/passwd", O_RDONLY) >= 0 ? 0 : 1; }),
            0);
  EXPECT_EQ(RunWith(Rights::kReadFiles, [&] { return Refused(opened(O_RDWR | O_CREAT)); }), 0);
  EXPECT_EQ(RunWith(Rights::kReadFiles, [&] { return Refused(opened(O_RDONLY | O_CREAT)); }), 0);
  EXPECT_EQ(
      RunWith(Rights::kReadFiles, [] { return Refused(open("/tmp", O_TMPFILE | O_WRONLY, 0600)); }),
      0);
  EXPECT_EQ(RunWith(Rights::kReadFiles, [] { return Refused(unlink("/tmp/isolation_test")); }), 0);
  EXPECT_EQ(RunWith(Rights::kReadFiles, [] { return Refused(socket(AF_INET, SOCK_STREAM, 0)); }),
            0);
  EXPECT_EQ(RunWith(Rights::kReadFiles, [] { return Refused(fork()); }), 0);
}

TEST(CloseAllButTest, KeepsThese) {
  const pid_t child = fork();
  if (child == 0) {
    const int first = dup(STDERR_FILENO), second = dup(STDERR_FILENO), third = dup(STDERR_FILENO);
    const int kept[] = {third, first};
    CloseAllBut(kept);
    const bool good = fcntl(first, F_GETFD) >= 0 && fcntl(third, F_GETFD) >= 0 &&
                      fcntl(second, F_GETFD) < 0 && fcntl(STDIN_FILENO, F_GETFD) < 0;
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace util
