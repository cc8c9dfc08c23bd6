// SPDX-License-Identifier: BSD-2-Clause
// Functions that match a pattern and cannot be probed.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "probes/probe.h"
#include "util/result.h"

namespace probes {

class SkippedProbes {
 public:
  // `pattern`: see Probe::pattern.
  void Add(const std::string& pattern, const std::string& function, const std::string& reason);
  // A sentence for each pattern: how many functions, which ones and why. `probes` are all that were
  // found; those added here may be among them.
  std::vector<std::string> Describe(const std::vector<Probe>& probes) const;
  // The error if nothing of a pattern remains, with the reason of one of its functions.
  util::Status CheckPatterns(const std::vector<Probe>& probes) const;

 private:
  bool Has(const Probe& probe) const;
  size_t CountRemaining(const std::string& pattern, const std::vector<Probe>& probes) const;

  using Functions = std::map<std::string, std::vector<std::string>>;  // by reason
  std::map<std::string, Functions> patterns_;
};

}  // namespace probes
