// SPDX-License-Identifier: BSD-2-Clause
#include "probes/file_finder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>

#include "util/nearest.h"

namespace probes {
namespace {

bool IsFile(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string Canonical(const std::string& path) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::canonical(path, error);
  return error ? path : canonical.string();
}

// "libc.so.6" matches itself, "libc.so", "libc" and "c".
bool IsNamed(std::string_view library, std::string_view name) {
  const auto begins = [&](const std::string& stem) {
    return library == stem || library.starts_with(stem + ".");
  };
  const std::string text(name);
  if (library == name) return true;
  if (name.ends_with(".so")) return begins(text);
  return name.find(".so.") == std::string_view::npos &&
         (begins(text + ".so") || begins("lib" + text + ".so"));
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::optional<std::string> FindProgram(const std::string& name, const std::string& folders) {
  std::istringstream list(folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    const std::string path = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    if (IsFile(path)) return path;
  }
  return std::nullopt;
}

}  // namespace

SearchPaths SystemSearchPaths() {
  SearchPaths places;
  const char* path = getenv("PATH");
  places.programs = path ? path : "/usr/local/bin:/usr/bin:/bin";
  return places;
}

std::vector<CachedLibrary> ReadLibraryCache(std::span<const char> cache) {
  constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
  constexpr size_t kCountAt = 20;
  constexpr size_t kEntriesAt = 48;
  constexpr size_t kEntryBytes = 24;
  // The machine kind in an entry's flags.
  constexpr uint32_t kKindMask = 0xff00;
#if defined(__x86_64__)
  constexpr uint32_t kKind = 0x0300;
#elif defined(__aarch64__)
  constexpr uint32_t kKind = 0x0a00;
#else
  constexpr uint32_t kKind = 0;
#endif
  const std::string_view bytes(cache.data(), cache.size());
  if (!bytes.starts_with(kMagic) || bytes.size() < kEntriesAt) return {};
  const auto word = [&](size_t at) {
    uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
  };
  const auto text = [&](uint32_t at) {
    if (at >= bytes.size()) return std::string_view();
    const size_t end = bytes.find('\0', at);
    return end == std::string_view::npos ? std::string_view() : bytes.substr(at, end - at);
  };
  std::vector<CachedLibrary> libraries;
  const uint64_t count = word(kCountAt);
  if (count > (bytes.size() - kEntriesAt) / kEntryBytes) return {};
  for (uint64_t i = 0; i < count; ++i) {
    const size_t at = kEntriesAt + i * kEntryBytes;
    if ((word(at) & kKindMask) != kKind) continue;
    const CachedLibrary library{text(word(at + 4)), text(word(at + 8))};
    if (!library.name.empty() && !library.path.empty()) libraries.push_back(library);
  }
  return libraries;
}

util::Result<std::string> FindFile(const std::string& name, const SearchPaths& places) {
  if (name.find('/') != std::string::npos) {
    if (IsFile(name)) return Canonical(name);
    return util::Error{fmt::format("there is no file '{}'", name),
                       "give the path of a program or library; that of a container's is "
                       "/proc/PID/root/..., with the id of a process in it"};
  }
  if (name.find(".so") == std::string::npos) {
    if (const auto program = FindProgram(name, places.programs)) return Canonical(*program);
  }
  const std::string cache = ReadAll(places.library_cache);
  std::vector<std::string> known;
  for (const CachedLibrary& library : ReadLibraryCache(cache)) {
    known.emplace_back(library.name);
    const std::string path(library.path);
    if (IsNamed(library.name, name) && IsFile(path)) return Canonical(path);
  }
  for (const std::string& folder : places.libraries) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      const std::string file = entry.path().filename().string();
      if (IsNamed(file, name) && IsFile(entry.path().string())) {
        return Canonical(entry.path().string());
      }
    }
  }
  const std::string nearest = util::Nearest(name, known);
  return util::Error{fmt::format("there is no program and no library '{}'", name),
                     nearest.empty()
                         ? "give its path"
                         : fmt::format("give its path; or did you mean '{}'?", nearest)};
}

}  // namespace probes
