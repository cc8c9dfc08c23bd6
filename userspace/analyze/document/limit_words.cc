// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/document/limit_words.h"

#include <fmt/format.h>

#include "text/clean_text.h"

namespace analyze {

std::string LimitWords(std::string_view cgroup, uint64_t quota_ns, uint64_t period_ns) {
  std::string words = "its cgroup";
  if (!cgroup.empty()) words += " " + text::CleanText(cgroup);
  if (quota_ns == 0 || period_ns == 0) return words + " used up its quota";
  return words + fmt::format(" may use {:.6g} ms of each {:.6g} ms",
                             static_cast<double>(quota_ns) / 1e6,
                             static_cast<double>(period_ns) / 1e6);
}

}  // namespace analyze
