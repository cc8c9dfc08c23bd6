// SPDX-License-Identifier: BSD-2-Clause
// The section of `fxt diff` on settings that differ.
#pragma once

#include <string>
#include <vector>

#include "analyze/document/document.h"
#include "compare/values/setting_differences.h"

namespace analyze {

// "cpus_allowed of render is 1 (was: 0-1)"
std::string SettingWords(const comparison::SettingDifference& setting);

// Adds the section, which text leaves out if nothing differs. JSON has it as `settings`.
void AddSettingsSection(document::Document& document,
                        const std::vector<comparison::SettingDifference>& differences);

}  // namespace analyze
