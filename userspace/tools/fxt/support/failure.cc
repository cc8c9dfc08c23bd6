// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/failure.h"

#include "tools/common/message.h"

namespace tools {

int Fail(const util::Error& error) {
  PrintError(kProgram, error);
  return kExitUnreadable;
}

}  // namespace tools
