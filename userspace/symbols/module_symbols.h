// SPDX-License-Identifier: BSD-2-Clause
// The symbols of one mapped file, found wherever they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbols/debug_files.h"
#include "symbols/elf_file.h"
#include "symbols/symbol_table.h"
#include "util/build_id.h"

namespace symbols {

// A function and a place in it.
struct FunctionPlace {
  const Symbol* symbol = nullptr;
  uint64_t offset = 0;  // bytes from its start
};

class ModuleSymbols {
 public:
  // Looks for `path` and its debug file. A file whose build id is another than `build_id` is not
  // taken; with an empty `build_id` any file at that path is.
  static ModuleSymbols Load(const std::string& path, const util::BuildId& build_id,
                            const DebugFileOptions& options);

  // The function at `file_offset`, which is what a mapping turns addresses into. For
  // `mapping_offset` see ElfFile::AddressOf().
  std::optional<FunctionPlace> Find(uint64_t file_offset, uint64_t mapping_offset) const;
  // Code bytes at `file_offset`; empty without the executable.
  std::vector<std::byte> ReadCode(uint64_t file_offset, size_t size) const;
  uint16_t machine() const { return executable_ ? executable_->machine() : 0; }

  bool has_executable() const { return executable_.has_value(); }
  const SymbolTable& functions() const { return functions_; }
  // Why there are no symbols; empty if there are.
  const std::string& problem() const { return problem_; }

 private:
  std::optional<ElfFile> executable_;
  // Knows where the file is loaded: the executable, or its debug file in its place.
  std::optional<ElfFile> layout_;
  SymbolTable functions_;
  std::string problem_;
};

}  // namespace symbols
