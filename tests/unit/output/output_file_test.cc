// SPDX-License-Identifier: BSD-2-Clause
#include "output/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <seccomp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "output/open_output.h"
#include "unit/sink/sink_test_support.h"

namespace output {
namespace {

using sink::testing::TemporaryFolder;

constexpr uid_t kOtherUser = 12345;

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() {
    unsetenv("SUDO_UID");
    unsetenv("SUDO_GID");
    // Like /tmp.
    chmod(folder_.path().c_str(), 01777);
  }
  ~OutputFileTest() override {
    unsetenv("SUDO_UID");
    unsetenv("SUDO_GID");
  }

  std::string Path(const std::string& name) const { return folder_ / name; }
  void Put(const std::string& name, const std::string& text, mode_t mode = 0644,
           uid_t owner = 0) const {
    std::ofstream(Path(name)) << text;
    ASSERT_EQ(chown(Path(name).c_str(), owner, owner), 0);
    ASSERT_EQ(chmod(Path(name).c_str(), mode), 0);
  }
  std::string Get(const std::string& name) const {
    std::ifstream file(Path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  struct stat Status(const std::string& name) const {
    struct stat status = {};
    EXPECT_EQ(lstat(Path(name).c_str(), &status), 0) << name;
    return status;
  }
  size_t Entries() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_.path()),
                                             std::filesystem::directory_iterator()));
  }
  // Writes `text` as a command does; returns the error's message, or "".
  std::string Write(const std::string& name, const std::string& text,
                    const FileOptions& options = {}) const {
    auto opened = OpenOutputAt(Path(name), options);
    if (!opened) return opened.error().message;
    if (write(opened->fd.get(), text.data(), text.size()) < 0) return "write";
    if (!opened->file) return "";
    auto published = opened->file->Publish();
    return published ? "" : published.error().message;
  }
  static FileOptions Recording() {
    FileOptions options;
    options.recording = true;
    return options;
  }

  const TemporaryFolder folder_;
};

#define NEEDS_ROOT() \
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root makes other users' files"

TEST_F(OutputFileTest, CreatesAFileForItsOwnerOnly) {
  for (const bool recording : {false, true}) {
    FileOptions options;
    options.recording = recording;
    EXPECT_EQ(Write("new", "text", options), "");
    EXPECT_EQ(Get("new"), "text");
    EXPECT_EQ(Status("new").st_mode & 07777, 0600u);
    EXPECT_EQ(Entries(), 1u) << "nothing else is left behind";
    unlink(Path("new").c_str());
  }
}

TEST_F(OutputFileTest, RecordingsHaveTheirNameAtOnceOthersAtTheEnd) {
  auto recording = OpenOutputAt(Path("trace"), Recording());
  ASSERT_TRUE(recording.ok());
  EXPECT_EQ(access(Path("trace").c_str(), F_OK), 0);
  auto other = OpenOutputAt(Path("other"), {});
  ASSERT_TRUE(other.ok());
  EXPECT_NE(access(Path("other").c_str(), F_OK), 0);
  ASSERT_TRUE(other->file->Publish().ok());
  EXPECT_EQ(access(Path("other").c_str(), F_OK), 0);
}

TEST_F(OutputFileTest, RemovesUnpublishedFiles) {
  for (const bool recording : {false, true}) {
    FileOptions options;
    options.recording = recording;
    ASSERT_TRUE(OpenOutputAt(Path("new"), options).ok());
    EXPECT_EQ(Entries(), 0u);
  }
  Put("trace", "before");
  Put("trace.old", "older");
  for (const bool recording : {false, true}) {
    FileOptions options;
    options.recording = recording;
    auto opened = OpenOutputAt(Path("trace"), options);
    ASSERT_TRUE(opened.ok());
    ASSERT_EQ(write(opened->fd.get(), "x", 1), 1);
  }
  EXPECT_EQ(Get("trace"), "before");
  EXPECT_EQ(Get("trace.old"), "older");
  EXPECT_EQ(Entries(), 2u);
}

