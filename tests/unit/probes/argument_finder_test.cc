// SPDX-License-Identifier: BSD-2-Clause
#include "probes/argument_finder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace probes {
namespace {

FunctionArguments Sample() {
  FunctionArguments sample;
  ResolvedValue number;
  number.argument.type = {4, true, false, ArgumentType::Form::kNumber};
  number.argument.operand.source = 16;
  number.argument.operand.bits = 32;
  ResolvedValue text = number;
  text.argument.type.form = ArgumentType::Form::kText;
  text.argument.operand.kind = FXR_PROBE_SLICE;
  text.argument.length = number.argument.operand;
  sample.values = {number, text, {.error = "no such parameter", .argument = {}}};
  sample.result.error = "-";
  return sample;
}

ArgumentQuery Query() {
  ArgumentQuery query;
  query.functions.resize(1);
  query.values.resize(3);
  query.values[0].name = "size";
  return query;
}

TEST(ArgumentFinderTest, ValuesComeBack) {
  const std::vector<FunctionArguments> sample = {Sample()};
  const auto decoded = DecodeArguments(EncodeArguments(sample), Query());
  ASSERT_TRUE(decoded);
  const FunctionArguments& first = decoded->at(0);
  EXPECT_EQ(first.values[0].argument.name, "size");
  EXPECT_EQ(first.values[0].argument.operand.source, 16);
  EXPECT_TRUE(first.values[0].argument.type.is_signed);
  EXPECT_TRUE(first.values[1].argument.length);
  EXPECT_EQ(first.values[2].error, "no such parameter");
}

// The process that sends them may have been taken over.
TEST(ArgumentFinderTest, NoValueReadsBehindTheRegisters) {
  const std::vector<FunctionArguments> sample = {Sample()};
  const std::vector<std::byte> whole = EncodeArguments(sample);
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned change : {1u, 0x80u, 0xffu}) {
      std::vector<std::byte> damaged = whole;
      damaged[at] ^= static_cast<std::byte>(change);
      const auto decoded = DecodeArguments(damaged, Query());
      if (!decoded) continue;
      for (const ResolvedValue& value : decoded->at(0).values) {
        if (!value.error.empty()) continue;
        EXPECT_LE(value.argument.operand.source + 8, ContextBytes(HostMachine()));
        EXPECT_LE(value.argument.operand.steps, FXR_PROBE_STEPS);
        EXPECT_LE(value.argument.operand.text_bytes, FXR_PROBE_TEXT_BYTES);
      }
    }
    EXPECT_FALSE(DecodeArguments(std::span(whole).first(at), Query()));
  }
}

TEST(ArgumentFinderTest, TheValuesOfAFunctionOfThisProgram) {
  auto file = symbols::ElfFile::Open("/proc/self/exe");
  ASSERT_TRUE(file);
  ArgumentQuery query = Query();
  query.functions[0].address = 1;  // no function begins there
  const auto found = FindArguments("/proc/self/exe", *file, {}, query);
  ASSERT_TRUE(found) << found.error().message;
  if (*found) {
    EXPECT_FALSE((*found)->at(0).values[0].error.empty());
  }
}

}  // namespace
}  // namespace probes
