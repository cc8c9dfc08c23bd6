// SPDX-License-Identifier: BSD-2-Clause
#include "session/settings_history.h"

#include <algorithm>
#include <utility>

namespace session {

using schema::Settings;
using schema::SettingScope;

void SettingsHistory::Count(const Settings& settings, bool more) {
  const size_t bytes = settings.bytes();
  bytes_ = more ? bytes_ + bytes : bytes_ - bytes;
  if (settings.pid == 0) return;
  if (more) {
    ++of_pid_[settings.pid];
  } else if (const auto found = of_pid_.find(settings.pid); --found->second == 0) {
    of_pid_.erase(found);
  }
}

void SettingsHistory::Add(uint64_t time, Settings settings) {
  if (bytes_ + settings.bytes() > most_bytes_) return;
  const uint32_t pid = settings.pid;
  Count(settings, true);
  changes_.push_back({time, std::make_shared<const Settings>(std::move(settings))});
  if (pid == 0) return;
  // The settings were read before the process ended, but its end was reported first.
  const auto end = std::find_if(last_ended_.begin(), last_ended_.end(), [&](const Ended& each) {
    return each.pid == pid && each.time >= time;
  });
  if (end != last_ended_.end()) ended_.push_back(*end);
}

void SettingsHistory::OnSideEvent(const fxr_side_header& event) {
  if (event.type != FXR_SIDE_EXIT || event.size < sizeof(fxr_exit)) return;
  const auto& exit = reinterpret_cast<const fxr_exit&>(event);
  if (exit.tid != exit.tgid) return;
  last_ended_[ends_++ % last_ended_.size()] = {event.time, exit.tgid};
  if (of_pid_.contains(exit.tgid)) ended_.push_back({event.time, exit.tgid});
}

void SettingsHistory::Erase(uint32_t pid) {
  for (const SettingScope scope : {SettingScope::kProcess, SettingScope::kCommand}) {
    const auto found = state_.find(Key(scope, pid, ""));
    if (found == state_.end()) continue;
    Count(*found->second, false);
    state_.erase(found);
  }
}

void SettingsHistory::Apply(const Settings& settings) {
  const bool is_program = settings.scope == SettingScope::kProcess && !settings.values.empty() &&
                          settings.values.front().first == schema::setting::kExecutable;
  if (is_program) Erase(settings.pid);
  // Processes are identified by pid, because their name can change.
  const Key key(settings.scope, settings.pid, settings.pid == 0 ? settings.subject : "");
  auto& entry = state_[key];
  Settings merged = entry ? *entry : settings;
  if (entry) {
    Count(*entry, false);
    merged.subject = settings.subject;
    for (const schema::Setting& setting : settings.values) {
      const auto known = std::find_if(merged.values.begin(), merged.values.end(),
                                      [&](const auto& of) { return of.first == setting.first; });
      if (known != merged.values.end()) {
        known->second = setting.second;
      } else {
        merged.values.push_back(setting);
      }
    }
  }
  Count(merged, true);
  entry = std::make_shared<const Settings>(std::move(merged));
}

void SettingsHistory::Trim(uint64_t time) {
  const auto change_time = [&] { return changes_.empty() ? UINT64_MAX : changes_.front().time; };
  const auto end_time = [&] { return ended_.empty() ? UINT64_MAX : ended_.front().time; };
  while (std::min(change_time(), end_time()) < time) {
    if (end_time() < change_time()) {
      Erase(ended_.front().pid);
      ended_.pop_front();
      continue;
    }
    const TimedSettings change = std::move(changes_.front());
    changes_.pop_front();
    Count(*change.settings, false);
    Apply(*change.settings);
  }
}

std::vector<TimedSettings> SettingsHistory::All() const {
  std::vector<TimedSettings> all;
  all.reserve(state_.size() + changes_.size());
  for (const auto& [key, settings] : state_) all.push_back({0, settings});
  all.insert(all.end(), changes_.begin(), changes_.end());
  return all;
}

}  // namespace session
