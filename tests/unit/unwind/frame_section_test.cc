// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/frame_section.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <vector>

namespace unwind {
namespace {

using Bytes = std::vector<std::byte>;

void Append(Bytes* bytes, std::initializer_list<int> values) {
  for (const int value : values) bytes->push_back(static_cast<std::byte>(value));
}

void AppendWord(Bytes* bytes, uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes->push_back(static_cast<std::byte>(value >> (8 * i)));
}

// An entry of .eh_frame with a length in front, padded.
void AppendEntry(Bytes* section, Bytes content) {
  while (content.size() % 4 != 0) content.push_back(std::byte{0});
  AppendWord(section, static_cast<uint32_t>(content.size()));
  section->insert(section->end(), content.begin(), content.end());
}

constexpr uint64_t kAddress = 0x1000;  // of the section
constexpr uint64_t kFunction = 0x8000;
constexpr uint32_t kSize = 0x100;

// The section of one function with these instructions. `augmentation`: of its CIE.
Bytes SectionOf(std::initializer_list<int> instructions, const char* augmentation = "zR") {
  Bytes section;
  Bytes common;
  AppendWord(&common, 0);
  Append(&common, {1});
  for (const char* letter = augmentation; *letter != 0; ++letter) Append(&common, {*letter});
  // Terminator, code 1, data -8, return address 16, one byte of data: pcrel sdata4; CFA rsp+8; the
  // return address at CFA-8.
  Append(&common, {0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1});
  AppendEntry(&section, common);
  Bytes function;
  AppendWord(&function, static_cast<uint32_t>(section.size() + 4));
  const uint64_t place = kAddress + section.size() + 8;
  AppendWord(&function, static_cast<uint32_t>(kFunction - place));
  AppendWord(&function, kSize);
  Append(&function, {0});
  Append(&function, instructions);
  AppendEntry(&section, function);
  AppendWord(&section, 0);
  return section;
}

struct Function {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::vector<FrameRow> rows;
};

std::vector<Function> Read(const Bytes& section) {
  std::vector<Function> functions;
  ReadFrameSection({section, kAddress, false},
                   [&](uint64_t begin, uint64_t end, std::span<const FrameRow> rows) {
                     functions.push_back({begin, end, {rows.begin(), rows.end()}});
                     return true;
                   });
  return functions;
}

fxr_unwind_rule RuleAt(const std::vector<FrameRow>& rows, uint64_t address) {
  fxr_unwind_rule rule{};
  for (const FrameRow& row : rows) {
    if (row.address <= address) rule = row.rule;
  }
  return rule;
}

TEST(FrameSection, AFramePointerIsSavedAndUsed) {
  // push rbp (1 byte); mov rbp, rsp (3 bytes); at 0x40 leave.
  const auto functions =
      Read(SectionOf({0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x3c, 0x0c, 7, 8, 0xc6}));
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0].begin, kFunction);
  EXPECT_EQ(functions[0].end, kFunction + kSize);
  const auto& rows = functions[0].rows;
  EXPECT_EQ(RuleAt(rows, kFunction).kind, FXR_UNWIND_SP);
  EXPECT_EQ(RuleAt(rows, kFunction).offset, 8);
  EXPECT_EQ(RuleAt(rows, kFunction).bp, FXR_UNWIND_BP_SAME);
  EXPECT_EQ(RuleAt(rows, kFunction + 1).offset, 16);
  EXPECT_EQ(RuleAt(rows, kFunction + 1).bp, FXR_UNWIND_BP_AT_CFA);
  EXPECT_EQ(RuleAt(rows, kFunction + 1).bp_offset, -16);
  EXPECT_EQ(RuleAt(rows, kFunction + 4).kind, FXR_UNWIND_BP);
  EXPECT_EQ(RuleAt(rows, kFunction + 0x3f).offset, 16);
  EXPECT_EQ(RuleAt(rows, kFunction + 0x40).kind, FXR_UNWIND_SP);
  EXPECT_EQ(RuleAt(rows, kFunction + 0x40).bp, FXR_UNWIND_BP_SAME);
}

