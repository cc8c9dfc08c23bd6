// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/document/limit_words.h"

#include <fmt/format.h>

#include "text/clean_text.h"

namespace analyze {

std::string LimitWords(const facts::CpuLimit& limit) {
  std::string words = "its cgroup";
  if (!limit.cgroup.empty()) words += " " + text::CleanText(limit.cgroup);
  if (limit.quota_ns == 0 || limit.period_ns == 0) return words + " used up its quota";
  return words + fmt::format(" may use {:.6g} ms of each {:.6g} ms",
                             static_cast<double>(limit.quota_ns) / 1e6,
                             static_cast<double>(limit.period_ns) / 1e6);
}

}  // namespace analyze
