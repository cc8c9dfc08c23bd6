// SPDX-License-Identifier: BSD-2-Clause
// Arguments of events as JSON.
#pragma once

#include <fmt/format.h>

#include <span>

#include "fxt/argument.h"

namespace text {

// The members of an object, without its braces; nothing for no arguments. Koids are numbers,
// pointers "0x...", bytes their number.
void AppendMembers(fmt::memory_buffer& out, std::span<const fxt::Argument> arguments);

// Bytes of the names and texts in the arguments.
size_t TextBytes(std::span<const fxt::Argument> arguments);

}  // namespace text
