// SPDX-License-Identifier: BSD-2-Clause
#include "capture/support/expect.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "capture/support/environment.h"

namespace truth {
namespace {

testing::AssertionResult CheckWithTool(const std::string& path) {
  if (!std::filesystem::exists(FxtToolPath())) return testing::AssertionSuccess();
  const CommandResult check = RunCommand({FxtToolPath(), "check", path}, kLimit);
  if (check.exit_code == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "fxt check: " << check.Describe();
}

testing::AssertionResult CheckLog(const std::string& path, bool need_whole, FxtLog* log) {
  auto read = ReadFxtLog(path, {.need_whole = need_whole});
  if (!read.ok()) return testing::AssertionFailure() << read.error().message;
  auto failure = testing::AssertionFailure();
  if (read->problem_count != 0) {
    failure << read->problem_count << " problems in " << path;
    for (const std::string& problem : read->problems) failure << "\n" << problem;
    return failure;
  }
  if (read->switches_out_of_order != 0) {
    return failure << read->switches_out_of_order << " switches out of order in " << path;
  }
  if (log) *log = std::move(*read);
  return testing::AssertionSuccess();
}

}  // namespace

bool Mentions(std::string_view text, std::string_view word) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

testing::AssertionResult Exited(const CommandResult& result, int exit_code) {
  if (!result.timed_out && result.exit_code == exit_code) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "wanted exit code " << exit_code << ": " << result.Describe();
}

testing::AssertionResult IsClearError(const CommandResult& result,
                                      const std::vector<std::string>& words) {
  auto failure = testing::AssertionFailure();
  if (result.timed_out || result.signal != 0 || result.exit_code <= 0) {
    return failure << "did not refuse: " << result.Describe();
  }
  const auto lines = std::count(result.err.begin(), result.err.end(), '\n');
  if (lines < 1 || lines > 3) return failure << lines << " lines on stderr: " << result.Describe();
  // Quoted text may contain anything, such as the name of a temporary folder.
  std::string own = result.err;
  for (const std::string& word : words) {
    for (size_t at = 0; !word.empty() && (at = own.find(word, at)) != std::string::npos;) {
      own.erase(at, word.size());
    }
  }
  for (const char* noise : {"libbpf:", "terminate called", "what():", "Assertion", "Sanitizer",
                            "std::", "0x", ".cc:"}) {
    if (Mentions(own, noise)) {
      return failure << "`" << noise << "` on stderr: " << result.Describe();
    }
  }
  for (const std::string& word : words) {
    if (!Mentions(result.err, word)) {
      return failure << "no `" << word << "` on stderr: " << result.Describe();
    }
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult IsWholeFile(const std::string& path, FxtLog* log) {
  auto checked = CheckLog(path, true, log);
  return checked ? CheckWithTool(path) : checked;
}

testing::AssertionResult IsReadableFile(const std::string& path, FxtLog* log) {
  return CheckLog(path, false, log);
}

void ExpectWorksOrSaysWhy(const char* what, const CommandResult& result, const std::string& path) {
  EXPECT_FALSE(result.timed_out) << what;
  EXPECT_EQ(result.signal, 0) << what << ": " << result.Describe();
  if (result.exit_code == 0) {
    printf("%s: works\n", what);
    EXPECT_TRUE(IsWholeFile(path)) << what;
  } else {
    printf("%s: %s", what, result.err.c_str());
    EXPECT_TRUE(IsClearError(result, {})) << what;
    if (std::filesystem::exists(path)) {
      EXPECT_TRUE(IsWholeFile(path)) << what;
    }
  }
}

}  // namespace truth
