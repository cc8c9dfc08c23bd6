// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/table_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "unwind/python_module.h"

namespace unwind {
namespace {

constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
// Times of file systems may be as coarse.
constexpr int64_t kCoarseSeconds = 2;
// Words that are read at once, a multiple of Checksum::kStep.
constexpr size_t kPieceWords = 16384;
// Uses within this time count once.
constexpr int64_t kUseSeconds = 3600;

// A file: this, then the table's words.
struct Header {
  // Another layout, or other rules, must have another number.
  static constexpr uint64_t kMagic = 0x3530'6e69'7774'7866;
  uint64_t magic = kMagic;
  uint64_t checksum = 0;  // of all that follows
  fxr_unwind_file file{};
  uint64_t file_offset = 0;
  uint32_t pages = 0;
  uint32_t rows = 0;
  uint32_t rules = 0;
  uint32_t words = 0;  // 0: the file has no table
  PythonModule python;
};
static_assert(sizeof(Header) == 112);

// Finds damage, no forgery.
class Checksum {
 public:
  explicit Checksum(const Header& header) {
    std::array<uint64_t, sizeof(Header) / sizeof(uint64_t)> head{};
    std::memcpy(head.data(), &header, sizeof(header));
    for (size_t at = 2; at < head.size(); ++at) AddWord(0, head[at]);
  }
  // All but the last piece have a multiple of kStep words.
  static constexpr size_t kStep = 8;
  void Add(std::span<const fxr_u32> words) {
    size_t i = 0;
    for (; i + kStep <= words.size(); i += kStep) {
      for (size_t at = 0; at < kSums; ++at) {
        uint64_t word = 0;
        std::memcpy(&word, words.data() + i + 2 * at, sizeof(word));
        AddWord(at, word);
      }
    }
    for (; i < words.size(); ++i) AddWord(0, words[i]);
  }
  uint64_t Finish() {
    for (size_t at = 1; at < kSums; ++at) AddWord(0, sums_[at]);
    return sums_[0];
  }

 private:
  // Several sums at once, as the processor can add them.
  static constexpr size_t kSums = kStep / 2;
  static constexpr uint64_t kFactor = 0x9e37'79b9'7f4a'7c15;

  void AddWord(size_t at, uint64_t word) {
    sums_[at] = (sums_[at] ^ word) * kFactor;
    sums_[at] ^= sums_[at] >> 32;
  }

  std::array<uint64_t, kSums> sums_{1, 2, 3, 4};
};

uint64_t ChecksumOf(const Header& header, std::span<const fxr_u32> words) {
  Checksum sum(header);
  sum.Add(words);
  return sum.Finish();
}

bool IsOwn(const struct stat& file) {
  return file.st_uid == geteuid() && (file.st_mode & kOthers) == 0;
}

// Opens a file of the cache. Files are replaced and never changed.
util::UniqueFd OpenKept(int folder, const std::string& name, uint64_t* bytes) {
  util::UniqueFd fd(openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat file {};
  if (!fd || fstat(fd.get(), &file) != 0 || !S_ISREG(file.st_mode) || !IsOwn(file) ||
      file.st_nlink != 1 || file.st_size <= 0 ||
      static_cast<uint64_t>(file.st_size) > TableCache::kMaxFileBytes) {
    return {};
  }
  *bytes = static_cast<uint64_t>(file.st_size);
  // The files that were not used for longest go first.
  if (time(nullptr) - file.st_mtim.tv_sec > kUseSeconds) futimens(fd.get(), nullptr);
  return fd;
}

bool ReadAll(int fd, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = read(fd, bytes.data(), bytes.size());
    if (got <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(got));
  }
  return true;
}

bool ReadWords(int fd, const Header& header, const TableStore::Put& put) {
  const size_t size = std::min<size_t>(header.words, kPieceWords);
  const auto memory = std::make_unique_for_overwrite<fxr_u32[]>(size);
  Checksum sum(header);
  for (size_t done = 0; done < header.words;) {
    const std::span piece(memory.get(), std::min<size_t>(size, header.words - done));
    if (!ReadAll(fd, std::as_writable_bytes(piece))) return false;
    sum.Add(piece);
    put(done, piece);
    done += piece.size();
  }
  return sum.Finish() == header.checksum;
}

bool WriteAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

// See TableCache::Keep().
bool IsSettled(const fxr_unwind_file& file, int fd) {
  constexpr int64_t kFuse = 0x65735546;  // linux/magic.h
  struct stat now {};
  struct statfs system {};
  if (fstat(fd, &now) != 0 || fstatfs(fd, &system) != 0 || system.f_type == kFuse) return false;
  return now.st_ino == file.inode && static_cast<uint64_t>(now.st_size) == file.size &&
         static_cast<uint64_t>(now.st_ctim.tv_sec) == file.changed_s &&
         static_cast<uint64_t>(now.st_ctim.tv_nsec) == file.changed_ns &&
         time(nullptr) - now.st_ctim.tv_sec > kCoarseSeconds;
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

std::string TableCache::NameOf(const fxr_unwind_file& file) {
  return fmt::format("{:x}-{:x}-{:x}-{:x}.{:09}", file.device, file.inode, file.size,
                     file.changed_s, file.changed_ns);
}

std::optional<KeptTable> TableCache::Find(const fxr_unwind_file& file) const {
  if (!available()) return std::nullopt;
  uint64_t size = 0;
  const auto kept =
      std::make_shared<const util::UniqueFd>(OpenKept(folder_.get(), NameOf(file), &size));
  Header header;
  if (!*kept || !ReadAll(kept->get(), std::as_writable_bytes(std::span(&header, 1))) ||
      header.magic != Header::kMagic || std::memcmp(&header.file, &file, sizeof(file)) != 0 ||
      size != sizeof(header) + uint64_t{header.words} * sizeof(fxr_u32)) {
    return std::nullopt;
  }
  const UnwindTable::Shape shape = {.file_offset = header.file_offset,
                                    .pages = header.pages,
                                    .rows = header.rows,
                                    .rules = header.rules,
                                    .python = header.python};
  if (header.words != 0 && !shape.Fits(header.words)) return std::nullopt;
  if (header.words == 0 && ChecksumOf(header, {}) != header.checksum) return std::nullopt;
  return KeptTable{shape, header.words, [header, kept](const TableStore::Put& put) {
                     return ReadWords(kept->get(), header, put);
                   }};
}

void TableCache::Keep(const fxr_unwind_file& file, int fd, const UnwindTable& table) {
  if (!available() || !IsSettled(file, fd)) return;
  Header header;
  const UnwindTable::Shape shape = table.shape();
  header.file = file;
  header.file_offset = shape.file_offset;
  header.pages = shape.pages;
  header.rows = shape.rows;
  header.rules = shape.rules;
  header.python = shape.python;
  header.words = static_cast<uint32_t>(table.words().size());
  header.checksum = ChecksumOf(header, table.words());
  const auto words = std::as_bytes(table.words());
  const uint64_t size = sizeof(header) + words.size();
  if (size > kMaxFileBytes || size > max_bytes_) return;
  MakeRoom(size);
  // Another recorder may do the same at once.
  const std::string name = NameOf(file);
  const std::string temporary = fmt::format("{}.{}", name, getpid());
  static_cast<void>(unlinkat(folder_.get(), temporary.c_str(), 0));
  const util::UniqueFd kept(openat(folder_.get(), temporary.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!kept) return;
  const bool whole =
      WriteAll(kept.get(), std::as_bytes(std::span(&header, 1))) && WriteAll(kept.get(), words);
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
