// SPDX-License-Identifier: BSD-2-Clause
#include "capture/process_mappings.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <memory>

#include "symbols/regular_file.h"

namespace capture {
namespace {

constexpr size_t kMaxLineBytes = 8192;

bool ParseHex(std::string_view text, uint64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

// Takes the text up to the next space.
std::string_view TakeField(std::string_view* line) {
  line->remove_prefix(std::min(line->find_first_not_of(' '), line->size()));
  const std::string_view field = line->substr(0, line->find(' '));
  line->remove_prefix(field.size());
  return field;
}

// As the kernel has it.
fxr_unwind_file FileOf(const struct stat& file, uint32_t device) {
  return {.inode = file.st_ino,
          .size = static_cast<uint64_t>(file.st_size),
          .changed_s = static_cast<uint64_t>(file.st_ctim.tv_sec),
          .changed_ns = static_cast<uint32_t>(file.st_ctim.tv_nsec),
          .device = device};
}

// "start-end perms offset device inode path". False: it is not executable, or malformed.
bool ParseLine(std::string_view line, CodeMapping* mapping) {
  if (line.size() > kMaxLineBytes) return false;
  const std::string_view place = TakeField(&line);
  const size_t dash = place.find('-');
  if (dash == std::string_view::npos) return false;
  const std::string_view permissions = TakeField(&line);
  if (permissions.find('x') == std::string_view::npos) return false;
  if (!ParseHex(place.substr(0, dash), &mapping->start) ||
      !ParseHex(place.substr(dash + 1), &mapping->end) ||
      !ParseHex(TakeField(&line), &mapping->offset) || mapping->end <= mapping->start) {
    return false;
  }
  mapping->writable = permissions.find('w') != std::string_view::npos;
  const std::string_view device = TakeField(&line);
  const size_t colon = std::min(device.find(':'), device.size());
  uint64_t major = 0, minor = 0;
  mapping->has_device = ParseHex(device.substr(0, colon), &major) &&
                        ParseHex(device.substr(std::min(colon + 1, device.size())), &minor);
  mapping->device = DeviceOf(major, minor);
  const std::string_view inode = TakeField(&line);
  std::from_chars(inode.data(), inode.data() + inode.size(), mapping->inode);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  mapping->path = line;
  return true;
}

}  // namespace

uint32_t DeviceOf(uint64_t major, uint64_t minor) {
  return static_cast<uint32_t>(major << 20 | minor);
}

void VisitProcesses(const std::string& proc, const std::function<void(uint32_t tgid)>& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(proc.c_str()), closedir);
  if (!folder) return;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    uint32_t tgid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), tgid);
    if (error == std::errc() && end == name.data() + name.size()) visit(tgid);
  }
}

void VisitCodeMappings(const std::string& proc, uint32_t tgid,
                       const std::function<bool(const CodeMapping&)>& visit) {
  std::ifstream maps(fmt::format("{}/{}/maps", proc, tgid));
  std::string text;
  while (std::getline(maps, text)) {
    CodeMapping mapping{.tgid = tgid};
    if (ParseLine(text, &mapping) && !visit(mapping)) return;
  }
}

std::optional<MappedFile> FindMappedFile(const std::string& proc, const CodeMapping& mapping) {
  MappedFile found;
  // The mapped file itself, also if its path leads to another one by now.
  found.path =
      fmt::format("{}/{}/map_files/{:x}-{:x}", proc, mapping.tgid, mapping.start, mapping.end);
  if (stat(found.path.c_str(), &found.status) != 0) {
    found.root = fmt::format("{}/{}/root", proc, mapping.tgid);
    found.path = mapping.path;
    if (stat((found.root + found.path).c_str(), &found.status) != 0) return std::nullopt;
  }
  found.identity = FileOf(found.status, mapping.device);
  return found;
}

util::Result<util::UniqueFd> OpenCode(const std::string& path, const std::string& root) {
  return path.find("/map_files/") != std::string::npos
             ? symbols::OpenMappedFile(path)
             : symbols::OpenRegularFile(path, {.root = root});
}

std::optional<MappedFile> FindOwnFile(const std::string& path) {
  MappedFile found;
  found.path = path;
  if (stat(path.c_str(), &found.status) != 0 || !S_ISREG(found.status.st_mode)) return std::nullopt;
  const dev_t device = found.status.st_dev;
  found.identity = FileOf(found.status, DeviceOf(major(device), minor(device)));
  return found;
}

std::optional<uint64_t> ReadArguments(const std::string& proc, uint32_t tgid) {
  std::ifstream stat(fmt::format("{}/{}/stat", proc, tgid));
  std::string text;
  std::getline(stat, text);
  // Fields follow the name, which may contain spaces: state is the third one (proc(5)).
  constexpr int kFlags = 9;
  constexpr int kArgStart = 48;
  constexpr uint64_t kKernelThread = 0x00200000;  // PF_KTHREAD
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::string_view fields = std::string_view(text).substr(name_end + 1);
  std::string_view field;
  for (int number = 3; number <= kArgStart; ++number) {
    field = TakeField(&fields);
    uint64_t flags = 0;
    if (number == kFlags) std::from_chars(field.data(), field.data() + field.size(), flags);
    if ((flags & kKernelThread) != 0) return std::nullopt;
  }
  uint64_t address = 0;
  std::from_chars(field.data(), field.data() + field.size(), address);
  return address;
}

}  // namespace capture
