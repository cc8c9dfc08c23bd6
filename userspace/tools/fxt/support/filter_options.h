// SPDX-License-Identifier: BSD-2-Clause
// The record filters of several subcommands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/rewrite/record_filter.h"
#include "measure/collect/collector.h"
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

  // --from, --to
  void AddTimesTo(const Command& command);
  // --thread, --process
  void AddTasksTo(const Command& command);
  // Those, and --cpu
  void AddTo(const Command& command);
  // --type, --category
  void AddKindsTo(const Command& command);

  util::Result<analyze::RecordFilter> Make() const;
  // --from and --to alone, for a collector.
  util::Result<measure::CollectorOptions> MakeWindow() const;
  // The thread, process and CPU filters as options; empty without any.
  std::string Describe() const;

 private:
  struct Moments {
    std::optional<analyze::Moment> begin;
    std::optional<analyze::Moment> end;
  };
  util::Result<Moments> ParseTimes() const;
};

}  // namespace tools
