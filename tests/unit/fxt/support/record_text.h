// SPDX-License-Identifier: BSD-2-Clause
// A record as one line of text with every field in it, for comparing records in tests.
#pragma once

#include <string>

#include "fxt/record.h"

namespace fxt::testing {

// References show index and text ("#17'sched'") or inline text ("'sched'"), threads index and koids
// ("@1:100/101") or koids alone ("100/101"). Numbers are decimal, bytes and doubles' bits in
// hexadecimal.
std::string ToText(const Record& record);

}  // namespace fxt::testing
