// SPDX-License-Identifier: BSD-2-Clause
// Places of addresses in files and functions. A place in a file is the same in every process that
// maps the file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyze/lbr/lbr_samples.h"
#include "symbols/address_space.h"
#include "symbols/debug_files.h"
#include "symbols/kallsyms.h"
#include "symbols/module_symbols.h"
#include "symbols/symbol_table.h"
#include "symbols/x86_branch.h"
#include "util/build_id.h"

namespace analyze {

struct LbrSymbolOptions {
  bool enabled = true;  // false: no file is opened; places are offsets in files
  symbols::DebugFileOptions files;
  // The file with symbols of the kernel. Empty: /proc/kallsyms, if the build id is that of the
  // running kernel.
  std::string kallsyms;
  // Lines of source code and inlined functions are wanted: LbrPlaces::LinesOf().
  bool lines = false;
};

using PlaceId = uint32_t;

struct Place {
  uint32_t module = UINT32_MAX;  // index for LbrPlaces::module_name(); UINT32_MAX: not mapped
  // Bytes: offset in the file; for the text of the kernel, offset from its reference symbol;
  // without a module, the address.
  uint64_t offset = 0;
  // Index for LbrPlaces::function_name(); UINT32_MAX: not known.
  uint32_t function = UINT32_MAX;
  uint64_t function_offset = 0;  // bytes from the function's start
  uint64_t function_size = 0;    // bytes; 0: not known
  uint64_t mapping_offset = 0;   // see symbols::ElfFile::AddressOf()
};

// A function that the trace declares.
struct FunctionDeclaration {
  std::string_view name;
  // The file, as its module is declared. Without one `start` is an address of the kernel.
  std::optional<std::string_view> module = std::nullopt;
  util::BuildId build_id = {};
  uint64_t start = 0;  // as Place::offset
  uint64_t size = 0;   // bytes; 0: not known
};

// Resolves addresses to places, by the mappings and symbols known so far.
class LbrPlaces {
 public:
  explicit LbrPlaces(LbrSymbolOptions options);

  void OnModule(const ModuleDeclaration& module);
  void OnMapping(const MappingDeclaration& mapping);
  // Takes precedence over symbols of files from here on, even without LbrSymbolOptions::enabled.
  void OnFunction(const FunctionDeclaration& function);

  // The place of an address in process `pid`. Addresses of the kernel (bit 63) are the same in all
  // processes.
  PlaceId Resolve(uint32_t pid, uint64_t address);

  const Place& place(PlaceId id) const { return places_[id]; }
  // "main+0x1b [prog]", "do_one [kernel]", "prog+0x91b", "0x7f0012345678".
  std::string Text(PlaceId id) const;
  // "main [prog]".
  std::string FunctionText(uint32_t function) const;
  // The path as recorded.
  const std::string& module_name(uint32_t module) const { return modules_[module].file; }
  const std::string& function_name(uint32_t function) const { return functions_[function].name; }
  uint32_t function_module(uint32_t function) const { return functions_[function].module; }
  const util::BuildId& module_build_id(uint32_t module) const { return modules_[module].build_id; }
  // Symbols that were read from files.
  size_t symbols_read() const { return symbols_read_; }

  // The lines of the place, see symbols::LineTable::Find(). Empty if not known, and for the kernel.
  std::vector<symbols::SourcePosition> LinesOf(PlaceId id);

  // The kind of the branch instruction, if the executable is available.
  symbols::BranchKind KindOf(PlaceId id);

  // A line for each file whose symbols were not found.
  std::vector<std::string> Problems() const;

 private:
  struct Module {
    std::string file;
    util::BuildId build_id;
    bool kernel_text = false;
    std::unique_ptr<symbols::ModuleSymbols> symbols;  // loaded at first use
    symbols::SymbolMap declared;                      // by the trace, by Place::offset
  };
  struct Function {
    uint32_t module = 0;
    std::string name;  // demangled
  };
  // The present process of a pid.
  struct Process {
    fxt::Koid koid = 0;
    symbols::AddressSpace space;
    std::unordered_map<uint16_t, uint32_t> modules;  // by the number in the trace
  };

  Process& ProcessAt(fxt::Koid koid);
  uint32_t ModuleOf(std::string_view file, const util::BuildId& build_id);
  bool NameAsDeclared(uint64_t address, Place* place);
  // The name in brackets behind a function.
  std::string_view ShortName(uint32_t module) const;
  symbols::ModuleSymbols& SymbolsOf(uint32_t module);
  PlaceId Intern(Place place, uint64_t mapping_offset, uint64_t address);
  void NameFunction(uint64_t mapping_offset, uint64_t address, Place* place);
  uint32_t FunctionOf(uint32_t module, const std::string& name);
  void LoadKallsyms(const Module& kernel_text, uint64_t text_address);

  LbrSymbolOptions options_;
  std::vector<Module> modules_;
  std::map<std::pair<std::string, std::string>, uint32_t> module_by_name_;
  std::unordered_map<uint32_t, Process> processes_;  // by pid
  std::vector<Place> places_;
  std::map<std::pair<uint32_t, uint64_t>, PlaceId> place_by_key_;
  std::vector<Function> functions_;
  std::map<std::pair<uint32_t, std::string>, uint32_t> function_by_key_;
  std::unordered_map<PlaceId, symbols::BranchKind> kinds_;
  symbols::SymbolMap declared_kernel_;  // outside of the kernel's text, by address
  size_t declared_ = 0;                 // functions
  size_t symbols_read_ = 0;
  std::optional<symbols::Kallsyms> kallsyms_;
  uint64_t kallsyms_shift_ = 0;  // to be added to an address of the trace
  std::string kallsyms_problem_;
  bool kernel_wanted_ = false;  // an address of the kernel needs a name
};

}  // namespace analyze
