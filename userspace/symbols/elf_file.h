// SPDX-License-Identifier: BSD-2-Clause
// Reads an executable, shared library, kernel module or separate debug file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/symbol_table.h"
#include "util/build_id.h"
#include "util/result.h"
#include "util/unique_fd.h"

struct Elf;

namespace symbols {

// A loaded part of the file (PT_LOAD). Addresses are the file's own, before relocation.
struct LoadSegment {
  uint64_t file_offset = 0;
  uint64_t file_size = 0;
  uint64_t address = 0;
  uint64_t memory_size = 0;
  bool executable = false;
};

class ElfFile {
 public:
  // An error if it cannot be opened or is not ELF.
  // `root` and the rules for links are those of OpenRegularFile().
  static util::Result<ElfFile> Open(const std::string& path, const std::string& root = {});
  // A file that is open already.
  static util::Result<ElfFile> FromDescriptor(util::UniqueFd fd);
  ElfFile(ElfFile&&) noexcept;
  ElfFile& operator=(ElfFile&&) noexcept;
  ~ElfFile();

  // libelf's; valid as long as this.
  Elf* handle() const { return elf_.get(); }
  uint16_t machine() const { return machine_; }  // EM_*
  const util::BuildId& build_id() const { return build_id_; }
  const std::vector<LoadSegment>& segments() const { return segments_; }
  // Name of the separate debug file in .gnu_debuglink; empty if there is none.
  const std::string& debug_link() const { return debug_link_; }

  // The load address of the byte at `file_offset`; empty if it is not loaded. A separate debug file
  // lacks the file offsets of its segments. There the code is assumed to be the only executable
  // segment, whose mapping began at file offset `mapping_offset`.
  std::optional<uint64_t> AddressOf(uint64_t file_offset, uint64_t mapping_offset = 0) const;

  // Adds the functions of .symtab, or of .dynsym without one. Returns true if .symtab exists.
  bool ReadFunctions(SymbolTable* table) const;

  // Visits every function of .symtab and .dynsym under each of its names; a function may come
  // twice. `indirect`: the code at the address selects the function at run time (IFUNC).
  void VisitFunctions(const std::function<void(std::string_view name, uint64_t address,
                                               bool indirect)>& visit) const;

  // What ld.so(8) reads of a program or library to find the others. Texts may be any.
  struct Dependencies {
    std::string interpreter;          // PT_INTERP
    std::vector<std::string> needed;  // DT_NEEDED
    std::string search_path;          // DT_RUNPATH, else DT_RPATH
  };
  Dependencies ReadDependencies() const;

  bool HasSection(std::string_view name) const;
  // The contents of the first section of that name; empty if there is none or it is compressed.
  std::vector<std::byte> ReadSection(std::string_view name) const;

  // The same into `buffer`, which only grows and can be used again. The result is part of it.
  std::span<const std::byte> ReadSection(std::string_view name,
                                         std::vector<std::byte>* buffer) const;

  // The load address of the first section of that name; 0 if there is none.
  uint64_t SectionAddress(std::string_view name) const;

  // Up to `size` bytes of the file, fewer at its end.
  std::vector<std::byte> ReadBytes(uint64_t file_offset, size_t size) const;

 private:
  struct EndElf {
    void operator()(Elf* elf) const;
  };

  ElfFile() = default;
  static util::Result<ElfFile> Read(const std::string& path, util::UniqueFd fd);
  // The Elf_Scn of that name; null if there is none.
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
