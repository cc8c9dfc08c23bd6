// SPDX-License-Identifier: BSD-2-Clause
// Settings that differ between the base and the new captures.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compare/values/groups.h"
#include "schema/settings.h"

namespace comparison {

struct SettingDifference {
  schema::SettingScope scope = schema::SettingScope::kSystem;
  std::string subject;  // empty: the machine; a process by its name with # for digits
  std::string name;
  // Empty: it is not set on that side, though the subject is known there. Several values of the
  // processes of one name are joined by ", ".
  std::optional<std::string> base;
  std::optional<std::string> next;
  // The subject for people: with its digits, if it is a process of which all captures show one
  // name.
  std::string shown = {};
};

// The settings of the machine, and those of the processes that are judged (`in_scope`, by position
// of the group) and of their cgroups. A setting differs if all captures of a side that know the
// subject agree, and the sides do not. So values that vary from capture to capture are no
// difference, nor is what one side does not know. In order of scope, subject and name.
std::vector<SettingDifference> FindSettingDifferences(const Groups& groups,
                                                      const std::vector<bool>& in_scope);

}  // namespace comparison
