// SPDX-License-Identifier: BSD-2-Clause
// What nearly every file includes, compiled once for all of them. It is there before the first line
// of each, which includes what it needs all the same (`make PRELUDES=` and `make lint` do without
// this). For the command line of the compiler alone.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
