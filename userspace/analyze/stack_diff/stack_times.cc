// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/stack_diff/stack_times.h"

#include <algorithm>

#include "analyze/flame/flame_stacks.h"
#include "facts/scheduling.h"
#include "measure/group_name.h"
#include "schema/names.h"

namespace analyze {

uint32_t FramePool::Add(std::string_view text, bool of_c_library) {
  const auto [found, is_new] =
      numbers_.try_emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
  if (is_new) {
    texts_.push_back(&found->first);
    of_c_library_.push_back(of_c_library);
  }
  return found->second;
}

StackTime* StackTimes::Find(const Key& key) {
  auto found = times_.find(key);
  if (found == times_.end()) {
    if (times_.size() >= kMaxStacks) {
      ++left_out_;
      return nullptr;
    }
    found = times_.try_emplace(key).first;
  }
  if (found->second.size() < captures_) found->second.resize(captures_);
  return &found->second.back();
}

void StackTimesReader::Add(const fxt::Reader& reader) {
  if (!sections_.Has(reader)) return;
  const fxt::Record& record = reader.record();
  objects_.Note(record);
  stacks_.Note(record);
  purposes_.Add(reader);
  if (const auto* event = std::get_if<fxt::Event>(&record)) {
    if (const auto stack = StackOf(*event)) {
      AddStack(*event, reader.ToNanoseconds(event->timestamp), *stack);
    }
  }
}

void StackTimesReader::AddStack(const fxt::Event& event, uint64_t time, uint64_t stack) {
  const auto kind = FlameKindNamed(event.name.text);
  if (!kind || *kind == FlameKind::kWake) return;
  const fxt::Koid process = event.thread.process;
  const auto group = groups_.find({measure::FoldDigits(objects_.process_name(process)),
                                   measure::FoldDigits(objects_.thread_name(event.thread.thread))});
  if (group == groups_.end()) return;
  const auto frames = stacks_.FramesOf(process, stack);
  if (!frames || frames->empty()) return;
  StackTimes::Key key{group->second, {}};
  for (const uint32_t frame : *frames) {
    key.frames.push_back(times_.frames().Add(stacks_.text(frame), stacks_.IsOfCLibrary(frame)));
  }
  StackTime* entry = times_.Find(key);
  if (entry == nullptr) return;
  if (*kind == FlameKind::kOn) {
    ++entry->samples;
    return;
  }
  const fxt::Argument* argument = facts::FindArgument(event.arguments, schema::argument::kAway);
  const auto* away = argument == nullptr ? nullptr : std::get_if<uint64_t>(&argument->value);
  if (away == nullptr) return;
  const auto* sleep = purposes_.Find(event.thread.thread, time - std::min(time, *away));
  const auto purpose =
      static_cast<size_t>(sleep == nullptr ? facts::WaitsFor::kUnknown : sleep->purpose);
  (sleep != nullptr && sleep->blocked ? entry->blocked : entry->slept)[purpose] += *away;
}

}  // namespace analyze
