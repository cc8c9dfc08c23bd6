// SPDX-License-Identifier: BSD-2-Clause
// Requests by name across captures.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "compare/values/groups.h"
#include "measure/request_stats.h"

namespace comparison {

struct SharedRequest {
  std::string name;
  std::vector<const measure::RequestStats*> at;  // by capture; null where there are none

  std::vector<const measure::Distribution*> times() const;
};

// Names that differ in digits alone are apart where half of the captures of a side have each of
// them: "step 1" and "step 2" are two requests. Otherwise they are one: "user 17" is a "user #".
// kOthers is left out.
class SharedRequests {
 public:
  // The first `bases` captures are the base. They must outlive it.
  SharedRequests(Captures captures, size_t bases);
  SharedRequests(const SharedRequests&) = delete;
  SharedRequests& operator=(const SharedRequests&) = delete;

  // In order of their names.
  const std::vector<SharedRequest>& all() const { return all_; }

 private:
  std::vector<SharedRequest> all_;
  std::deque<measure::RequestStats> merged_;
};

}  // namespace comparison
