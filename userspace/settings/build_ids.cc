// SPDX-License-Identifier: BSD-2-Clause
#include "settings/build_ids.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "symbols/build_id_note.h"
#include "util/unique_fd.h"

namespace settings {
namespace {

constexpr size_t kMostKnownFiles = 4096;
constexpr size_t kMostNoteBytes = 64 << 10;
constexpr unsigned kMostSegments = 256;

template <typename T>
bool ReadAt(int fd, uint64_t offset, T& into) {
  return pread(fd, &into, sizeof(into), static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(sizeof(into));
}

// Empty if it is no ELF file of this machine's byte order.
template <typename Header, typename Segment>
std::optional<util::BuildId> ReadNotes(int fd) {
  Header header;
  if (!ReadAt(fd, 0, header) || header.e_phentsize != sizeof(Segment)) return std::nullopt;
  util::BuildId id;
  for (unsigned i = 0; i < header.e_phnum && i < kMostSegments && id.empty(); ++i) {
    Segment segment;
    if (!ReadAt(fd, header.e_phoff + uint64_t{i} * sizeof(Segment), segment)) return std::nullopt;
    if (segment.p_type != PT_NOTE) continue;
    std::vector<std::byte> notes(std::min<size_t>(segment.p_filesz, kMostNoteBytes));
    const ssize_t got = pread(fd, notes.data(), notes.size(), static_cast<off_t>(segment.p_offset));
    if (got > 0) id = symbols::FindBuildId(std::span(notes).first(static_cast<size_t>(got)));
  }
  return id;
}

std::optional<util::BuildId> ReadBuildId(int fd) {
  std::array<unsigned char, EI_NIDENT> ident{};
  if (!ReadAt(fd, 0, ident) || std::memcmp(ident.data(), ELFMAG, SELFMAG) != 0) {
    return std::nullopt;
  }
  return ident[EI_CLASS] == ELFCLASS64 ? ReadNotes<Elf64_Ehdr, Elf64_Phdr>(fd)
                                       : ReadNotes<Elf32_Ehdr, Elf32_Phdr>(fd);
}

}  // namespace

std::string BuildIds::Of(const std::string& path) {
  // A device or pipe is not opened for reading.
  const util::UniqueFd place(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat file {};
  if (!place || fstat(place.get(), &file) != 0 || !S_ISREG(file.st_mode)) return kUnreadable;
  const File key{file.st_dev, file.st_ino, file.st_size,
                 file.st_mtim.tv_sec * int64_t{1'000'000'000} + file.st_mtim.tv_nsec};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const util::UniqueFd fd(
      open(fmt::format("/proc/self/fd/{}", place.get()).c_str(), O_RDONLY | O_CLOEXEC));
  const auto id = fd ? ReadBuildId(fd.get()) : std::nullopt;
  std::string text = !id ? kUnreadable : id->empty() ? kNone : id->ToHex();
  if (known_.size() >= kMostKnownFiles) known_.clear();
  known_.emplace(key, text);
  return text;
}

}  // namespace settings
