// SPDX-License-Identifier: BSD-2-Clause
// SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash of 64 bits. Without the key no one can
// compute the hash of a guess.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace util {

using SipKey = std::array<std::byte, 16>;

uint64_t SipHash(const SipKey& key, std::string_view text);

}  // namespace util
