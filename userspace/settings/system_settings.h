// SPDX-License-Identifier: BSD-2-Clause
// Reads the settings of the kernel, of block and network devices, and of mounted file systems.
#pragma once

#include <vector>

#include "schema/settings.h"
#include "settings/small_file.h"

namespace settings {

// A setting that this kernel does not have, or that cannot be read, is left out. Some ms: reads
// about 150 files. Devices and mounts are those of this process's namespaces; at most 128 of each.
std::vector<schema::Settings> ReadSystemSettings(const Roots& roots = {});

}  // namespace settings
