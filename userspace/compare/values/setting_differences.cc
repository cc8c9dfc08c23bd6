// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/setting_differences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "measure/settings.h"

namespace comparison {
namespace {

using measure::SettingKey;
using measure::SettingMap;
using measure::SettingValues;
using schema::SettingScope;

// Of a process, the limits of its groups begin with this.
constexpr std::string_view kOfCgroup = "cgroup ";

class SettingComparer {
 public:
  SettingComparer(const Groups& groups, const std::vector<bool>& in_scope)
      : groups_(groups), in_scope_(in_scope), captures_(groups.captures()), bases_(groups.bases()) {
    for (size_t g = 0; g < in_scope.size(); ++g) {
      if (!in_scope[g]) continue;
      for (const auto& name : {std::optional(groups.all()[g].name), groups.all()[g].former_name}) {
        if (name) judged_.insert({name->process, name->of_command});
      }
    }
    for (const measure::Capture* capture : captures_) {
      for (const auto& [key, values] : capture->settings) AddKey(key, values);
    }
    same_keys_ = SameEnvironmentKeys();
  }

  std::vector<SettingDifference> Find() {
    // The groups of processes first: what else is shown depends on them.
    for (const auto& key : keys_) {
      if (key.name == schema::setting::kCgroup && Differs(key))
        moved_.insert({key.subject, key.of_command});
    }
    std::map<std::tuple<SettingScope, std::string, std::string>, SettingDifference> found;
    for (const SettingKey& key : keys_) {
      if (!IsShown(key)) continue;
      auto difference = DifferenceOf(key);
      if (!difference) continue;
      // Of a name inside and outside of the command's tree, once.
      found.try_emplace({difference->scope, difference->subject, difference->name},
                        std::move(*difference));
    }
    for (SettingDifference& difference : ThreadNumbers()) {
      found.try_emplace({difference.scope, difference.subject, difference.name}, difference);
    }
    std::vector<SettingDifference> all;
    for (auto& [key, difference] : found) {
      difference.shown = ShownName(difference);
      all.push_back(std::move(difference));
    }
    return all;
  }

 private:
  // Whether a part of the threads of a group is there at once. Threads that follow each other are
  // no pool.
  static bool IsPool(const measure::Group& group, const measure::Capture& capture) {
    const auto absent = static_cast<double>(group.of(facts::Share::kAbsent));
    const double all = static_cast<double>(group.threads) * static_cast<double>(capture.length());
    return all - absent >= all * kNamed;
  }

  // How many threads the judged groups had. A pool of another size is set differently, wherever
  // that was set.
  std::vector<SettingDifference> ThreadNumbers() const {
    std::vector<SettingDifference> found;
    for (size_t g = 0; g < in_scope_.size(); ++g) {
      const SharedGroup& group = groups_.all()[g];
      std::set<uint64_t> numbers[2];
      bool is_pool = true;
      for (size_t i = 0; i < captures_.size(); ++i) {
        const measure::Group* part = group.In(captures_, i);
        numbers[i >= bases_].insert(part != nullptr ? part->threads : 0);
        is_pool = is_pool && (part == nullptr || IsPool(*part, *captures_[i]));
      }
      if (!in_scope_[g] || !is_pool || numbers[0].size() != 1 || numbers[1].size() != 1) continue;
      const uint64_t base = *numbers[0].begin();
      const uint64_t next = *numbers[1].begin();
      if (base == next || base == 0 || next == 0) continue;
      const std::string& thread = group.name.thread;
      found.push_back({.scope = SettingScope::kProcess,
                       .subject = group.name.process,
                       .name = thread == group.name.process
                                   ? std::string(schema::setting::kThreads)
                                   : fmt::format("{}{}{}", schema::setting::kThreads,
                                                 measure::kOfThread, thread),
                       .base = std::to_string(base),
                       .next = std::to_string(next)});
    }
    return found;
  }

  std::string ShownName(const SettingDifference& difference) const {
    if (difference.scope != SettingScope::kProcess) return difference.subject;
    std::set<std::string> names;
    for (const SharedGroup& group : groups_.all()) {
      if (group.name.process == difference.subject) names.insert(group.shown.process);
    }
    return names.size() == 1 ? *names.begin() : difference.subject;
  }

  using Subject = std::tuple<SettingScope, bool, std::string>;
  static Subject SubjectOf(const SettingKey& key) {
    return {key.scope, key.of_command, key.subject};
  }
  bool IsJudged(const SettingKey& key) const {
    return judged_.contains({key.subject, key.of_command});
  }

  void AddKey(const SettingKey& key, const SettingValues& values) {
    keys_.insert(key);
    if (key.scope != SettingScope::kProcess || key.name != schema::setting::kCgroup ||
        !IsJudged(key)) {
      return;
    }
    // "a;b", and the groups above.
    for (const std::string& value : values.values) {
      std::istringstream list(value);
      for (std::string group; std::getline(list, group, ';');) {
        for (; !group.empty() && !group.ends_with(':');
             group.resize(std::min(group.rfind('/'), group.size()))) {
          judged_groups_.insert(group);
          if (group.rfind('/') == std::string::npos) break;
        }
      }
    }
  }

  // Hashes of values compare only where one key made them.
  bool SameEnvironmentKeys() const {
    std::set<std::string> identities;
    for (const measure::Capture* capture : captures_) {
      for (const auto& [key, values] : capture->settings) {
        if (key.scope == SettingScope::kCommand && key.name == schema::setting::kEnvironmentKey) {
          identities.insert(values.values.begin(), values.values.end());
        }
      }
    }
    return identities.size() <= 1;
  }

