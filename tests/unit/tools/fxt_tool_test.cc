// SPDX-License-Identifier: BSD-2-Clause
// Common behaviour of the `fxt` subcommands: inputs, outputs and exit statuses.
#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "unit/analyze/recording_parts.h"
#include "unit/support/is_json.h"
#include "unit/support/json.h"
#include "unit/support/run_command.h"
#include "unit/tools/fxt_command.h"

namespace tools {
namespace {

using ::testing::HasSubstr;
using testing_support::CommandResult;
using testing_support::RunShell;

class FxtToolTest : public testing::FxtCommandTest {
 protected:
  // Files for the tests: a sound recording, and one with a finding.
  void SetUp() override {
    FxtCommandTest::SetUp();
    auto sound = analyze::testing::RecordingParts::Sound();
    Save("sound.fxt", sound.Bytes());
    sound.At("thread app")[0] |= uint64_t{1} << 40;
    Save("flawed.fxt", sound.Bytes());
  }

  void Save(const std::string& name, std::span<const std::byte> bytes) const {
    std::ofstream file(Path(name), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
    ASSERT_TRUE(file.good());
  }
  std::string Load(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // More than a pipe holds: the sound recording, and many records of one of its providers.
  void SaveLong(const std::string& name) const {
    auto parts = analyze::testing::RecordingParts::Sound();
    std::vector<uint64_t> words;
    const auto bytes = parts.Bytes();
    words.resize(bytes.size() / sizeof(uint64_t));
    std::memcpy(words.data(), bytes.data(), bytes.size());
    const std::vector<uint64_t> counter = parts.At("counter");
    for (int i = 0; i < 200'000; ++i) words.insert(words.end(), counter.begin(), counter.end());
    Save(name, std::as_bytes(std::span(words)));
  }
  std::string Program() const { return testing_support::BuiltProgram("fxt"); }
};

const std::vector<std::string> kReading[] = {{"info"}, {"check"}, {"dump"}, {"lbr"}};
const std::vector<std::string> kWritingCommands[] = {{"json"}, {"trim"}, {"recover"}};

TEST_F(FxtToolTest, ReturnsTheStatusOfCheck) {
  EXPECT_EQ(Fxt({"check", Path("sound.fxt")}).status, 0);
  const CommandResult flawed = Fxt({"check", Path("flawed.fxt")});
  EXPECT_EQ(flawed.status, 1);
  EXPECT_THAT(flawed.out, HasSubstr(": error: reserved-bits: "));
  EXPECT_EQ(Fxt({"check", Path("none.fxt")}).status, 2);
  // The worst of all files counts.
  EXPECT_EQ(Fxt({"check", Path("flawed.fxt"), Path("sound.fxt")}).status, 1);
  EXPECT_EQ(Fxt({"check", Path("none.fxt"), Path("flawed.fxt")}).status, 2);
}

TEST_F(FxtToolTest, WrongCommandLinesHaveStatus2) {
  const std::vector<std::string> wrong[] = {
      {},
      {"frobnicate"},
      {"info"},
      {"info", "--no-such", Path("sound.fxt")},
      {"dump", "--from", "soon", Path("sound.fxt")},
      {"dump", "--type", "thing", Path("sound.fxt")},
      {"dump", "--from", "2s", "--to", "1s", Path("sound.fxt")},
      {"json", Path("sound.fxt")},
  };
  for (const auto& words : wrong) {
    const CommandResult result = Fxt(words);
    EXPECT_EQ(result.status, 2) << ::testing::PrintToString(words);
    EXPECT_NE(result.err, "");
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(Fxt({"--help"}).status, 0);
  EXPECT_EQ(Fxt({"--version"}).status, 0);
}

TEST_F(FxtToolTest, ReadsStandardInputAndGzip) {
  ASSERT_EQ(RunShell("gzip -k " + Path("sound.fxt") + " && cp " + Path("sound.fxt.gz") + " " +
                     Path("no_suffix"))
                .status,
            0);
  for (const auto& command : kReading) {
    const std::string& name = command[0];
    const CommandResult direct = Fxt({name, Path("sound.fxt")});
    EXPECT_EQ(direct.status, 0) << name << direct.err;
    for (const char* file : {"sound.fxt", "sound.fxt.gz", "no_suffix"}) {
      const CommandResult piped = Fxt({name, "-"}, Load(file));
      EXPECT_EQ(piped.status, 0) << name << file << piped.err;
      EXPECT_EQ(Fxt({name, Path(file)}).status, 0) << name << file;
      if (name == "dump") {
        EXPECT_EQ(piped.out, direct.out);
      }
    }
  }
}

TEST_F(FxtToolTest, WritesGzipAndStandardOutput) {
  for (const auto& command : kWritingCommands) {
    const std::string& name = command[0];
    const CommandResult to_pipe = Fxt({name, Path("sound.fxt"), "-o", "-"});
    EXPECT_EQ(to_pipe.status, 0) << name << to_pipe.err;
    EXPECT_EQ(Fxt({name, Path("sound.fxt"), "-o", Path("out")}).status, 0) << name;
    EXPECT_EQ(Load("out"), to_pipe.out) << name;
    if (name == "json") {
      EXPECT_TRUE(testing_support::IsJson(to_pipe.out));
      continue;
    }
    EXPECT_EQ(Fxt({"check", "-"}, to_pipe.out).out.substr(0, 3), "-: ");
    EXPECT_EQ(Fxt({"check", "-"}, to_pipe.out).status, 0) << name;
    EXPECT_EQ(Fxt({name, Path("sound.fxt"), "-o", Path("out.gz")}).status, 0) << name;
    EXPECT_EQ(Load("out.gz").substr(0, 2), "\x1f\x8b") << name;
    EXPECT_EQ(Fxt({"check", Path("out.gz")}).status, 0) << name;
  }
}

TEST_F(FxtToolTest, AClosedPipeEndsItWithoutAMessage) {
  SaveLong("long.fxt");
  for (const char* words : {"dump", "dump --json", "dump --raw", "json -o -",
                            "json --cpu-slices -o -", "trim -o -", "recover -o -"}) {
    const CommandResult result = RunShell("{ " + Program() + " " + words + " " + Path("long.fxt") +
                                          "; echo status $? >&2; } | head -c 10 >/dev/null");
    EXPECT_EQ(result.err, "status 0\n") << words;
  }
}

// The input is truncated while fxt waits for the reader of its output, long before the end of the
// file.
TEST_F(FxtToolTest, ATruncatedInputHasStatus2) {
  for (const char* words : {"dump", "dump --json", "json -o -", "trim -o -"}) {
    SaveLong("long.fxt");
    const CommandResult result =
        RunShell("{ " + Program() + " " + words + " " + Path("long.fxt") +
                 "; echo status $? >&2; } | { head -c 1 >/dev/null; truncate -s 4096 " +
                 Path("long.fxt") + "; cat >/dev/null; }");
    EXPECT_THAT(result.err, HasSubstr("fxt: error: the input was truncated")) << words;
    EXPECT_THAT(result.err, ::testing::EndsWith("\nstatus 2\n")) << words;
  }
}

TEST_F(FxtToolTest, AFailedOutputHasStatus2) {
  for (const auto& command : kWritingCommands) {
    for (const std::string& output : {std::string("/dev/full"), Path("none/out")}) {
      const CommandResult result = Fxt({command[0], Path("sound.fxt"), "-o", output});
      EXPECT_EQ(result.status, 2) << command[0];
      EXPECT_THAT(result.err, HasSubstr("fxt: error: cannot write " + output)) << command[0];
    }
  }
  for (const auto& command : kReading) {
    const CommandResult result =
        RunShell(Program() + " " + command[0] + " " + Path("sound.fxt") + " >/dev/full");
    EXPECT_EQ(result.status, 2) << command[0];
    EXPECT_THAT(result.err, HasSubstr("No space left")) << command[0];
  }
}

TEST_F(FxtToolTest, RefusesToOverwriteItsInput) {
  const std::string before = Load("sound.fxt");
  ASSERT_EQ(RunShell("ln -s sound.fxt " + Path("link")).status, 0);
  for (const auto& command : kWritingCommands) {
    for (const char* output : {"sound.fxt", "link"}) {
      const CommandResult result = Fxt({command[0], Path("sound.fxt"), "-o", Path(output)});
      EXPECT_EQ(result.status, 2) << command[0];
      EXPECT_THAT(result.err, HasSubstr("is both input and output")) << command[0];
    }
  }
  EXPECT_EQ(Load("sound.fxt"), before);
}

TEST_F(FxtToolTest, OtherInputHasStatus2AndLeavesNoFile) {
  std::string swapped = Load("sound.fxt");
  for (size_t i = 0; i + 8 <= swapped.size(); i += 8) {
    std::reverse(swapped.begin() + static_cast<long>(i),
                 swapped.begin() + static_cast<long>(i) + 8);
  }
  const std::pair<std::string, std::string> inputs[] = {
      {"", "the input is empty"},
      {"This is no trace, but long enough for one.", "not a Fuchsia trace"},
      {swapped, "big-endian"},
  };
  for (const auto& [input, why] : inputs) {
    for (const auto& command : kReading) {
      const CommandResult result = Fxt({command[0], "-"}, input);
      EXPECT_EQ(result.status, 2) << command[0];
      EXPECT_THAT(result.err, HasSubstr(why)) << command[0];
    }
    for (const auto& command : kWritingCommands) {
      const CommandResult result = Fxt({command[0], "-", "-o", Path("out")}, input);
      EXPECT_EQ(result.status, 2) << command[0];
      // Text contains nothing to recover.
      EXPECT_THAT(result.err, ::testing::AnyOf(HasSubstr(why), HasSubstr("no valid record")))
          << command[0];
      EXPECT_NE(RunShell("test -e " + Path("out")).status, 0) << command[0];
    }
  }
}

TEST_F(FxtToolTest, ReadsACutFileToItsLastWholeRecord) {
  const std::string whole = Load("sound.fxt");
  const std::string cut = whole.substr(0, whole.size() - 8);
  for (const auto& command : kReading) {
    const CommandResult result = Fxt({command[0], "-"}, cut);
    EXPECT_EQ(result.status, command[0] == "check" ? 1 : 0) << command[0];
    EXPECT_THAT(result.out + result.err, ::testing::AnyOf(HasSubstr("cut"), HasSubstr("truncated")))
        << command[0];
  }
}

TEST_F(FxtToolTest, CountsUnknownRecords) {
  auto parts = analyze::testing::RecordingParts::Sound();
  parts.AddWords("one", {0x1c}).AddWords("two", {0x2c, 0}).AddWords("subtype", {0x14 | 13 << 16});
  const std::span<const std::byte> bytes = parts.Bytes();
  const CommandResult result =
      Fxt({"info", "--json", "-"},
          std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  EXPECT_EQ(result.status, 0);
  const auto info = testing_support::ParseJson(result.out);
  EXPECT_EQ(info["diagnostics"]["unknown-record-type"], 2) << info["diagnostics"];
  EXPECT_EQ(info["kinds"]["unknown"]["count"], 3) << info["kinds"];
}

TEST_F(FxtToolTest, TrimsByEveryFilter) {
  const std::vector<std::string> choices[] = {
      {},
      {"--from", "2us", "--to", "10us"},
      {"--from", "@1000003000"},
      {"--thread", "worker"},
      {"-t", "101"},
      {"--process", "app"},
      {"--cpu", "1"},
      {"--cpu", "0,1", "--thread", "a*", "--to", "20us"},
      {"--thread", "absent"},
  };
  size_t all = 0;
  for (const auto& choice : choices) {
    std::vector<std::string> words = {"trim", Path("sound.fxt"), "-o", Path("part.fxt")};
    words.insert(words.end(), choice.begin(), choice.end());
    EXPECT_EQ(Fxt(words).status, 0);
    const CommandResult checked = Fxt({"check", Path("part.fxt")});
    EXPECT_EQ(checked.status, 0) << ::testing::PrintToString(choice) << checked.out;
    const std::string lines = Fxt({"dump", Path("part.fxt")}).out;
    const auto records = static_cast<size_t>(std::count(lines.begin(), lines.end(), '\n'));
    if (choice.empty()) {
      all = records;
    } else {
      EXPECT_LT(records, all) << ::testing::PrintToString(choice);
    }
  }
}

TEST_F(FxtToolTest, ShowsProgressOnATerminal) {
  if (RunShell("command -v script").status != 0) GTEST_SKIP() << "no script(1) to have a terminal";
  SaveLong("long.fxt");
  const std::string slowly = "(head -c 9000000 " + Path("long.fxt") +
                             "; sleep 1.2; tail -c +9000001 " + Path("long.fxt") + ") | " +
                             Program() + " check -";
  const auto on_terminal = [](const std::string& command) {
    return RunShell("script -qec \"" + command + "\" /dev/null </dev/null").out;
  };
  EXPECT_THAT(on_terminal(slowly + " >/dev/null"), HasSubstr("fxt check: -: "));
  // Not if the output goes to the same terminal, nor without a terminal.
  EXPECT_THAT(on_terminal(slowly), ::testing::Not(HasSubstr("fxt check: -: ")));
  EXPECT_EQ(RunShell(slowly + " >/dev/null").err, "");
}

}  // namespace
}  // namespace tools
