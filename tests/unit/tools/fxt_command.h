// SPDX-License-Identifier: BSD-2-Clause
// Runs `fxt` for tests.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/temp_folder.h"
#include "unit/support/run_command.h"

namespace tools::testing {

class FxtCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    program_ = testing_support::BuiltProgram("fxt");
    ASSERT_NE(program_, "") << "fxt is not built beside this program";
  }

  testing_support::CommandResult Fxt(std::vector<std::string> words,
                                     const std::string& input = "") const {
    words.insert(words.begin(), program_);
    return testing_support::RunCommand(words, input);
  }
  // In a folder of the test's own.
  std::string Path(const std::string& name) const { return folder_ / name; }

 private:
  std::string program_;
  testing_support::TempFolder folder_;
};

}  // namespace tools::testing
