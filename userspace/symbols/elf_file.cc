// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/elf_file.h"

#include <elf.h>
#include <fmt/core.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "symbols/build_id_note.h"
#include "symbols/regular_file.h"
#include "symbols/unpack_xz.h"

namespace symbols {

namespace {

// Limits of what is read of a file, which any user may have made.
constexpr uint64_t kMaxSections = uint64_t{1} << 20;
constexpr size_t kMaxSegments = size_t{1} << 16;
constexpr uint64_t kMaxSectionBytes = uint64_t{512} << 20;
constexpr size_t kMaxMiniDebugInfoBytes = size_t{64} << 20;
constexpr uint64_t kMaxNoteBytes = uint64_t{1} << 20;
constexpr size_t kMaxFunctions = size_t{1} << 22;
constexpr size_t kMaxNeeded = 1024;

template <typename Integer>
Integer InOrder(Integer value, bool is_swapped) {
  if (!is_swapped) return value;
  auto* bytes = reinterpret_cast<unsigned char*>(&value);
  std::reverse(bytes, bytes + sizeof(value));
  return value;
}

// Checks the number of sections in the first section header, for which libelf allocates memory.
template <typename Header, typename Section>
bool HasFewSections(int fd, const Header& header, bool is_swapped) {
  if (header.e_shnum != 0 || header.e_shoff == 0) return true;
  Section section;
  const auto offset = static_cast<off_t>(InOrder(header.e_shoff, is_swapped));
  if (pread(fd, &section, sizeof(section), offset) != sizeof(section)) return true;
  return InOrder(section.sh_size, is_swapped) <= kMaxSections;
}

bool HasPlausibleSections(int fd) {
  Elf64_Ehdr header{};
  const ssize_t size = pread(fd, &header, sizeof(header), 0);
  if (size < static_cast<ssize_t>(sizeof(Elf32_Ehdr))) return false;
  constexpr unsigned char kNative =
      std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  const bool is_swapped = header.e_ident[EI_DATA] != kNative;
  if (header.e_ident[EI_CLASS] == ELFCLASS64) {
    return size == sizeof(header) && HasFewSections<Elf64_Ehdr, Elf64_Shdr>(fd, header, is_swapped);
  }
  Elf32_Ehdr small{};
  std::memcpy(&small, &header, sizeof(small));
  return HasFewSections<Elf32_Ehdr, Elf32_Shdr>(fd, small, is_swapped);
}

// True if the symbol's section contains code.
bool IsCode(Elf* elf, size_t index) {
  GElf_Shdr header;
  Elf_Scn* section = elf_getscn(elf, index);
  return section != nullptr && gelf_getshdr(section, &header) != nullptr &&
         (header.sh_flags & SHF_EXECINSTR) != 0;
}

SymbolRank RankOf(unsigned char info) {
  switch (GELF_ST_BIND(info)) {
    case STB_GLOBAL:
      return SymbolRank::kGlobal;
    case STB_WEAK:
      return SymbolRank::kWeak;
    default:
      return SymbolRank::kLocal;
  }
}

// Text at an offset of a string table, up to its zero byte; empty if it has none.
std::string_view TextAt(const Elf_Data* strings, size_t offset) {
  if (strings == nullptr || strings->d_buf == nullptr || offset >= strings->d_size) return {};
  const char* text = static_cast<const char*>(strings->d_buf) + offset;
  const size_t room = strings->d_size - offset;
  const size_t length = strnlen(text, room);
  return length == room ? std::string_view() : std::string_view(text, length);
}

// Calls `visit(const GElf_Sym&, name)` for each symbol.
template <typename Visit>
void ForEachFunction(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, Visit visit) {
  GElf_Shdr strings_header;
  Elf_Scn* strings_section = elf_getscn(elf, header.sh_link);
  if (strings_section == nullptr || gelf_getshdr(strings_section, &strings_header) == nullptr) {
    return;
  }
  if (header.sh_size > kMaxSectionBytes || strings_header.sh_size > kMaxSectionBytes) return;
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const Elf_Data* strings = elf_getdata(strings_section, nullptr);
  const size_t count = std::min<size_t>(data->d_size / header.sh_entsize, kMaxFunctions);
  for (size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    if (symbol.st_shndx == SHN_UNDEF) continue;
    const int type = GELF_ST_TYPE(symbol.st_info);
    const bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
    // Assembly often omits the type; a symbol in a code section is a function.
    const bool untyped = type == STT_NOTYPE && symbol.st_shndx < SHN_LORESERVE &&
                         GELF_ST_BIND(symbol.st_info) != STB_LOCAL && IsCode(elf, symbol.st_shndx);
    if (!function && !untyped) continue;
    visit(symbol, TextAt(strings, symbol.st_name));
  }
}

// Adds the functions of the sections of that type. Returns true if there are any.
bool AddFunctions(Elf* elf, uint32_t type, SymbolTable* table) {
  bool found = false;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != type) continue;
    ForEachFunction(elf, section, header, [&](const GElf_Sym& symbol, std::string_view name) {
      // Without the version, as in "clock_nanosleep@@GLIBC_2.17".
      const size_t version = name.find('@');
      if (version != 0) name = name.substr(0, version);
      table->Add(symbol.st_value, symbol.st_size, name, RankOf(symbol.st_info));
    });
    found = true;
  }
  return found;
}

}  // namespace

