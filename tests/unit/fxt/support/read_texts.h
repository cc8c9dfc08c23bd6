// SPDX-License-Identifier: BSD-2-Clause
// The records of a file as texts.
#pragma once

#include <string>
#include <vector>

#include "fxt/reader.h"

namespace fxt::testing {

// Texts of all records as ToText writes them; stops at an error.
std::vector<std::string> ReadTexts(Reader& reader);

// An instant of category "test" without arguments.
Event TestInstant(Ticks time, StringRef name, ThreadRef thread = ThreadRef::Inline(1, 2));

}  // namespace fxt::testing
