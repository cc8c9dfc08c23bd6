// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/flame/named_stacks.h"

#include <algorithm>
#include <utility>

#include "facts/scheduling.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "schema/stack_id.h"

namespace analyze {
namespace {

// A machine has fewer of all these; a damaged trace may not.
constexpr size_t kMaxAddresses = size_t{1} << 25;
constexpr size_t kMaxKnown = size_t{1} << 20;
constexpr size_t kMaxTexts = size_t{1} << 20;

// A stack that was taken at a tracepoint begins in what takes it.
constexpr std::string_view kTracing = "__traceiter_";

}  // namespace

std::optional<uint64_t> StackOf(const fxt::Event& event) {
  if (event.type != fxt::EventType::kInstant || event.category.text != schema::category::kStack) {
    return std::nullopt;
  }
  const fxt::Argument* argument = facts::FindArgument(event.arguments, schema::argument::kStack);
  if (argument == nullptr) return std::nullopt;
  const auto* number = std::get_if<fxt::PointerValue>(&argument->value);
  return number == nullptr ? std::nullopt : std::optional(number->address);
}

uint32_t NamedStacks::Text(std::string text) {
  if (texts_.size() >= kMaxTexts) text = "[other]";
  const auto [found, is_new] =
      text_numbers_.emplace(std::move(text), static_cast<uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(found->first);
  return found->second;
}

std::optional<StackFrames> NamedStacks::FramesOf(fxt::Koid process, uint64_t stack) {
  const auto addresses = stacks_.find(stack);
  if (addresses == stacks_.end()) return std::nullopt;
  const auto mapped = mapped_.find(process);
  const Known key{process, mapped == mapped_.end() ? 0 : mapped->second, stack};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const uint32_t pid = schema::TidOfKoid(process);
  StackFrames frames;
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
  if (known_.size() >= kMaxKnown) known_.clear();
  known_.emplace(key, frames);
  return frames;
}

void NamedStacks::Note(const fxt::Record& record) {
  if (const auto* trace = std::get_if<fxt::ProfilerBacktrace>(&record)) {
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

}  // namespace analyze
