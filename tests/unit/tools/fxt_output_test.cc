// SPDX-License-Identifier: BSD-2-Clause
// Permissions of `fxt`'s outputs, and which files it replaces.
#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "unit/analyze/recording_parts.h"
#include "unit/support/run_command.h"
#include "unit/tools/fxt_command.h"

namespace tools {
namespace {

using ::testing::HasSubstr;
using testing_support::CommandResult;

constexpr uid_t kStranger = 12345;

class FxtOutputTest : public testing::FxtCommandTest {
 protected:
  void SetUp() override {
    FxtCommandTest::SetUp();
    unsetenv("SUDO_UID");
    auto sound = analyze::testing::RecordingParts::Sound();
    const auto bytes = sound.Bytes();
    std::ofstream(Path("in.fxt"), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
    // Like /tmp.
    ASSERT_EQ(chmod(Path("").c_str(), 01777), 0);
  }
  struct stat Status(const std::string& name) const {
    struct stat status = {};
    EXPECT_EQ(lstat(Path(name).c_str(), &status), 0) << name;
    return status;
  }
  std::string Get(const std::string& name) const {
    std::ifstream file(Path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  CommandResult Write(const std::string& command, const std::string& output) const {
    return Fxt({command, Path("in.fxt"), "-o", Path(output)});
  }
};

const std::string kWriting[] = {"json", "trim", "recover"};

TEST_F(FxtOutputTest, OutputHasThePermissionsOfTheInput) {
  for (const std::string& command : kWriting) {
    for (const mode_t mode : {0600, 0640, 0644, 0400}) {
      ASSERT_EQ(chmod(Path("in.fxt").c_str(), mode), 0);
      ASSERT_EQ(Write(command, "out").status, 0);
      EXPECT_EQ(Status("out").st_mode & 07777, mode) << command;
    }
    // Piped input has no permissions to copy.
    const CommandResult piped = Fxt({command, "-", "-o", Path("piped")}, Get("in.fxt"));
    EXPECT_EQ(piped.status, 0) << piped.err;
    EXPECT_EQ(Status("piped").st_mode & 07777, 0600u) << command;
    ASSERT_EQ(chmod(Path("in.fxt").c_str(), 0640), 0);
    unlink(Path("out").c_str());
    EXPECT_EQ(testing_support::RunShell(testing_support::BuiltProgram("fxt") + " " + command +
                                        " - -o " + Path("out") + " < " + Path("in.fxt"))
                  .status,
              0);
    EXPECT_EQ(Status("out").st_mode & 07777, 0640u) << command;
  }
}

TEST_F(FxtOutputTest, RefusesPlantedFilesLinksAndPipes) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root makes other users' files";
  std::ofstream(Path("victim")) << "precious";
  for (const std::string& command : kWriting) {
    std::ofstream(Path("file")) << "planted";
    ASSERT_EQ(chown(Path("file").c_str(), kStranger, kStranger), 0);
    ASSERT_EQ(chmod(Path("file").c_str(), 04755), 0);
    ASSERT_EQ(symlink("victim", Path("link").c_str()), 0);
    ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0666), 0);
    for (const char* name : {"link", "fifo"}) {
      ASSERT_EQ(lchown(Path(name).c_str(), kStranger, kStranger), 0);
    }
    for (const char* name : {"file", "link", "fifo"}) {
      const CommandResult result = Write(command, name);
      EXPECT_EQ(result.status, 2) << command << name;
      EXPECT_THAT(result.err, HasSubstr("belongs to user 12345")) << command << name;
    }
    EXPECT_EQ(Get("file"), "planted");
    EXPECT_EQ(Get("victim"), "precious");
    for (const char* name : {"file", "link", "fifo"}) unlink(Path(name).c_str());
    // A hard link to our file: the name is replaced, not the file.
    ASSERT_EQ(link(Path("victim").c_str(), Path("hard").c_str()), 0);
    EXPECT_EQ(Write(command, "hard").status, 0);
    EXPECT_EQ(Get("victim"), "precious") << command;
    unlink(Path("hard").c_str());
  }
}

TEST_F(FxtOutputTest, KeepsTheOldFileAfterAFailure) {
  std::ofstream(Path("text")) << "This is no trace, but long enough for one.";
  for (const std::string& command : kWriting) {
    std::ofstream(Path("out")) << "before";
    EXPECT_EQ(Fxt({command, Path("text"), "-o", Path("out")}).status, 2);
    EXPECT_EQ(Get("out"), "before") << command;
  }
}

TEST_F(FxtOutputTest, WritesStandardOutputAndNull) {
  for (const std::string& command : kWriting) {
    const CommandResult direct = Fxt({command, Path("in.fxt"), "-o", "-"});
    const CommandResult named = Fxt({command, Path("in.fxt"), "-o", "/dev/stdout"});
    EXPECT_EQ(named.status, 0) << named.err;
    EXPECT_TRUE(named.out == direct.out) << command;
    EXPECT_EQ(Fxt({command, Path("in.fxt"), "-o", "/dev/null"}).status, 0) << command;
    // As in a script that appends.
    const std::string fxt = testing_support::BuiltProgram("fxt");
    EXPECT_EQ(
        testing_support::RunShell("printf kept > " + Path("log") + "; " + fxt + " " + command +
                                  " -o /dev/stdout " + Path("in.fxt") + " >> " + Path("log"))
            .status,
        0);
    EXPECT_TRUE(Get("log") == "kept" + direct.out) << command;
  }
}

}  // namespace
}  // namespace tools
