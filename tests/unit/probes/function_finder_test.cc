// SPDX-License-Identifier: BSD-2-Clause
#include "probes/function_finder.h"

#include <gtest/gtest.h>

#include <string>

#include "probes/file_finder.h"

namespace probes {
namespace {

std::string Libc() {
  auto found = FindFile("libc.so.6", SystemSearchPaths());
  return found ? *found : "";
}

TEST(FunctionFinderTest, MatchesNamesWithoutParametersAndTemplateArguments) {
  EXPECT_TRUE(IsCalled("shop::Pay(int)", "shop::Pay(int)"));
  EXPECT_TRUE(IsCalled("shop::Pay(int)", "shop::Pay"));
  EXPECT_TRUE(IsCalled("shop::Basket::Size() const", "shop::Basket::Size"));
  EXPECT_TRUE(IsCalled("int shop::Twice<int>(int)", "shop::Twice<int>"));
  EXPECT_TRUE(IsCalled("int shop::Twice<int>(int)", "shop::Twice"));
  EXPECT_TRUE(IsCalled("(anonymous namespace)::Now()", "(anonymous namespace)::Now"));
  EXPECT_TRUE(IsCalled("void f<std::pair<int, long> >(int (*)(int))", "f"));
  EXPECT_TRUE(IsCalled("mycrate::nap", "mycrate::nap"));
}

TEST(FunctionFinderTest, RejectsOtherFunctions) {
  EXPECT_FALSE(IsCalled("shop::Pay(int)", "Pay"));
  EXPECT_FALSE(IsCalled("shop::Pay(int)", "shop::Pay(long)"));
  EXPECT_FALSE(IsCalled("shop::Pay(int)::{lambda()#1}::operator()() const", "shop::Pay"));
  EXPECT_FALSE(IsCalled("", "shop::Pay"));
  EXPECT_FALSE(IsCalled(")", "f"));
  EXPECT_FALSE(IsCalled(">", "f"));
}

TEST(FunctionFinderTest, AcceptsEveryNameOfAFunction) {
  auto found = FindFunctions(Libc(), "malloc", {});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().name, "malloc");
  // Two names of one function.
  auto write = FindFunctions(Libc(), "write", {});
  auto alias = FindFunctions(Libc(), "__write", {});
  ASSERT_TRUE(write && alias);
  EXPECT_EQ(write->front().offset, alias->front().offset);
}

TEST(FunctionFinderTest, SuggestsTheNearestNames) {
  auto found = FindFunctions(Libc(), "mallco", {});
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("has no function 'mallco'"), std::string::npos);
  EXPECT_NE(found.error().hint.find("malloc"), std::string::npos) << found.error().hint;
}

TEST(FunctionFinderTest, ReportsIndirectFunctions) {
  auto found = FindFunctions(Libc(), "strlen", {});
  if (found) GTEST_SKIP() << "this machine's libc has one strlen";
  EXPECT_NE(found.error().message.find("chosen when the program is loaded"), std::string::npos)
      << found.error().message;
}

TEST(FunctionFinderTest, NonElfFileIsAnError) {
  EXPECT_FALSE(FindFunctions("/etc/passwd", "main", {}));
  EXPECT_FALSE(FindFunctions("/dev/null", "main", {}));
  EXPECT_FALSE(FindFunctions("", "main", {}));
}

}  // namespace
}  // namespace probes
