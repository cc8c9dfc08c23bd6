// SPDX-License-Identifier: BSD-2-Clause
#include "session/window_settings.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace session {

WindowSettings::WindowSettings(std::vector<TimedSettings> all, uint64_t end)
    : all_(std::move(all)) {
  for (TimedSettings& each : all_) each.time = std::min(each.time, end);
}

void WindowSettings::WriteUpTo(uint64_t time, translate::Translator& translator) {
  for (; next_ < all_.size() && all_[next_].time <= time; ++next_) {
    if (all_[next_].settings->pid != 0) {
      of_processes_.push_back(std::move(all_[next_]));
    } else {
      translator.OnSettings(*all_[next_].settings);
    }
  }
}

void WindowSettings::OnExit(const fxr_exit& event, translate::Translator& translator) {
  if (event.tid != event.tgid) return;
  std::erase_if(of_processes_, [&](const TimedSettings& each) {
    if (each.settings->pid != event.tgid) return false;
    translator.OnSettings(*each.settings);
    return true;
  });
}

void WindowSettings::Finish(translate::Translator& translator) {
  std::unordered_set<uint32_t> run;
  translator.ForEachRunProcess([&](uint32_t tgid) { run.insert(tgid); });
  for (const TimedSettings& each : of_processes_) {
    if (run.contains(each.settings->pid)) translator.OnSettings(*each.settings);
  }
  of_processes_.clear();
}

}  // namespace session
