// SPDX-License-Identifier: BSD-2-Clause
// The executable mappings of a process, from /proc, and the files behind them.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "fxt_record/unwind.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace capture {

// A line of /proc/PID/maps (proc(5)).
struct CodeMapping {
  uint32_t tgid = 0;
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t offset = 0;  // in the file
  bool writable = false;
  bool has_device = false;
  uint32_t device = 0;  // the kernel's number
  uint64_t inode = 0;
  std::string_view path = {};  // empty: no file
};

// A file that a process maps.
struct MappedFile {
  struct stat status {};
  // As the kernel has it.
  fxr_unwind_file identity{};
  // Opens the file: a path below a root (empty: this process's own), or a link in
  // /proc/PID/map_files.
  std::string path;
  std::string root;
};

// The kernel's number of a device.
uint32_t DeviceOf(uint64_t major, uint64_t minor);

// `proc` is the path of /proc in all of these.

// Visits the processes that run.
void VisitProcesses(const std::string& proc, const std::function<void(uint32_t tgid)>& visit);
// Visits the executable mappings in order of address, until `visit` returns false.
void VisitCodeMappings(const std::string& proc, uint32_t tgid,
                       const std::function<bool(const CodeMapping&)>& visit);
// Nothing if the file is gone.
std::optional<MappedFile> FindMappedFile(const std::string& proc, const CodeMapping& mapping);
// Opens it for reading, if it is a regular file.
util::Result<util::UniqueFd> OpenCode(const std::string& path, const std::string& root);
// A regular file of this process's own namespace; nothing if there is none.
std::optional<MappedFile> FindOwnFile(const std::string& path);
// The address of the process's arguments, random with each exec; 0: not known. Nothing for kernel
// threads.
std::optional<uint64_t> ReadArguments(const std::string& proc, uint32_t tgid);

}  // namespace capture
