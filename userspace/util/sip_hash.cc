// SPDX-License-Identifier: BSD-2-Clause
#include "util/sip_hash.h"

#include <bit>

namespace util {
namespace {

// Up to eight bytes, the first one lowest.
uint64_t Word(const char* bytes, size_t count) {
  uint64_t word = 0;
  for (size_t i = 0; i < count; ++i) {
    word |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

struct State {
  uint64_t v0, v1, v2, v3;

  void Round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void Add(uint64_t word) {
    v3 ^= word;
    Round();
    Round();
    v0 ^= word;
  }
};

}  // namespace

uint64_t SipHash(const SipKey& key, std::string_view text) {
  const auto* bytes = reinterpret_cast<const char*>(key.data());
  const uint64_t k0 = Word(bytes, 8);
  const uint64_t k1 = Word(bytes + 8, 8);
  State state{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
              k1 ^ 0x7465646279746573};
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) state.Add(Word(text.data() + at, 8));
  state.Add(Word(text.data() + at, text.size() - at) | uint64_t{text.size()} << 56);
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) state.Round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace util