void ElfFile::EndElf::operator()(Elf* elf) const { elf_end(elf); }

ElfFile::ElfFile(ElfFile&&) noexcept = default;
ElfFile& ElfFile::operator=(ElfFile&& other) noexcept {
  // The Elf of the old file must be closed before its descriptor.
  elf_ = std::move(other.elf_);
  fd_ = std::move(other.fd_);
  machine_ = other.machine_;
  build_id_ = other.build_id_;
  segments_ = std::move(other.segments_);
  debug_link_ = std::move(other.debug_link_);
  return *this;
}
ElfFile::~ElfFile() { elf_.reset(); }

util::Result<ElfFile> ElfFile::Open(const std::string& path, const std::string& root) {
  auto fd = OpenRegularFile(path, {.root = root});
  if (!fd) return fd.TakeError();
  return Read(path, std::move(*fd));
}

util::Result<ElfFile> ElfFile::FromDescriptor(util::UniqueFd fd) {
  if (!fd) return util::Error{"no file", ""};
  return Read("the file", std::move(fd));
}

util::Result<ElfFile> ElfFile::Read(const std::string& path, util::UniqueFd fd) {
  if (elf_version(EV_CURRENT) == EV_NONE) return util::Error{"libelf is too old", ""};
  ElfFile file;
  file.fd_ = std::move(fd);
  if (!HasPlausibleSections(file.fd_.get())) {
    return util::Error{fmt::format("{}: not an ELF file", path), ""};
  }
  file.elf_.reset(elf_begin(file.fd_.get(), ELF_C_READ, nullptr));
  if (!file.elf_ || elf_kind(file.elf_.get()) != ELF_K_ELF) {
    return util::Error{fmt::format("{}: not an ELF file", path), ""};
  }
  file.ReadHead();
  file.ReadSections();
  return file;
}

void ElfFile::ReadHead() {
  GElf_Ehdr header;
  if (gelf_getehdr(elf_.get(), &header) == nullptr) return;
  machine_ = header.e_machine;
  size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0) return;
  for (size_t i = 0; i < std::min(count, kMaxSegments); ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment) == nullptr) break;
    if (segment.p_type == PT_LOAD) {
      segments_.push_back({segment.p_offset, segment.p_filesz, segment.p_vaddr, segment.p_memsz,
                           (segment.p_flags & PF_X) != 0});
    }
  }
}

void ElfFile::ReadSections() {
  size_t names = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) return;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type == SHT_NOTE) {
      if (header.sh_size > kMaxNoteBytes) continue;
      const Elf_Data* data = elf_getdata(section, nullptr);
      if (build_id_.empty() && data != nullptr && data->d_buf != nullptr) {
        build_id_ = FindBuildId({static_cast<const std::byte*>(data->d_buf), data->d_size});
      }
      continue;
    }
    const char* name = elf_strptr(elf_.get(), names, header.sh_name);
    if (name == nullptr || std::string_view(name) != ".gnu_debuglink") continue;
    if (header.sh_type == SHT_NOBITS || header.sh_size > kMaxNoteBytes) continue;
    const Elf_Data* data = elf_getdata(section, nullptr);
    if (data != nullptr) debug_link_ = TextAt(data, 0);
  }
}

std::optional<uint64_t> ElfFile::AddressOf(uint64_t file_offset, uint64_t mapping_offset) const {
  constexpr uint64_t kPageBytes = 4096;
  for (const LoadSegment& segment : segments_) {
    if (segment.file_size == 0 && segment.executable) {
      const uint64_t address =
          segment.address / kPageBytes * kPageBytes + (file_offset - mapping_offset);
      if (file_offset >= mapping_offset && address >= segment.address &&
          address - segment.address < segment.memory_size) {
        return address;
      }
      continue;
    }
    if (file_offset >= segment.file_offset &&
        file_offset - segment.file_offset < segment.file_size) {
      return segment.address + (file_offset - segment.file_offset);
    }
  }
  return std::nullopt;
}

bool ElfFile::ReadFunctions(SymbolTable* table) const {
  if (AddFunctions(elf_.get(), SHT_SYMTAB, table)) return true;
  AddFunctions(elf_.get(), SHT_DYNSYM, table);
  // Mini debug info: a packed file with the symbols that .dynsym does not have.
  const char* const name = ".gnu_debugdata";
  if (!HasSection(name)) return false;
  const std::vector<std::byte> bytes = UnpackXz(ReadSection(name), kMaxMiniDebugInfoBytes);
  util::UniqueFd fd(memfd_create("mini-debug-info", MFD_CLOEXEC));
  if (bytes.empty() || !fd ||
      write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    return false;
  }
  const auto part = Read(name, std::move(fd));
  if (part) AddFunctions(part->elf_.get(), SHT_SYMTAB, table);
  return false;
}

