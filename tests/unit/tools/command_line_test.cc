// SPDX-License-Identifier: BSD-2-Clause
#include "tools/common/command_line.h"

#include <gtest/gtest.h>

namespace tools {
namespace {

// A program with one option of each kind.
class ProgramOptionsTest : public ::testing::Test {
 protected:
  ProgramOptionsTest() : program_("prog", "does things", "prog 1") {
    program_.OptionsFirst();
    program_.Add("-o,--output", output_, "where").Type("FILE");
    program_.Add("--json", json_, "how");
    program_.Add("--text", text_, "how").Excludes("--json");
    program_.Add("--cpu", cpus_, "CPUs").Range(1, 8).Commas();
    program_.Add("--name", names_, "names");
  }

  util::Result<bool> Parse(std::vector<std::string> words) {
    words.insert(words.begin(), "prog");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    return program_.Parse(static_cast<int>(words.size()), argv.data());
  }

  using Words = std::vector<std::string>;
  Program program_;
  std::string output_ = "default";
  bool json_ = false;
  bool text_ = false;
  std::vector<uint32_t> cpus_;
  Words names_;
};

TEST_F(ProgramOptionsTest, FillsVariables) {
  ASSERT_TRUE(Parse({"-o", "x", "--json", "--cpu", "1,2", "--cpu=3", "--name", "a,b"}));
  EXPECT_EQ(output_, "x");
  EXPECT_TRUE(json_);
  EXPECT_EQ(cpus_, (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(names_, Words{"a,b"});
  EXPECT_TRUE(program_.Has("--output"));
  EXPECT_FALSE(program_.Has("--text"));
}

TEST_F(ProgramOptionsTest, OptionsTakeOneWordAndTheRestIsACommand) {
  ASSERT_TRUE(Parse({"--name", "a", "--name", "b", "sh", "-c", "true", "--json"}));
  EXPECT_EQ(names_, (Words{"a", "b"}));
  EXPECT_EQ(program_.Rest(), (Words{"sh", "-c", "true", "--json"}));
  EXPECT_FALSE(json_);
}

TEST_F(ProgramOptionsTest, TheDashesBeforeTheCommandAreNotPartOfIt) {
  ASSERT_TRUE(Parse({"--json", "--", "--text", "--"}));
  EXPECT_EQ(program_.Rest(), (Words{"--text", "--"}));
  EXPECT_FALSE(text_);
}

TEST_F(ProgramOptionsTest, RejectsWrongValues) {
  for (const Words& words :
       {Words{"--cpu", "9"}, Words{"--cpu", "x"}, Words{"--output"}, Words{"--json", "--text"}}) {
    const auto parsed = Parse(words);
    ASSERT_FALSE(parsed) << words.back();
    EXPECT_NE(parsed.error().message.find(words[0]), std::string::npos) << parsed.error().message;
    EXPECT_EQ(parsed.error().hint, "prog --help shows the options");
  }
}

TEST_F(ProgramOptionsTest, AnswersHelpAndVersion) {
  ::testing::internal::CaptureStdout();
  const auto help = Parse({"--help"});
  const std::string text = ::testing::internal::GetCapturedStdout();
  ASSERT_TRUE(help);
  EXPECT_FALSE(*help);
  EXPECT_NE(text.find("-o,--output FILE"), std::string::npos) << text;

  ::testing::internal::CaptureStdout();
  const auto version = Parse({"--version"});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "prog 1\n");
  ASSERT_TRUE(version);
  EXPECT_FALSE(*version);
}

TEST(SubcommandTest, RunsTheGivenSubcommand) {
  Program program("prog", "does things", "prog 1");
  program.RequireSubcommand();
  std::vector<std::string> files;
  std::string ran;
  for (const char* name : {"first", "second"}) {
    const Command command = program.AddSubcommand(name, "does a thing");
    command.Add("FILE", files, "what to look at").Required();
    command.OnRun([&ran, name] { ran += name; });
  }
  std::string words[] = {"prog", "second", "a", "b"};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  const auto missing = program.Parse(2, argv);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().hint, "prog second --help shows the options");
  EXPECT_EQ(ran, "");

  ASSERT_TRUE(program.Parse(4, argv));
  EXPECT_EQ(ran, "second");
  EXPECT_EQ(files, (std::vector<std::string>{"a", "b"}));

  EXPECT_FALSE(program.Parse(1, argv));
}

}  // namespace
}  // namespace tools
