// SPDX-License-Identifier: BSD-2-Clause
// `fxt import` of genuine recordings and `fxt lbr --raw` of the result: every number of perf's own
// text.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <sstream>

#include "unit/perf/recordings.h"
#include "unit/perf/synthetic.h"
#include "unit/support/perf_tool.h"
#include "unit/tools/fxt_command.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using perf::testing::Recording;
using testing_support::CommandResult;

// A sample of the text, with parsed numbers.
struct Branch {
  uint64_t from = 0;
  uint64_t to = 0;
  char prediction = 0;
  uint64_t cycles = 0;
  friend bool operator==(const Branch&, const Branch&) = default;
};
struct Stack {
  int64_t pid = 0;
  int64_t tid = 0;
  int64_t cpu = -1;  // unknown
  uint64_t time = 0;
  std::vector<Branch> branches;
  friend bool operator==(const Stack&, const Stack&) = default;
};

uint64_t Nanoseconds(const std::string& seconds) {
  const size_t point = seconds.find('.');
  return std::stoull(seconds.substr(0, point)) * 1'000'000'000 +
         std::stoull(seconds.substr(point + 1, 9));
}

// A line of perf's text: "pid/tid [cpu] time:  from/to/P/-/-/cycles/ ...".
Stack ParsePerfLine(const std::string& line) {
  Stack stack;
  std::istringstream words(line);
  std::string word;
  words >> word;
  stack.pid = std::stoll(word.substr(0, word.find('/')));
  const std::string tid = word.substr(word.find('/') + 1);
  // perf pads the thread's number.
  stack.tid = std::stoll(tid);
  words >> word;
  if (word.starts_with('[')) {
    stack.cpu = std::stoll(word.substr(1));
    words >> word;
  }
  stack.time = Nanoseconds(word);
  while (words >> word) {
    std::array<std::string, 6> parts;
    std::istringstream fields(word);
    for (std::string& part : parts) std::getline(fields, part, '/');
    stack.branches.push_back({std::stoull(parts[0], nullptr, 16),
                              std::stoull(parts[1], nullptr, 16), parts[2].at(0),
                              std::stoull(parts[5])});
  }
  return stack;
}

// Parses the output of `fxt lbr --raw`.
std::vector<Stack> ParseRaw(const std::string& text) {
  std::vector<Stack> stacks;
  for (const std::string& line : perf::testing::SplitLines(text)) {
    std::istringstream words(line);
    std::string word;
    if (!line.starts_with("  ")) {
      Stack stack;
      words >> word;
      EXPECT_EQ(word, "sample");
      words >> word;
      stack.time = Nanoseconds(word);
      std::string value;
      while (words >> word && word != "thread" && words >> value) {
        if (word == "pid") stack.pid = std::stoll(value);
        if (word == "tid") stack.tid = std::stoll(value);
        if (word == "cpu") stack.cpu = std::stoll(value);
      }
      stacks.push_back(stack);
      continue;
    }
    if (stacks.empty()) break;
    Branch branch;
    std::string from;
    std::string to;
    words >> from >> to >> branch.prediction >> branch.cycles;
    branch.from = std::stoull(from, nullptr, 16);
    branch.to = std::stoull(to, nullptr, 16);
    stacks.back().branches.push_back(branch);
  }
  return stacks;
}

class FxtImportTest : public testing::FxtCommandTest {
 protected:
  void WriteFile(const std::string& path, const std::vector<std::byte>& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
};

class FxtImportRecordingsTest : public FxtImportTest,
                                public ::testing::WithParamInterface<Recording> {};

TEST_P(FxtImportRecordingsTest, KeepsEveryBranchOfPerfsText) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  const std::string trace = Path("out.fxt");
  const CommandResult import =
      Fxt({"import", perf::testing::RecordingPath(folder, GetParam()), "-o", trace});
  ASSERT_EQ(import.status, 0) << import.err;
  // Losses and dropped fields would appear here.
  EXPECT_EQ(import.err.find("note:"), std::string::npos) << import.err;

  const CommandResult raw = Fxt({"lbr", "--raw", trace});
  ASSERT_EQ(raw.status, 0) << raw.err;
  EXPECT_EQ(raw.err, "");
  const std::vector<Stack> stacks = ParseRaw(raw.out);
  const std::vector<std::string> expected = perf::testing::ExpectedLines(folder, GetParam());
  ASSERT_EQ(stacks.size(), expected.size());
  EXPECT_EQ(stacks.size(), GetParam().samples);
  size_t entries = 0;
  for (size_t i = 0; i < stacks.size(); ++i) {
    ASSERT_EQ(stacks[i], ParsePerfLine(expected[i])) << "sample " << i << ": " << expected[i];
    entries += stacks[i].branches.size();
  }
  EXPECT_EQ(entries, GetParam().entries);

  // perf's own layout, byte for byte.
  const CommandResult brstack = Fxt({"lbr", "--brstack", trace});
  EXPECT_EQ(perf::testing::SplitLines(brstack.out), expected);

  const CommandResult check = Fxt({"check", trace});
  EXPECT_EQ(check.status, 0) << check.out;
}

TEST_P(FxtImportRecordingsTest, ReadsPipesAndCompressedInput) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  const std::string recording = perf::testing::RecordingPath(folder, GetParam());
  const CommandResult direct = Fxt({"import", recording, "-o", "-"});
  ASSERT_EQ(direct.status, 0) << direct.err;
  const CommandResult piped = Fxt({"lbr", "--raw", "-"}, direct.out);
  ASSERT_EQ(Fxt({"import", recording, "-o", Path("out.fxt.gz")}).status, 0);
  const CommandResult compressed = Fxt({"lbr", "--raw", Path("out.fxt.gz")});
  EXPECT_EQ(ParseRaw(piped.out).size(), GetParam().samples);
  EXPECT_EQ(piped.out, compressed.out);
}