TEST_F(OutputFileTest, RecordingKeepsThePreviousFile) {
  Put("trace", "first");
  EXPECT_EQ(Write("trace", "second", Recording()), "");
  EXPECT_EQ(Get("trace"), "second");
  EXPECT_EQ(Get("trace.old"), "first");
  EXPECT_EQ(Write("trace", "third", Recording()), "");
  EXPECT_EQ(Get("trace"), "third");
  EXPECT_EQ(Get("trace.old"), "second");
  EXPECT_EQ(Entries(), 2u);
}

TEST_F(OutputFileTest, EmptyFilesAndOtherOutputsLeaveNoOldFile) {
  Put("empty", "");
  EXPECT_EQ(Write("empty", "trace", Recording()), "");
  Put("part", "before");
  EXPECT_EQ(Write("part", "after"), "");
  EXPECT_EQ(Get("part"), "after");
  EXPECT_EQ(Entries(), 2u);
}

TEST_F(OutputFileTest, RefusesAPlantedFile) {
  NEEDS_ROOT();
  for (const mode_t mode : {0666, 04755}) {
    Put("trace", "planted", mode, kOtherUser);
    for (const auto& options : {FileOptions(), Recording()}) {
      EXPECT_EQ(Write("trace", "secret", options),
                "cannot write " + Path("trace") + ": it exists and belongs to user 12345");
    }
    EXPECT_EQ(Get("trace"), "planted");
    EXPECT_EQ(Status("trace").st_mode & 07777, mode);
    EXPECT_EQ(Entries(), 1u);
  }
}

// The inode is new: processes that hold or linked the old file see nothing of the new one.
TEST_F(OutputFileTest, NeverWritesIntoExistingFiles) {
  NEEDS_ROOT();
  Put("victim", "precious", 0644);
  ASSERT_EQ(link(Path("victim").c_str(), Path("trace").c_str()), 0);
  const util::UniqueFd reader(open(Path("trace").c_str(), O_RDONLY));
  EXPECT_EQ(Write("trace", "secret", Recording()), "");
  EXPECT_EQ(Get("victim"), "precious");
  EXPECT_EQ(Status("victim").st_mode & 07777, 0644u);
  EXPECT_EQ(Get("trace"), "secret");
  char text[16] = {};
  EXPECT_EQ(read(reader.get(), text, sizeof(text)), 8);
  EXPECT_EQ(Write("trace.old", "secret"), "");
  EXPECT_EQ(Get("victim"), "precious");
}

TEST_F(OutputFileTest, RefusesAnOldFileOfAnotherUser) {
  NEEDS_ROOT();
  Put("trace", "before");
  Put("trace.old", "planted", 0666, kOtherUser);
  EXPECT_FALSE(OpenOutputAt(Path("trace"), Recording()).ok());
  EXPECT_EQ(Get("trace"), "before");
  EXPECT_EQ(Get("trace.old"), "planted");
  // A link is replaced, not followed.
  unlink(Path("trace.old").c_str());
  Put("victim", "precious");
  ASSERT_EQ(symlink("victim", Path("trace.old").c_str()), 0);
  EXPECT_EQ(Write("trace", "after", Recording()), "");
  EXPECT_EQ(Get("victim"), "precious");
  EXPECT_EQ(Get("trace.old"), "before");
}

TEST_F(OutputFileTest, GivesFilesToTheSudoUser) {
  NEEDS_ROOT();
  setenv("SUDO_UID", "12345", 1);
  setenv("SUDO_GID", "12346", 1);
  EXPECT_EQ(Write("new", "text", Recording()), "");
  EXPECT_EQ(Status("new").st_uid, kOtherUser);
  EXPECT_EQ(Status("new").st_gid, 12346u);
  Put("theirs", "before", 04755, kOtherUser);
  EXPECT_EQ(Write("theirs", "after", Recording()), "");
  EXPECT_EQ(Status("theirs").st_uid, kOtherUser);
  EXPECT_EQ(Status("theirs").st_mode & 07777, 0600u);
  Put("roots", "before");
  EXPECT_EQ(Write("roots", "after", Recording()), "");
  EXPECT_EQ(Status("roots").st_uid, 0u) << "an existing file is not given away";
  Put("others", "before", 0666, kOtherUser + 1);
  EXPECT_NE(Write("others", "after", Recording()), "");
}

