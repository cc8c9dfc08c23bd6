// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/demangle.h"

#include <gtest/gtest.h>

namespace symbols {
namespace {

TEST(DemangleTest, DemanglesCpp) {
  EXPECT_EQ(Demangle("_ZNSt6vectorIiSaIiEE9push_backEOi"),
            "std::vector<int, std::allocator<int> >::push_back(int&&)");
}

TEST(DemangleTest, DropsTheHashOfRustNames) {
  EXPECT_EQ(Demangle("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
}

TEST(DemangleTest, KeepsTheMarksOfClones) {
  EXPECT_EQ(Demangle("_Z3foov.cold"), "foo() [clone .cold]");
  EXPECT_EQ(Demangle("_Z3foov.llvm.123"), "foo() [clone .llvm.123]");
}

TEST(DemangleTest, LeavesOtherNamesAlone) {
  EXPECT_EQ(Demangle("main"), "main");
  EXPECT_EQ(Demangle(""), "");
  EXPECT_EQ(Demangle("_Z"), "_Z");
  EXPECT_EQ(Demangle("_Znonsense"), "_Znonsense");
  const std::string endless = "_Z" + std::string(10000, 'P');
  EXPECT_EQ(Demangle(endless), endless);
}

}  // namespace
}  // namespace symbols
