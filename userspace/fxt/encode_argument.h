// SPDX-License-Identifier: BSD-2-Clause
// Arguments to words ("Argument types" of the format document).
#pragma once

#include <cstdint>
#include <span>

#include "fxt/argument.h"
#include "fxt/encode_status.h"
#include "word_writer.h"

namespace fxt {

EncodeStatus CheckString(const StringRef& ref);

// Checks `arguments` and adds the number of words they take to `words`.
EncodeStatus MeasureArguments(std::span<const Argument> arguments, uint64_t& words);

// Writes arguments that MeasureArguments() accepted.
void WriteArguments(std::span<const Argument> arguments, WordWriter& out);

}  // namespace fxt
