// SPDX-License-Identifier: BSD-2-Clause
#include "measure/group_name.h"

namespace measure {

std::string FoldDigits(std::string_view name) {
  std::string folded;
  bool in_digits = false;
  for (const char byte : name) {
    const bool digit = byte >= '0' && byte <= '9';
    if (!digit || !in_digits) folded.push_back(digit ? '#' : byte);
    in_digits = digit;
    if (folded.size() == kMaxFoldedBytes) break;
  }
  return folded;
}

}  // namespace measure
