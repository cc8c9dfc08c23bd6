// SPDX-License-Identifier: BSD-2-Clause
// Reads files of /proc, /sys and of cgroups.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/settings.h"

namespace settings {

// The roots of the files; parameters for tests.
struct Roots {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string boot = "/boot";
};

// The first `most` bytes of a file, without white space at the end; empty if it cannot be read.
// `path` is relative to the open directory `folder`, or absolute.
std::optional<std::string> ReadFile(const std::string& path, size_t most = 4096);
std::optional<std::string> ReadFileAt(int folder, const char* path, size_t most = 4096);

// The names in a folder, sorted; at most `most`.
std::vector<std::string> ListFolder(const std::string& path, size_t most);

// A number where the text is one. Tabs, which part fields, become spaces.
schema::SettingValue ValueOf(std::string text);

// Adds a setting of a file. Leaves out one that cannot be read or is empty.
void AddFile(schema::Settings& to, std::string_view name, const std::string& path);

// The choice in a list such as "always [madvise] never" or "none (full)"; without a choice the
// text.
std::string ChoiceIn(std::string_view text);

}  // namespace settings
