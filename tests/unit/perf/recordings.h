// SPDX-License-Identifier: BSD-2-Clause
// Genuine recordings of branch stacks, and perf's text output for them. They are not part of the
// project but in a folder `shared/lbr` (below $FXT_SHARED_DIR, or below a parent of the current
// directory). Without them the tests are skipped.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace perf::testing {

struct Recording {
  const char* name;  // file name without ".perf.data"
  // The facts of README.md beside the recordings.
  size_t samples;
  size_t entries;
  size_t mispredicted;
  size_t predicted;
  size_t with_cycles;
  uint16_t largest_cycles;
  size_t unfilled;
  size_t from_in_kernel;
  size_t to_in_kernel;
  uint64_t first_time;
  std::map<std::string, size_t> records;  // by type; those the README counts
};

const std::vector<Recording>& Recordings();

// Name of a test that has a recording as its parameter.
std::string RecordingName(const ::testing::TestParamInfo<Recording>& parameter);

// The folder with the recordings, if it is there.
std::optional<std::filesystem::path> RecordingsFolder();

std::string ReadFile(const std::filesystem::path& path);
std::filesystem::path RecordingPath(const std::filesystem::path& folder,
                                    const Recording& recording);
// The lines of the expected text, decompressed.
std::vector<std::string> ExpectedLines(const std::filesystem::path& folder,
                                       const Recording& recording);
std::vector<std::string> SplitLines(const std::string& text);

}  // namespace perf::testing

// Finds the folder, or skips the test.
// NOLINTBEGIN(bugprone-macro-parentheses): what is declared cannot stand in parentheses.
#define RECORDINGS_FOLDER_OR_SKIP(folder)                                      \
  const auto folder##_found = perf::testing::RecordingsFolder();               \
  if (!folder##_found) GTEST_SKIP() << "no folder shared/lbr with recordings"; \
  const std::filesystem::path& folder = *folder##_found
// NOLINTEND(bugprone-macro-parentheses)
