// SPDX-License-Identifier: BSD-2-Clause
// Finds where the arguments of a function are when it is entered, and what their types are, in
// DWARF.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probes/probe.h"
#include "probes/probe_text.h"
#include "probes/registers.h"
#include "symbols/elf_file.h"

struct Dwarf;

namespace probes {

// A value of a function, or why it cannot be read.
struct ResolvedValue {
  std::string error;  // empty: there is none
  Argument argument;
};

class DwarfArguments {
 public:
  // Nothing if the file has no debug information. `alternate`: the file with which it shares debug
  // information (dwz); without it nothing is found in files that need one. Any user may have made
  // the files: this may take long, or much memory, so it belongs into a process with limits.
  static std::optional<DwarfArguments> Open(symbols::ElfFile file,
                                            std::optional<symbols::ElfFile> alternate,
                                            Machine machine);
  DwarfArguments(DwarfArguments&&) noexcept;
  DwarfArguments& operator=(DwarfArguments&&) noexcept;
  ~DwarfArguments();

  struct Function {
    uint64_t address = 0;   // of its first instruction, as in ElfFile::AddressOf()
    bool is_clone = false;  // the compiler may have changed its parameters (.isra, .constprop)
  };
  // One value for each of `texts`, which are not positional.
  std::vector<ResolvedValue> Find(const Function& function, std::span<const ValueText> texts) const;
  // The returned value of the function, as `type`, or as its own type if that is empty.
  ResolvedValue FindResult(const Function& function, const std::string& type) const;

 private:
  struct Impl;
  explicit DwarfArguments(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace probes
