// SPDX-License-Identifier: BSD-2-Clause
#include "util/program_output.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace util {
namespace {

TEST(ProgramOutput, ReturnsTheOutput) {
  EXPECT_EQ(OutputOf({"printf", "a b\\n%s", "$HOME"}), "a b\n$HOME");
  EXPECT_EQ(OutputOf({"false"}), "");
  EXPECT_EQ(OutputOf({"no-such-program"}), "");
}

// Ignores $PATH.
TEST(ProgramOutput, RunsSystemProgramsOnly) {
  const char* path = getenv("PATH");
  const std::string before = path ? path : "";
  setenv("PATH", "/nonexistent", 1);
  EXPECT_EQ(OutputOf({"printf", "x"}), "x");
  setenv("PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace util
