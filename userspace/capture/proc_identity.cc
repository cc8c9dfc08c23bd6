// SPDX-License-Identifier: BSD-2-Clause
#include "capture/proc_identity.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "symbols/elf_file.h"
#include "symbols/kallsyms.h"

namespace capture {
namespace {

constexpr size_t kMaxCmdlineBytes = 256;
constexpr size_t kMaxCachedCgroups = 4096;

std::string ReadSome(const std::string& path, size_t most) {
  util::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return "";
  std::string text(most, '\0');
  ssize_t got = read(fd.get(), text.data(), most);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string FindCgroupMount(const std::string& proc) {
  std::ifstream mounts(proc + "/self/mountinfo");
  std::string line;
  while (std::getline(mounts, line)) {
    // "... root mountpoint options [tags] - type source options" (proc(5))
    size_t dash = line.find(" - cgroup2 ");
    if (dash == std::string::npos) continue;
    std::istringstream fields(line);
    std::string id, parent, device, root, mount;
    if (fields >> id >> parent >> device >> root >> mount) return mount;
  }
  return "";
}

}  // namespace

ProcIdentity::ProcIdentity(std::string proc, std::string sys, std::string cgroup_mount)
    : proc_(std::move(proc)), sys_(std::move(sys)), cgroup_mount_(std::move(cgroup_mount)) {
  if (cgroup_mount_.empty()) cgroup_mount_ = FindCgroupMount(proc_);
  // include/linux/proc_ns.h: the inode of the first pid namespace, PROC_PID_INIT_INO. In another
  // one, /proc tells of other tasks by the numbers that events carry.
  constexpr ino_t kFirstPidNamespace = 0xeffffffc;
  struct stat pid_namespace {};
  numbers_are_the_kernels_ = stat((proc_ + "/self/ns/pid").c_str(), &pid_namespace) != 0 ||
                             pid_namespace.st_ino == kFirstPidNamespace;
  if (!cgroup_mount_.empty()) {
    cgroup_fd_ = util::UniqueFd(open(cgroup_mount_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
}

model::ProcessText ProcIdentity::TextOf(uint32_t tgid) {
  model::ProcessText text;
  if (!numbers_are_the_kernels_) return text;
  std::array<char, 4096> target;
  std::string exe = fmt::format("{}/{}/exe", proc_, tgid);
  ssize_t length = readlink(exe.c_str(), target.data(), target.size());
  if (length > 0) {
    std::string path(target.data(), static_cast<size_t>(length));
    constexpr std::string_view kDeleted = " (deleted)";
    if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
    text.executable = BaseName(path);
  }
  text.cmdline = ReadSome(fmt::format("{}/{}/cmdline", proc_, tgid), kMaxCmdlineBytes);
  while (!text.cmdline.empty() && text.cmdline.back() == '\0') text.cmdline.pop_back();
  std::replace(text.cmdline.begin(), text.cmdline.end(), '\0', ' ');
  return text;
}

std::optional<model::TaskIdentity> ProcIdentity::LookUp(uint32_t tid) {
  if (!numbers_are_the_kernels_) return std::nullopt;
  std::ifstream status(fmt::format("{}/{}/status", proc_, tid));
  if (!status) return std::nullopt;
  model::TaskIdentity identity;
  identity.tid = tid;
  bool has_memory = false;
  std::string line;
  while (std::getline(status, line)) {
    size_t colon = line.find(":\t");
    if (colon == std::string::npos) continue;
    std::string_view key(line.data(), colon);
    const char* value = line.c_str() + colon + 2;
    if (key == "Name") identity.name = value;
    if (key == "Tgid") identity.tgid = static_cast<uint32_t>(strtoul(value, nullptr, 10));
    if (key == "PPid") identity.ppid = static_cast<uint32_t>(strtoul(value, nullptr, 10));
    if (key == "Uid") identity.uid = static_cast<uint32_t>(strtoul(value, nullptr, 10));
    if (key == "VmSize") has_memory = true;
  }
  if (identity.tgid == 0) return std::nullopt;
  // kthreadd is 2, and the parent of all kernel threads.
  identity.is_kernel = !has_memory && (identity.tid == 2 || identity.ppid == 2);
  std::ifstream cgroups(fmt::format("{}/{}/cgroup", proc_, tid));
  while (std::getline(cgroups, line)) {
    if (line.starts_with("0::")) identity.cgroup = line.substr(3);
  }
  return identity;
}

std::string ProcIdentity::CgroupPath(uint64_t id) {
  if (id == 0 || !cgroup_fd_) return "";
  if (auto known = cgroup_paths_.find(id); known != cgroup_paths_.end()) return known->second;
  if (cgroup_paths_.size() >= kMaxCachedCgroups) cgroup_paths_.clear();
  // A cgroup's id is the file handle of its directory (include/linux/exportfs.h: FILEID_KERNFS).
  constexpr int kFileIdKernfs = 0xfe;
  alignas(file_handle) std::array<std::byte, sizeof(file_handle) + sizeof(id)> storage{};
  auto* handle = reinterpret_cast<file_handle*>(storage.data());
  handle->handle_bytes = sizeof(id);
  handle->handle_type = kFileIdKernfs;
  std::memcpy(handle->f_handle, &id, sizeof(id));
  util::UniqueFd directory(
      open_by_handle_at(cgroup_fd_.get(), handle, O_RDONLY | O_PATH | O_CLOEXEC));
  std::string path;
  if (directory) {
    std::array<char, 4096> target;
    std::string link = fmt::format("/proc/self/fd/{}", directory.get());
    ssize_t length = readlink(link.c_str(), target.data(), target.size());
    std::string absolute(target.data(), length > 0 ? static_cast<size_t>(length) : 0);
    if (absolute.starts_with(cgroup_mount_)) path = absolute.substr(cgroup_mount_.size());
    if (path.empty()) path = "/";
  }
  cgroup_paths_.emplace(id, path);
  return path;
}

std::optional<uint64_t> ProcIdentity::CgroupId(const std::string& path) const {
  for (const std::string& candidate : {cgroup_mount_ + "/" + path, path}) {
    if (candidate.empty() || cgroup_mount_.empty()) continue;
    alignas(file_handle) std::array<std::byte, sizeof(file_handle) + sizeof(uint64_t)> storage{};
    auto* handle = reinterpret_cast<file_handle*>(storage.data());
    handle->handle_bytes = sizeof(uint64_t);
    int mount = 0;
    if (name_to_handle_at(AT_FDCWD, candidate.c_str(), handle, &mount, 0) != 0) continue;
    struct stat in_tree {};
    struct stat root {};
    if (stat(candidate.c_str(), &in_tree) != 0 || fstat(cgroup_fd_.get(), &root) != 0) continue;
    if (in_tree.st_dev != root.st_dev) continue;
    uint64_t id = 0;
    std::memcpy(&id, handle->f_handle, sizeof(id));
    return id;
  }
  return std::nullopt;
}

std::vector<model::ExecutableMapping> ProcIdentity::MappingsOf(uint32_t tgid) {
  constexpr size_t kMaxCachedFiles = 4096;
  std::vector<model::ExecutableMapping> mappings;
  if (!numbers_are_the_kernels_) return mappings;
  if (tgid == 0) {
    const auto text = symbols::FindKernelText(proc_ + "/kallsyms");
    if (!text) return mappings;
    const util::BuildId id = symbols::RunningKernelBuildId(sys_ + "/kernel/notes");
    const auto bytes = id.view();
    mappings.push_back({.start = text->start,
                        .size = text->size,
                        .file_offset = text->start,
                        .file = "[kernel.kallsyms]_text",
                        .build_id = {bytes.begin(), bytes.end()}});
    return mappings;
  }
  std::ifstream maps(fmt::format("{}/{}/maps", proc_, tgid));
  std::string line;
  while (std::getline(maps, line)) {
    // "start-end perms offset device inode path" (proc(5)), all but the inode in hexadecimal.
    std::istringstream fields(line);
    model::ExecutableMapping mapping;
    uint64_t end = 0;
    char dash = 0;
    std::string permissions, device, inode;
    fields >> std::hex >> mapping.start >> dash >> end >> permissions >> mapping.file_offset >>
        device >> inode >> std::ws;
    if (!std::getline(fields, mapping.file) || permissions.find('x') == std::string::npos) continue;
    if (end <= mapping.start) continue;
    mapping.size = end - mapping.start;
    if (mapping.file.starts_with("/")) {
      auto known = build_ids_.find(mapping.file);
      if (known == build_ids_.end()) {
        if (build_ids_.size() >= kMaxCachedFiles) build_ids_.clear();
        std::vector<std::byte> id;
        // As the process sees the file, which may be in a container.
        const std::string seen = fmt::format("{}/{}/root{}", proc_, tgid, mapping.file);
        if (auto elf = symbols::ElfFile::Open(seen)) {
          const auto bytes = elf->build_id().view();
          id.assign(bytes.begin(), bytes.end());
        }
        known = build_ids_.emplace(mapping.file, std::move(id)).first;
      }
      mapping.build_id = known->second;
    }
    mappings.push_back(std::move(mapping));
  }
  return mappings;
}

std::string ProcIdentity::IrqName(uint32_t irq) {
  std::string name = ReadSome(fmt::format("{}/kernel/irq/{}/actions", sys_, irq), 256);
  while (!name.empty() && (name.back() == '\n' || name.back() == '\0')) name.pop_back();
  return name;
}

}  // namespace capture
