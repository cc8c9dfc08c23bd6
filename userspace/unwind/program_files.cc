// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/program_files.h"

#include <elf.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <set>
#include <span>
#include <utility>

#include "symbols/elf_file.h"
#include "symbols/regular_file.h"
#include "util/unique_fd.h"

namespace unwind {
namespace {

constexpr size_t kMaxFiles = 512;
constexpr int kMaxScripts = 4;                           // as the kernel
constexpr uint64_t kMaxCacheBytes = uint64_t{16} << 20;  // of ldconfig
constexpr size_t kMaxLineBytes = 256;                    // of a script, as the kernel

// The format of glibc's dl-cache.h, "glibc-ld.so.cache1.1". Offsets of texts count from the header.
struct CacheHeader {
  char magic[20];
  uint32_t count;
  uint32_t text_bytes;
  uint8_t flags;
  uint8_t padding[3];
  uint32_t extension;
  uint32_t unused[3];
};
static_assert(sizeof(CacheHeader) == 48);

struct CacheEntry {
  int32_t flags;
  uint32_t name;
  uint32_t path;
  uint32_t os_version;
  uint64_t hardware;
};
static_assert(sizeof(CacheEntry) == 24);

constexpr std::string_view kCacheMagic = "glibc-ld.so.cache1.1";
constexpr int32_t kX86_64Library = 0x0303;  // FLAG_ELF_LIBC6 and FLAG_X8664_LIB64

std::string_view TextAt(std::string_view texts, uint64_t offset) {
  if (offset >= texts.size()) return {};
  texts.remove_prefix(offset);
  const size_t end = texts.find('\0');
  return end == std::string_view::npos ? std::string_view() : texts.substr(0, end);
}

std::string ReadFile(const std::string& path, uint64_t most) {
  auto fd = symbols::OpenRegularFile(path, {.max_bytes = most});
  if (!fd) return {};
  struct stat file {};
  if (fstat(fd->get(), &file) != 0) return {};
  std::string text(std::min(most, static_cast<uint64_t>(file.st_size)), '\0');
  const ssize_t size = pread(fd->get(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return text;
}

// The interpreter in the first line of a script; empty if it is none.
std::string ScriptInterpreter(const std::string& path) {
  auto fd = symbols::OpenRegularFile(path, {});
  if (!fd) return {};
  std::string line(kMaxLineBytes, '\0');
  const ssize_t size = pread(fd->get(), line.data(), line.size(), 0);
  line.resize(size > 0 ? static_cast<size_t>(size) : 0);
  if (!line.starts_with("#!")) return {};
  const size_t begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_first_of(" \t\n", begin) - begin);
}

// Calls `visit` for each directory of a list with colons, until it returns true.
template <typename Visit>
bool AnyFolder(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const size_t colon = std::min(list.find(':'), list.size());
    if (colon != 0 && visit(std::string(list.substr(0, colon)))) return true;
    list.remove_prefix(std::min(colon + 1, list.size()));
  }
  return false;
}

void ReplaceAll(std::string* text, std::string_view old, std::string_view with) {
  for (size_t at = 0; (at = text->find(old, at)) != std::string::npos; at += with.size()) {
    text->replace(at, old.size(), with);
  }
}

bool IsFile(const std::string& path) {
  struct stat file {};
  return stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode);
}

// Finds a library as ld.so does. `origin`: the folder of the file that needs it.
std::string FindLibrary(const std::string& name, std::string_view search_path,
                        std::string_view origin, std::string_view cache) {
  if (name.empty()) return {};
  if (name.find('/') != std::string::npos) return name;
  std::string found;
  const auto is_in = [&](std::string folder) {
    ReplaceAll(&folder, "$ORIGIN", origin);
    ReplaceAll(&folder, "${ORIGIN}", origin);
    std::string path = std::move(folder) + '/' + name;
    if (!IsFile(path)) return false;
    found = std::move(path);
    return true;
  };
  const char* environment = getenv("LD_LIBRARY_PATH");
  if (AnyFolder(environment != nullptr ? environment : "", is_in)) return found;
  if (AnyFolder(search_path, is_in)) return found;
  if (std::string path = FindInLoaderCache(cache, name); !path.empty()) return path;
  AnyFolder("/lib64:/usr/lib64:/lib:/usr/lib", is_in);
  return found;
}

}  // namespace

std::string FindInLoaderCache(std::string_view cache, std::string_view name) {
  // Older files have another table before this one.
  const size_t begin = cache.find(kCacheMagic);
  if (begin == std::string_view::npos || begin % alignof(uint32_t) != 0) return {};
  cache.remove_prefix(begin);
  CacheHeader header;
  if (cache.size() < sizeof(header)) return {};
  std::memcpy(&header, cache.data(), sizeof(header));
  const uint64_t count =
      std::min<uint64_t>(header.count, (cache.size() - sizeof(header)) / sizeof(CacheEntry));
  for (uint64_t i = 0; i < count; ++i) {
    CacheEntry entry;
    std::memcpy(&entry, cache.data() + sizeof(header) + i * sizeof(entry), sizeof(entry));
    // Libraries for later processors are in folders of their own, which are not tried.
    if (entry.flags != kX86_64Library || entry.hardware != 0) continue;
    if (TextAt(cache, entry.name) == name) return std::string(TextAt(cache, entry.path));
  }
  return {};
}

std::vector<std::string> ProgramFiles(const std::string& path, const std::string& cache) {
  std::string program = path;
  for (int i = 0; i < kMaxScripts; ++i) {
    std::string interpreter = ScriptInterpreter(program);
    if (interpreter.empty()) break;
    program = std::move(interpreter);
  }
  const std::string libraries = ReadFile(cache, kMaxCacheBytes);
  std::vector<std::string> files;
  std::set<std::string> known{program};
  std::deque<std::string> waiting{program};
  while (!waiting.empty() && files.size() < kMaxFiles) {
    std::string file = std::move(waiting.front());
    waiting.pop_front();
    const auto elf = symbols::ElfFile::Open(file);
    if (!elf) continue;
    const auto dependencies = elf->ReadDependencies();
    const std::string origin = file.substr(0, file.rfind('/'));
    const auto add = [&](std::string other) {
      if (!other.empty() && known.insert(other).second) waiting.push_back(std::move(other));
    };
    if (files.empty()) add(dependencies.interpreter);
    for (const std::string& name : dependencies.needed) {
      add(FindLibrary(name, dependencies.search_path, origin, libraries));
    }
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace unwind
