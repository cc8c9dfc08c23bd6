// SPDX-License-Identifier: BSD-2-Clause
#include "probes/probe_text.h"

#include <gtest/gtest.h>

#include <string>

namespace probes {
namespace {

TEST(ProbeTextTest, PartsAreFound) {
  auto parsed = ParseProbe(
      "ns::f(int)(request->header.size, names[2]:str, %di)+retval:str if len > 0x10 and flags&-2 "
      "or e == -3");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->symbol, "ns::f(int)");
  EXPECT_EQ(parsed->with_list, "ns::f(int)(request->header.size, names[2]:str, %di)");
  EXPECT_TRUE(parsed->return_value);
  EXPECT_EQ(parsed->result_type, "str");
  ASSERT_EQ(parsed->arguments.size(), 3u);
  EXPECT_EQ(parsed->arguments[0].name, "request->header.size");
  EXPECT_EQ(parsed->arguments[0].base, "request");
  ASSERT_EQ(parsed->arguments[0].path.size(), 2u);
  EXPECT_EQ(parsed->arguments[0].path[1].member, "size");
  EXPECT_EQ(parsed->arguments[1].name, "names[2]");
  EXPECT_EQ(parsed->arguments[1].path[0].index, 2);
  EXPECT_EQ(parsed->arguments[1].type, "str");
  EXPECT_EQ(parsed->arguments[2].base, "%di");
  ASSERT_EQ(parsed->filter.size(), 3u);
  EXPECT_EQ(parsed->filter[0].test, FXR_PROBE_GREATER);
  EXPECT_EQ(parsed->filter[0].constant, 16u);
  EXPECT_FALSE(parsed->filter[0].ends_and);
  EXPECT_EQ(parsed->filter[1].test, FXR_PROBE_HAS_BITS);
  EXPECT_TRUE(parsed->filter[1].ends_and);
  EXPECT_EQ(parsed->filter[2].constant, static_cast<uint64_t>(-3));
  EXPECT_TRUE(parsed->filter[2].ends_and);
}

TEST(ProbeTextTest, NamesMayHaveParameterLists) {
  auto parsed = ParseProbe("ns::f(int, char const*)+entry");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->with_list, "ns::f(int, char const*)");
  EXPECT_EQ(parsed->symbol, "ns::f");
  EXPECT_TRUE(parsed->entry_only);
  EXPECT_TRUE(parsed->arguments_error);
  parsed = ParseProbe("Basket::operator()");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->with_list, "Basket::operator()");
}

TEST(ProbeTextTest, WrongTextsAreErrors) {
  for (const char* text : {"f if", "f if ", "f if len", "f if len >", "f if len > x",
                           "f if len > 1 and", "f if (len > 1)", "f if len > 1 xor a > 2",
                           "f+retval:what", "f if len > 99999999999999999999"}) {
    const auto parsed = ParseProbe(text);
    EXPECT_FALSE(parsed && !parsed->filter.empty()) << text;
  }
  for (const char* text :
       {"f(a,)", "f(a b)", "f(->b)", "f(a->)", "f(a[)", "f(a[1)", "f(a:long)", "f(%)"}) {
    const auto parsed = ParseProbe(text);
    EXPECT_TRUE(parsed && parsed->arguments_error) << text;
  }
  // Nothing crashes.
  const std::string noise = "f(a->b[1]:str, %di)+retval:s32 if arg1 >= 0x7 and b & 3 or c == -1";
  for (size_t at = 0; at < noise.size(); ++at) {
    for (const char c : {'(', ')', ':', ' ', '-', '\0', '['}) {
      std::string changed = noise;
      changed[at] = c;
      (void)ParseProbe(changed);
      (void)ParseProbe(changed.substr(at));
    }
  }
}

TEST(ProbeTextTest, PositionsAreRegistersAndThenTheStack) {
  const auto resolve = [](const char* text) {
    auto parsed = ParseProbe(std::string("f(") + text + ")");
    EXPECT_TRUE(parsed && parsed->arguments.size() == 1);
    return ResolvePositional(parsed->arguments.at(0), Machine::kX86);
  };
  EXPECT_EQ(resolve("arg1")->operand.source, 112);
  EXPECT_EQ(resolve("arg6")->operand.source, 64);
  auto stack = resolve("arg8:s32");
  EXPECT_EQ(stack->operand.source, 152);
  EXPECT_EQ(stack->operand.steps, 1);
  EXPECT_EQ(stack->operand.offsets[0], 16);
  EXPECT_EQ(stack->operand.bits, 32);
  EXPECT_EQ(resolve("%edi")->operand.bits, 32);
  EXPECT_EQ(resolve("arg2:str")->operand.kind, FXR_PROBE_TEXT);
  EXPECT_FALSE(resolve("%x0"));
  EXPECT_FALSE(resolve("arg1->size"));
}

}  // namespace
}  // namespace probes
