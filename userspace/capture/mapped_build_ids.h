// SPDX-License-Identifier: BSD-2-Clause
// Finds the build ids of files that processes map.
//
// The kernel would send them with its records of mappings (perf_event_attr.build_id). But while an
// event of the machine has that attribute, the kernel (5.12 to 6.18 at least) marks the records of
// the same mapping that other programs get as if these had a build id as well, and `perf record`
// beside it crashes.
#pragma once

#include <string>
#include <utility>

#include "capture/process_mappings.h"
#include "symbols/build_id_cache.h"
#include "util/build_id.h"

namespace capture {

class MappedBuildIds {
 public:
  // `proc`: where procfs is mounted.
  explicit MappedBuildIds(std::string proc = "/proc") : proc_(std::move(proc)) {}

  // Empty if the mapping has no file, or the file has no build id, or is not found any more. If the
  // process has exited, the file is looked for in the recorder's own namespace.
  util::BuildId Of(const CodeMapping& mapping);

 private:
  std::string proc_;
  symbols::BuildIdCache cache_;
};

}  // namespace capture
