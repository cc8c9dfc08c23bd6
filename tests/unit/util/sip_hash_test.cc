// SPDX-License-Identifier: BSD-2-Clause
#include "util/sip_hash.h"

#include <gtest/gtest.h>

#include <string>

namespace util {
namespace {

// The vectors of the reference implementation: key 00 01 ... 0f, input of n bytes 00 01 ...
TEST(SipHashTest, AgreesWithTheReferenceImplementation) {
  SipKey key;
  std::string input;
  for (unsigned i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i);
  for (char byte = 0; byte < 63; ++byte) input.push_back(byte);
  const auto of = [&](size_t size) {
    return SipHash(key, std::string_view(input).substr(0, size));
  };
  EXPECT_EQ(of(0), 0x726fdb47dd0e0e31U);
  EXPECT_EQ(of(1), 0x74f839c593dc67fdU);
  EXPECT_EQ(of(7), 0xab0200f58b01d137U);
  EXPECT_EQ(of(8), 0x93f5f5799a932462U);
  EXPECT_EQ(of(15), 0xa129ca6149be45e5U);
  EXPECT_EQ(of(63), 0x958a324ceb064572U);
}

}  // namespace
}  // namespace util
