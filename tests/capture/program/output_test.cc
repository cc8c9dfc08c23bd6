// SPDX-License-Identifier: BSD-2-Clause
// Output files: valid targets, refused targets, and existing files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <nlohmann/json.hpp>

#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/recording.h"
#include "util/unique_fd.h"

namespace truth {
namespace {

constexpr uid_t kStranger = 12345;

// A folder with the mode of /tmp.
class Outputs : public testing::Test {
 protected:
  Outputs() { chmod(dir_.path().c_str(), 01777); }

  std::string Path(const std::string& name) const { return dir_.File(name); }
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
    struct stat status {};
    EXPECT_EQ(lstat(Path(name).c_str(), &status), 0) << name;
    return status;
  }
  CommandResult Record(const std::string& output, const std::vector<std::string>& options = {},
                       const std::vector<std::string>& command = {"true"}) const {
    return RunCommand(RecordCommand(output, options, command), kLimit);
  }
  CommandResult Shell(const std::string& line) const {
    return RunCommand({"sh", "-c", line}, kLimit);
  }

  const TempDir dir_;
};

TEST_F(Outputs, PlantedFilesAreRefusedAndStay) {
  REQUIRE_CAPTURE();
  Put("victim", "precious");
  Put("file", "planted", 04755, kStranger);
  ASSERT_EQ(symlink("victim", Path("link").c_str()), 0);
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0666), 0);
  std::filesystem::create_directory(Path("own"));
  ASSERT_EQ(symlink("own", Path("folder").c_str()), 0);
  for (const char* name : {"link", "fifo", "folder"}) {
    ASSERT_EQ(lchown(Path(name).c_str(), kStranger, kStranger), 0);
  }
  for (const std::string name : {"file", "link", "fifo", "folder/trace"}) {
    EXPECT_TRUE(IsClearError(Record(Path(name)), {Path(name), "12345"})) << name;
    EXPECT_TRUE(IsClearError(Record(Path("new"), {"--stats-json", Path(name)}),
                             {Path(name), "12345", "--stats-json"}))
        << name;
    EXPECT_FALSE(std::filesystem::exists(Path("new"))) << name;
  }
  EXPECT_TRUE(Get("file") == "planted");
  EXPECT_EQ(Status("file").st_mode & 07777, 04755u);
  EXPECT_TRUE(Get("victim") == "precious");
  EXPECT_TRUE(std::filesystem::is_empty(Path("own")));
  // A hard link has no owner of its own, so the name is replaced and the file stays.
  ASSERT_EQ(link(Path("victim").c_str(), Path("hard").c_str()), 0);
  EXPECT_TRUE(Exited(Record(Path("hard")), 0));
  EXPECT_TRUE(Get("victim") == "precious");
  EXPECT_TRUE(IsWholeFile(Path("hard")));
}

TEST_F(Outputs, ArePrivateAndReplaceATraceAtTheEnd) {
  REQUIRE_CAPTURE();
  Put("trace", "before", 0644);
  Put("trace.old", "older", 0644);
  EXPECT_TRUE(Exited(Record(Path("trace"), {"--stats-json", Path("stats")}), 0));
  EXPECT_TRUE(IsWholeFile(Path("trace")));
  EXPECT_TRUE(Get("trace.old") == "before");
  EXPECT_EQ(Status("trace").st_mode & 07777, 0600u);
  EXPECT_EQ(Status("stats").st_mode & 07777, 0600u);
  EXPECT_TRUE(nlohmann::json::accept(Get("stats")));
  size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
    ++entries;
  }
  EXPECT_EQ(entries, 3u) << "nothing else is left behind";
}

TEST_F(Outputs, FilesOfTheSudoUserKeepTheirOwner) {
  REQUIRE_CAPTURE();
  CommandOptions behind_sudo;
  behind_sudo.before_exec = [] {
    return setenv("SUDO_UID", "12345", 1) == 0 && setenv("SUDO_GID", "12345", 1) == 0;
  };
  Put("trace", "before", 04755, kStranger);
  EXPECT_TRUE(
      Exited(RunCommand(RecordCommand(Path("trace"), {"--stats-json", Path("stats")}, {"true"}),
                        kLimit, behind_sudo),
             0));
  for (const char* name : {"trace", "stats"}) {
    EXPECT_EQ(Status(name).st_uid, kStranger) << name;
    EXPECT_EQ(Status(name).st_mode & 07777, 0600u) << name;
  }
}

