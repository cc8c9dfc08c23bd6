// SPDX-License-Identifier: BSD-2-Clause
#include "compare/diff_report.h"

#include <algorithm>

namespace comparison {

const char* NameOf(Verdict verdict) {
  constexpr const char* kNames[] = {"worse",     "better",      "more",
                                    "less",      "new",         "gone",
                                    "unchanged", "cannot tell", "slower because of others"};
  return kNames[static_cast<size_t>(verdict)];
}

bool DiffReport::worse() const {
  return std::any_of(findings.begin(), findings.end(),
                     [&](size_t row) { return rows[row].verdict == Verdict::kWorse; });
}

}  // namespace comparison
