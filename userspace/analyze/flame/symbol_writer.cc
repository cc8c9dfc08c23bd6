// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/flame/symbol_writer.h"

#include <algorithm>
#include <array>

#include "analyze/flame/innermost_frames.h"
#include "facts/recorder_facts.h"
#include "fxt/utf8.h"
#include "schema/names.h"
#include "schema/stack_id.h"
#include "text/clean_text.h"

namespace analyze {
namespace {

constexpr size_t kMaxFunctionBytes = 4096;
constexpr size_t kMaxShownBytes = 160;
// The limit of functions and stacks in memory. Beyond it they are written again.
constexpr size_t kMaxRemembered = size_t{1} << 21;

}  // namespace

void SymbolWriter::Copy(const fxt::Reader& reader) {
  // failed() reports a failing sink.
  static_cast<void>(encoder_.Write(
      fxt::UnknownRecord{static_cast<uint8_t>(reader.words()[0] & 0xf), reader.words()}));
}

void SymbolWriter::Add(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  stacks_.Note(record);
  const auto* event = std::get_if<fxt::Event>(&record);
  if (event == nullptr || reader.provider().name() != schema::kRecorderName) return Copy(reader);
  if (facts::IsSession(*event)) {
    recorder_ = fxt::ThreadRef::Inline(event->thread.process, event->thread.thread);
  }
  const auto stack = StackOf(*event);
  // Two more arguments are added.
  if (!stack || event->arguments.size() + 2 > fxt::kMaxArguments) return Copy(reader);
  if (stacks_.places().symbols_read() > kMaxSymbols) naming_ = false;
  if (!naming_) {
    ++left_out_;
    return Copy(reader);
  }
  WriteFunctions(*event, *stack);
  const auto frames = stacks_.FramesOf(event->thread.process, *stack);
  if (!frames || frames->empty()) return Copy(reader);
  ++named_;
  const std::string kernel = FirstFrames(*frames, true);
  const std::string user = FirstFrames(*frames, false);
  std::array<fxt::Argument, fxt::kMaxArguments> arguments;
  size_t count = event->arguments.size();
  std::copy(event->arguments.begin(), event->arguments.end(), arguments.begin());
  const auto add = [&](std::string_view name, const std::string& text) {
    if (text.empty()) return;
    arguments[count++] = {fxt::StringRef::Inline(name), fxt::StringRef::Inline(text)};
  };
  add(schema::symbol::kUserFrames, user);
  add(schema::symbol::kKernelFrames, kernel);
  fxt::Event named = *event;
  named.arguments = {arguments.data(), count};
  if (encoder_.Write(named) != fxt::EncodeStatus::kOk) Copy(reader);
}

std::string SymbolWriter::FirstFrames(const StackFrames& frames, bool of_kernel) const {
  std::string text;
  size_t shown = 0;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    std::string_view name = stacks_.text(*frame);
    if (name.ends_with(kKernelMark) != of_kernel) continue;
    if (shown++ == kShownFrames) {
      text += " <- ...";
      break;
    }
    if (of_kernel) name.remove_suffix(kKernelMark.size());
    if (!text.empty()) text += " <- ";
    text += fxt::CutUtf8(name, kMaxShownBytes);
  }
  return text;
}

void SymbolWriter::WriteFunctions(const fxt::Event& event, uint64_t stack) {
  const fxt::Koid process = event.thread.process;
  if (stack_cache_.size() >= kMaxRemembered) stack_cache_.clear();
  if (!stack_cache_.emplace(process, stacks_.MappingsOf(process), stack).second) return;
  stacks_.ForEachFunction(process, stack, [&](uint32_t pid, const FrameFunction& function) {
    WriteFunction(event, pid, function);
  });
}

void SymbolWriter::WriteFunction(const fxt::Event& event, uint32_t pid,
                                 const FrameFunction& function) {
  const bool in_file = function.module != UINT32_MAX;
  const bool compiled = !in_file && !schema::IsKernelAddress(function.start);
  if (written_.size() >= kMaxRemembered) written_.clear();
  if (!written_.emplace(function.module, compiled ? pid : 0, function.start).second) return;
  ++functions_;
  const std::string name = fxt::ToValidUtf8(fxt::CutUtf8(function.name, kMaxFunctionBytes));
  std::string build_id;
  std::array<fxt::Argument, 5> arguments;
  size_t count = 0;
  const auto add = [&](std::string_view key, const fxt::ArgumentValue& value) {
    arguments[count++] = {fxt::StringRef::Inline(key), value};
  };
  add(schema::symbol::kFunction, fxt::StringRef::Inline(name));
  if (in_file) {
    build_id = stacks_.places().module_build_id(function.module).ToHex();
    add(schema::symbol::kModule,
        fxt::StringRef::Inline(stacks_.places().module_name(function.module)));
    if (!build_id.empty()) add(schema::symbol::kBuildId, fxt::StringRef::Inline(build_id));
  } else if (compiled) {
    add(schema::symbol::kProcess, fxt::KoidValue{event.thread.process});
  }
  add(schema::symbol::kStart, fxt::PointerValue{function.start});
  add(schema::symbol::kSize, function.size);
  static_cast<void>(
      encoder_.Write(fxt::Event{.type = fxt::EventType::kInstant,
                                .timestamp = event.timestamp,
                                .thread = recorder_.value_or(event.thread),
                                .category = fxt::StringRef::Inline(schema::category::kStack),
                                .name = fxt::StringRef::Inline(schema::symbol::kEvent),
                                .arguments = {arguments.data(), count}}));
}

}  // namespace analyze
