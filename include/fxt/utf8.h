// SPDX-License-Identifier: BSD-2-Clause
// Strings of the format are UTF-8 ("Atoms" of the format document), while names from the kernel are
// arbitrary bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fxt/format.h"
#include "fxt/string_ref.h"

namespace fxt {

// The longest prefix of `text` of at most `max_bytes` bytes that ends between characters. A byte
// that is not UTF-8 counts as one character.
std::string_view CutUtf8(std::string_view text, size_t max_bytes);

bool IsValidUtf8(std::string_view text);

// The prefix up to the first byte that is not UTF-8.
std::string_view ValidUtf8Prefix(std::string_view text);

// `text` with U+FFFD (three bytes) for each maximal ill-formed part, as the Unicode standard
// recommends (section 3.9).
std::string ToValidUtf8(std::string_view text);

// The same without an allocation if `text` is valid: returns `text` itself then, else a view of
// `scratch`, which it overwrites.
std::string_view ToValidUtf8(std::string_view text, std::string& scratch);

// An inline reference to `text` made valid and cut to `max_bytes`. Views `text` or `scratch`.
StringRef InlineUtf8(std::string_view text, std::string& scratch,
                     size_t max_bytes = kMaxStringBytes);

}  // namespace fxt
