// SPDX-License-Identifier: BSD-2-Clause
#include "tables/stack_rows.h"

#include <span>

#include "facts/scheduling.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "schema/script_frame.h"
#include "schema/stack_end.h"
#include "schema/stack_id.h"
#include "tables/put.h"
#include "tables/rows/schema.h"
#include "util/build_id.h"

namespace tables {
namespace {

constexpr std::string_view kKernelText = "[kernel.kallsyms]";

template <typename Value>
const Value* ValueOf(const fxt::Event& event, std::string_view name) {
  const fxt::Argument* argument = facts::FindArgument(event.arguments, name);
  return argument == nullptr ? nullptr : std::get_if<Value>(&argument->value);
}

}  // namespace

std::optional<uint64_t> StackOf(const fxt::Event& event) {
  if (event.type != fxt::EventType::kInstant || event.category.text != schema::category::kStack) {
    return std::nullopt;
  }
  const auto* id = ValueOf<fxt::PointerValue>(event, schema::argument::kStack);
  return id == nullptr ? std::nullopt : std::optional(id->address);
}

StackRows::StackRows(TaskNames& names, Batches& batches)
    : names_(names),
      texts_(batches.texts()),
      stacks_(batches.of(Table::kStacks)),
      frames_(batches.of(Table::kFrames)),
      symbols_(batches.of(Table::kSymbols)) {}

void StackRows::Add(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  if (!names_.is_kernels()) return;
  if (const auto* stack = std::get_if<fxt::ProfilerBacktrace>(&record)) {
    if (address_count_ + stack->frames.size() > kMaxAddresses) {
      ++left_out_;
      return;
    }
    const auto [place, is_new] = addresses_.try_emplace(schema::StackIdOf(stack->frames));
    if (!is_new) return;
    place->second.assign(stack->frames.begin(), stack->frames.end());
    address_count_ += stack->frames.size();
  } else if (const auto* module = std::get_if<fxt::ProfilerModule>(&record)) {
    if (mappings_ >= kMaxMappings) {
      ++left_out_;
      return;
    }
    ++mappings_;
    processes_[module->thread.process].modules[module->module_id] =
        ModuleOf(module->name, util::BuildId::FromBytes(module->build_id).ToHex());
  } else if (const auto* mapping = std::get_if<fxt::ProfilerMmap>(&record)) {
    AddMapping(*mapping);
  } else if (const auto* event = std::get_if<fxt::Event>(&record)) {
    if (event->category.text != schema::category::kStack) return;
    if (event->name.text == schema::symbol::kEvent) return AddFunction(*event);
    const auto id = StackOf(*event);
    if (id) AddStack(*id, *event);
  }
}

uint32_t StackRows::ModuleOf(std::string_view file, std::string build_id) {
  const auto number = static_cast<uint32_t>(modules_.size());
  const auto [found, is_new] = module_numbers_.try_emplace({std::string(file), build_id}, number);
  if (!is_new) return found->second;
  modules_.push_back({.file = names_.Text(file),
                      .build_id = std::move(build_id),
                      .is_kernel_text = file.starts_with(kKernelText),
                      .functions = {}});
  return number;
}

void StackRows::AddMapping(const fxt::ProfilerMmap& mapping) {
  const auto process = processes_.find(mapping.thread.process);
  if (process == processes_.end()) return;
  const auto module = process->second.modules.find(mapping.module_id);
  if (module == process->second.modules.end()) return;
  if (mappings_ >= kMaxMappings) {
    ++left_out_;
    return;
  }
  ++mappings_;
  process->second.space.Map(mapping.start, mapping.size, mapping.module_offset, module->second);
}

void StackRows::AddFunction(const fxt::Event& event) {
  const auto* name = ValueOf<fxt::StringRef>(event, schema::symbol::kFunction);
  const auto* start = ValueOf<fxt::PointerValue>(event, schema::symbol::kStart);
  const auto* size = ValueOf<uint64_t>(event, schema::symbol::kSize);
  if (name == nullptr || start == nullptr || size == nullptr) return;
  if (functions_ >= kMaxFunctions) {
    ++left_out_;
    return;
  }
  ++functions_;
  if (schema::IsScriptFrame(start->address)) return AddScript(event, start->address, name->text);
  symbols::SymbolMap* functions = &kernel_functions_;
  if (const auto* process = ValueOf<fxt::KoidValue>(event, schema::symbol::kProcess)) {
    functions = &processes_[process->koid].compiled;
  } else if (const auto* module = ValueOf<fxt::StringRef>(event, schema::symbol::kModule)) {
    const auto* id = ValueOf<fxt::StringRef>(event, schema::symbol::kBuildId);
    functions =
        &modules_[ModuleOf(module->text, id == nullptr ? "" : std::string(id->text))].functions;
  }
  functions->Add(start->address, *size, std::string(name->text));
}

void StackRows::AddScript(const fxt::Event& event, uint64_t id, std::string_view name) {
  const auto* file = ValueOf<fxt::StringRef>(event, schema::symbol::kModule);
  const auto* line = ValueOf<uint64_t>(event, schema::symbol::kLine);
  Script script{.module = nullptr,
                .symbol = {.address = id, .size = 0, .name = std::string(name)},
                .first_line = line == nullptr ? 0 : *line};
  if (file != nullptr) {
    const auto [found, is_new] = script_file_of_.try_emplace(std::string(file->text));
    if (is_new) {
      script_files_.push_back({.file = names_.Text(file->text),
                               .build_id = {},
                               .is_kernel_text = false,
                               .functions = {}});
      found->second = &script_files_.back();
    }
    script.module = found->second;
  }
  scripts_.try_emplace(id, std::move(script));
}

StackRows::Frame StackRows::FrameAt(fxt::Koid process, uint64_t address, bool is_return) {
  Frame frame{.address = address, .is_kernel = schema::IsKernelAddress(address)};
  if (schema::IsScriptFrame(address)) {
    const auto script = scripts_.find(schema::ScriptFunctionOf(address));
    if (script == scripts_.end()) return frame;
    frame.module = script->second.module;
    frame.function = &script->second.symbol;
    frame.line = schema::ScriptLineOf(address, script->second.first_line);
    return frame;
  }
  const uint64_t inside = address - (is_return ? 1 : 0);
  const auto owner = processes_.find(frame.is_kernel ? schema::kIdleProcessKoid : process);
  const symbols::MappedRange* range =
      owner == processes_.end() ? nullptr : owner->second.space.Find(inside);
  if (range != nullptr) {
    frame.module = &modules_[range->module];
    // The mapping of the kernel's text has the address of its reference symbol.
    const uint64_t to_offset = frame.module->is_kernel_text ? uint64_t{0} - range->mapping_offset
                                                            : range->file_offset - range->start;
    frame.offset = address + to_offset;
    frame.function = frame.module->functions.Find(inside + to_offset);
  } else if (frame.is_kernel) {
    frame.function = kernel_functions_.Find(inside);
  } else if (owner != processes_.end()) {
    frame.function = owner->second.compiled.Find(inside);
  }
  return frame;
}

uint64_t StackRows::SymbolOf(fxt::Koid process, const Frame& frame) {
  const bool is_compiled = frame.module == nullptr && !frame.is_kernel;
  const auto [found, is_new] = symbol_numbers_.try_emplace(
      {frame.module, is_compiled ? process : 0, frame.function->address},
      symbol_numbers_.size() + 1);
  const uint64_t number = found->second;
  if (!is_new || symbols_ == nullptr) return number;
  symbols_->Add([&](uint8_t column, Cell& cell) {
    switch (column) {
      case stack_symbols::kId:
        return cell.Set(number);
      case stack_symbols::kName:
        return cell.Set(symbols_->KeepClean(frame.function->name));
      case stack_symbols::kModule:
        return PutText(cell, &texts_, frame.module == nullptr ? nullptr : frame.module->file);
      case stack_symbols::kBuildId:
        if (frame.module == nullptr || frame.module->build_id.empty()) return cell.SetNull();
        return cell.Set(symbols_->KeepClean(frame.module->build_id));
      case stack_symbols::kStart:
        return cell.SetId(frame.function->address);
      case stack_symbols::kSize:
        return frame.function->size == 0 ? cell.SetNull() : cell.Set(frame.function->size);
      default:
        return is_compiled ? PutNumber(cell, names_, process) : cell.SetNull();
    }
  });
  return found->second;
}

void StackRows::AddStack(uint64_t id, const fxt::Event& event) {
  const auto found = addresses_.find(id);
  if (found == addresses_.end() || emitted_.contains(id)) return;
  if (emitted_.size() >= kMaxStacks) {
    ++left_out_;
    return;
  }
  emitted_.insert(id);
  const std::vector<uint64_t>& addresses = found->second;
  const fxt::Koid process = event.thread.process;
  uint64_t kernel_frames = 0;
  for (const uint64_t address : addresses) kernel_frames += schema::IsKernelAddress(address);
  if (stacks_ != nullptr) {
    const auto* end = ValueOf<fxt::StringRef>(event, schema::argument::kEnd);
    stacks_->Add([&](uint8_t column, Cell& cell) {
      switch (column) {
        case stacks::kId:
          return cell.SetId(id);
        case stacks::kFrames:
          return cell.Set(uint64_t{addresses.size()});
        case stacks::kKernelFrames:
          return cell.Set(kernel_frames);
        case stacks::kEnd:
          return end == nullptr ? cell.SetNull() : cell.Set(stacks_->KeepClean(end->text));
        default:
          return PutNumber(cell, names_, process);
      }
    });
  }
  if (frames_ == nullptr && symbols_ == nullptr) return;
  for (size_t depth = 0; depth < addresses.size(); ++depth) {
    // The innermost frame of each half is an instruction, the others are return addresses.
    const bool is_return = depth != 0 && depth != kernel_frames;
    Frame frame = FrameAt(process, addresses[depth], is_return);
    if (frame.function != nullptr) frame.symbol = SymbolOf(process, frame);
    if (frames_ == nullptr) continue;
    frames_->Add([&](uint8_t column, Cell& cell) {
      switch (column) {
        case frames::kStack:
          return cell.SetId(id);
        case frames::kDepth:
          return cell.Set(uint64_t{depth});
        case frames::kAddress:
          return cell.SetId(frame.address);
        case frames::kKernel:
          return cell.Set(uint64_t{frame.is_kernel});
        case frames::kSymbol:
          return frame.function == nullptr ? cell.SetNull() : cell.Set(frame.symbol);
        case frames::kFunction:
          if (frame.function == nullptr) return cell.SetNull();
          return cell.Set(frames_->KeepClean(frame.function->name));
        case frames::kModule:
          return PutText(cell, &texts_, frame.module == nullptr ? nullptr : frame.module->file);
        case frames::kOffset:
          if (frame.module == nullptr || schema::IsScriptFrame(frame.address)) {
            return cell.SetNull();
          }
          return cell.SetId(frame.offset);
        default:
          return frame.line == 0 ? cell.SetNull() : cell.Set(frame.line);
      }
    });
  }
}

}  // namespace tables
