// SPDX-License-Identifier: BSD-2-Clause
// Some of the kernel's types, as type information of its own: a hundred in place of a hundred
// thousand, which is what whoever looks through all of them for each name pays for.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "capture/btf/kernel_types.h"

namespace capture {

// BTF of all structs and typedefs of `types` with one of these names, and of whatever is part of
// them. What they only point to is left out: pointers are to void. So are the names of enumerators.
std::string SubsetOfTypes(const KernelTypes& types,
                          const std::unordered_set<std::string_view>& names);

}  // namespace capture
