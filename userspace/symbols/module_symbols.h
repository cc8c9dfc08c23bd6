// SPDX-License-Identifier: BSD-2-Clause
// Loads the symbols of one mapped file from the file or its debug file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbols/debug_files.h"
#include "symbols/elf_file.h"
#include "symbols/line_table.h"
#include "symbols/symbol_table.h"
#include "util/build_id.h"

namespace symbols {

// A location as function and offset.
struct FunctionPlace {
  const Symbol* symbol = nullptr;
  uint64_t offset = 0;  // bytes from its start
};

class ModuleSymbols {
 public:
  // Searches `path` and its debug file. A file with another build id than `build_id` is rejected;
  // an empty `build_id` accepts any.
  static ModuleSymbols Load(const std::string& path, const util::BuildId& build_id,
                            const DebugFileOptions& options);

  // The function at `file_offset`, which a mapping yields for an address. For `mapping_offset` see
  // ElfFile::AddressOf().
  std::optional<FunctionPlace> Find(uint64_t file_offset, uint64_t mapping_offset) const;
  // The lines of the instruction there, see LineTable::Find(). Empty without debug information. The
  // first call reads it from the executable, or else from its debug file.
  std::vector<SourcePosition> FindLines(uint64_t file_offset, uint64_t mapping_offset);
  // Code bytes at `file_offset`; empty without the executable.
  std::vector<std::byte> ReadCode(uint64_t file_offset, size_t size) const;
  uint16_t machine() const { return executable_ ? executable_->machine() : 0; }

  bool has_executable() const { return executable_.has_value(); }
  const SymbolTable& functions() const { return functions_; }
  // The reason for missing symbols; empty if there are symbols.
  const std::string& problem() const { return problem_; }

 private:
  void ReadLines();

  std::string path_;
  util::BuildId build_id_;
  DebugFileOptions options_;
  std::optional<ElfFile> executable_;
  // Has the load addresses: the executable, or else its debug file.
  std::optional<ElfFile> layout_;
  SymbolTable functions_;
  std::string problem_;
  bool has_read_lines_ = false;
  std::optional<LineTable> lines_;
};

}  // namespace symbols
