// SPDX-License-Identifier: BSD-2-Clause
// Opens the output path of a command line.
#pragma once

#include <memory>
#include <string>

#include "output/output_file.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace output {

struct OpenedOutput {
  util::UniqueFd fd;
  // Set for files; null for pipes, devices, and descriptors that this process inherited.
  std::unique_ptr<OutputFile> file;
};

// A new file (see OutputFile), or the pipe or device at `path`. A path of /proc/self/fd, such as
// /dev/stdout, yields that descriptor.
util::Result<OpenedOutput> OpenOutputAt(const std::string& path, const FileOptions& options);

// A duplicate of standard output or the like. A terminal is an error.
util::Result<util::UniqueFd> OpenStandardOutput(int fd, const std::string& name);

}  // namespace output
