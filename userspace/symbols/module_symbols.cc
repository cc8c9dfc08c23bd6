// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/module_symbols.h"

#include <fmt/core.h>

#include <utility>

namespace symbols {

namespace {

// Older perf stores every id in 20 bytes and pads shorter ones with zeros.
bool HasBuildId(const ElfFile& file, const util::BuildId& recorded) {
  const util::BuildId& own = file.build_id();
  return own == recorded ||
         (recorded.size == util::BuildId::kMaxBytes && !own.empty() && own.bytes == recorded.bytes);
}

// Opens the first candidate with the recorded build id. `problem` is that of a file with another
// id, or else of the first candidate.
std::optional<ElfFile> OpenFirst(const std::vector<std::string>& candidates,
                                 const util::BuildId& build_id, std::string* problem) {
  for (const std::string& path : candidates) {
    util::Result<ElfFile> file = ElfFile::Open(path);
    if (!file) {
      if (problem->empty()) *problem = file.error().message;
      continue;
    }
    if (!build_id.empty() && !HasBuildId(*file, build_id)) {
      *problem = fmt::format("{}: has build id {}, the recording says {}", path,
                             file->build_id().ToHex(), build_id.ToHex());
      continue;
    }
    return std::move(*file);
  }
  return std::nullopt;
}

}  // namespace

ModuleSymbols ModuleSymbols::Load(const std::string& path, const util::BuildId& build_id,
                                  const DebugFileOptions& options) {
  ModuleSymbols module;
  module.path_ = path;
  module.build_id_ = build_id;
  module.options_ = options;
  std::string problem;
  module.executable_ = OpenFirst(ExecutableCandidates(path, build_id, options), build_id, &problem);
  bool has_symtab = false;
  if (module.executable_) has_symtab = module.executable_->ReadFunctions(&module.functions_);
  if (!has_symtab) {
    const util::BuildId id = module.executable_ ? module.executable_->build_id() : build_id;
    const std::string link = module.executable_ ? module.executable_->debug_link() : std::string();
    std::string debug_problem;
    // Without an id only its name relates a debug file to the code.
    std::optional<ElfFile> debug =
        OpenFirst(DebugFileCandidates(path, id, link, options), id, &debug_problem);
    if (debug) {
      SymbolTable functions;
      if (debug->ReadFunctions(&functions)) module.functions_ = std::move(functions);
      if (!module.executable_) module.layout_ = std::move(debug);
    }
  }
  module.functions_.Finish();
  if (module.functions_.empty()) {
    module.problem_ = module.executable_ ? fmt::format("{}: has no symbols", path) : problem;
    if (module.problem_.empty()) module.problem_ = "no file";
  }
  return module;
}

std::optional<FunctionPlace> ModuleSymbols::Find(uint64_t file_offset,
                                                 uint64_t mapping_offset) const {
  const std::optional<ElfFile>& layout = executable_ ? executable_ : layout_;
  if (!layout) return std::nullopt;
  const std::optional<uint64_t> address = layout->AddressOf(file_offset, mapping_offset);
  if (!address) return std::nullopt;
  const Symbol* symbol = functions_.Find(*address);
  if (symbol == nullptr) return std::nullopt;
  return FunctionPlace{symbol, *address - symbol->address};
}

void ModuleSymbols::ReadLines() {
  has_read_lines_ = true;
  // Each file is opened again: libdw keeps its own state of a file.
  std::string problem;
  std::optional<ElfFile> file =
      OpenFirst(ExecutableCandidates(path_, build_id_, options_), build_id_, &problem);
  const util::BuildId id = file ? file->build_id() : build_id_;
  const std::string link = file ? file->debug_link() : std::string();
  if (!file || !file->HasSection(".debug_info")) {
    file = OpenFirst(DebugFileCandidates(path_, id, link, options_), id, &problem);
  }
  if (file) lines_ = LineTable::Open(std::move(*file), options_);
}

std::vector<SourcePosition> ModuleSymbols::FindLines(uint64_t file_offset,
                                                     uint64_t mapping_offset) {
  const std::optional<ElfFile>& layout = executable_ ? executable_ : layout_;
  if (!layout) return {};
  const std::optional<uint64_t> address = layout->AddressOf(file_offset, mapping_offset);
  if (!address) return {};
  if (!has_read_lines_) ReadLines();
  return lines_ ? lines_->Find(*address) : std::vector<SourcePosition>();
}

std::vector<std::byte> ModuleSymbols::ReadCode(uint64_t file_offset, size_t size) const {
  if (!executable_) return {};
  return executable_->ReadBytes(file_offset, size);
}

}  // namespace symbols
