// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/table_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace unwind {
namespace {

constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
constexpr size_t kSegmentWords = 5;

// A file: this, then what the table was made from besides the section, the table's words and the
// section.
struct Header {
  // Another layout, or other rules, must have another number.
  static constexpr uint64_t kMagic = 0x3230'6e69'7774'7866;
  uint64_t magic = kMagic;
  uint64_t checksum = 0;  // of the shape and the words
  uint64_t input_words = 0;
  uint64_t section_bytes = 0;
  uint64_t file_offset = 0;
  uint32_t pages = 0;
  uint32_t rows = 0;
  uint32_t rules = 0;
  uint32_t words = 0;
};

// Finds damage, no forgery.
uint64_t Checksum(const UnwindTable::Shape& shape, std::span<const fxr_u32> words) {
  uint64_t sum = words.size();
  const auto add = [&sum](uint64_t word) {
    sum = (sum ^ word) * 0x9e37'79b9'7f4a'7c15;
    sum ^= sum >> 32;
  };
  add(shape.file_offset);
  add(shape.pages);
  add(shape.rows);
  add(shape.rules);
  for (const fxr_u32 word : words) add(word);
  return sum;
}

std::vector<uint64_t> InputOf(const FrameSection& section,
                              std::span<const symbols::LoadSegment> segments) {
  std::vector<uint64_t> input{section.address, section.is_debug ? 1u : 0u};
  input.reserve(input.size() + segments.size() * kSegmentWords);
  for (const symbols::LoadSegment& segment : segments) {
    input.insert(input.end(), {segment.file_offset, segment.file_size, segment.address,
                               segment.memory_size, segment.executable ? 1u : 0u});
  }
  return input;
}

bool IsOwn(const struct stat& file) {
  return file.st_uid == geteuid() && (file.st_mode & kOthers) == 0;
}

// A file of the cache, mapped for reading. Files are replaced and never changed.
class MappedFile {
 public:
  MappedFile(int folder, const std::string& name) {
    const util::UniqueFd fd(
        openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat file {};
    if (!fd || fstat(fd.get(), &file) != 0 || !S_ISREG(file.st_mode) || !IsOwn(file) ||
        file.st_nlink != 1 || file.st_size <= 0 ||
        static_cast<uint64_t>(file.st_size) > TableCache::kMaxFileBytes) {
      return;
    }
    const auto size = static_cast<size_t>(file.st_size);
    void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd.get(), 0);
    if (memory == MAP_FAILED) return;
    bytes_ = {static_cast<const std::byte*>(memory), size};
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

bool WriteAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

TableCache TableCache::Open(const std::string& path, uint64_t max_bytes) {
  TableCache cache;
  static_cast<void>(mkdir(path.c_str(), S_IRWXU));
  util::UniqueFd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat found {};
  if (!folder || fstat(folder.get(), &found) != 0 || !IsOwn(found)) return cache;
  cache.folder_ = std::move(folder);
  cache.max_bytes_ = max_bytes;
  return cache;
}

UnwindTable TableCache::Read(const symbols::ElfFile& file) {
  const auto make = [&](const FrameSection& section,
                        std::span<const symbols::LoadSegment> segments) {
    if (auto kept = Find(file.build_id(), section, segments)) return std::move(*kept);
    UnwindTable table = UnwindTable::Make(section, segments);
    if (!table.empty()) Keep(file.build_id(), section, segments, table);
    return table;
  };
  return UnwindTable::Read(file, make, &section_);
}

std::optional<UnwindTable> TableCache::Find(const util::BuildId& id, const FrameSection& section,
                                            std::span<const symbols::LoadSegment> segments) const {
  if (!available() || id.empty()) return std::nullopt;
  const auto file = std::make_shared<const MappedFile>(folder_.get(), id.ToHex());
  std::span<const std::byte> bytes = file->bytes();
  Header header;
  if (bytes.size() < sizeof(header)) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const std::vector<uint64_t> input = InputOf(section, segments);
  const auto input_bytes = std::as_bytes(std::span(input));
  const uint64_t words_bytes = uint64_t{header.words} * sizeof(fxr_u32);
  if (header.magic != Header::kMagic || header.input_words != input.size() ||
      header.section_bytes != section.bytes.size() ||
      bytes.size() != sizeof(header) + input_bytes.size() + words_bytes + section.bytes.size()) {
    return std::nullopt;
  }
  bytes = bytes.subspan(sizeof(header));
  if (!std::ranges::equal(bytes.first(input_bytes.size()), input_bytes)) return std::nullopt;
  bytes = bytes.subspan(input_bytes.size());
  // A mapping is aligned, and all before is a multiple of a word.
  const std::span words(reinterpret_cast<const fxr_u32*>(bytes.data()), header.words);
  bytes = bytes.subspan(words_bytes);
  if (std::memcmp(bytes.data(), section.bytes.data(), bytes.size()) != 0) return std::nullopt;
  const UnwindTable::Shape shape{.file_offset = header.file_offset,
                                 .pages = header.pages,
                                 .rows = header.rows,
                                 .rules = header.rules};
  if (Checksum(shape, words) != header.checksum) return std::nullopt;
  return UnwindTable::Restore(shape, words, file);
}

void TableCache::Keep(const util::BuildId& id, const FrameSection& section,
                      std::span<const symbols::LoadSegment> segments, const UnwindTable& table) {
  if (!available() || id.empty()) return;
  const std::vector<uint64_t> input = InputOf(section, segments);
  const auto input_bytes = std::as_bytes(std::span(input));
  const auto words = std::as_bytes(table.words());
  Header header;
  const UnwindTable::Shape shape = table.shape();
  header.checksum = Checksum(shape, table.words());
  header.input_words = input.size();
  header.section_bytes = section.bytes.size();
  header.file_offset = shape.file_offset;
  header.pages = shape.pages;
  header.rows = shape.rows;
  header.rules = shape.rules;
  header.words = static_cast<uint32_t>(table.words().size());
  const uint64_t size = sizeof(header) + input_bytes.size() + words.size() + section.bytes.size();
  if (size > kMaxFileBytes || size > max_bytes_) return;
  MakeRoom(size);
  // Another recorder may do the same at once.
  const std::string name = id.ToHex();
  const std::string temporary = fmt::format("{}.{}", name, getpid());
  static_cast<void>(unlinkat(folder_.get(), temporary.c_str(), 0));
  const util::UniqueFd fd(openat(folder_.get(), temporary.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return;
  const bool whole = WriteAll(fd.get(), std::as_bytes(std::span(&header, 1))) &&
                     WriteAll(fd.get(), input_bytes) && WriteAll(fd.get(), words) &&
                     WriteAll(fd.get(), section.bytes);
  if (!whole || renameat(folder_.get(), temporary.c_str(), folder_.get(), name.c_str()) != 0) {
    static_cast<void>(unlinkat(folder_.get(), temporary.c_str(), 0));
    return;
  }
  *used_bytes_ += size;
}

void TableCache::MakeRoom(uint64_t bytes) {
  if (used_bytes_ && *used_bytes_ + bytes <= max_bytes_) return;
  struct File {
    int64_t time = 0;
    uint64_t size = 0;
    std::string name;
  };
  std::vector<File> files;
  used_bytes_ = 0;
  // A descriptor of its own, which closedir() closes.
  const int copy = openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(fdopendir(copy), closedir);
  if (!folder) return;
  while (const dirent* entry = readdir(folder.get())) {
    struct stat file {};
    if (fstatat(folder_.get(), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(file.st_mode)) continue;
    files.push_back({file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec,
                     static_cast<uint64_t>(file.st_size), entry->d_name});
    *used_bytes_ += files.back().size;
  }
  std::ranges::sort(files, {}, &File::time);
  for (const File& file : files) {
    if (*used_bytes_ + bytes <= max_bytes_) return;
    if (unlinkat(folder_.get(), file.name.c_str(), 0) == 0) *used_bytes_ -= file.size;
  }
}

}  // namespace unwind
