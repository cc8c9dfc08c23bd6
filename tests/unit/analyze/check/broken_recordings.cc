// SPDX-License-Identifier: BSD-2-Clause
#include "unit/analyze/check/broken_recordings.h"

#include <gtest/gtest.h>

#include "analyze/check/checker.h"

namespace analyze::testing {

using fxt::Argument;
using fxt::EventType;
using fxt::StringRef;
using fxt::ThreadRef;
using fxt::ThreadState;

std::vector<std::string> FindingsOf(RecordingParts& file, bool recorder_rules,
                                    std::optional<size_t> max_table_bytes) {
  fxt::MemorySource source(file.Bytes());
  CheckOptions options;
  if (max_table_bytes) options.max_table_bytes = *max_table_bytes;
  options.recorder_rules = recorder_rules;
  std::vector<std::string> findings;
  const CheckResult result = CheckTrace(source, options, [&](const Finding& finding) {
    const std::string label = file.LabelAt(finding.offset);
    findings.push_back(std::string(finding.rule) + " at " +
                       (label.empty() ? std::to_string(finding.offset) : label));
    EXPECT_FALSE(finding.message.empty());
  });
  EXPECT_EQ(result.errors + result.warnings, findings.size());
  EXPECT_EQ(result.unreadable, "");
  return findings;
}

fxt::LegacyContextSwitch SwitchAtEnd(ThreadRef outgoing, uint8_t outgoing_priority,
                                     ThreadRef incoming, uint8_t incoming_priority,
                                     ThreadState state) {
  return {kEnd, 0, state, outgoing, incoming, outgoing_priority, incoming_priority};
}

fxt::Event InstantOf(uint64_t time, ThreadRef thread, std::string_view category,
                     std::string_view name, std::span<const Argument> arguments) {
  return {EventType::kInstant,     time,      thread, StringRef::Inline(category),
          StringRef::Inline(name), arguments, 0};
}

}  // namespace analyze::testing