// The section of one function of 64-bit ARM code.
Bytes ArmSectionOf(std::initializer_list<int> instructions) {
  Bytes section;
  Bytes common;
  AppendWord(&common, 0);
  // Version 1, "zR", code 4, data -8, return address x30, one byte of data: pcrel sdata4; CFA sp+0.
  Append(&common, {1, 'z', 'R', 0, 4, 0x78, 30, 1, 0x1b, 0x0c, 31, 0});
  AppendEntry(&section, common);
  Bytes function;
  AppendWord(&function, static_cast<uint32_t>(section.size() + 4));
  AppendWord(&function, static_cast<uint32_t>(kFunction - (kAddress + section.size() + 8)));
  AppendWord(&function, kSize);
  Append(&function, {0});
  Append(&function, instructions);
  AppendEntry(&section, function);
  AppendWord(&section, 0);
  return section;
}

TEST(FrameSection, AReturnAddressOf64BitArmIsInARegisterUntilItIsSaved) {
  // paciasp; stp x29, x30, [sp, -32]!; at 0x40 ldp and autiasp.
  const Bytes section = ArmSectionOf(
      {0x41, 0x2d, 0x41, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x4e, 0xdd, 0xde, 0x0e, 0, 0x41, 0x2d});
  std::vector<FrameRow> rows;
  ReadFrameSection({section, kAddress, false, EM_AARCH64},
                   [&](uint64_t, uint64_t, std::span<const FrameRow> all) {
                     rows.assign(all.begin(), all.end());
                     return true;
                   });
  const auto expect = [&](uint64_t address, int offset, fxr_unwind_return place) {
    const fxr_unwind_rule rule = RuleAt(rows, kFunction + address);
    EXPECT_EQ(rule.kind, FXR_UNWIND_SP) << address;
    EXPECT_EQ(rule.offset, offset) << address;
    EXPECT_EQ(rule.return_place, place) << address;
  };
  expect(0, 0, FXR_UNWIND_RETURN_IN_REGISTER);
  expect(4, 0, FXR_UNWIND_RETURN_IN_REGISTER);
  expect(8, 32, FXR_UNWIND_RETURN_AT_CFA);
  EXPECT_EQ(RuleAt(rows, kFunction + 8).return_offset, -24);
  EXPECT_EQ(RuleAt(rows, kFunction + 8).bp, FXR_UNWIND_BP_AT_CFA);
  EXPECT_EQ(RuleAt(rows, kFunction + 8).bp_offset, -32);
  expect(0x40, 0, FXR_UNWIND_RETURN_IN_REGISTER);
  expect(0x44, 0, FXR_UNWIND_RETURN_IN_REGISTER);
}

TEST(FrameSection, ASignedReturnAddressIsOf64BitArmAlone) {
  const auto functions = Read(SectionOf({0x41, 0x2d, 0x41, 0x0e, 32}));
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(RuleAt(functions[0].rows, kFunction + 8).kind, FXR_UNWIND_UNSUPPORTED);
}

TEST(FrameSection, StatesAreRememberedAndRestored) {
  const auto functions = Read(SectionOf({0x0e, 32, 0x0a, 0x44, 0x0e, 8, 0x44, 0x0b}));
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(RuleAt(functions[0].rows, kFunction).offset, 32);
  EXPECT_EQ(RuleAt(functions[0].rows, kFunction + 4).offset, 8);
  EXPECT_EQ(RuleAt(functions[0].rows, kFunction + 8).offset, 32);
}

TEST(FrameSection, AnUndefinedReturnAddressIsTheEnd) {
  const auto functions = Read(SectionOf({0x07, 16}));
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(RuleAt(functions[0].rows, kFunction).kind, FXR_UNWIND_END);
}

