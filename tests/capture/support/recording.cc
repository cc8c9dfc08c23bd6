// SPDX-License-Identifier: BSD-2-Clause
#include "capture/support/recording.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <thread>

#include <fmt/format.h>

#include "capture/ftrace/tracefs/trace_fs.h"
#include "capture/support/environment.h"

namespace truth {
namespace {

// Numbers of a JSON tree, added up.
uint64_t Sum(const nlohmann::json& node) {
  if (node.is_number()) return node.get<uint64_t>();
  uint64_t sum = 0;
  if (node.is_structured()) {
    for (const nlohmann::json& child : node) sum += Sum(child);
  }
  return sum;
}

}  // namespace

util::Result<CaptureStats> CaptureStats::Read(const std::string& path) {
  auto text = ReadFileAt(AT_FDCWD, path);
  if (!text.ok()) return text.TakeError();
  CaptureStats stats;
  stats.json = nlohmann::json::parse(*text, nullptr, false);
  for (const char* key : {"raw_events", "records", "suppressed", "dropped"}) {
    if (!stats.json.is_object() || !stats.json.contains(key)) {
      return util::Error{fmt::format("the summary lacks {}: {}", key, *text), ""};
    }
  }
  stats.raw_events = Sum(stats.json["raw_events"]);
  stats.records = Sum(stats.json["records"]);
  stats.suppressed = Sum(stats.json["suppressed"]);
  stats.dropped = Sum(stats.json["dropped"]);
  for (const auto& [cpu, categories] : stats.json["dropped"].items()) {
    for (const auto& [category, count] : categories.items()) {
      if (count != 0) {
        stats.dropped_by_cpu[std::stoi(cpu)][category] = count.get<uint64_t>();
      }
    }
  }
  return stats;
}

std::vector<std::string> RecordCommand(const std::string& path,
                                       const std::vector<std::string>& options,
                                       const std::vector<std::string>& command) {
  std::vector<std::string> words = {RecorderPath(), "-q", "-o", path};
  words.insert(words.end(), options.begin(), options.end());
  if (!command.empty()) {
    words.push_back("--");
    words.insert(words.end(), command.begin(), command.end());
  }
  return words;
}

std::vector<std::string> WithPriority(const std::vector<std::string>& record) {
  std::vector<std::string> words = {"nice", "-n", "-20"};
  bool in_command = false;
  for (const std::string& word : record) {
    words.push_back(word);
    if (word == "--" && !in_command) {
      words.insert(words.end(), {"nice", "-n", "20"});
      in_command = true;
    }
  }
  return words;
}

bool WaitForFile(const std::string& path, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  struct stat info;
  while (stat(path.c_str(), &info) != 0 || info.st_size == 0) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace truth
