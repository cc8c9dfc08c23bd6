// SPDX-License-Identifier: BSD-2-Clause
#include "translate/stacks/stack_translator.h"

#include <algorithm>
#include <array>
#include <string>

#include "fxt/utf8.h"
#include "schema/names.h"
#include "schema/script_frame.h"
#include "schema/stack_end.h"
#include "schema/stack_id.h"
#include "schema/wait_reason.h"

namespace translate {

StackTranslator::StackTranslator(TraceWriter& file, model::TaskTracker& tasks,
                                 MappingFollower& mappings, model::ThreadHandle recorder)
    : file_(file),
      tasks_(tasks),
      mappings_(mappings),
      recorder_(recorder),
      off_(file.Declare(schema::event::kStackOff)),
      wake_(file.Declare(schema::event::kStackWake)),
      on_(file.Declare(schema::event::kStackOn)),
      stack_(file.Declare(schema::argument::kStack)),
      away_(file.Declare(schema::argument::kAway)),
      woken_(file.Declare(schema::argument::kWoken)),
      in_(file.Declare(schema::argument::kIn)),
      end_(file.Declare(schema::argument::kEnd)),
      end_in_(file.Declare(schema::argument::kEndIn)) {
  for (size_t i = 1; i < ends_.size(); ++i) ends_[i] = file.Declare(schema::kStackEnds[i].name);
}

std::optional<fxt::StringId> StackTranslator::SleepsIn(std::span<const uint64_t> kernel) {
  constexpr size_t kMaxFunctions = 8192;
  for (size_t i = 0; i < kernel.size(); ++i) {
    // All but the innermost address are return addresses.
    const uint64_t address = kernel[i] - (i == 0 ? 0 : 1);
    auto found = functions_.find(address);
    if (found == functions_.end()) {
      // A file's string table never shrinks. A kernel has few functions that sleep.
      if (functions_.size() >= kMaxFunctions) return std::nullopt;
      const std::string name = tasks_.identities().FunctionAt(static_cast<int64_t>(address));
      Function function{.name = std::nullopt, .schedules = schema::IsSchedulerFunction(name)};
      if (!name.empty() && !function.schedules) function.name = file_.Declare(name);
      found = functions_.emplace(address, function).first;
    }
    if (!found->second.schedules) return found->second.name;
  }
  return std::nullopt;
}

void StackTranslator::WriteFunctions(uint64_t time) {
  constexpr size_t kMaxTextBytes = 4096;
  const auto functions = tasks_.identities().script_functions();
  if (!functions) return;
  for (const uint64_t address : addresses_) {
    if (!schema::IsScriptFrame(address)) continue;
    const auto function = functions->Find(address);
    if (!function || !declared_.insert(schema::ScriptFunctionOf(address)).second) continue;
    OpenRecord record = file_.Begin(recorder_);
    std::string name, file;
    const std::array arguments = {
        fxt::Argument{record.Intern(schema::symbol::kFunction),
                      fxt::InlineUtf8(function->name, name, kMaxTextBytes)},
        fxt::Argument{record.Intern(schema::symbol::kModule),
                      fxt::InlineUtf8(function->file, file, kMaxTextBytes)},
        fxt::Argument{record.Intern(schema::symbol::kStart),
                      fxt::PointerValue{schema::ScriptFunctionOf(address)}},
        fxt::Argument{record.Intern(schema::symbol::kSize), schema::kScriptLines},
        fxt::Argument{record.Intern(schema::symbol::kLine), uint64_t{function->first_line}}};
    record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                            .timestamp = time,
                            .thread = record.thread(),
                            .category = record.Ref(FXR_CATEGORY_STACK),
                            .name = record.Intern(schema::symbol::kEvent),
                            .arguments = arguments});
  }
}

uint64_t StackTranslator::WriteStack(uint64_t time, const fxr_stack_long& stack,
                                     std::span<const uint64_t> frames, model::ThreadHandle thread) {
  const size_t user = std::min<size_t>(stack.user_frames, frames.size());
  addresses_.assign(frames.begin() + static_cast<ptrdiff_t>(user), frames.end());
  // Code without frame pointers yields arbitrary frames. A kernel address is never a user frame.
  const auto* last = std::find_if(frames.data(), frames.data() + user, schema::IsKernelAddress);
  addresses_.insert(addresses_.end(), frames.data(), last);
  const uint64_t id = schema::StackIdOf(addresses_);
  if (emitted_.size() >= kMaxStacks) emitted_.clear();
  if (emitted_.insert(id).second) {
    WriteFunctions(time);
    OpenRecord record = file_.Begin(thread);
    record.Write(
        fxt::ProfilerBacktrace{.timestamp = time, .thread = record.thread(), .frames = addresses_});
  }
  return id;
}

std::string_view StackTranslator::EndsIn(const fxr_stack_long& stack,
                                         std::span<const uint64_t> frames) const {
  const size_t user = std::min<size_t>(stack.user_frames, frames.size());
  if (user == 0 || stack.end >= FXR_STACK_ENDS || schema::kStackEnds[stack.end].of_file.empty()) {
    return "";
  }
  // All but the innermost address are return addresses.
  const std::string_view file =
      mappings_.FileAt(stack.tgid, frames[user - 1] - (user == 1 ? 0 : 1));
  return file.substr(file.rfind('/') + 1);
}

void StackTranslator::OnStack(uint64_t time, const fxr_stack_long& stack,
                              std::span<const uint64_t> frames, model::ThreadHandle thread,
                              model::ThreadHandle idle) {
  mappings_.Need(stack.tgid, stack.tid == 0 ? idle : thread, idle, time);
  const uint64_t id = WriteStack(time, stack, frames, thread);
  const bool wakes = stack.kind == FXR_STACK_WAKE;
  const fxt::Koid woken = wakes ? file_.KoidOf(tasks_.Thread(stack.woken_tid)) : 0;
  std::optional<fxt::StringId> in;
  if (stack.kind == FXR_STACK_OFF) {
    in = SleepsIn(frames.subspan(std::min<size_t>(stack.user_frames, frames.size())));
  }
  const std::string_view end_in = EndsIn(stack, frames);
  if (stack.user_frames != 0) end_counts_.Add(stack.end, end_in);
  OpenRecord record = file_.Begin(thread);
  std::array<fxt::Argument, 6> arguments;
  size_t count = 0;
  arguments[count++] = {record.Refer(stack_), fxt::PointerValue{id}};
  if (stack.kind != FXR_STACK_ON) arguments[count++] = {record.Refer(away_), uint64_t{stack.away}};
  if (wakes) arguments[count++] = {record.Refer(woken_), fxt::KoidValue{woken}};
  if (in) arguments[count++] = {record.Refer(in_), record.Refer(*in)};
  if (stack.end != FXR_STACK_END_UNKNOWN && stack.end < ends_.size()) {
    arguments[count++] = {record.Refer(end_), record.Refer(ends_[stack.end])};
    if (!end_in.empty()) arguments[count++] = {record.Refer(end_in_), record.Intern(end_in)};
  }
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_STACK),
                          .name = record.Refer(stack.kind == FXR_STACK_ON ? on_
                                               : wakes                    ? wake_
                                                                          : off_),
                          .arguments = {arguments.data(), count}});
}

}  // namespace translate
