// SPDX-License-Identifier: BSD-2-Clause
// An executable, shared library, kernel module or separate debug file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/symbol_table.h"
#include "util/build_id.h"
#include "util/result.h"
#include "util/unique_fd.h"

struct Elf;

namespace symbols {

// A part of the file that is loaded (PT_LOAD). Addresses are those of the file, before relocation.
struct LoadSegment {
  uint64_t file_offset = 0;
  uint64_t file_size = 0;
  uint64_t address = 0;
  uint64_t memory_size = 0;
  bool executable = false;
};

class ElfFile {
 public:
  // Error: it does not open, or it is not an ELF file.
  static util::Result<ElfFile> Open(const std::string& path);
  ElfFile(ElfFile&&) noexcept;
  ElfFile& operator=(ElfFile&&) noexcept;
  ~ElfFile();

  uint16_t machine() const { return machine_; }  // EM_*
  const util::BuildId& build_id() const { return build_id_; }
  const std::vector<LoadSegment>& segments() const { return segments_; }
  // Name of the separate debug file in .gnu_debuglink; empty if there is none.
  const std::string& debug_link() const { return debug_link_; }

  // The address that the byte at `file_offset` is loaded to; empty if it is not loaded.
  // A separate debug file has lost where its segments stood in the executable; then the code is
  // taken to be the one executable segment, whose mapping began at `mapping_offset` of the file.
  std::optional<uint64_t> AddressOf(uint64_t file_offset, uint64_t mapping_offset = 0) const;

  // Adds the functions of .symtab, or those of .dynsym if there is none. True if .symtab was there.
  bool ReadFunctions(SymbolTable* table) const;

  // Every function of .symtab and .dynsym, by each of its names, which may come twice. `indirect`:
  // what is at the address chooses the function at run time (IFUNC).
  void VisitFunctions(const std::function<void(std::string_view name, uint64_t address,
                                               bool indirect)>& visit) const;

  bool HasSection(std::string_view name) const;
  // The bytes of the first section of that name; none if there is none.
  std::vector<std::byte> ReadSection(std::string_view name) const;

  // Up to `size` bytes of the file, fewer at its end.
  std::vector<std::byte> ReadBytes(uint64_t file_offset, size_t size) const;

 private:
  struct EndElf {
    void operator()(Elf* elf) const;
  };

  ElfFile() = default;
  // The section of that name, an Elf_Scn; null if there is none.
  void* FindSection(std::string_view name) const;
  void ReadHead();
  void ReadSections();

  util::UniqueFd fd_;
  std::unique_ptr<Elf, EndElf> elf_;
  uint16_t machine_ = 0;
  util::BuildId build_id_;
  std::vector<LoadSegment> segments_;
  std::string debug_link_;
};

}  // namespace symbols
