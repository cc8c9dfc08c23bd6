// SPDX-License-Identifier: BSD-2-Clause
#include "probes/usdt_notes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace probes {
namespace {

using std::string_view_literals::operator""sv;

void AddNote(std::string& section, std::string_view owner, uint32_t type, std::string_view body) {
  const uint32_t head[] = {static_cast<uint32_t>(owner.size()), static_cast<uint32_t>(body.size()),
                           type};
  section.append(reinterpret_cast<const char*>(head), sizeof(head));
  for (const std::string_view part : {owner, body}) {
    section += part;
    while (section.size() % 4 != 0) section += '\0';
  }
}

std::vector<UsdtNote> Read(std::string_view section) {
  return ReadUsdtNotes({reinterpret_cast<const std::byte*>(section.data()), section.size()});
}

TEST(UsdtNotesTest, TypesAreThoseOfTheNote) {
  const auto types = ParseArgumentTypes("-4@%edi 8@-16(%rbp) 1@$5 -2@[sp, 16] 8f@%xmm0");
  ASSERT_EQ(types.size(), 5u);
  EXPECT_TRUE(types[0].is_signed);
  EXPECT_EQ(types[0].bytes, 4u);
  EXPECT_FALSE(types[1].is_signed);
  EXPECT_EQ(types[1].bytes, 8u);
  EXPECT_EQ(types[2].bytes, 1u);
  EXPECT_EQ(types[3].bytes, 2u);
  EXPECT_TRUE(types[3].is_signed);
  EXPECT_TRUE(types[4].is_float);
}

TEST(UsdtNotesTest, SkipsWordsThatAreNotTypes) {
  EXPECT_TRUE(ParseArgumentTypes("").empty());
  EXPECT_TRUE(ParseArgumentTypes("@ - -@ x@y 4 4f").empty());
  std::string many;
  for (int i = 0; i < 100; ++i) many += "8@%rdi ";
  EXPECT_EQ(ParseArgumentTypes(many).size(), 12u);
}

TEST(UsdtNotesTest, ProbesAreReadAndOtherNotesPassedOver) {
  std::string section;
  const std::string addresses(24, 'a');
  AddNote(section, "GNU\0"sv, 3, "something else");
  AddNote(section, "stapsdt\0"sv, 3, addresses + std::string("shop\0sold\0-4@%edi\0"sv));
  AddNote(section, "stapsdt\0"sv, 3, addresses + std::string("shop\0plain\0\0"sv));
  AddNote(section, "stapsdt\0"sv, 3, "short");
  const auto notes = Read(section);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].provider, "shop");
  EXPECT_EQ(notes[0].name, "sold");
  ASSERT_EQ(notes[0].arguments.size(), 1u);
  EXPECT_EQ(notes[1].name, "plain");
  EXPECT_TRUE(notes[1].arguments.empty());
}

TEST(UsdtNotesTest, SurvivesMalformedNotes) {
  std::string section;
  AddNote(section, "stapsdt\0"sv, 3, std::string(24, 'a') + std::string("shop\0sold\0-4@%edi\0"sv));
  for (size_t size = 0; size < section.size(); ++size) Read(section.substr(0, size));
  for (size_t at = 0; at < section.size(); ++at) {
    for (const char byte : {'\0', '\x7f', '\xff'}) {
      std::string damaged = section;
      damaged[at] = byte;
      EXPECT_LE(Read(damaged).size(), 2u);
    }
  }
}

}  // namespace
}  // namespace probes
