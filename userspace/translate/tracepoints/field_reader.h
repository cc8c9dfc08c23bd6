// SPDX-License-Identifier: BSD-2-Clause
// The value of a field in the kernel's record of an event, as an argument.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "fxt/argument.h"
#include "schema/tracepoint_format.h"

namespace translate {

// Bytes of a text, elements of an array; what is beyond is left out, and "..." stands there.
inline constexpr size_t kMaxTextBytes = 1000;
inline constexpr size_t kMaxElements = 64;

// Numbers in the smallest type of the format that has room for the field's values; arrays as text
// ("1,2,3"), those of bytes in hexadecimal ("0a1b"). What the record has no bytes for is NullValue.
// A text is a view of `scratch`.
fxt::ArgumentValue ReadField(const schema::TracepointField& field,
                             std::span<const std::byte> record, std::string& scratch);

// The same as a text.
std::string DescribeField(const schema::TracepointField& field, std::span<const std::byte> record);

}  // namespace translate
