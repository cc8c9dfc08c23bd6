// SPDX-License-Identifier: BSD-2-Clause
// The programs and the abilities of this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/temp_folder.h"

namespace truth {

// Programs beside the test program, in the build directory. FXT_RECORD names another recorder.
std::string RecorderPath();
// Returns the folder of this program and the others.
const std::filesystem::path& BuildDirectory();
std::string FxtToolPath();
std::string WorkloadPath();
std::string OddTasksPath();
std::string ComparePath();

// Returns why this machine cannot record, or an empty text. Checks root, BTF and the right to load
// a BPF program, independent of the recorder.
std::string WhyNoCapture();

class TempDir : public testing_support::TempFolder {
 public:
  std::string File(const std::string& name) const { return *this / name; }
};

// With FXT_REQUIRE_CAPTURE in the environment a skip is a failure.
bool CaptureIsRequired();

}  // namespace truth

// The first line of each test that records.
#define REQUIRE_CAPTURE()                                                                          \
  do {                                                                                             \
    if (const std::string why_not = truth::WhyNoCapture(); !why_not.empty()) {                     \
      if (truth::CaptureIsRequired()) FAIL() << "cannot capture: " << why_not;                     \
      GTEST_SKIP() << "SKIPPED: " << why_not;                                                      \
    }                                                                                              \
    ASSERT_TRUE(std::filesystem::exists(truth::RecorderPath())) << "no " << truth::RecorderPath(); \
  } while (false)
