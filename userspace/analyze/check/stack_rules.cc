// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/check/stack_rules.h"

#include <fmt/format.h>

#include "facts/scheduling.h"
#include "schema/names.h"
#include "schema/script_frame.h"
#include "schema/stack_id.h"
#include "schema/wait_reason.h"

namespace analyze {
namespace {

template <typename T>
const T* Value(const fxt::Event& event, std::string_view name) {
  const fxt::Argument* argument = facts::FindArgument(event.arguments, name);
  return argument == nullptr ? nullptr : std::get_if<T>(&argument->value);
}

std::optional<std::string> CheckSymbol(const fxt::Event& event) {
  if (Value<fxt::StringRef>(event, schema::symbol::kFunction) == nullptr) {
    return "no argument \"function\" (string)";
  }
  const auto* start = Value<fxt::PointerValue>(event, schema::symbol::kStart);
  if (start == nullptr) return "no argument \"start\" (pointer)";
  if (Value<uint64_t>(event, schema::symbol::kSize) == nullptr) {
    return "no argument \"size\" (uint64)";
  }
  const bool in_file = Value<fxt::StringRef>(event, schema::symbol::kModule) != nullptr;
  const bool compiled = Value<fxt::KoidValue>(event, schema::symbol::kProcess) != nullptr;
  if (in_file && compiled) return "arguments \"module\" and \"process\" in one";
  if (schema::IsScriptFrame(start->address) && (start->address & schema::kScriptLines) != 0) {
    return "an interpreted function whose \"start\" has a line";
  }
  if (!in_file && !compiled && !schema::IsKernelAddress(start->address)) {
    return "an address of a process, and no argument \"process\" (koid)";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> StackRules::Check(const fxt::Record& record) {
  if (const auto* trace = std::get_if<fxt::ProfilerBacktrace>(&record)) {
    if (known_.size() < kMaxStacks) known_.insert(schema::StackIdOf(trace->frames));
    return std::nullopt;
  }
  const auto* event = std::get_if<fxt::Event>(&record);
  if (event == nullptr || event->category.text != schema::category::kStack) return std::nullopt;
  const std::string_view kind = event->name.text;
  if (event->type == fxt::EventType::kInstant && kind == schema::symbol::kEvent) {
    return CheckSymbol(*event);
  }
  const bool wakes = kind == schema::event::kStackWake;
  const bool sleeps = wakes || kind == schema::event::kStackOff;
  if (event->type != fxt::EventType::kInstant || (!sleeps && kind != schema::event::kStackOn)) {
    return "an event of category \"stack\" that is none of its instants";
  }
  const auto* stack = Value<fxt::PointerValue>(*event, schema::argument::kStack);
  if (stack == nullptr) return "no argument \"stack\" (pointer)";
  if (known_.size() < kMaxStacks && !known_.contains(stack->address)) {
    return fmt::format("stack {:#x} has no backtrace before it", stack->address);
  }
  if (sleeps && Value<uint64_t>(*event, schema::argument::kAway) == nullptr) {
    return "no argument \"away\" (uint64)";
  }
  if (wakes && Value<fxt::KoidValue>(*event, schema::argument::kWoken) == nullptr) {
    return "no argument \"woken\" (koid)";
  }
  const auto* in = facts::FindArgument(event->arguments, schema::argument::kIn);
  if (in != nullptr && !std::holds_alternative<fxt::StringRef>(in->value)) {
    return "argument \"in\" is not a string";
  }
  return std::nullopt;
}

}  // namespace analyze
