// SPDX-License-Identifier: BSD-2-Clause
// Files that are wrong in one known way each, and exactly the findings they have to get.
#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analyze/check/checker.h"
#include "analyze/check/rules.h"
#include "fxt/record_boundary.h"
#include "unit/analyze/check/broken_recordings.h"

namespace analyze {
namespace {

using testing::Broken;
using testing::FindingsOf;
using testing::FormatCases;
using testing::RecorderCases;
using testing::RecordingParts;

TEST(BrokenFilesTest, TheValidRecordingHasNoFindings) {
  RecordingParts file = RecordingParts::Sound();
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{});
}

class BrokenFileTest : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenFileTest, GetsExactlyItsFindings) {
  RecordingParts file = RecordingParts::Sound();
  GetParam().damage(file);
  EXPECT_EQ(FindingsOf(file), GetParam().findings);
}

INSTANTIATE_TEST_SUITE_P(Format, BrokenFileTest, ::testing::ValuesIn(FormatCases()));
INSTANTIATE_TEST_SUITE_P(Recorder, BrokenFileTest, ::testing::ValuesIn(RecorderCases()));

// Every rule has a file that breaks it; those named here need more than a small file, and have
// tests of their own below.
TEST(BrokenFilesTest, EveryRuleIsBrokenOnce) {
  std::set<std::string> broken = {"string-length", "table-limit", "span-limit"};
  for (const auto& cases : {FormatCases(), RecorderCases()}) {
    for (const Broken& one : cases) {
      for (const std::string& finding : one.findings) {
        broken.insert(finding.substr(0, finding.find(" at ")));
      }
    }
  }
  for (const Rule& rule : Rules()) EXPECT_TRUE(broken.contains(std::string(rule.id))) << rule.id;
}

TEST(BrokenFilesTest, FilesOfOthersAreHeldAgainstTheFormatAlone) {
  for (const Broken& one : RecorderCases()) {
    SCOPED_TRACE(one.what);
    RecordingParts file = RecordingParts::Sound();
    one.damage(file);
    EXPECT_EQ(FindingsOf(file, false), std::vector<std::string>{});
    // The recorder's name is what makes its rules apply.
    file.Replace("info", fxt::ProviderInfo{1, "other"});
    EXPECT_EQ(FindingsOf(file), std::vector<std::string>{});
  }
}

// A full disk ends a file after any record: also between two of which one has to follow the other.
TEST(BrokenFilesTest, TheFirstRecordsOfAValidRecordingHaveNoFindings) {
  RecordingParts file = RecordingParts::Sound();
  const std::span<const std::byte> bytes = file.Bytes();
  size_t files = 0;
  for (size_t end = fxt::FirstRecordBytes(bytes); end < bytes.size();
       end += fxt::FirstRecordBytes(bytes.subspan(end))) {
    fxt::MemorySource source(bytes.first(end));
    const CheckResult result = CheckTrace(source, {}, [&](const Finding& finding) {
      ADD_FAILURE() << end << " bytes: " << finding.rule << ": " << finding.message;
    });
    EXPECT_EQ(result.unreadable, "");
    ++files;
  }
  EXPECT_GT(files, 40u);
}

TEST(BrokenFilesTest, AStringThatIsTooLong) {
  RecordingParts file = RecordingParts::Sound();
  const std::string text(32'500, 'x');
  file.Add("long", fxt::StringRecord{50, text});
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{"string-length at long"});
}

TEST(BrokenFilesTest, MoreStringsThanAReaderKeeps) {
  RecordingParts file = RecordingParts::Sound();
  const std::string text(20'000, 'x');
  for (uint16_t i = 0; i < 4; ++i) {
    file.Add("string " + std::to_string(i), fxt::StringRecord{static_cast<uint16_t>(50 + i), text});
  }
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{});
  EXPECT_EQ(FindingsOf(file, true, 100'000),
            (std::vector<std::string>{"table-limit at string 2", "table-limit at string 3"}));
}

TEST(BrokenFilesTest, MoreOpenSpansThanAreKept) {
  RecordingParts file = RecordingParts::Sound();
  fxt::MemorySource source(file.Bytes());
  CheckOptions options;
  options.max_span_bytes = 0;
  const CheckResult result = CheckTrace(source, options, [](const Finding&) {});
  EXPECT_EQ(result.errors, 0u);
  EXPECT_EQ(result.by_rule.count("span-limit"), 1u);
}

TEST(BrokenFilesTest, NoTraceIsUnreadable) {
  const std::string text = "asdfasdfasdfasdfasdf";
  fxt::MemorySource source(std::as_bytes(std::span(text.data(), text.size())));
  const CheckResult result = CheckTrace(source, {}, [](const Finding&) {});
  EXPECT_FALSE(result.unreadable.empty());
  EXPECT_FALSE(result.clean());
}

}  // namespace
}  // namespace analyze
