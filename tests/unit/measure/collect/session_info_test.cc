// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/session_info.h"

#include <gtest/gtest.h>

#include <vector>

namespace measure {
namespace {

fxt::Argument Text(std::string_view name, std::string_view value) {
  return {fxt::StringRef::Inline(name), fxt::StringRef::Inline(value)};
}

TEST(SessionInfoTest, TimesAreReadWithTheirZone) {
  EXPECT_EQ(ParseTime("1970-01-01T00:00:01.500+00:00"), 1.5);
  EXPECT_EQ(ParseTime("1970-01-01T02:00:00+02:00"), 0);
  EXPECT_EQ(ParseTime("1970-01-01T00:00:00-01:30"), 5400);
  EXPECT_EQ(ParseTime("1970-01-01T00:00:00Z"), 0);
  for (const char* wrong :
       {"", "yesterday", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01T00:00:00+2"}) {
    EXPECT_EQ(ParseTime(wrong), std::nullopt) << wrong;
  }
}

TEST(SessionInfoTest, TheSessionHasTheOriginOfACapture) {
  const std::vector<fxt::Argument> arguments = {
      Text("version", "1.2"),
      Text("host", "h"),
      Text("command", "fxt-record -o x -- make -j8"),
      {fxt::StringRef::Inline("cpus"), int32_t{4}},
      {fxt::StringRef::Inline("command_pid"), int32_t{77}}};
  fxt::Event event;
  event.arguments = arguments;
  Capture capture;
  ReadSession(event, capture);
  EXPECT_EQ(capture.recorder, "1.2");
  EXPECT_EQ(capture.command, "make -j8");
  EXPECT_EQ(capture.cpus, 4u);
  EXPECT_EQ(CommandOf(event), 77u);
  event.arguments = {};
  EXPECT_EQ(CommandOf(event), std::nullopt);
}

}  // namespace
}  // namespace measure
