// SPDX-License-Identifier: BSD-2-Clause
// Checks the promises that fxt-record makes about its own files beyond the format.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyze/check/finding.h"
#include "analyze/check/rules.h"
#include "analyze/check/stack_rules.h"
#include "facts/cpu_continuity.h"
#include "facts/kernel_sections.h"
#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "facts/task_names.h"
#include "fxt/id_map.h"
#include "fxt/reader.h"

namespace analyze {

class RecorderChecker {
 public:
  explicit RecorderChecker(FindingHandler report) : report_(std::move(report)) {}

  // Takes the record that `reader` stands at.
  void Check(const fxt::Reader& reader);
  // After the last record of a trace that was read to its end.
  void Finish();

 private:
  struct Tables {
    std::vector<bool> strings;
    std::bitset<256> threads;
  };
  struct Mention {
    uint64_t offset = 0;
    std::optional<fxt::Koid> process;
  };
  // A record that has to follow, definitions aside.
  enum class Awaited : uint8_t { kNothing, kStateSwitch, kLossInstant, kLossCounter, kLogInstant };

  void Report(const Rule& rule, std::string message) {
    report_({offset_, rule.severity, rule.id, std::move(message)});
  }
  void ReportAt(uint64_t offset, const Rule& rule, std::string message) {
    report_({offset, rule.severity, rule.id, std::move(message)});
  }

  void CheckProviderRecord(const fxt::Reader& reader);
  void CheckPreamble(const fxt::Reader& reader);
  void CheckDefinition(const fxt::Reader& reader);
  void CheckAwaited(const fxt::Record& record);
  void Miss();
  void CheckTime(const fxt::Reader& reader);
  void CheckEvent(const fxt::Event& event);
  void CheckLoss(const facts::Loss& loss);
  void CheckSwitch(const fxt::Reader& reader);
  void CheckSide(const facts::Switch& record, const facts::SwitchSide& side);
  void CheckWakeup(const fxt::ThreadWakeup& record);
  void MentionProcess(fxt::Koid process);
  void MentionThread(fxt::Koid thread, std::optional<fxt::Koid> process);
  void CheckObject(const fxt::KernelObject& object);

  FindingHandler report_;
  uint64_t offset_ = 0;
  uint64_t records_ = 0;
  bool preamble_bad_ = false;
  bool seen_event_ = false;
  uint64_t last_time_ = 0;
  std::unordered_map<uint32_t, Tables> tables_;
  fxt::IdMap<Mention> threads_;
  fxt::IdMap<uint64_t> processes_;  // first mention
  facts::KernelSections sections_;
  facts::TaskNames names_;
  facts::CpuContinuity continuity_{names_};
  StackRules stacks_;

  Awaited awaited_ = Awaited::kNothing;
  uint64_t awaited_offset_ = 0;
  fxt::Koid awaited_thread_ = 0;
  uint64_t awaited_time_ = 0;
  fxt::ThreadState awaited_state_ = fxt::ThreadState::kNew;
  int32_t awaited_cpu_ = -1;
};

}  // namespace analyze