INSTANTIATE_TEST_SUITE_P(All, FxtImportRecordingsTest,
                         ::testing::ValuesIn(perf::testing::Recordings()),
                         perf::testing::RecordingName);

TEST_F(FxtImportTest, ImportsPerfDataOfThisMachine) {
  if (!testing_support::WhyNoPerf().empty()) GTEST_SKIP() << testing_support::WhyNoPerf();
  struct Form {
    const char* options;
    bool pipe;
  };
  size_t compared = 0;
  for (const Form& form :
       {Form{"-e cpu-clock -F 1999", false}, Form{"-e cpu-clock -F 1999", true},
        Form{"-a -e cpu-clock -F 999", false}, Form{"-e cpu-clock -F 1999 -z", false},
        Form{"-e cpu-clock -F 1999 -z=5", true}}) {
    const std::string path = Path("perf.data");
    std::string why;
    const auto expected = testing_support::RecordWithPerf(form.options, path, form.pipe, &why);
    if (!expected) {
      std::printf("SKIPPED: perf record %s: %s\n", form.options, why.c_str());
      continue;
    }
    ++compared;
    const CommandResult import = Fxt({"import", path, "-o", Path("out.fxt")});
    ASSERT_EQ(import.status, 0) << form.options << ": " << import.err;
    EXPECT_EQ(import.err.find("cannot be read"), std::string::npos) << import.err;
    EXPECT_EQ(Fxt({"check", Path("out.fxt")}).status, 0);
    const CommandResult dump =
        Fxt({"dump", "--category", "perf", "--json", "--type", "instant", Path("out.fxt")});
    // Throttling of the event has the same category.
    size_t samples = 0;
    for (const std::string& line : perf::testing::SplitLines(dump.out)) {
      samples += line.find("\"cpu-clock") != std::string::npos;
    }
    EXPECT_EQ(samples, expected->size()) << form.options;
  }
  if (compared == 0) GTEST_SKIP() << "perf made no recording that it can read";
}

TEST_F(FxtImportTest, ImportsAPipeFromStandardInput) {
  perf::testing::FileBuilder builder;
  builder.Event(perf::testing::MakeAttr(
      PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_BRANCH_ANY));
  perf::testing::ByteBuilder body;
  body.U32(20).U32(21).U64(1'500'000'000).U64(1).Entry(0x10, 0x20, 1 | 7 << 4);
  builder.Record(PERF_RECORD_SAMPLE, 0, body);
  const std::vector<std::byte> bytes = builder.BuildPipe();
  const std::string input(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const CommandResult import = Fxt({"import", "-", "-o", Path("out.fxt")}, input);
  ASSERT_EQ(import.status, 0) << import.err;
  EXPECT_NE(import.err.find("1 samples, 1 of them with a branch stack; 1 branches"),
            std::string::npos)
      << import.err;
  const CommandResult raw = Fxt({"lbr", "--raw", Path("out.fxt")});
  EXPECT_TRUE(raw.out.starts_with("sample 1.500000000 pid 20 tid 21 branches 1")) << raw.out;
  EXPECT_NE(raw.out.find("\n  0x10 0x20 M 7\n"), std::string::npos) << raw.out;
}

TEST_F(FxtImportTest, RefusesOtherInputAndLeavesNoFile) {
  WriteFile(Path("text"), std::vector<std::byte>(200, std::byte{'x'}));
  std::vector<std::byte> swapped(104);
  std::memcpy(swapped.data(), "2ELIFREP", 8);
  WriteFile(Path("swapped"), swapped);
  WriteFile(Path("empty"), {});
  for (const char* name : {"text", "swapped", "empty", "absent"}) {
    const CommandResult import = Fxt({"import", Path(name), "-o", Path("out.fxt")});
    EXPECT_EQ(import.status, 2) << name;
    EXPECT_NE(import.err.find(Path(name)), std::string::npos) << import.err;
    EXPECT_FALSE(fs::exists(Path("out.fxt"))) << name;
  }
  EXPECT_NE(Fxt({"import", Path("swapped"), "-o", Path("out.fxt")}).err.find("byte order"),
            std::string::npos);
  // The input must not be the output.
  const CommandResult same = Fxt({"import", Path("text"), "-o", Path("text")});
  EXPECT_EQ(same.status, 2);
  EXPECT_EQ(fs::file_size(Path("text")), 200u);
  EXPECT_EQ(Fxt({"import", Path("text")}).status, 2);  // no -o
}

TEST_F(FxtImportTest, ReadsCutRecordingsAndReportsIt) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  const std::string whole = perf::testing::ReadFile(
      perf::testing::RecordingPath(folder, perf::testing::Recordings().front()));
  std::ofstream(Path("cut"), std::ios::binary) << whole.substr(0, 12000);
  const CommandResult import = Fxt({"import", Path("cut"), "-o", Path("out.fxt")});
  EXPECT_EQ(import.status, 0);
  EXPECT_NE(import.err.find("cut short"), std::string::npos) << import.err;
  const std::vector<Stack> stacks = ParseRaw(Fxt({"lbr", "--raw", Path("out.fxt")}).out);
  EXPECT_GT(stacks.size(), 0u);
  EXPECT_LT(stacks.size(), perf::testing::Recordings().front().samples);
}

}  // namespace
}  // namespace tools
