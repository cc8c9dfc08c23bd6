// SPDX-License-Identifier: BSD-2-Clause
// Several files that take their names at one moment: all of them, or none.
#pragma once

#include <memory>
#include <span>

#include "output/output_file.h"
#include "util/result.h"

namespace output {

// Files with FileOptions::with_others, written and closed. First all of them are brought to the
// disk under hidden names, which is where a full one shows; then they exchange names with what had
// them. After an error everything is as it was. Of a process that is killed (SIGKILL, loss of
// power) during those exchanges alone, some are the new ones and some the old ones, and the others
// stay in the folder as .fxt-*; other signals wait until it is over.
util::Status PublishTogether(std::span<const std::shared_ptr<OutputFile>> files);

}  // namespace output
