// SPDX-License-Identifier: BSD-2-Clause
// Opens what a command line names as a trace: a file (mapped), a pipe, standard input, gzip or not.
#pragma once

#include <memory>
#include <string>

#include "fxt/byte_source.h"
#include "util/result.h"

namespace source {

// `path` "-" is standard input. Whether it is gzip is told by the content, not by the name.
util::Result<std::unique_ptr<fxt::ByteSource>> OpenInput(const std::string& path);

}  // namespace source