TEST(FrameSection, ExpressionsOfTheLinkerAndTheCompiler) {
  // The PLT.
  auto functions =
      Read(SectionOf({0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}));
  fxr_unwind_rule rule = RuleAt(functions.at(0).rows, kFunction);
  EXPECT_EQ(rule.kind, FXR_UNWIND_PLT);
  EXPECT_EQ(rule.offset, 8);
  EXPECT_EQ(rule.add, 11);
  // A realigned stack: the CFA is the word at rbp-8, rbp is saved at rbp.
  functions = Read(SectionOf({0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0}));
  rule = RuleAt(functions.at(0).rows, kFunction);
  EXPECT_EQ(rule.kind, FXR_UNWIND_BP_DEREF);
  EXPECT_EQ(rule.offset, -8);
  EXPECT_EQ(rule.bp, FXR_UNWIND_BP_AT_BP);
  EXPECT_EQ(rule.bp_offset, 0);
  // Assembly: the CFA is the word at rsp+16, plus 8.
  functions = Read(SectionOf({0x0f, 5, 0x77, 16, 0x06, 0x23, 8}));
  rule = RuleAt(functions.at(0).rows, kFunction);
  EXPECT_EQ(rule.kind, FXR_UNWIND_SP_DEREF);
  EXPECT_EQ(rule.offset, 16);
  EXPECT_EQ(rule.add, 8);
  // One that nothing of the above is.
  functions = Read(SectionOf({0x0f, 2, 0x33, 0x9f}));
  EXPECT_EQ(RuleAt(functions.at(0).rows, kFunction).kind, FXR_UNWIND_UNSUPPORTED);
}

TEST(FrameSection, ASignalFrame) {
  // The CFA is the word at rsp+160.
  const auto functions = Read(SectionOf({0x0f, 4, 0x77, 0xa0, 0x01, 0x06}, "zRS"));
  const fxr_unwind_rule rule = RuleAt(functions.at(0).rows, kFunction);
  EXPECT_EQ(rule.kind, FXR_UNWIND_SIGNAL);
  EXPECT_EQ(rule.offset, 0);
}

TEST(FrameSection, AReturnAddressInARegister) {
  // vfork() keeps it in rdi.
  const auto in_di = Read(SectionOf({0x0e, 0, 0x09, 16, 5}));
  const fxr_unwind_rule rule = RuleAt(in_di.at(0).rows, kFunction);
  EXPECT_EQ(rule.kind, FXR_UNWIND_RETURN_IN_DI);
  EXPECT_EQ(rule.offset, 0);
  const auto in_other = Read(SectionOf({0x0e, 0, 0x09, 16, 4}));
  EXPECT_EQ(RuleAt(in_other.at(0).rows, kFunction).kind, FXR_UNWIND_UNSUPPORTED);
}

TEST(FrameSection, RulesEndAtAMalformedInstruction) {
  // Restores a state that was not remembered.
  const auto functions = Read(SectionOf({0x44, 0x0e, 16, 0x44, 0x0b, 0x44, 0x0e, 64}));
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(RuleAt(functions[0].rows, kFunction).kind, FXR_UNWIND_SP);
  EXPECT_EQ(RuleAt(functions[0].rows, kFunction + 8).kind, FXR_UNWIND_UNSUPPORTED);
  EXPECT_EQ(RuleAt(functions[0].rows, kFunction + 16).kind, FXR_UNWIND_UNSUPPORTED);
}

TEST(FrameSection, DamagedSectionsAreRead) {
  const Bytes whole = SectionOf({0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x3c, 0x0c, 7, 8,
                                 0xc6, 0x0f, 3, 0x76, 0x78, 0x06});
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    Bytes damaged = whole;
    for (int change = 0; change < 4; ++change) {
      damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    }
    damaged.resize(random() % (damaged.size() + 1));
    for (const bool is_debug : {false, true}) {
      ReadFrameSection({damaged, kAddress, is_debug},
                       [](uint64_t begin, uint64_t end, std::span<const FrameRow> rows) {
                         EXPECT_LT(begin, end);
                         EXPECT_FALSE(rows.empty());
                         EXPECT_EQ(rows.front().address, begin);
                         return true;
                       });
    }
  }
}

}  // namespace
}  // namespace unwind
