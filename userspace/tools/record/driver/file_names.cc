// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/driver/file_names.h"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace tools {

namespace {

// A higher number is none of ours: another user may have made the file.
constexpr uint64_t kMaxNumber = 999'999'999;

}  // namespace

void FileNames::ContinueNumbers() {
  const std::string path = pattern_.directory().empty() ? "." : pattern_.directory();
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(path.c_str()), closedir);
  if (!entries) return;
  while (const dirent* entry = readdir(entries.get())) {
    const auto number = pattern_.NumberOf(entry->d_name);
    if (number && *number <= kMaxNumber) next_ = std::max(next_, *number + 1);
  }
}

std::string FileNames::Next() {
  const uint64_t number = next_++;
  std::string name = pattern_.Expand(number, 0);
  // A pattern with %t alone gives two files of one second the same name.
  if (name == last_) return output::NamePattern::BeforeEnding(name, fmt::format("-{}", number));
  return last_ = name;
}

}  // namespace tools
