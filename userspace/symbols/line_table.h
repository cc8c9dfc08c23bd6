// SPDX-License-Identifier: BSD-2-Clause
// Finds lines of source code, and the functions that were inlined there, in the DWARF of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbols/debug_files.h"
#include "symbols/elf_file.h"

namespace symbols {

// A position in source code, with the function that has it.
struct SourcePosition {
  // Demangled; empty: the function of the symbol, or not known.
  std::string function;
  std::string file;   // the path that the compiler wrote; empty: not known
  uint32_t line = 0;  // from 1 up; 0: not known
};

class LineTable {
 public:
  // Nothing if the file has no lines. Any user may have made it. The file with which it shares
  // debug information (dwz) is looked for by build id, as a debug file.
  static std::optional<LineTable> Open(ElfFile file, const DebugFileOptions& options);
  LineTable(LineTable&&) noexcept;
  LineTable& operator=(LineTable&&) noexcept;
  ~LineTable();

  // The position of the instruction at `address`, as in ElfFile::AddressOf(). Innermost first: each
  // of the others is where the one before is inlined. Empty if not known.
  std::vector<SourcePosition> Find(uint64_t address) const;

 private:
  struct Impl;
  explicit LineTable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace symbols