TEST_F(OutputFileTest, SetsModeAndGroup) {
  NEEDS_ROOT();
  FileOptions options;
  options.mode = 0640;
  options.group = 12346;
  EXPECT_EQ(Write("part", "text", options), "");
  EXPECT_EQ(Status("part").st_mode & 07777, 0640u);
  EXPECT_EQ(Status("part").st_gid, 12346u);
  options.mode = 04755;
  EXPECT_EQ(Write("part", "text", options), "");
  EXPECT_EQ(Status("part").st_mode & 07777, 0644u);
}

TEST_F(OutputFileTest, RefusesASecondWriter) {
  for (const char* before : {"", "before"}) {
    unlink(Path("trace").c_str());
    if (*before != 0) Put("trace", before);
    {
      auto first = OpenOutputAt(Path("trace"), Recording());
      ASSERT_TRUE(first.ok());
      for (const bool published : {false, true}) {
        if (published) {
          ASSERT_TRUE(first->file->Publish().ok());
        }
        for (const auto& options : {FileOptions(), Recording()}) {
          const auto second = OpenOutputAt(Path("trace"), options);
          ASSERT_FALSE(second.ok()) << published;
          EXPECT_EQ(second.error().message,
                    "cannot write " + Path("trace") + ": another recorder is writing it");
        }
      }
      // The lock applies under another name too.
      ASSERT_EQ(rename(Path("trace").c_str(), Path("moved").c_str()), 0);
      EXPECT_FALSE(OpenOutputAt(Path("moved"), Recording()).ok());
      ASSERT_EQ(rename(Path("moved").c_str(), Path("trace").c_str()), 0);
      EXPECT_EQ(open(Path("trace").c_str(), O_RDONLY | O_CLOEXEC) >= 0, true) << "readers are free";
    }
    EXPECT_TRUE(OpenOutputAt(Path("trace"), Recording()).ok());
  }
}

TEST_F(OutputFileTest, RecordingDoesNotReplaceAFileBeingWritten) {
  auto old = OpenOutputAt(Path("trace.old"), Recording());
  ASSERT_TRUE(old.ok());
  Put("trace", "before");
  const auto refused = OpenOutputAt(Path("trace"), Recording());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(Get("trace"), "before");
}

TEST_F(OutputFileTest, KeepsANameTakenMeanwhile) {
  auto opened = OpenOutputAt(Path("part"), {});
  ASSERT_TRUE(opened.ok());
  Put("part", "another user's");
  ASSERT_TRUE(opened->file->Publish().ok()) << "ours to replace";
  EXPECT_EQ(Get("part"), "");
  NEEDS_ROOT();
  auto again = OpenOutputAt(Path("other"), {});
  ASSERT_TRUE(again.ok());
  Put("other", "planted", 0666, kOtherUser);
  EXPECT_FALSE(again->file->Publish().ok());
  EXPECT_EQ(Get("other"), "planted");
}

// Some file systems lack O_TMPFILE or RENAME_NOREPLACE.
TEST_F(OutputFileTest, WorksOnSimpleFileSystems) {
  for (const bool no_rename : {false, true}) {
    const pid_t child = fork();
    if (child == 0) {
      scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
      constexpr uint64_t kFlag = O_TMPFILE & ~O_DIRECTORY;
      seccomp_rule_add(filter, SCMP_ACT_ERRNO(EOPNOTSUPP), SCMP_SYS(openat), 1,
                       SCMP_A2(SCMP_CMP_MASKED_EQ, kFlag, kFlag));
      if (no_rename) {
        seccomp_rule_add(filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(renameat2), 0);
      }
      if (seccomp_load(filter) != 0) _exit(77);
      Put("kept", "before");
      bool ok = Write("one", "text", Recording()).empty() && Get("one") == "text" &&
                Write("one", "again").empty() && Get("one") == "again" &&
                Write("kept", "after", Recording()).empty() && Get("kept") == "after" &&
                Get("kept.old") == "before";
      for (const auto& options : {FileOptions(), Recording()}) {
        ok = ok && OpenOutputAt(Path("no"), options).ok();
      }
      ok = ok && Entries() == 3;
      _exit(ok ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "SKIPPED: no seccomp";
    EXPECT_EQ(status, 0) << no_rename;
    for (const char* name : {"one", "kept", "kept.old"}) unlink(Path(name).c_str());
  }
}

}  // namespace
}  // namespace output
