// SPDX-License-Identifier: BSD-2-Clause
// Reads the settings of the kernel, of block and network devices, and of mounted file systems.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schema/settings.h"
#include "settings/small_file.h"

namespace settings {

class SystemReader {
 public:
  explicit SystemReader(const Roots& roots = {}) : roots_(roots) {}

  // A setting that this kernel does not have, or that cannot be read, is left out. Some ms: reads
  // about 150 files. Devices and mounts are those of this process's namespaces; at most 128 of
  // each.
  std::vector<schema::Settings> Read();

 private:
  // Settings of the kernel's configuration, which is read once.
  struct Configuration {
    std::string hz;
    std::string tick;
    std::string preemption;  // unless it was chosen at boot or later
    bool chooses_preemption = false;
  };
  void AddKernel(schema::Settings& system);

  Roots roots_;
  std::optional<Configuration> configuration_;
};

}  // namespace settings