  bool IsShown(const SettingKey& key) const {
    switch (key.scope) {
      case SettingScope::kSystem:
        return true;
      case SettingScope::kDevice:
      case SettingScope::kMount:
        return IsOnBothSides(SubjectOf(key));
      case SettingScope::kCgroup:
        return judged_groups_.contains(key.subject) && IsOnBothSides(SubjectOf(key));
      case SettingScope::kProcess:
        if (!IsJudged(key)) return false;
        // In the same group on both sides its settings are those of the group.
        return !key.name.starts_with(kOfCgroup) || moved_.contains({key.subject, key.of_command});
      case SettingScope::kCommand:
        return IsJudged(key) && key.name != schema::setting::kEnvironmentKey;
    }
    return false;
  }

  bool IsOnBothSides(const Subject& subject) const {
    return Knows(subject, false) && Knows(subject, true);
  }
  bool Knows(const Subject& subject, bool next) const {
    for (size_t i = next ? bases_ : 0; i < (next ? captures_.size() : bases_); ++i) {
      if (KnowsIn(subject, {}, *captures_[i])) return true;
    }
    return false;
  }
  // Whether a capture knows settings of the subject whose names begin so.
  static bool KnowsIn(const Subject& subject, std::string_view prefix,
                      const measure::Capture& capture) {
    const auto& [scope, of_command, name] = subject;
    const SettingKey least{scope, of_command, name, std::string(prefix)};
    const auto at = capture.settings.lower_bound(least);
    return at != capture.settings.end() && SubjectOf(at->first) == subject &&
           at->first.name.starts_with(prefix);
  }

  struct Side {
    bool known = false;                     // a capture knows the subject
    bool agrees = true;                     // those that do agree
    const SettingValues* values = nullptr;  // null: not set
  };
  Side SideOf(const SettingKey& key, bool next) const {
    // Variables and libraries are read one without the other.
    std::string_view prefix;
    for (const std::string_view each : {schema::setting::kEnvironment, schema::setting::kLibrary}) {
      if (key.scope == SettingScope::kCommand && key.name.starts_with(each)) prefix = each;
    }
    Side side;
    for (size_t i = next ? bases_ : 0; i < (next ? captures_.size() : bases_); ++i) {
      const SettingMap& settings = captures_[i]->settings;
      if (!KnowsIn(SubjectOf(key), prefix, *captures_[i])) continue;
      const auto found = settings.find(key);
      const SettingValues* values = found == settings.end() ? nullptr : &found->second;
      if (side.known) {
        const bool same = (values == nullptr) == (side.values == nullptr) &&
                          (values == nullptr || *values == *side.values);
        side.agrees = side.agrees && same;
      }
      side.known = true;
      side.values = values;
    }
    return side;
  }

  bool Differs(const SettingKey& key) const { return DifferenceOf(key).has_value(); }

  std::optional<SettingDifference> DifferenceOf(const SettingKey& key) const {
    const Side base = SideOf(key, false);
    const Side next = SideOf(key, true);
    if (!base.known || !next.known || !base.agrees || !next.agrees) return std::nullopt;
    if (base.values == nullptr && next.values == nullptr) return std::nullopt;
    for (const Side* side : {&base, &next}) {
      // Which of many values a capture saw is chance.
      if (side->values != nullptr && side->values->more) return std::nullopt;
      // So is which of several command lines of one name.
      if (key.name == schema::setting::kCommandLine && side->values != nullptr &&
          side->values->values.size() != 1) {
        return std::nullopt;
      }
    }
    const bool both = base.values != nullptr && next.values != nullptr;
    if (both && *base.values == *next.values) return std::nullopt;
    if (both && key.name.starts_with(schema::setting::kEnvironment) && !same_keys_) {
      return std::nullopt;
    }
    SettingDifference difference{
        .scope = key.scope, .subject = key.subject, .name = key.name, .base = {}, .next = {}};
    if (base.values != nullptr) difference.base = TextOf(*base.values);
    if (next.values != nullptr) difference.next = TextOf(*next.values);
    // A thread without a setting of its own has that of its process.
    if (const size_t of_thread = key.name.find(measure::kOfThread);
        of_thread != std::string::npos) {
      SettingKey of_process = key;
      of_process.name.resize(of_thread);
      for (const bool is_next : {false, true}) {
        auto& value = is_next ? difference.next : difference.base;
        const Side side = SideOf(of_process, is_next);
        if (!value && side.agrees && side.values != nullptr) value = TextOf(*side.values);
      }
      if (difference.base == difference.next) return std::nullopt;
    }
    return difference;
  }

  static std::string TextOf(const SettingValues& values) {
    return fmt::format("{}", fmt::join(values.values, ", "));
  }

  const Groups& groups_;
  const std::vector<bool>& in_scope_;
  const Captures captures_;
  const size_t bases_;
  std::set<std::pair<std::string, bool>> judged_;  // processes: name, of_command
  std::set<std::string> judged_groups_;            // folded paths
  std::set<std::pair<std::string, bool>> moved_;   // processes whose groups differ
  std::set<SettingKey> keys_;
  bool same_keys_ = true;
};

}  // namespace

std::vector<SettingDifference> FindSettingDifferences(const Groups& groups,
                                                      const std::vector<bool>& in_scope) {
  return SettingComparer(groups, in_scope).Find();
}

}  // namespace comparison
