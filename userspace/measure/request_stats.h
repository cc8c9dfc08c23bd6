// SPDX-License-Identifier: BSD-2-Clause
// Requests of one name: their durations, and the parts of their critical paths.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "measure/distribution.h"
#include "path/request.h"

namespace measure {

// Parts of critical paths that are the same but for time, depth and numbers of threads. Names are
// without what differs in each run: runs of digits are '#', and objects are as ComparableName()
// has them.
struct PathPart {
  path::PartKind kind = path::PartKind::kUnknown;
  bool is_own = false;  // on the request's own thread
  std::string thread{};
  // As path::PartText::WaitedFor(): of kRunnable the thread that had the CPU.
  std::string waited_for{};
  std::string object{};

  auto operator<=>(const PathPart&) const = default;
};

struct RequestStats {
  // Parts of a name; the least ones beyond are together, by kind, with the thread kOthers.
  static constexpr size_t kParts = 64;

  Distribution times;                  // durations; those that an edge cuts are not in it
  std::map<PathPart, uint64_t> parts;  // ns of all requests; they add up to times.whole_ns

  void Merge(const RequestStats& other);
  bool operator==(const RequestStats&) const = default;
};

// By name. Names that differ in digits alone are apart if there are few of them, see RequestMeter.
using RequestMap = std::map<std::string, RequestStats>;

// Leaves the RequestStats::kParts largest parts.
void LimitParts(std::map<PathPart, uint64_t>& parts);

}  // namespace measure
