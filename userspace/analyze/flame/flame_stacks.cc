// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/flame/flame_stacks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "facts/scheduling.h"
#include "measure/group_name.h"
#include "schema/names.h"
#include "schema/stack_end.h"

namespace analyze {
namespace {

// Limits for damaged traces. A machine has fewer.
constexpr size_t kMaxStacks = size_t{1} << 20;

constexpr std::array<std::string_view, 3> kNames = {
    schema::event::kStackOff, schema::event::kStackOn, schema::event::kStackWake};
constexpr std::array<std::string_view, 3> kUnits = {"microseconds", "samples", "wakeups"};

uint64_t AwayOf(const fxt::Event& event) {
  const fxt::Argument* argument = facts::FindArgument(event.arguments, schema::argument::kAway);
  const auto* away = argument == nullptr ? nullptr : std::get_if<uint64_t>(&argument->value);
  return away == nullptr ? 0 : *away;
}

}  // namespace

std::string_view NameOf(FlameKind kind) { return kNames[static_cast<size_t>(kind)]; }
std::string_view UnitOf(FlameKind kind) { return kUnits[static_cast<size_t>(kind)]; }

std::optional<FlameKind> FlameKindNamed(std::string_view name) {
  const auto* found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<FlameKind>(found - kNames.begin());
}

void FlameBuilder::Add(const fxt::Reader& reader) {
  if (!sections_.Has(reader)) return;
  const fxt::Record& record = reader.record();
  objects_.Note(record);
  stacks_.Note(record);
  if (purposes_) purposes_->Add(reader);
  if (const auto* event = std::get_if<fxt::Event>(&record)) {
    if (const auto stack = StackOf(*event)) {
      AddStack(*event, reader.ToNanoseconds(event->timestamp), *stack);
    }
  }
}

bool FlameBuilder::IsSelected(fxt::Koid process, fxt::Koid thread) const {
  return (!selection_.process || selection_.process(process, objects_.process_name(process))) &&
         (!selection_.thread || selection_.thread(thread, objects_.thread_name(thread)));
}

void FlameBuilder::AddStack(const fxt::Event& event, uint64_t time, uint64_t stack) {
  const auto kind = FlameKindNamed(event.name.text);
  if (!kind) return;
  const bool pairs = kind_ == FlameKind::kWake && *kind == FlameKind::kOff;
  ++(*kind == kind_ ? counts_.recorded : counts_.others);
  if (*kind != kind_ && !pairs) return;
  const bool is_out =
      (selection_.time && !selection_.time(time)) ||
      (*kind != FlameKind::kOn && AwayOf(event) < selection_.min_away) ||
      (*kind != FlameKind::kWake && !IsSelected(event.thread.process, event.thread.thread));
  const auto is_idle = [&] {
    const uint64_t begin = time - std::min(time, AwayOf(event));
    return purposes_ && *kind == FlameKind::kOff &&
           purposes_->Of(event.thread.thread, begin) == facts::WaitsFor::kWork;
  };
  if (is_out || is_idle()) {
    if (!is_out) ++counts_.idle;
    if (pairs) wakes_.erase(event.thread.thread);
    return;
  }
  if (*kind == kind_) {
    ++counts_.stacks;
    CountEnd(event, stack);
  }
  const fxt::Koid process = event.thread.process;
  const fxt::Koid thread = event.thread.thread;
  const auto wake = pairs ? wakes_.find(thread) : wakes_.end();
  if (pairs && wake == wakes_.end()) return;
  auto frames = stacks_.FramesOf(process, stack);
  if (!frames) {
    ++counts_.undefined;
    frames.emplace();
  }
  if (pairs) {
    CountWake(thread, *frames, wake->second);
    wakes_.erase(wake);
  } else if (kind_ == FlameKind::kWake) {
    const auto woken =
        facts::KoidOf(facts::FindArgument(event.arguments, schema::argument::kWoken));
    if (!woken) return;
    // A wakeup of a sleeper without a stack.
    if (const auto before = wakes_.find(*woken); before != wakes_.end()) {
      CountWake(*woken, {}, before->second);
    }
    if (wakes_.size() < kMaxStacks) wakes_[*woken] = {process, thread, std::move(*frames)};
  } else {
    Count(process, thread, *frames, kind_ == FlameKind::kOff ? AwayOf(event) : 1);
  }
}

void FlameBuilder::CountEnd(const fxt::Event& event, uint64_t stack) {
  const fxt::Argument* argument = facts::FindArgument(event.arguments, schema::argument::kEnd);
  const auto* name = argument == nullptr ? nullptr : std::get_if<fxt::StringRef>(&argument->value);
  const auto end = name == nullptr ? std::nullopt : schema::FindStackEnd(name->text);
  if (!end) return;
  const bool is_of_file = !schema::kStackEnds[*end].of_file.empty();
  counts_.ends.Add(*end, is_of_file ? stacks_.OutermostFile(event.thread.process, stack) : "");
}

// The stack of the sleeper is outermost. The stack of its waker follows, from the inside out.
void FlameBuilder::CountWake(fxt::Koid woken, const StackFrames& sleeper, const Wake& wake) {
  StackFrames frames = sleeper;
  frames.push_back(stacks_.Text(std::string(kWakerMark)));
  frames.insert(frames.end(), wake.frames.rbegin(), wake.frames.rend());
  frames.push_back(stacks_.Text(FoldedPart(objects_.thread_name(wake.thread))));
  const auto* object = objects_.thread(woken);
  const fxt::Koid process = object != nullptr ? object->process.value_or(0) : 0;
  if (IsSelected(process, woken)) Count(process, woken, frames, 1);
}

void FlameBuilder::Count(fxt::Koid process, fxt::Koid thread, const StackFrames& frames,
                         uint64_t weight) {
  const Key key{process, thread, frames};
  const auto found = weights_.find(key);
  if (found != weights_.end()) {
    found->second.weight += weight;
    ++found->second.events;
  } else if (weights_.size() < kMaxStacks) {
    weights_.emplace(key, Sum{weight, 1});
  } else {
    ++counts_.dropped;
  }
}

void JoinNames(FoldedStacks& stacks, FoldedStacks* other) {
  const std::array<FoldedStacks*, 2> sides = {&stacks, other};
  JoinNames(std::span(sides).first(other == nullptr ? 1 : 2));
}

void JoinNames(std::span<FoldedStacks* const> sides) {
  // By name without digits; empty if there are several.
  using Names = std::map<std::string, std::string>;
  Names processes, threads;
  // `each`: void(Names&, std::string&), for the process, the thread and the waker of a stack.
  const auto for_names = [&](auto& stack, auto&& each) {
    if (stack.size() < 2) return;
    each(processes, stack[0]);
    each(threads, stack[1]);
    if (std::find(stack.begin() + 2, stack.end(), kWakerMark) != stack.end()) {
      each(threads, stack.back());
    }
  };
  for (const FoldedStacks* side : sides) {
    for (const auto& [stack, weight] : *side) {
      for_names(stack, [](Names& names, const std::string& name) {
        const auto [known, is_new] = names.try_emplace(measure::FoldDigits(name), name);
        if (!is_new && known->second != name) known->second.clear();
      });
    }
  }
  for (FoldedStacks* side : sides) {
    FoldedStacks joined;
    while (!side->empty()) {
      auto node = side->extract(side->begin());
      for_names(node.key(), [](Names& names, std::string& name) {
        std::string folded = measure::FoldDigits(name);
        if (names.at(folded).empty()) name = std::move(folded);
      });
      const uint64_t weight = node.mapped();
      auto done = joined.insert(std::move(node));
      if (!done.inserted) done.position->second += weight;
    }
    *side = std::move(joined);
  }
}

FoldedStacks FlameBuilder::Finish(FoldedStacks* events) {
  for (const auto& [woken, wake] : wakes_) CountWake(woken, {}, wake);
  wakes_.clear();
  FoldedStacks folded;
  for (const auto& [key, sum] : weights_) {
    FoldedStack stack;
    for (const std::string& name :
         {objects_.process_name(key.process), objects_.thread_name(key.thread)}) {
      stack.push_back(name.empty() ? "[unknown]" : FoldedPart(name));
    }
    for (const uint32_t text : key.frames) stack.push_back(stacks_.text(text));
    if (events != nullptr) (*events)[stack] += sum.events;
    folded[std::move(stack)] += sum.weight;
  }
  // Sums are in nanoseconds until here: rounding of many short times would add up.
  if (kind_ == FlameKind::kOff) {
    for (auto& [stack, weight] : folded) weight = (weight + 500) / 1000;
  }
  return folded;
}

}  // namespace analyze
