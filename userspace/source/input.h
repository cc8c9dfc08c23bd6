// SPDX-License-Identifier: BSD-2-Clause
// Opens a trace named on a command line: a file (mapped), a pipe, standard input, gzip or not.
#pragma once

#include <memory>
#include <string>

#include "fxt/byte_source.h"
#include "util/result.h"

namespace source {

// `path` "-" is standard input. The content decides whether it is gzip.
util::Result<std::unique_ptr<fxt::ByteSource>> OpenInput(const std::string& path);

}  // namespace source
