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

#include "capture/process_mappings.h"
#include "symbols/kallsyms.h"

namespace capture {
namespace {

// Limit of a command line, which is read whole for its length. The kernel allows 6 MiB.
constexpr size_t kMaxArguments = 8 << 20;

// Returns the file's text, or its first `most` bytes, as far as it can be read.
std::string ReadSome(const std::string& path, size_t most) {
  constexpr size_t kPiece = 4096;
  util::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  while (fd && text.size() < most) {
    const size_t had = text.size();
    text.resize(std::min(had + kPiece, most));
    const ssize_t got = read(fd.get(), text.data() + had, text.size() - had);
    text.resize(had + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got <= 0) break;
  }
  return text;
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

ProcIdentity::ProcIdentity(std::string proc, std::string sys, const std::string& cgroup_mount)
    : proc_(std::move(proc)),
      sys_(std::move(sys)),
      cgroups_(cgroup_mount.empty() ? FindCgroupMount(proc_) : cgroup_mount),
      build_ids_(proc_) {}

uint32_t ProcIdentity::OwnNumbers() const {
  std::ifstream status(proc_ + "/self/status");
  if (!status) return 0;
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("NSpid:")) continue;
    std::istringstream numbers(line.substr(sizeof("NSpid:") - 1));
    return static_cast<uint32_t>(std::distance(std::istream_iterator<uint32_t>(numbers), {}));
  }
  return 1;  // a kernel without process namespaces
}

model::ProcessText ProcIdentity::TextOf(uint32_t number) const {
  model::ProcessText text;
  std::array<char, 4096> target;
  std::string exe = fmt::format("{}/{}/exe", proc_, number);
  ssize_t length = readlink(exe.c_str(), target.data(), target.size());
  if (length > 0) {
    std::string path(target.data(), static_cast<size_t>(length));
    constexpr std::string_view kDeleted = " (deleted)";
    if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
    text.executable = BaseName(path);
  }
  const std::string cmdline = ReadSome(fmt::format("{}/{}/cmdline", proc_, number), kMaxArguments);
  text.cmdline = model::MakeCommandLine(cmdline, cmdline.size());
  return text;
}

std::string ProcIdentity::CpuGroupPath(uint64_t id, uint32_t hierarchy) {
  if (hierarchy == 0) return CgroupPath(id);
  if (!cpu_groups_) cpu_groups_.emplace(FindCgroupMount(proc_, "cpu"));
  return cpu_groups_->PathOf(id);
}

std::optional<uint64_t> ProcIdentity::CgroupId(const std::string& path) const {
  for (const std::string& candidate : {cgroups_.mount() + "/" + path, path}) {
    if (candidate.empty() || cgroups_.mount().empty()) continue;
    alignas(file_handle) std::array<std::byte, sizeof(file_handle) + sizeof(uint64_t)> storage{};
    auto* handle = reinterpret_cast<file_handle*>(storage.data());
    handle->handle_bytes = sizeof(uint64_t);
    int mount = 0;
    if (name_to_handle_at(AT_FDCWD, candidate.c_str(), handle, &mount, 0) != 0) continue;
    struct stat in_tree {};
    struct stat root {};
    if (stat(candidate.c_str(), &in_tree) != 0 || fstat(cgroups_.fd().get(), &root) != 0) continue;
    if (in_tree.st_dev != root.st_dev) continue;
    uint64_t id = 0;
    std::memcpy(&id, handle->f_handle, sizeof(id));
    return id;
  }
  return std::nullopt;
}

std::vector<model::ExecutableMapping> ProcIdentity::KernelMappings(
    std::optional<symbols::KernelText> text) const {
  if (!text) text = symbols::FindKernelText(proc_ + "/kallsyms");
  if (!text) return {};
  const util::BuildId id = symbols::RunningKernelBuildId(sys_ + "/kernel/notes");
  const auto bytes = id.view();
  return {{.start = text->start,
           .size = text->size,
           .file_offset = text->start,
           .file = "[kernel.kallsyms]_text",
           .build_id = {bytes.begin(), bytes.end()}}};
}

std::string ProcIdentity::FunctionAt(int64_t address) {
  if (!functions_) {
    auto kallsyms = symbols::ReadKallsyms(proc_ + "/kallsyms");
    functions_ = kallsyms ? std::move(kallsyms->functions) : symbols::SymbolTable();
  }
  const symbols::Symbol* symbol = functions_->Find(static_cast<uint64_t>(address));
  return symbol ? symbol->name : "";
}

std::vector<model::ExecutableMapping> ProcIdentity::MappingsOf(uint32_t number) {
  std::vector<model::ExecutableMapping> mappings;
  VisitCodeMappings(proc_, number, [&](const CodeMapping& code) {
    if (code.path.empty()) return true;
    const util::BuildId id = build_ids_.Of(code);
    mappings.push_back({.start = code.start,
                        .size = code.end - code.start,
                        .file_offset = code.offset,
                        .file = std::string(code.path),
                        .build_id = {id.view().begin(), id.view().end()}});
    return true;
  });
  return mappings;
}

std::string ProcIdentity::IrqName(uint32_t irq) const {
  std::string name = ReadSome(fmt::format("{}/kernel/irq/{}/actions", sys_, irq), 256);
  while (!name.empty() && (name.back() == '\n' || name.back() == '\0')) name.pop_back();
  return name;
}

}  // namespace capture
