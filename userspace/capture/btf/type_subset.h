// SPDX-License-Identifier: BSD-2-Clause
// Extracts a subset of the kernel's BTF: a hundred types instead of a hundred thousand. libbpf
// searches all types for each name.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "capture/btf/kernel_types.h"

namespace capture {

// BTF of all structs and typedefs of `types` with one of these names, and of the types of their
// members. Pointers become pointers to void, and names of enumerators are dropped.
std::string SubsetOfTypes(const KernelTypes& types,
                          const std::unordered_set<std::string_view>& names);

}  // namespace capture
