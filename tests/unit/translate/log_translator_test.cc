// SPDX-License-Identifier: BSD-2-Clause
#include "translate/log_translator.h"

#include <gtest/gtest.h>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;
using Lines = std::vector<std::string>;

TEST(LogTranslatorTest, TruncatesLongMessagesInTheNameOnly) {
  CaptureScript script;
  const std::string text(300, 'x');
  script.Task(100, 100, "app").Log(10, 100, text);
  EXPECT_EQ(script.Lines(" log app"), Lines{"10 log app/100 " + text});
  EXPECT_EQ(script.Lines("instant"),
            Lines{"10 instant app/100 log:" + text.substr(0, 120) + " {message=" + text + "}"});
}

// Viewers drop texts that are not valid UTF-8, such as a cut character.
TEST(LogTranslatorTest, TruncatesAtACharacter) {
  CaptureScript script;
  std::string text(119, 'x');
  text += "\xe2\x82\xac and more";
  script.Task(100, 100, "app").Log(10, 100, text);
  const Lines written = script.Lines("instant");
  ASSERT_EQ(written.size(), 1u);
  EXPECT_NE(written[0].find("log:" + text.substr(0, 119) + " {message="), std::string::npos)
      << written[0];
}

TEST(LogTranslatorTest, ReplacesInvalidUtf8) {
  CaptureScript script;
  script.Task(100, 100, "app").Log(10, 100, "bad \xff\xfe bytes");
  EXPECT_EQ(script.Lines("10 log"), Lines{"10 log app/100 bad \xef\xbf\xbd\xef\xbf\xbd bytes"});
}

TEST(LogTranslatorTest, DropsTheNewline) {
  CaptureScript script;
  script.Task(100, 100, "app").Log(10, 100, "one\n\n").Log(20, 100, std::string("two\n\0", 5));
  EXPECT_EQ(script.Lines("log app"), (Lines{"10 log app/100 one", "20 log app/100 two"}));
}

TEST(LogTranslatorTest, NamesEmptyMessages) {
  CaptureScript script;
  script.Task(100, 100, "app").Log(10, 100, "\n");
  EXPECT_EQ(script.Lines("instant"), Lines{"10 instant app/100 log:(empty message)"});
}

// A kernel message from an interrupt has no thread.
TEST(LogTranslatorTest, MessageOfAnInterruptIsOnTheCpuTrack) {
  CaptureScript script;
  script.Log(10, 0, "spurious");
  const Lines written = script.Lines("10 log");
  ASSERT_EQ(written.size(), 1u);
  EXPECT_TRUE(written[0].starts_with("10 log irq/0/")) << written[0];
}

// `length` is the length of the kernel's text, of which the event may hold only a part.
TEST(LogTranslatorTest, ChecksTheLengthAgainstTheSize) {
  CaptureScript script;
  script.Task(100, 100, "app").Lines();
  fxr_log event{};
  event.header = {10, FXR_SIDE_LOG, 0, 0, sizeof(event)};
  event.tid = 100;
  event.length = UINT32_MAX;
  std::fill(std::begin(event.text), std::end(event.text), 'y');
  script.translator().OnSideEvent(event.header);
  EXPECT_EQ(script.Lines("10 log"), Lines{"10 log app/100 " + std::string(FXR_LOG_BYTES, 'y')});
}

}  // namespace
}  // namespace translate
