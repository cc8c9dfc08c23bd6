// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/settings_table.h"

#include <array>
#include <optional>
#include <sstream>
#include <utility>

#include "measure/group_name.h"

namespace measure {
namespace {

using schema::SettingScope;

// Bytes of an entry of a map, without its texts.
constexpr size_t kNodeBytes = 128;

// Limits of a group that hold for those below it, and what stands for none.
struct Limit {
  const char* name;
  const char* none;
};
constexpr std::array<Limit, 11> kLimits = {{{"cpu.max", "max"},
                                            {"memory.high", "max"},
                                            {"memory.max", "max"},
                                            {"memory.swap.max", "max"},
                                            {"io.max", ""},
                                            {"pids.max", "max"},
                                            {"cpu.cfs_quota_us", "-1"},
                                            {"memory.limit_in_bytes", "9223372036854771712"},
                                            {"cpuset.cpus", ""},
                                            {"blkio.throttle.read_bps_device", ""},
                                            {"blkio.throttle.write_bps_device", ""}}};
// Those that count among the groups beside it: of its own group alone.
constexpr std::array<const char*, 4> kWeights = {"cpu.weight", "io.weight", "cpu.shares",
                                                 "blkio.weight"};

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

void SettingsTable::Set(Values& values, std::string_view name, std::string value) {
  if (bytes_ >= kMostBytes) return;
  const auto [entry, fresh] = values.try_emplace(std::string(name));
  bytes_ += (fresh ? kNodeBytes + name.size() : 0) + value.size();
  entry->second = std::move(value);
}

void SettingsTable::Add(const facts::SettingsEvent& event) {
  if (bytes_ >= kMostBytes) return;
  if (!event.process) {
    const bool is_cgroup = event.scope == SettingScope::kCgroup;
    Values* cgroup = nullptr;
    if (is_cgroup) cgroup = &cgroups_[std::string(event.subject)];
    SettingKey key;
    key.scope = event.scope;
    key.subject = is_cgroup ? FoldCgroup(event.subject) : std::string(event.subject);
    for (const fxt::Argument& argument : event.values) {
      std::string value = facts::SettingText(argument.value);
      if (cgroup != nullptr) Set(*cgroup, argument.name.text, value);
      key.name = argument.name.text;
      bytes_ += kNodeBytes + key.subject.size() + key.name.size() + value.size();
      machine_[key].Add(std::move(value));
    }
    return;
  }
  Process& process = processes_[*event.process];
  bytes_ += kNodeBytes;
  process.name = FoldDigits(event.subject);
  if (event.scope == SettingScope::kProcess && !event.values.empty() &&
      event.values.front().name.text == schema::setting::kExecutable) {
    process.settings.clear();
    process.command.clear();
  }
  Values& values = event.scope == SettingScope::kProcess ? process.settings : process.command;
  for (const fxt::Argument& argument : event.values) {
    Set(values, argument.name.text, facts::SettingText(argument.value));
  }
}

// The limits that hold for a process by its groups ("a;b") and those above them.
void SettingsTable::AddLimits(const std::string& groups, const SettingKey& key,
                              SettingMap& to) const {
  const auto value_in = [&](const std::string& group, const char* name) {
    const auto found = cgroups_.find(group);
    if (found == cgroups_.end()) return std::optional<std::string>();
    const auto value = found->second.find(name);
    return value == found->second.end() ? std::nullopt : std::optional(value->second);
  };
  const auto add = [&](const char* name, std::string value) {
    SettingKey limit = key;
    limit.name = std::string("cgroup ") + name;
    to[limit].Add(std::move(value));
  };
  std::istringstream list(groups);
  for (std::string group; std::getline(list, group, ';');) {
    for (const char* name : kWeights) {
      if (auto value = value_in(group, name)) add(name, std::move(*value));
    }
    for (const Limit& limit : kLimits) {
      std::optional<std::string> holds;
      for (std::string path = group; !path.empty() && !path.ends_with(':');) {
        const auto value = value_in(path, limit.name);
        const bool is_none = value && (value->empty() || value->starts_with(limit.none));
        if (value && (!holds || !is_none)) holds = value;
        if (value && !is_none && *limit.none != '\0') break;
        path.resize(std::min(path.rfind('/'), path.size()));
      }
      if (holds) add(limit.name, std::move(*holds));
    }
  }
}

void SettingsTable::AddProcess(const Process& process, bool of_command, SettingMap& to) const {
  SettingKey key{.scope = SettingScope::kProcess,
                 .of_command = of_command,
                 .subject = process.name,
                 .name = ""};
  for (const auto& [name, value] : process.settings) {
    if (name == schema::setting::kThreads || name == schema::setting::kOomScore ||
        name == schema::setting::kAutogroup) {
      continue;
    }
    key.name = name;
    if (const auto thread = schema::AsThreadSetting(name)) {
      key.name = std::string(thread->name) + std::string(kOfThread) + FoldDigits(thread->thread);
    }
    if (name == schema::setting::kExecutable) {
      to[key].Add(BaseName(value));
    } else if (name == schema::setting::kCommandLine) {
      to[key].Add(FoldCommandLine(value));
    } else if (name == schema::setting::kCgroup) {
      to[key].Add(FoldCgroup(value));
      AddLimits(value, key, to);
    } else {
      to[key].Add(value);
    }
  }
  key.scope = SettingScope::kCommand;
  for (const auto& [name, value] : process.command) {
    key.name = name;
    if (name.starts_with(schema::setting::kLibrary)) {
      key.name = std::string(schema::setting::kLibrary) + BaseName(name);
    } else if (name.starts_with(schema::setting::kEnvironment)) {
      if (!IsComparedVariable(std::string_view(name).substr(schema::setting::kEnvironment.size())))
        continue;
    }
    to[key].Add(value);
  }
}

SettingMap SettingsTable::Finish(const CommandTree& tree) {
  SettingMap all = std::move(machine_);
  for (const auto& [koid, process] : processes_) {
    if (all.size() >= kMostSettings) break;
    AddProcess(process, tree.Contains(koid), all);
  }
  return all;
}

}  // namespace measure
