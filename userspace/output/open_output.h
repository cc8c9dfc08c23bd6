// SPDX-License-Identifier: BSD-2-Clause
// From the path on a command line to a descriptor.
#pragma once

#include <memory>
#include <string>

#include "output/output_file.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace output {

struct OpenedOutput {
  util::UniqueFd fd;
  // Where that is a file; none for pipes, devices, and what this process had open already.
  std::unique_ptr<OutputFile> file;
};

// A new file (see OutputFile), or the pipe or device that is at `path`. One of /proc/self/fd, such
// as /dev/stdout, is that descriptor itself.
util::Result<OpenedOutput> OpenOutputAt(const std::string& path, const FileOptions& options);

// A descriptor like standard output's. A terminal is an error.
util::Result<util::UniqueFd> OpenStandardOutput(int fd, const std::string& name);

}  // namespace output