void ElfFile::VisitFunctions(
    const std::function<void(std::string_view, uint64_t, bool)>& visit) const {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) continue;
    ForEachFunction(elf_.get(), section, header,
                    [&](const GElf_Sym& symbol, std::string_view name) {
                      visit(name, symbol.st_value, GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC);
                    });
  }
}

ElfFile::Dependencies ElfFile::ReadDependencies() const {
  Dependencies found;
  size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0) return found;
  for (size_t i = 0; i < std::min(count, kMaxSegments); ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment) == nullptr) break;
    if (segment.p_type != PT_INTERP) continue;
    const std::vector<std::byte> text =
        ReadBytes(segment.p_offset, std::min<uint64_t>(segment.p_filesz, PATH_MAX));
    const auto* characters = reinterpret_cast<const char*>(text.data());
    found.interpreter.assign(characters, strnlen(characters, text.size()));
  }
  std::string rpath;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_.get(), section)) != nullptr;) {
    GElf_Shdr header, strings_header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNAMIC) continue;
    Elf_Scn* strings_section = elf_getscn(elf_.get(), header.sh_link);
    if (strings_section == nullptr || gelf_getshdr(strings_section, &strings_header) == nullptr ||
        header.sh_size > kMaxNoteBytes || strings_header.sh_size > kMaxSectionBytes) {
      continue;
    }
    Elf_Data* data = elf_getdata(section, nullptr);
    const Elf_Data* strings = elf_getdata(strings_section, nullptr);
    GElf_Dyn entry;
    for (int i = 0; data != nullptr && found.needed.size() < kMaxNeeded; ++i) {
      if (gelf_getdyn(data, i, &entry) == nullptr || entry.d_tag == DT_NULL) break;
      const auto text = [&] { return std::string(TextAt(strings, entry.d_un.d_val)); };
      if (entry.d_tag == DT_NEEDED) found.needed.push_back(text());
      if (entry.d_tag == DT_RUNPATH) found.search_path = text();
      if (entry.d_tag == DT_RPATH) rpath = text();
    }
  }
  if (found.search_path.empty()) found.search_path = rpath;
  return found;
}

void* ElfFile::FindSection(std::string_view name) const {
  size_t names = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) return nullptr;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* text = elf_strptr(elf_.get(), names, header.sh_name);
    if (text != nullptr && name == text) return section;
  }
  return nullptr;
}

bool ElfFile::HasSection(std::string_view name) const { return FindSection(name) != nullptr; }

std::vector<std::byte> ElfFile::ReadSection(std::string_view name) const {
  GElf_Shdr header;
  auto* section = static_cast<Elf_Scn*>(FindSection(name));
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr) return {};
  if (header.sh_type == SHT_NOBITS || header.sh_size > kMaxSectionBytes) return {};
  if ((header.sh_flags & SHF_COMPRESSED) != 0) return {};
  const Elf_Data* data = elf_rawdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  const auto* bytes = static_cast<const std::byte*>(data->d_buf);
  return {bytes, bytes + data->d_size};
}

std::span<const std::byte> ElfFile::ReadSection(std::string_view name,
                                                std::vector<std::byte>* buffer) const {
  GElf_Shdr header;
  auto* section = static_cast<Elf_Scn*>(FindSection(name));
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr) return {};
  if (header.sh_type == SHT_NOBITS || header.sh_size > kMaxSectionBytes) return {};
  if ((header.sh_flags & SHF_COMPRESSED) != 0) return {};
  struct stat file {};
  if (fstat(fd_.get(), &file) != 0 || file.st_size < 0) return {};
  const auto file_size = static_cast<uint64_t>(file.st_size);
  // No memory for what is not there.
  if (header.sh_offset > file_size || header.sh_size > file_size - header.sh_offset) return {};
  if (buffer->size() < header.sh_size) buffer->resize(header.sh_size);
  size_t size = 0;
  while (size < header.sh_size) {
    const ssize_t got = pread(fd_.get(), buffer->data() + size, header.sh_size - size,
                              static_cast<off_t>(header.sh_offset + size));
    if (got <= 0) return {};
    size += static_cast<size_t>(got);
  }
  return std::span(*buffer).first(size);
}

uint64_t ElfFile::SectionAddress(std::string_view name) const {
  GElf_Shdr header;
  auto* section = static_cast<Elf_Scn*>(FindSection(name));
  return section != nullptr && gelf_getshdr(section, &header) != nullptr ? header.sh_addr : 0;
}

std::vector<std::byte> ElfFile::ReadBytes(uint64_t file_offset, size_t size) const {
  std::vector<std::byte> bytes(size);
  const ssize_t got = pread(fd_.get(), bytes.data(), size, static_cast<off_t>(file_offset));
  bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return bytes;
}

}  // namespace symbols
