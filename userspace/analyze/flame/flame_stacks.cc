// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/flame/flame_stacks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "facts/scheduling.h"
#include "measure/group_name.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "schema/stack_id.h"

namespace analyze {
namespace {

// A machine has fewer of all these; a damaged trace may not.
constexpr size_t kMaxAddresses = size_t{1} << 25;
constexpr size_t kMaxStacks = size_t{1} << 20;
constexpr size_t kMaxTexts = size_t{1} << 20;

constexpr std::array<std::string_view, 3> kNames = {
    schema::event::kStackOff, schema::event::kStackOn, schema::event::kStackWake};
constexpr std::array<std::string_view, 3> kUnits = {"microseconds", "samples", "wakeups"};

uint64_t ValueOf(const fxt::Argument* argument) {
  if (argument == nullptr) return 0;
  if (const auto* pointer = std::get_if<fxt::PointerValue>(&argument->value)) {
    return pointer->address;
  }
  if (const auto* number = std::get_if<uint64_t>(&argument->value)) return *number;
  return 0;
}

// A stack that was taken at a tracepoint begins in what takes it.
constexpr std::string_view kTracing = "__traceiter_";

}  // namespace

std::string_view NameOf(FlameKind kind) { return kNames[static_cast<size_t>(kind)]; }
std::string_view UnitOf(FlameKind kind) { return kUnits[static_cast<size_t>(kind)]; }

std::optional<FlameKind> FlameKindNamed(std::string_view name) {
  const auto* found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<FlameKind>(found - kNames.begin());
}

uint32_t FlameBuilder::Text(std::string text) {
  if (texts_.size() >= kMaxTexts) text = "[other]";
  const auto [found, is_new] =
      text_numbers_.emplace(std::move(text), static_cast<uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(found->first);
  return found->second;
}

std::optional<FlameBuilder::Frames> FlameBuilder::FramesOf(fxt::Koid process, uint64_t stack) {
  const auto addresses = stacks_.find(stack);
  if (addresses == stacks_.end()) return std::nullopt;
  const auto mapped = mapped_.find(process);
  const Known key{process, mapped == mapped_.end() ? 0 : mapped->second, stack};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const uint32_t pid = schema::TidOfKoid(process);
  Frames frames;
  bool kernel_before = false;
  for (size_t i = 0; i < addresses->second.size(); ++i) {
    const uint64_t address = addresses->second[i];
    const bool kernel = schema::IsKernelAddress(address);
    // The innermost frame of each half is where it is, the others are where they come back to.
    const bool is_return = i > 0 && (kernel || !kernel_before);
    kernel_before = kernel;
    std::string name = names_.NameOf(pid, address, is_return);
    if (kernel && name.starts_with(kTracing)) {
      frames.clear();
      continue;
    }
    frames.push_back(Text(std::move(name)));
  }
  std::ranges::reverse(frames);
  if (known_.size() >= kMaxStacks) known_.clear();
  known_.emplace(key, frames);
  return frames;
}

void FlameBuilder::Add(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  objects_.Note(record);
  if (const auto* event = std::get_if<fxt::Event>(&record)) {
    if (event->type == fxt::EventType::kInstant &&
        event->category.text == schema::category::kStack) {
      AddStack(*event);
    }
  } else if (const auto* trace = std::get_if<fxt::ProfilerBacktrace>(&record)) {
    if (addresses_ + trace->frames.size() > kMaxAddresses) return;
    const bool is_new =
        stacks_
            .try_emplace(schema::StackIdOf(trace->frames),
                         std::vector<uint64_t>(trace->frames.begin(), trace->frames.end()))
            .second;
    if (is_new) addresses_ += trace->frames.size();
  } else if (const auto* module = std::get_if<fxt::ProfilerModule>(&record)) {
    names_.places().OnModule(
        {module->thread.process, module->module_id, module->name, module->build_id});
  } else if (const auto* mmap = std::get_if<fxt::ProfilerMmap>(&record)) {
    ++mapped_[mmap->thread.process];
    names_.places().OnMapping(
        {mmap->thread.process, mmap->module_id, mmap->start, mmap->size, mmap->module_offset});
  }
}

void FlameBuilder::AddStack(const fxt::Event& event) {
  const auto kind = FlameKindNamed(event.name.text);
  if (!kind) return;
  const bool pairs = kind_ == FlameKind::kWake && *kind == FlameKind::kOff;
  if (*kind != kind_) ++counts_.others;
  if (*kind != kind_ && !pairs) return;
  if (*kind == kind_) ++counts_.stacks;
  namespace argument = schema::argument;
  const fxt::Koid process = event.thread.process;
  const fxt::Koid thread = event.thread.thread;
  const auto wake = pairs ? wakes_.find(thread) : wakes_.end();
  if (pairs && wake == wakes_.end()) return;
  auto frames = FramesOf(process, ValueOf(facts::FindArgument(event.arguments, argument::kStack)));
  if (!frames) {
    ++counts_.undefined;
    frames.emplace();
  }
  if (pairs) {
    CountWake(thread, *frames, wake->second);
    wakes_.erase(wake);
  } else if (kind_ == FlameKind::kWake) {
    const auto woken = facts::KoidOf(facts::FindArgument(event.arguments, argument::kWoken));
    if (!woken) return;
    // One whose sleeper has no stack stands alone.
    if (const auto before = wakes_.find(*woken); before != wakes_.end()) {
      CountWake(*woken, {}, before->second);
    }
    if (wakes_.size() < kMaxStacks) wakes_[*woken] = {process, thread, std::move(*frames)};
  } else {
    const uint64_t away = ValueOf(facts::FindArgument(event.arguments, argument::kAway));
    Count(process, thread, *frames, kind_ == FlameKind::kOff ? away : 1);
  }
}

// Of a sleeper, what it waited in is at the outside, and what ended that wait stands above it.
void FlameBuilder::CountWake(fxt::Koid woken, const Frames& sleeper, const Wake& wake) {
  Frames frames = sleeper;
  frames.push_back(Text(std::string(kWakerMark)));
  frames.insert(frames.end(), wake.frames.rbegin(), wake.frames.rend());
  frames.push_back(Text(FoldedPart(measure::FoldDigits(objects_.thread_name(wake.thread)))));
  const auto* object = objects_.thread(woken);
  Count(object != nullptr ? object->process.value_or(0) : 0, woken, frames, 1);
}

void FlameBuilder::Count(fxt::Koid process, fxt::Koid thread, const Frames& frames,
                         uint64_t weight) {
  const Key key{process, thread, frames};
  const auto found = weights_.find(key);
  if (found != weights_.end()) {
    found->second += weight;
  } else if (weights_.size() < kMaxStacks) {
    weights_.emplace(key, weight);
  } else {
    ++counts_.dropped;
  }
}

FoldedStacks FlameBuilder::Finish() {
  for (const auto& [woken, wake] : wakes_) CountWake(woken, {}, wake);
  wakes_.clear();
  FoldedStacks folded;
  for (const auto& [key, weight] : weights_) {
    FoldedStack stack;
    for (const std::string& name :
         {objects_.process_name(key.process), objects_.thread_name(key.thread)}) {
      stack.push_back(name.empty() ? "[unknown]" : FoldedPart(measure::FoldDigits(name)));
    }
    for (const uint32_t text : key.frames) stack.push_back(texts_[text]);
    folded[std::move(stack)] += weight;
  }
  // Kept in nanoseconds until here, so that many short ones are not rounded off.
  if (kind_ == FlameKind::kOff) {
    for (auto& [stack, weight] : folded) weight = (weight + 500) / 1000;
  }
  return folded;
}

}  // namespace analyze
