// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_places.h"

#include <elf.h>
#include <fmt/format.h>

#include <utility>

#include "schema/koid.h"
#include "symbols/demangle.h"

namespace analyze {

namespace {

constexpr uint64_t kKernelBit = uint64_t{1} << 63;
constexpr uint32_t kNone = UINT32_MAX;

bool IsKernelText(std::string_view file) { return file.starts_with("[kernel.kallsyms]"); }

// Tracks of the recorder (interrupts, losses) have no mappings.
bool IsTask(fxt::Koid koid) {
  return koid <= UINT32_MAX && schema::GenerationOfKoid(koid) <= schema::kMaxGeneration;
}

// The limit of distinct places, for damaged traces.
constexpr size_t kMaxPlaces = 1 << 21;

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos || slash + 1 == path.size() ? path
                                                                     : path.substr(slash + 1);
}

}  // namespace

LbrPlaces::LbrPlaces(LbrSymbolOptions options) : options_(std::move(options)) {
  // Place 0 is for addresses beyond the limit.
  Intern(Place(), 0, 0);
}

LbrPlaces::Process& LbrPlaces::ProcessAt(fxt::Koid koid) {
  Process& process = processes_[schema::TidOfKoid(koid)];
  if (process.koid != koid) {
    process = Process();
    process.koid = koid;
  }
  return process;
}

uint32_t LbrPlaces::ModuleOf(std::string_view file, const util::BuildId& build_id) {
  const auto key = std::make_pair(std::string(file), build_id.ToHex());
  auto [found, is_new] = module_by_name_.emplace(key, static_cast<uint32_t>(modules_.size()));
  if (is_new) {
    Module module;
    module.file = std::string(file);
    module.build_id = build_id;
    module.kernel_text = IsKernelText(file);
    modules_.push_back(std::move(module));
  }
  return found->second;
}

void LbrPlaces::OnModule(const ModuleDeclaration& declared) {
  if (!IsTask(declared.process)) return;
  ProcessAt(declared.process).modules[declared.number] =
      ModuleOf(declared.file, util::BuildId::FromBytes(declared.build_id));
}

void LbrPlaces::OnFunction(const FunctionDeclaration& function) {
  if (declared_ >= kMaxPlaces) return;
  ++declared_;
  symbols::SymbolMap& declared =
      function.module ? modules_[ModuleOf(*function.module, function.build_id)].declared
                      : declared_kernel_;
  declared.Add(function.start, function.size, std::string(function.name));
}

bool LbrPlaces::NameAsDeclared(uint64_t address, Place* place) {
  const bool kernel = (address & kKernelBit) != 0;
  if (place->module == kNone && !kernel) return false;
  const symbols::SymbolMap& declared =
      place->module == kNone ? declared_kernel_ : modules_[place->module].declared;
  const symbols::Symbol* symbol = declared.Find(place->offset);
  if (symbol == nullptr) return false;
  place->function = FunctionOf(place->module, symbol->name);
  place->function_offset = place->offset - symbol->address;
  place->function_size = symbol->size;
  return true;
}

void LbrPlaces::OnMapping(const MappingDeclaration& mapping) {
  if (!IsTask(mapping.process)) return;
  Process& process = ProcessAt(mapping.process);
  const auto module = process.modules.find(mapping.module);
  if (module == process.modules.end()) return;
  process.space.Map(mapping.start, mapping.size, mapping.file_offset, module->second);
  if (mapping.process == schema::kIdleProcessKoid && modules_[module->second].kernel_text) {
    LoadKallsyms(modules_[module->second], mapping.file_offset);
  }
}

void LbrPlaces::LoadKallsyms(const Module& kernel_text, uint64_t text_address) {
  if (!options_.enabled || kallsyms_ || !kallsyms_problem_.empty()) return;
  const bool given = !options_.kallsyms.empty();
  if (!given && kernel_text.build_id.empty()) {
    kallsyms_problem_ = "the trace does not say which build it is; see --kallsyms";
    return;
  }
  if (!given && !(kernel_text.build_id == symbols::RunningKernelBuildId())) {
    kallsyms_problem_ = "the trace is of another one than the one running; see --kallsyms";
    return;
  }
  util::Result<symbols::Kallsyms> kallsyms =
      symbols::ReadKallsyms(given ? options_.kallsyms : "/proc/kallsyms");
  if (!kallsyms) {
    kallsyms_problem_ = kallsyms.error().message;
    return;
  }
  kallsyms_ = std::move(*kallsyms);
  // A kernel is relocated at each boot (KASLR). The distance of its reference symbol, one of the
  // first of the text, is that of all symbols.
  const symbols::Symbol* reference = kallsyms_->functions.FindByName(
      kernel_text.file.substr(std::min(kernel_text.file.size(), kernel_text.file.find(']') + 1)));
  if (reference != nullptr && text_address != 0) {
    kallsyms_shift_ = reference->address - text_address;
  } else if (kallsyms_->text_start && text_address != 0) {
    kallsyms_shift_ = *kallsyms_->text_start - text_address;
  }
}

PlaceId LbrPlaces::Resolve(uint32_t pid, uint64_t address) {
  const bool kernel = (address & kKernelBit) != 0;
  const auto process = processes_.find(kernel ? 0 : pid);
  const symbols::MappedRange* range =
      process == processes_.end() ? nullptr : process->second.space.Find(address);
  Place place;
  if (range == nullptr) {
    place.offset = address;
    return Intern(place, 0, address);
  }
  place.module = range->module;
  // The mapping of the kernel's text names its reference symbol's address instead of an offset.
  place.offset = modules_[range->module].kernel_text
                     ? address - range->mapping_offset
                     : range->file_offset + (address - range->start);
  return Intern(place, range->mapping_offset, address);
}

