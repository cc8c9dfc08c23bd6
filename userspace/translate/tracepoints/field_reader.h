// SPDX-License-Identifier: BSD-2-Clause
// Reads a field of the kernel's record of an event as an argument.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "fxt/argument.h"
#include "schema/tracepoint_format.h"

namespace translate {

// Limits of text bytes and array elements; the rest is replaced by "...".
inline constexpr size_t kMaxTextBytes = 1000;
inline constexpr size_t kMaxElements = 64;

// Integers take the smallest argument type that holds all values of the field. Arrays become text
// ("1,2,3"), byte arrays hexadecimal ("0a1b"). A field beyond the end of the record is NullValue. A
// text refers to `scratch`.
fxt::ArgumentValue ReadField(const schema::TracepointField& field,
                             std::span<const std::byte> record, std::string& scratch);

// The same as text.
std::string DescribeField(const schema::TracepointField& field, std::span<const std::byte> record);

}  // namespace translate
