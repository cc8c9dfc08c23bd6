// SPDX-License-Identifier: BSD-2-Clause
// Collects the settings of a trace. Memory is bounded in bytes; settings beyond are left out.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "facts/settings_event.h"
#include "fxt/text_map.h"
#include "measure/collect/command_tree.h"
#include "measure/settings.h"

namespace measure {

class SettingsTable {
 public:
  static constexpr size_t kMostBytes = size_t{32} << 20;

  // Call in file order. The last program of a process counts.
  void Add(const facts::SettingsEvent& event);
  // `tree`: the processes of the command.
  SettingMap Finish(const CommandTree& tree);

 private:
  using Values = std::map<std::string, std::string>;
  struct Process {
    std::string name;
    Values settings;
    Values command;
  };

  void Set(Values& values, std::string_view name, std::string value);
  void AddProcess(const Process& process, bool of_command, SettingMap& to) const;
  void AddLimits(const std::string& groups, const SettingKey& key, SettingMap& to) const;

  size_t bytes_ = 0;
  // By scope and subject: each value that the setting had.
  SettingMap machine_;
  fxt::TextMap<Values> cgroups_;  // by whole path: the last values
  std::map<fxt::Koid, Process> processes_;
};

}  // namespace measure
