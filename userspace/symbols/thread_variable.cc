// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/thread_variable.h"

#include <elf.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace symbols {
namespace {

using Model = ThreadVariable::Model;

template <typename Entry, typename Visit>
void VisitEntries(std::span<const std::byte> bytes, const Visit& visit) {
  for (size_t at = 0; bytes.size() - at >= sizeof(Entry); at += sizeof(Entry)) {
    Entry entry;
    std::memcpy(&entry, bytes.data() + at, sizeof(entry));
    visit(entry, at / sizeof(Entry));
  }
}

struct ExportedSymbol {
  uint64_t number = 0;  // in .dynsym
  uint64_t value = 0;   // offset in the file's block of thread-local storage
};

std::optional<ExportedSymbol> FindSymbol(const ElfFile& file, std::string_view name) {
  const std::vector<std::byte> text = file.ReadSection(".dynstr");
  const std::string_view names(reinterpret_cast<const char*>(text.data()), text.size());
  // Nearly no file has it, and most have many symbols.
  if (names.find(name) == std::string_view::npos) return std::nullopt;
  std::optional<ExportedSymbol> found;
  VisitEntries<Elf64_Sym>(
      file.ReadSection(".dynsym"), [&](const Elf64_Sym& symbol, uint64_t number) {
        if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_TLS ||
            symbol.st_name >= names.size()) {
          return;
        }
        const std::string_view rest = names.substr(symbol.st_name);
        if (rest.substr(0, rest.find('\0')) == name) found = {number, symbol.st_value};
      });
  return found;
}

Model ModelOf(uint32_t relocation) {
  switch (relocation) {
    case R_X86_64_TLSDESC:
      return Model::kDescriptor;
    case R_X86_64_DTPMOD64:
      return Model::kIndex;
    case R_X86_64_TPOFF64:
      return Model::kOffsetInSlot;
    default:
      return Model::kNone;
  }
}

// The variable by relocations. Those of its symbol are preferred to those of the file's block.
ThreadVariable FindSlot(const ElfFile& file, const ExportedSymbol& symbol) {
  ThreadVariable by_symbol, by_block;
  const auto take = [&](const Elf64_Rela& relocation, uint64_t) {
    const Model model = ModelOf(static_cast<uint32_t>(ELF64_R_TYPE(relocation.r_info)));
    const uint64_t number = ELF64_R_SYM(relocation.r_info);
    if (model == Model::kNone) return;
    if (number == symbol.number && number != 0) {
      by_symbol = {model, relocation.r_offset, 0};
    } else if (number == 0) {
      // The linker knew that no other file's symbol takes its place.
      const auto add =
          static_cast<int64_t>(symbol.value - static_cast<uint64_t>(relocation.r_addend));
      if (model == Model::kIndex) {
        by_block = {Model::kModuleInSlot, relocation.r_offset, static_cast<int64_t>(symbol.value)};
      } else {
        by_block = {model, relocation.r_offset, add};
      }
    }
  };
  VisitEntries<Elf64_Rela>(file.ReadSection(".rela.dyn"), take);
  VisitEntries<Elf64_Rela>(file.ReadSection(".rela.plt"), take);
  return by_symbol.empty() ? by_block : by_symbol;
}

bool IsMarkedAsProgram(const ElfFile& file, const GElf_Phdr& dynamic) {
  constexpr uint64_t kMaxBytes = 65'536;
  bool found = false;
  VisitEntries<Elf64_Dyn>(
      file.ReadBytes(dynamic.p_offset, std::min<uint64_t>(dynamic.p_filesz, kMaxBytes)),
      [&](const Elf64_Dyn& entry, uint64_t) {
        found |= entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0;
      });
  return found;
}

// The block of an executable ends at the thread pointer.
ThreadVariable FindOffset(const ElfFile& file, const ExportedSymbol& symbol) {
  GElf_Ehdr header;
  size_t count = 0;
  if (gelf_getehdr(file.handle(), &header) == nullptr ||
      elf_getphdrnum(file.handle(), &count) != 0) {
    return {};
  }
  bool is_program = header.e_type == ET_EXEC;
  std::optional<GElf_Phdr> block;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(file.handle(), static_cast<int>(i), &segment) == nullptr) return {};
    // Libraries rarely have an interpreter, and static programs none.
    is_program |= segment.p_type == PT_INTERP;
    if (segment.p_type == PT_DYNAMIC) is_program |= IsMarkedAsProgram(file, segment);
    if (segment.p_type == PT_TLS) block = segment;
  }
  if (!is_program || !block) return {};
  const uint64_t align = std::max<uint64_t>(block->p_align, 1);
  const uint64_t to_end = block->p_memsz + ((0 - block->p_vaddr - block->p_memsz) & (align - 1));
  return {Model::kOffset, 0, static_cast<int64_t>(symbol.value - to_end)};
}

}  // namespace

ThreadVariable FindThreadVariable(const ElfFile& file, std::string_view name) {
  if (file.machine() != EM_X86_64) return {};
  const auto symbol = FindSymbol(file, name);
  if (!symbol) return {};
  ThreadVariable variable = FindSlot(file, *symbol);
  if (variable.empty()) return FindOffset(file, *symbol);
  const auto code = std::ranges::find_if(file.segments(), &LoadSegment::executable);
  if (code == file.segments().end()) return {};
  variable.slot += code->file_offset - code->address;
  return variable;
}

}  // namespace symbols
