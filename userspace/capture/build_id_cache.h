// SPDX-License-Identifier: BSD-2-Clause
// Finds the build ids of the files in perf's records of mappings.
//
// The kernel would send them, with perf_event_attr.build_id. But while an event of the machine has
// that attribute, the kernel (5.12 to 6.18 at least) marks the records of the same mapping that
// other programs get as if these had a build id as well, and `perf record` beside it crashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

#include "perf/record/record_decoder.h"
#include "util/build_id.h"

namespace capture {

class BuildIdCache {
 public:
  // `proc`: where procfs is mounted.
  explicit BuildIdCache(std::string proc = "/proc") : proc_(std::move(proc)) {}

  // The build id of the mapping's file, which is identified by its inode. Empty if the file has
  // none, or is gone with its process. Reads the file the first time, and when it was modified.
  util::BuildId Of(const perf::MmapRecord& mapping);

 private:
  struct File {
    uint32_t device_major = 0;
    uint32_t device_minor = 0;
    uint64_t inode = 0;
    uint64_t generation = 0;
    bool operator==(const File&) const = default;
  };
  struct HashOfFile {
    size_t operator()(const File& file) const {
      return std::hash<uint64_t>()(file.inode ^ uint64_t{file.device_minor} << 48 ^
                                   file.generation << 32);
    }
  };

  std::string proc_;
  struct Known {
    util::BuildId id;
    int64_t modified = 0;  // ns: a file may be written again in its place
  };

  std::unordered_map<File, Known, HashOfFile> known_;  // bounded
};

}  // namespace capture