PlaceId LbrPlaces::Intern(Place place, uint64_t mapping_offset, uint64_t address) {
  if (places_.size() >= kMaxPlaces) {
    const auto known = place_by_key_.find({place.module, place.offset});
    return known == place_by_key_.end() ? 0 : known->second;
  }
  const auto [found, is_new] = place_by_key_.emplace(std::make_pair(place.module, place.offset),
                                                     static_cast<PlaceId>(places_.size()));
  if (!is_new) return found->second;
  place.mapping_offset = mapping_offset;
  if (!NameAsDeclared(address, &place) && options_.enabled) {
    NameFunction(mapping_offset, address, &place);
  }
  places_.push_back(place);
  return found->second;
}

void LbrPlaces::NameFunction(uint64_t mapping_offset, uint64_t address, Place* place) {
  if (address & kKernelBit) {
    kernel_wanted_ = true;
    // KASLR does not move modules with the kernel.
    const bool text = place->module != kNone && modules_[place->module].kernel_text;
    if (!kallsyms_ || (!text && kallsyms_shift_ != 0)) return;
    const uint64_t here = address + (text ? kallsyms_shift_ : 0);
    const symbols::Symbol* symbol = kallsyms_->functions.Find(here);
    if (symbol == nullptr) return;
    place->function = FunctionOf(place->module, symbol->name);
    place->function_offset = here - symbol->address;
    place->function_size = symbol->size;
    return;
  }
  // Code of a JIT compiler is in no file.
  if (place->module == kNone || modules_[place->module].file == "//anon") return;
  const auto found = SymbolsOf(place->module).Find(place->offset, mapping_offset);
  if (!found) return;
  place->function = FunctionOf(place->module, found->symbol->name);
  place->function_offset = found->offset;
  place->function_size = found->symbol->size;
}

uint32_t LbrPlaces::FunctionOf(uint32_t module, const std::string& name) {
  const auto [found, is_new] = function_by_key_.emplace(std::make_pair(module, name),
                                                        static_cast<uint32_t>(functions_.size()));
  if (is_new) functions_.push_back({module, symbols::Demangle(name)});
  return found->second;
}

symbols::ModuleSymbols& LbrPlaces::SymbolsOf(uint32_t module) {
  Module& wanted = modules_[module];
  if (!wanted.symbols) {
    wanted.symbols = std::make_unique<symbols::ModuleSymbols>(
        symbols::ModuleSymbols::Load(wanted.file, wanted.build_id, options_.files));
    symbols_read_ += wanted.symbols->functions().size();
  }
  return *wanted.symbols;
}

std::vector<symbols::SourcePosition> LbrPlaces::LinesOf(PlaceId id) {
  const Place& at = places_[id];
  if (!options_.enabled || at.module == kNone || modules_[at.module].kernel_text ||
      !modules_[at.module].file.starts_with('/') || modules_[at.module].file == "//anon") {
    return {};
  }
  return SymbolsOf(at.module).FindLines(at.offset, at.mapping_offset);
}

symbols::BranchKind LbrPlaces::KindOf(PlaceId id) {
  const auto known = kinds_.find(id);
  if (known != kinds_.end()) return known->second;
  symbols::BranchKind kind = symbols::BranchKind::kUnknown;
  const Place& at = places_[id];
  if (options_.enabled && at.module != kNone && !modules_[at.module].file.starts_with('[')) {
    const symbols::ModuleSymbols& module = SymbolsOf(at.module);
    if (module.machine() == EM_X86_64) {
      kind = symbols::ClassifyX86(module.ReadCode(at.offset, symbols::kMaxX86InstructionBytes));
    }
  }
  kinds_.emplace(id, kind);
  return kind;
}

std::string_view LbrPlaces::ShortName(uint32_t module) const {
  return modules_[module].kernel_text ? "kernel" : BaseName(modules_[module].file);
}

std::string LbrPlaces::Text(PlaceId id) const {
  const Place& at = places_[id];
  const std::string_view module =
      at.module == kNone ? std::string_view() : BaseName(modules_[at.module].file);
  if (at.function != kNone) {
    std::string text = functions_[at.function].name;
    if (at.function_offset != 0) text += fmt::format("+{:#x}", at.function_offset);
    if (!module.empty()) text += fmt::format(" [{}]", ShortName(at.module));
    return text;
  }
  if (at.module == kNone) return fmt::format("{:#x}", at.offset);
  if (modules_[at.module].kernel_text && static_cast<int64_t>(at.offset) < 0) {
    return fmt::format("{}-{:#x}", module, -at.offset);
  }
  return fmt::format("{}+{:#x}", module, at.offset);
}

std::string LbrPlaces::FunctionText(uint32_t id) const {
  const Function& function = functions_[id];
  if (function.module == kNone) return function.name;
  return fmt::format("{} [{}]", function.name, ShortName(function.module));
}

std::vector<std::string> LbrPlaces::Problems() const {
  std::vector<std::string> problems;
  if (kernel_wanted_ && !kallsyms_problem_.empty())
    problems.push_back("kernel: " + kallsyms_problem_);
  for (const Module& module : modules_) {
    if (module.symbols && !module.symbols->problem().empty()) {
      problems.push_back(fmt::format("{}: {}", BaseName(module.file), module.symbols->problem()));
    }
  }
  return problems;
}

}  // namespace analyze