TEST_F(Outputs, AFailedStartKeepsTheOldFile) {
  REQUIRE_CAPTURE();
  Put("trace", "before");
  Put("trace.old", "older");
  Put("stats", "numbers");
  // Executable, but not in a format of the kernel.
  Put("text", "neither program nor script", 0755);
  const std::string missing = Path("none/stats");
  const std::pair<std::vector<std::string>, std::vector<std::string>> failing[] = {
      {{"-c", "nosuch"}, {"true"}},
      {{"--cgroup", "/no/such/group"}, {"true"}},
      {{}, {"no-such-command-anywhere"}},
      {{}, {Path("text")}},
      {{"--stats-json", missing}, {"touch", Path("ran")}},
      {{"--stats-json", Path("trace")}, {"touch", Path("ran")}},
  };
  for (auto [options, command] : failing) {
    const bool has_stats = !options.empty() && options[0] == "--stats-json";
    if (!has_stats) options.insert(options.end(), {"--stats-json", Path("stats")});
    const CommandResult result = Record(Path("trace"), options, command);
    EXPECT_NE(result.exit_code, 0) << result.Describe();
    EXPECT_TRUE(Get("trace") == "before") << result.Describe();
    EXPECT_TRUE(Get("trace.old") == "older") << result.Describe();
    EXPECT_TRUE(Get("stats") == "numbers") << result.Describe();
  }
  EXPECT_FALSE(std::filesystem::exists(Path("ran"))) << "found before the command is started";
  EXPECT_NE(Record(Path("new"), {}, {Path("text")}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(Path("new")));
}

TEST_F(Outputs, OneFileForBothIsRefused) {
  REQUIRE_CAPTURE();
  Put("x", "before");
  ASSERT_EQ(symlink("x", Path("link").c_str()), 0);
  ASSERT_EQ(link(Path("x").c_str(), Path("hard").c_str()), 0);
  ASSERT_EQ(symlink("new", Path("dangling").c_str()), 0);
  const std::pair<std::string, std::string> same[] = {
      {"x", "x"},    {"x", "./x"},   {"x", "link"},       {"link", "x"},
      {"x", "hard"}, {"new", "new"}, {"new", "dangling"}, {"x", "x.old"},
  };
  for (const auto& [output, stats] : same) {
    EXPECT_TRUE(IsClearError(Record(Path(output), {"--stats-json", Path(stats)}),
                             {"--stats-json", Path(stats)}))
        << output << " " << stats;
    EXPECT_TRUE(Get("x") == "before");
    EXPECT_FALSE(std::filesystem::exists(Path("new")));
  }
  const std::string record = RecorderPath() + " -q ";
  EXPECT_NE(Shell(record + "-o - --stats-json " + Path("y") + " -- true > " + Path("y")).exit_code,
            0);
  EXPECT_TRUE(IsClearError(Record("-", {"--stats-json", "/dev/stdout"}), {"--stats-json"}));
}

TEST_F(Outputs, StatisticsOnStandardOutput) {
  REQUIRE_CAPTURE();
  const CommandResult file = Record(Path("trace"), {"--stats-json", "-"});
  EXPECT_TRUE(Exited(file, 0));
  EXPECT_TRUE(nlohmann::json::parse(file.out).contains("raw_events"));
  // With the trace on standard output, messages go to standard error.
  for (const char* output : {"-", "/dev/stdout"}) {
    const CommandResult piped = Shell(RecorderPath() + " -q -o " + output +
                                      " --stats-json - -- echo out | cat > " + Path("piped"));
    EXPECT_TRUE(Exited(piped, 0));
    const size_t object = piped.err.find('{');
    ASSERT_NE(object, std::string::npos) << piped.Describe();
    EXPECT_TRUE(nlohmann::json::parse(piped.err.substr(object)).contains("raw_events"));
    EXPECT_TRUE(IsWholeFile(Path("piped"))) << output;
  }
}

TEST_F(Outputs, SecondRecorderIsRefusedWhileTheFirstOneWrites) {
  REQUIRE_CAPTURE();
  Put("trace", "before");
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  util::UniqueFd reader(ends[0]), writer(ends[1]);
  // The output of the command shows that the recording has begun.
  auto first =
      ChildProcess::Start(RecordCommand(Path("trace"), {}, {"sh", "-c", "echo on; exec sleep 60"}),
                          {.stdout_fd = writer.get(), .before_exec = {}});
  ASSERT_TRUE(first.ok());
  writer.reset();
  char on = 0;
  ASSERT_EQ(read(reader.get(), &on, 1), 1) << first->ErrorsSoFar();
  const std::string names[] = {"trace", "link"};
  ASSERT_EQ(symlink("trace", Path("link").c_str()), 0);
  for (const std::string& name : names) {
    EXPECT_TRUE(IsClearError(Record(Path(name)), {Path(name), "another recorder"})) << name;
  }
  EXPECT_TRUE(IsClearError(Record(Path("other"), {"--stats-json", Path("trace")}),
                           {Path("trace"), "another recorder"}));
  first->Signal(SIGINT);
  EXPECT_FALSE(first->Wait(kLimit).timed_out);
  EXPECT_TRUE(IsWholeFile(Path("trace")));
  EXPECT_TRUE(Get("trace.old") == "before") << "moved once";
  EXPECT_TRUE(Exited(Record(Path("trace")), 0)) << "after its end";
}

// The summary of the recorder.
TEST_F(Outputs, NamesInMessagesAreShownEscaped) {
  REQUIRE_CAPTURE();
  const std::string hostile =
      "x\xc2\x9b"
      "2J\xe2\x80\xae\x1b[2J";
  CommandResult result = RunCommand({RecorderPath(), "-o", Path(hostile), "--", "true"}, kLimit);
  EXPECT_TRUE(Exited(result, 0));
  EXPECT_TRUE(Mentions(result.err, "x\\u009b2j\\u202e\\u001b[2j")) << result.Describe();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-o", Path("none/" + hostile)},
        std::vector<std::string>{"-c", hostile}, std::vector<std::string>{"-d", hostile},
        std::vector<std::string>{"--cgroup", hostile}, std::vector<std::string>{"--" + hostile},
        std::vector<std::string>{"--", hostile}}) {
    std::vector<std::string> command = {RecorderPath()};
    command.insert(command.end(), words.begin(), words.end());
    result = RunCommand(command, kLimit);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_EQ(result.err.find_first_of("\x1b\xc2\xe2"), std::string::npos) << words[0];
  }
}

}  // namespace
}  // namespace truth
