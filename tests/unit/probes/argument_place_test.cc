// SPDX-License-Identifier: BSD-2-Clause
#include "probes/argument_place.h"

#include <gtest/gtest.h>

namespace probes {
namespace {

Passing Integers(size_t count) {
  return {false, false, std::vector<Part>(count, Part::kInteger), 8 * count};
}

fxr_u16 RegisterOf(const char* name) { return FindRegister(Machine::kX86, name)->offset; }

TEST(ParameterPlacerTest, AResultsAddressTakesTheFirstRegisterOfX86Alone) {
  EXPECT_EQ(ParameterPlacer(Machine::kX86, true).Next(Integers(1))->registers[0].offset,
            RegisterOf("si"));
  EXPECT_EQ(ParameterPlacer(Machine::kArm, true).Next(Integers(1))->registers[0].offset, 0);
}

TEST(ParameterPlacerTest, FloatsTakeNoIntegerRegister) {
  ParameterPlacer placer(Machine::kX86, false);
  const Passing real{false, false, {Part::kFloat}, 8};
  for (int i = 0; i < 8; ++i) {
    const auto refused = placer.Next(real);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, kInFloatRegister);
  }
  EXPECT_EQ(placer.Next(Integers(1))->registers[0].offset, RegisterOf("di"));
  // The ninth is on the stack, above the return address.
  const auto ninth = placer.Next(real);
  ASSERT_TRUE(ninth);
  EXPECT_TRUE(ninth->in_memory);
  EXPECT_EQ(ninth->address.source, RegisterOf("sp"));
  EXPECT_EQ(ninth->offset, 8u);
}

TEST(PlaceTest, PointersAreFollowedAndValuesRead) {
  const Place pointer = Place::InRegisters({*FindRegister(Machine::kX86, "di")});
  auto target = pointer.Follow();
  ASSERT_TRUE(target);
  target->offset = 24;
  const auto value = target->Read(2, 3, 9, false);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->source, RegisterOf("di"));
  EXPECT_EQ(value->steps, 1);
  EXPECT_EQ(value->offsets[0], 24);
  EXPECT_EQ(value->shift, 3);
  const auto text = target->ReadTextArray(8);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->operand.addend, 24);
  EXPECT_EQ(text->operand.text_bytes, 9u);
  EXPECT_FALSE(pointer.ReadTextArray(8));
  Place deep = *target;
  for (int i = 0; i + 1 < FXR_PROBE_STEPS; ++i) deep = *deep.Follow();
  EXPECT_FALSE(deep.Follow());
  EXPECT_TRUE(deep.Read(8, 0, 64, false));
}

TEST(PlaceTest, AStructureInTwoRegistersHasNoValueAcrossThem) {
  Place pair =
      Place::InRegisters({*FindRegister(Machine::kX86, "di"), *FindRegister(Machine::kX86, "si")});
  pair.offset = 12;
  EXPECT_EQ(pair.Read(4, 0, 32, true)->source, RegisterOf("si"));
  EXPECT_EQ(pair.Read(4, 0, 32, true)->shift, 32);
  EXPECT_FALSE(pair.Read(8, 0, 64, false));
}

}  // namespace
}  // namespace probes
