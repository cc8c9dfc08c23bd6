// SPDX-License-Identifier: BSD-2-Clause
// The options that choose records, for the subcommands that have them.
#pragma once

#include <string>
#include <vector>

#include "analyze/rewrite/record_filter.h"
#include "tools/common/command_line.h"
#include "util/result.h"

namespace tools {

struct FilterOptions {
  std::string from;
  std::string to;
  std::vector<std::string> threads;
  std::vector<std::string> processes;
  std::vector<uint32_t> cpus;
  std::vector<std::string> types;
  std::vector<std::string> categories;

  // --from, --to, --thread, --process, --cpu
  void AddTo(const Command& command);
  // --type, --category
  void AddKindsTo(const Command& command);

  util::Result<analyze::RecordFilter> Make() const;
  // Threads, processes and CPUs as options; empty without any.
  std::string Describe() const;
};

}  // namespace tools
