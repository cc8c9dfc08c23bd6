// SPDX-License-Identifier: BSD-2-Clause
// What the capture tests find on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/temp_folder.h"

namespace truth {

// Programs beside the test program, in the build directory. FXT_RECORD names another recorder.
std::string RecorderPath();
// Where this program is, and the others with it.
const std::filesystem::path& BuildDirectory();
std::string FxtToolPath();
std::string WorkloadPath();
std::string OddTasksPath();
std::string ComparePath();

// Why nothing can be captured here; empty if it can. Says what the machine allows, whatever state
// the recorder is in: root, the kernel's type information, and the right to load a BPF program.
std::string WhyNoCapture();

class TempDir : public testing_support::TempFolder {
 public:
  std::string File(const std::string& name) const { return *this / name; }
};

// FXT_REQUIRE_CAPTURE in the environment turns what would be skipped into a failure.
bool CaptureIsRequired();

}  // namespace truth

// First line of a test that captures.
#define REQUIRE_CAPTURE()                                                                          \
  do {                                                                                             \
    if (const std::string why_not = truth::WhyNoCapture(); !why_not.empty()) {                     \
      if (truth::CaptureIsRequired()) FAIL() << "cannot capture: " << why_not;                     \
      GTEST_SKIP() << "SKIPPED: " << why_not;                                                      \
    }                                                                                              \
    ASSERT_TRUE(std::filesystem::exists(truth::RecorderPath())) << "no " << truth::RecorderPath(); \
  } while (false)
