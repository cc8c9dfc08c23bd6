// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/driver/file_names.h"

#include <fmt/format.h>

namespace tools {

std::string FileNames::Next() {
  const uint64_t number = next_++;
  std::string name = pattern_.Expand(number, 0);
  // A pattern with %t alone gives two files of one second the same name.
  if (name == last_) return output::NamePattern::BeforeEnding(name, fmt::format("-{}", number));
  return last_ = name;
}

}  // namespace tools
