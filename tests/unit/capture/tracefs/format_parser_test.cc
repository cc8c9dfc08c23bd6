// SPDX-License-Identifier: BSD-2-Clause
#include "capture/tracefs/format_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace capture {
namespace {

using Field = schema::TracepointField;

constexpr const char* kCommon =
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

std::string FormatOf(const std::string& fields, const std::string& print = "\"x\"") {
  return "name: made_up\nID: 314\nformat:\n" + std::string(kCommon) + fields +
         "\nprint fmt: " + print + "\n";
}

TEST(FormatParserTest, KnowsEveryKindOfField) {
  const auto format = ParseFormat(
      "made",
      FormatOf("\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
               "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
               "\tfield:u64 runtime;\toffset:32;\tsize:8;\tsigned:0;\n"
               "\tfield:const void * call_site;\toffset:40;\tsize:8;\tsigned:0;\n"
               "\tfield:__data_loc char[] name;\toffset:48;\tsize:4;\tsigned:0;\n"
               "\tfield:unsigned long args[6];\toffset:56;\tsize:48;\tsigned:0;\n"
               "\tfield:__u8 saddr[4];\toffset:104;\tsize:4;\tsigned:0;\n"
               "\tfield:__rel_loc char[] path;\toffset:108;\tsize:4;\tsigned:0;\n"
               "\tfield:__data_loc unsigned long[] mask;\toffset:112;\tsize:4;\tsigned:0;\n"));
  ASSERT_TRUE(format.ok()) << format.error().message;
  EXPECT_EQ(format->system, "made");
  EXPECT_EQ(format->name, "made_up");
  EXPECT_EQ(format->id, 314u);
  const auto& fields = format->fields;
  ASSERT_EQ(fields.size(), 9u);
  EXPECT_EQ(fields[0].kind, Field::Kind::kText);
  EXPECT_EQ(fields[0].type, "char[16]");
  EXPECT_EQ(fields[0].offset, 8u);
  EXPECT_EQ(fields[0].size, 16u);
  EXPECT_EQ(fields[1].kind, Field::Kind::kSigned);
  EXPECT_EQ(fields[1].name, "pid");
  EXPECT_EQ(fields[2].kind, Field::Kind::kUnsigned);
  EXPECT_EQ(fields[2].size, 8u);
  EXPECT_EQ(fields[3].kind, Field::Kind::kPointer);
  EXPECT_EQ(fields[4].place, Field::Place::kDataLoc);
  EXPECT_EQ(fields[4].kind, Field::Kind::kText);
  EXPECT_EQ(fields[5].kind, Field::Kind::kUnsigned);
  EXPECT_TRUE(fields[5].is_array);
  EXPECT_EQ(fields[5].element_size, 8u);
  EXPECT_EQ(fields[6].element_size, 1u);
  EXPECT_EQ(fields[7].place, Field::Place::kRelLoc);
  EXPECT_EQ(fields[8].kind, Field::Kind::kUnsigned);
  EXPECT_EQ(fields[8].element_size, 8u);
}

TEST(FormatParserTest, IgnoresThePrintFormat) {
  const std::string field = "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n";
  const auto format = ParseFormat("made", FormatOf(field, "\"%s\", no_such(((REC->a"));
  ASSERT_TRUE(format.ok());
  EXPECT_EQ(format->fields.size(), 1u);
}

TEST(FormatParserTest, RefusesOtherText) {
  EXPECT_FALSE(ParseFormat("made", "").ok());
  EXPECT_FALSE(ParseFormat("made", "name: x\nID: 1\n").ok());
  EXPECT_FALSE(ParseFormat("made", std::string(1000, '\xff')).ok());
  // Records that begin with something else.
  EXPECT_FALSE(
      ParseFormat(
          "made",
          "name: x\nID: 1\nformat:\n\tfield:unsigned short common_type;\toffset:4;\tsize:2;"
          "\tsigned:0;\n\n\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n")
          .ok());
}

}  // namespace
}  // namespace capture
