// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/options/filter_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace tools {

std::vector<std::string> DescribeFilters(const RecordOptions& options,
                                         const capture::TaskFilter& filter) {
  std::vector<std::string> words;
  const auto add = [&](std::string_view name, const std::vector<uint32_t>& ids) {
    for (const uint32_t id : ids) {
      words.push_back(id == capture::kNoTask ? fmt::format("{}=?", name)
                                             : fmt::format("{}={}", name, id));
    }
  };
  add("pid", filter.tgids);
  add("tid", filter.tids);
  for (const std::string& comm : options.tasks.comms) words.push_back("comm=" + comm);
  for (const std::string& cgroup : options.tasks.cgroups) words.push_back("cgroup=" + cgroup);
  if (options.only_command) words.emplace_back("only-command");
  if (options.tasks.follow) words.emplace_back("follow");
  return words;
}

std::vector<std::string> TranslationNotes(const RecordOptions& options,
                                          const capture::TaskFilter& filter) {
  std::vector<std::string> notes;
  const auto add = [&](std::string_view name, const std::vector<uint32_t>& asked,
                       const std::vector<uint32_t>& ids) {
    for (size_t i = 0; i < asked.size(); ++i) {
      if (ids[i] == capture::kNoTask) continue;
      notes.push_back(
          fmt::format("--{} {} of this pid namespace is {} in the file", name, asked[i], ids[i]));
    }
  };
  add("pid", options.tasks.pids, filter.tgids);
  add("tid", options.tasks.tids, filter.tids);
  return notes;
}

std::vector<std::string> FilterWarnings(const RecordOptions& options,
                                        const capture::FilterMatches& matches) {
  std::vector<std::string> warnings;
  const auto warn = [&](std::string_view option, const auto& value, std::string_view what) {
    warnings.push_back(fmt::format("warning: {} {}: at the start {}", option, value, what));
  };
  for (size_t i = 0; i < options.tasks.pids.size(); ++i) {
    if (matches.tgid(i)) continue;
    const uint32_t pid = options.tasks.pids[i];
    if (const uint32_t process = matches.process_of_thread(i)) {
      warn("--pid", pid,
           fmt::format("it is a thread of process {}, not a process; to select only the thread use "
                       "--tid",
                       process));
    } else {
      warn("--pid", pid, "there is no such process");
    }
  }
  for (size_t i = 0; i < options.tasks.tids.size(); ++i) {
    if (!matches.tid(i)) warn("--tid", options.tasks.tids[i], "there is no such thread");
  }
  for (size_t i = 0; i < options.tasks.comms.size(); ++i) {
    if (!matches.comm(i)) warn("--comm", options.tasks.comms[i], "no thread has this name");
  }
  for (size_t i = 0; i < options.tasks.cgroups.size(); ++i) {
    if (!matches.cgroup(i)) warn("--cgroup", options.tasks.cgroups[i], "there is no task in it");
  }
  if (options.tasks.follow && options.tasks.tids.empty() && options.tasks.pids.empty() &&
      options.tasks.comms.empty() && !options.quiet) {
    warnings.emplace_back("--follow has no effect without --pid, --tid or --comm");
  }
  return warnings;
}

}  // namespace tools
