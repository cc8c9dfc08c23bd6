// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/line_table.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "symbols/demangle.h"

namespace symbols {
namespace {

// Limits for files that any user may have made.
constexpr size_t kMaxRanges = size_t{1} << 22;
constexpr size_t kMaxUnits = size_t{1} << 20;
constexpr size_t kMaxInlined = 64;

struct FreeScopes {
  void operator()(Dwarf_Die* scopes) const { std::free(scopes); }
};
using Scopes = std::unique_ptr<Dwarf_Die, FreeScopes>;

// Whether .debug_info ends with a zero. In one that does not, libdw would look for the end of a
// name beyond it.
bool EndsWithZero(Dwarf* dwarf) {
  Elf* const elf = dwarf_getelf(dwarf);
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return false;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) return false;
    const char* const name = elf_strptr(elf, names, header.sh_name);
    if (name == nullptr) continue;
    // Its end is that of what it is unpacked to.
    if (std::string_view(name) == ".zdebug_info") return false;
    if (std::string_view(name) != ".debug_info") continue;
    const Elf_Data* const data = elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_size == 0) return false;
    if (static_cast<const char*>(data->d_buf)[data->d_size - 1] != 0) return false;
  }
  return true;
}

// `reads_inline`: names that stand in .debug_info itself.
std::string NameOf(Dwarf_Die* function, bool reads_inline) {
  for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    Dwarf_Attribute value;
    if (dwarf_attr_integrate(function, attribute, &value) == nullptr) continue;
    if (dwarf_whatform(&value) == DW_FORM_string && !reads_inline) continue;
    const char* name = dwarf_formstring(&value);
    if (name != nullptr) return Demangle(name);
  }
  return {};
}

uint32_t NumberOf(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute value;
  Dwarf_Word number = 0;
  if (dwarf_formudata(dwarf_attr(die, attribute, &value), &number) != 0) return 0;
  return number <= UINT32_MAX ? static_cast<uint32_t>(number) : 0;
}

}  // namespace

struct LineTable::Impl {
  struct EndDwarf {
    void operator()(Dwarf* opened) const { dwarf_end(opened); }
  };
  using DwarfPtr = std::unique_ptr<Dwarf, EndDwarf>;

  // Addresses of one compilation unit.
  struct UnitRange {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t unit = 0;  // the offset of its entry
  };

  explicit Impl(ElfFile opened) : file(std::move(opened)) {}

  // Closed last.
  ElfFile file;
  std::optional<ElfFile> alternate_file;
  DwarfPtr alternate;
  DwarfPtr dwarf;
  bool reads_inline = false;
  std::vector<UnitRange> ranges;  // by begin

  void ReadRanges() {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    for (size_t units = 0; units < kMaxUnits; ++units) {
      if (dwarf_get_units(dwarf.get(), unit, &unit, nullptr, nullptr, &die, nullptr) != 0) break;
      if (dwarf_tag(&die) != DW_TAG_compile_unit) continue;
      Dwarf_Addr base = 0, begin = 0, end = 0;
      for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;) {
        if (ranges.size() >= kMaxRanges) break;
        // The linker leaves those of removed functions at address 0.
        if (begin != 0 && begin < end) ranges.push_back({begin, end, dwarf_dieoffset(&die)});
      }
    }
    std::ranges::sort(ranges, {}, &UnitRange::begin);
  }

  bool FindUnit(uint64_t address, Dwarf_Die* unit) const {
    const auto after = std::ranges::upper_bound(ranges, address, {}, &UnitRange::begin);
    if (after == ranges.begin() || address >= std::prev(after)->end) return false;
    return dwarf_offdie(dwarf.get(), std::prev(after)->unit, unit) != nullptr;
  }
};

LineTable::LineTable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LineTable::LineTable(LineTable&&) noexcept = default;
LineTable& LineTable::operator=(LineTable&&) noexcept = default;
LineTable::~LineTable() = default;

std::optional<LineTable> LineTable::Open(ElfFile file, const DebugFileOptions& options) {
  auto impl = std::make_unique<Impl>(std::move(file));
  impl->dwarf.reset(dwarf_begin_elf(impl->file.handle(), DWARF_C_READ, nullptr));
  if (!impl->dwarf) return std::nullopt;
  const char* name = nullptr;
  const void* id = nullptr;
  const ssize_t size = dwelf_dwarf_gnu_debugaltlink(impl->dwarf.get(), &name, &id);
  if (size != 0) {
    // libdw would open any path that the file contains.
    if (size < 0) return std::nullopt;
    const auto build_id = util::BuildId::FromBytes(
        std::span(static_cast<const std::byte*>(id), static_cast<size_t>(size)));
    for (const std::string& path : DebugFileCandidates("", build_id, "", options)) {
      auto other = ElfFile::Open(path);
      if (!other || other->build_id() != build_id) continue;
      impl->alternate_file = std::move(*other);
      break;
    }
    if (!impl->alternate_file) return std::nullopt;
    impl->alternate.reset(dwarf_begin_elf(impl->alternate_file->handle(), DWARF_C_READ, nullptr));
    if (!impl->alternate) return std::nullopt;
    dwarf_setalt(impl->dwarf.get(), impl->alternate.get());
  }
  impl->reads_inline =
      EndsWithZero(impl->dwarf.get()) && (!impl->alternate || EndsWithZero(impl->alternate.get()));
  impl->ReadRanges();
  if (impl->ranges.empty()) return std::nullopt;
  return LineTable(std::move(impl));
}

std::vector<SourcePosition> LineTable::Find(uint64_t address) const {
  std::vector<SourcePosition> positions;
  Dwarf_Die unit;
  if (!impl_->FindUnit(address, &unit)) return positions;
  SourcePosition position;
  if (Dwarf_Line* line = dwarf_getsrc_die(&unit, address); line != nullptr) {
    int number = 0;
    const char* path = dwarf_linesrc(line, nullptr, nullptr);
    if (path != nullptr) position.file = path;
    if (dwarf_lineno(line, &number) == 0 && number > 0) {
      position.line = static_cast<uint32_t>(number);
    }
  }
  // The innermost scope has those around it: where it is inlined, not where it was written.
  Dwarf_Die* found = nullptr;
  int count = dwarf_getscopes(&unit, address, &found);
  const Scopes innermost(count > 0 ? found : nullptr);
  found = nullptr;
  count = innermost ? dwarf_getscopes_die(innermost.get(), &found) : 0;
  const Scopes scopes(count > 0 ? found : nullptr);
  Dwarf_Files* files = nullptr;
  size_t file_count = 0;
  if (scopes && dwarf_getsrcfiles(&unit, &files, &file_count) != 0) files = nullptr;
  for (int i = 0; i < count && positions.size() < kMaxInlined; ++i) {
    Dwarf_Die* scope = scopes.get() + i;
    const int tag = dwarf_tag(scope);
    if (tag == DW_TAG_subprogram) {
      position.function = NameOf(scope, impl_->reads_inline);
      break;
    }
    if (tag != DW_TAG_inlined_subroutine) continue;
    position.function = NameOf(scope, impl_->reads_inline);
    positions.push_back(std::exchange(position, {}));
    position.line = NumberOf(scope, DW_AT_call_line);
    const uint32_t file = NumberOf(scope, DW_AT_call_file);
    const char* path = files != nullptr && file < file_count
                           ? dwarf_filesrc(files, file, nullptr, nullptr)
                           : nullptr;
    if (path != nullptr) position.file = path;
  }
  if (!positions.empty() || position.line != 0) positions.push_back(std::move(position));
  return positions;
}

}  // namespace symbols
